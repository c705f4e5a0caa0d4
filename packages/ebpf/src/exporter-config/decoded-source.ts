import { setTimeout as sleep } from 'node:timers/promises';
import type { HdrscopeError } from '@hdrscope/core';
import { usedSlots } from '@hdrscope/core/internal';
import type { Attributes } from '@hdrscope/registry';
import { sumOfCpus } from '../cpu-counts.ts';
import { kernelError } from '../errors.ts';
import type { Frame, KernelHistogram, KernelSource } from '../source/source.ts';
import { decodeAttributes, type Label } from './labels.ts';
import type { SystemNames } from './system-names.ts';

/** How the map of a histogram is decoded. */
export interface Decoding {
  /** Labels of the key without the bucket. */
  readonly labels: readonly Label[];
  /** The size of one unit of the sum, in units of the slots. */
  readonly sumFactor: number;
  readonly names: SystemNames;
}

/** A sum is refused when its distance from what the counts allow is this factor, which no race of a reader explains. */
const TOLERANCE = 4;
const ATTEMPTS = 3;
const PAUSE_MS = 20;

/** Decodes the labels and the sums of a map of ebpf_exporter. */
export function decodedSource(source: KernelSource, decoding: Decoding): KernelSource {
  let known: ReadonlyMap<string, Attributes | undefined> = new Map();
  const attributesOf = async (
    histograms: readonly KernelHistogram[],
  ): Promise<Map<string, Attributes | undefined>> => {
    const { labels, names } = decoding;
    const decode = (): Map<string, Attributes | undefined> =>
      new Map(
        histograms.map(({ attributes }) => {
          const raw = JSON.stringify(attributes);
          return [raw, known.has(raw) ? known.get(raw) : decodeAttributes(labels, attributes, names)];
        }),
      );
    const decoded = decode();
    return (await names.readMissing()) ? decode() : decoded;
  };
  return {
    name: source.name,
    close: () => source.close(),
    read: async () => {
      const frame = await frameOf(source, decoding.sumFactor);
      known = await attributesOf(frame.histograms);
      const histograms = frame.histograms.flatMap((histogram): KernelHistogram[] => {
        const identity = JSON.stringify(histogram.attributes);
        const attributes = known.get(identity);
        return attributes === undefined ? [] : [{ ...histogram, attributes, identity }];
      });
      return { ...frame, histograms };
    },
  };
}

/**
 * Reads a frame with sums in units of the slots.
 *
 * @throws HdrscopeError `ERR_KERNEL` when a sum cannot be the sum of the values that are counted. A reader of a map that
 *   counts meanwhile may see that once, not three times.
 */
async function frameOf(source: KernelSource, sumFactor: number): Promise<Frame> {
  for (let attempt = 1; ; attempt++) {
    const frame = await source.read();
    const histograms = withSums(frame.histograms, sumFactor);
    const wrong = histograms.filter((histogram) => !isPossible(histogram));
    if (wrong.length === 0) return { ...frame, histograms };
    if (frame.isLossy) {
      // The sum, or counts that are in it, were dropped.
      const lost = new Set(wrong);
      return {
        ...frame,
        histograms: histograms.map((one) => (lost.has(one) ? { ...one, sums: undefined } : one)),
      };
    }
    if (attempt === ATTEMPTS) throw notASum(source, wrong[0]!, sumFactor);
    await sleep(PAUSE_MS);
  }
}

/** Programs need not keep a sum. Only what is above 0 is one, as ebpf_exporter documents. */
function withSums(histograms: readonly KernelHistogram[], factor: number): readonly KernelHistogram[] {
  const hasSums = histograms.some(({ sums }) => sums?.some((sum) => sum > 0));
  return histograms.map((histogram) => {
    const isKept = hasSums && (histogram.sums?.some((sum) => sum > 0) || boundsOfSum(histogram).least === 0);
    return { ...histogram, sums: isKept ? histogram.sums?.map((sum) => sum * factor) : undefined };
  });
}

function isPossible(histogram: KernelHistogram): boolean {
  if (histogram.sums === undefined) return true;
  const { sum = 0 } = sumOfCpus(histogram);
  const { least, most } = boundsOfSum(histogram);
  return sum * TOLERANCE >= least && sum <= most * TOLERANCE;
}

/** The least and the largest sum of values in the slots of a histogram. */
function boundsOfSum(histogram: KernelHistogram): { readonly least: number; readonly most: number } {
  const { counts, layout } = sumOfCpus(histogram);
  let [least, most] = [0, 0];
  for (const [slot, count] of usedSlots(counts)) {
    least += count * layout.lower(slot);
    most += count * layout.upper(slot);
  }
  return { least, most };
}

function notASum({ name }: KernelSource, histogram: KernelHistogram, factor: number): HdrscopeError {
  const { sum = 0 } = sumOfCpus(histogram);
  const { slots, firstIndex, keys } = histogram.layout;
  const index = (keys?.at(-1) ?? firstIndex + slots.slotCount - 1) + 1;
  return kernelError(
    `${name} has ${sum / factor} at the key ${index}, which is the sum of all values with ebpf_exporter, and the counts do not allow that sum: if the program counts values at this key, raise bucket_max`,
    { name: histogram.name, index },
  );
}
