import { bpftrace, kernelHistograms } from '@hdrscope/ebpf';
import type { BpftraceSourceConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';

/** A bpftrace script. The first gather starts it, and it keeps running. Another run counts from 0, so all its counts are new. */
export const startBpftrace: Start<BpftraceSourceConfig> = async (config, { registry, intake }) => {
  const { script, file, program, keys, printEvery, unit, attributes, timeout } = config;
  const source = bpftrace({
    ...(script !== undefined && { script }),
    ...(file !== undefined && { file }),
    program,
    keys,
    printEveryMs: printEvery,
    startTimeoutMs: timeout,
  });
  const options = { ...intake(source.name), kernelUnit: unit, attributes, timeoutMs: timeout };
  const histograms = kernelHistograms(registry, source, options);
  return { note: source.name, stop: () => histograms.close() };
};
