import { bpftoolMap, kernelHistograms, kernelLayoutOf, kernelMap } from '@hdrscope/ebpf';
import type { EbpfMapSourceConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';

/** A map of an eBPF program. Every gather reads it. */
export const startEbpfMap: Start<EbpfMapSourceConfig> = async (config, { registry, intake }) => {
  const { map, metric, description, unit, perCpu, attributes, timeout, since } = config;
  const options = { ...whichMap(map), layout: kernelLayoutOf(config.layout) };
  const source = config.bpftool ? bpftoolMap(options) : kernelMap(options);
  const histograms = kernelHistograms(registry, source, {
    ...intake(`ebpf-map ${map}`),
    ...(metric !== undefined && { name: metric }),
    ...(description !== undefined && { description }),
    kernelUnit: unit,
    perCpu,
    attributes,
    since,
    timeoutMs: timeout,
  });
  return { note: map, stop: () => histograms.close() };
};

function whichMap(
  text: string,
): { readonly path: string } | { readonly id: number } | { readonly name: string } {
  if (text.startsWith('id:')) return { id: Number(text.slice('id:'.length)) };
  if (text.startsWith('name:')) return { name: text.slice('name:'.length) };
  return { path: text };
}
