import { bpftrace, ingestKernel, type KernelFamilyOptions } from '@hdrscope/ebpf';
import type { BpftraceMapConfig, BpftraceSourceConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';

/** A bpftrace script. The first gather starts it, and it keeps running. Another run counts from 0, so all its counts are new. */
export const startBpftrace: Start<BpftraceSourceConfig> = async (config, { registry, intake }) => {
  const { script, file, program, keys, printEvery, unit, maps, attributes, timeout } = config;
  const source = bpftrace({
    ...(script !== undefined && { script }),
    ...(file !== undefined && { file }),
    program,
    keys,
    printEveryMs: printEvery,
    startTimeoutMs: timeout,
  });
  const histograms = ingestKernel(registry, source, {
    ...intake(source.name),
    kernelUnit: unit,
    attributes,
    families: Object.fromEntries(Object.entries(maps).map(([map, one]) => [map, familyOf(one, config)])),
    timeoutMs: timeout,
  });
  return { note: source.name, stop: () => histograms.close() };
};

function familyOf(
  { metric, description, unit, attributes }: BpftraceMapConfig,
  source: BpftraceSourceConfig,
): KernelFamilyOptions {
  return {
    ...(metric !== undefined && { name: metric }),
    ...(description !== undefined && { description }),
    kernelUnit: unit ?? source.unit,
    attributes: { ...source.attributes, ...attributes },
  };
}
