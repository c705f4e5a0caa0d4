import { join } from 'node:path';
import {
  bpftoolMap,
  type ExporterHistogram,
  ingestKernel,
  type KernelIngestion,
  kernelMap,
  readEbpfExporterConfig,
} from '@hdrscope/ebpf';
import type { SourceObserver } from '@hdrscope/registry';
import type { EbpfExporterSourceConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';

/** The histograms of a configuration of ebpf_exporter. Every gather reads their maps. The file is read at the start. */
export const startEbpfExporter: Start<EbpfExporterSourceConfig> = async (config, { registry, intake }) => {
  const { pins, perCpu, attributes, timeout, since, prefix } = config;
  const histograms = await readEbpfExporterConfig(config.config, { prefix });
  const observerOf = shared();
  const running: KernelIngestion[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((one) => one.close()));
  };
  try {
    for (const histogram of histograms) {
      const { name, family, decode } = histogram;
      const { observer = {}, ...options } = intake(`ebpf-exporter ${pins ?? 'name'} ${name}`);
      running.push(
        ingestKernel(registry, decode(mapOf(histogram, config)), {
          ...options,
          ...family,
          observer: observerOf(name, observer),
          perCpu,
          attributes,
          since,
          timeoutMs: timeout,
        }),
      );
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { note: `${config.config}: ${histograms.map(({ name }) => name).join(', ')}`, stop };
};

function mapOf({ name, map }: ExporterHistogram, { pins, bpftool }: EbpfExporterSourceConfig) {
  const options = { ...(pins === undefined ? { name } : { path: join(pins, name) }), ...map };
  return bpftool ? bpftoolMap(options) : kernelMap(options);
}

/** The entry works when all of its maps can be read, and not whenever one of them can. */
function shared(): (name: string, observer: SourceObserver) => SourceObserver {
  const failing = new Set<string>();
  return (name, observer) => ({
    ...observer,
    succeeded: () => {
      failing.delete(name);
      if (failing.size === 0) observer.succeeded?.();
    },
    failed: (error) => {
      failing.add(name);
      observer.failed?.(error);
    },
  });
}
