import { bpftoolMap, type Frame, kernelHistograms, kernelLayoutOf, kernelMap } from '@hdrscope/ebpf';
import type { EbpfMapSourceConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';
import { sinceOf } from './since.ts';

/** A map in which an eBPF program counts, read at every gather. */
export const startEbpfMap: Start<EbpfMapSourceConfig> = async (config, { registry, memory }) => {
  const { map, metric, description, unit, perCpu, attributes, timeout } = config;
  const since = sinceOf(memory, `ebpf-map ${map}`, config.since);
  const options = { ...whichMap(map), layout: kernelLayoutOf(config.layout) };
  const source = config.bpftool ? bpftoolMap(options) : kernelMap(options);
  const read = async (): Promise<Frame> => {
    const frame = await source.read();
    since.seen();
    return frame;
  };
  const histograms = kernelHistograms(
    registry,
    { name: source.name, read, close: () => source.close() },
    {
      ...(metric !== undefined && { name: metric }),
      description,
      kernelUnit: unit,
      perCpu,
      attributes,
      since: since.start,
      timeoutMs: timeout,
    },
  );
  return { note: map, stop: () => histograms.close() };
};

function whichMap(
  text: string,
): { readonly path: string } | { readonly id: number } | { readonly name: string } {
  if (text.startsWith('id:')) return { id: Number(text.slice('id:'.length)) };
  if (text.startsWith('name:')) return { name: text.slice('name:'.length) };
  return { path: text };
}
