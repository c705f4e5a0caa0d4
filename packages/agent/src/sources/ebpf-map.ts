import {
  bpftoolMap,
  ingestKernel,
  type KernelSource,
  kernelMap,
  type MapShape,
  parseKernelLayout,
  parseMapShape,
} from '@hdrscope/ebpf';
import type { EbpfMapSourceConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';

/** A map of an eBPF program. Every gather reads it. */
export const startEbpfMap: Start<EbpfMapSourceConfig> = async (config, { registry, intake }) => {
  const { map, metric, description, unit, perCpu, attributes, timeout, since } = config;
  const source = sourceOf(config);
  const histograms = ingestKernel(registry, source, {
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

function sourceOf({ map, layout: text, shape, sum, bpftool }: EbpfMapSourceConfig): KernelSource {
  const described: MapShape = {
    ...(shape !== undefined && parseMapShape(shape)),
    ...(sum !== undefined && { sum }),
  };
  const options = { ...whichMap(map), shape: described };
  if (text === undefined) return kernelMap(options);
  const layout = parseKernelLayout(text);
  return bpftool ? bpftoolMap({ ...options, layout }) : kernelMap({ ...options, layout });
}

function whichMap(
  text: string,
): { readonly path: string } | { readonly id: number } | { readonly name: string } {
  if (text.startsWith('id:')) return { id: Number(text.slice('id:'.length)) };
  if (text.startsWith('name:')) return { name: text.slice('name:'.length) };
  return { path: text };
}
