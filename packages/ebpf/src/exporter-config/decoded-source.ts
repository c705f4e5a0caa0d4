import { setTimeout as sleep } from 'node:timers/promises';
import type { HdrscopeError } from '@hdrscope/core';
import type { Attributes } from '@hdrscope/registry';
import { sumCpus } from '../cpu-counts.ts';
import { kernelError } from '../errors.ts';
import type { Frame, KernelHistogram, KernelSource } from '../source/source.ts';
import { boundsOfSum } from '../source/sum-check.ts';
import { decodeAttributes, type Label } from './labels.ts';
import type { SystemNames } from './system-names.ts';

/** How the map of a histogram is decoded. */
export interface Decoding {
  /** Labels of the key without the bucket. */
  readonly labels: readonly Label[];
  readonly names: SystemNames;
}

/**
 * A sum is refused when it is more than this many times the largest sum that the counts allow, or less than this part of
 * the least one. A chosen limit: events between the reading of a slot and of the sum may move it, and nobody has measured
 * how far.
 */
const TOLERANCE = 4;
const ATTEMPTS = 3;
const PAUSE_MS = 20;

/** Decodes the labels and the sums of a map of ebpf_exporter. */
export function decodedSource(source: KernelSource, decoding: Decoding): KernelSource {
  let known: ReadonlyMap<string, Attributes | undefined> = new Map();
  const { labels, names } = decoding;
  const attributesOf = (histograms: readonly KernelHistogram[]): Map<string, Attributes | undefined> =>
    new Map(
      histograms.map(({ attributes }) => {
        const raw = JSON.stringify(attributes);
        return [raw, known.has(raw) ? known.get(raw) : decodeAttributes(labels, attributes, names)];
      }),
    );
  return {
    name: source.name,
    close: () => source.close(),
    read: async () => {
      const frame = await frameOf(source);
      known = await names.complete(() => attributesOf(frame.histograms));
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
 * Reads a frame, without sums that the program does not keep.
 *
 * @throws HdrscopeError `ERR_KERNEL` when a sum cannot be the sum of the values that are counted. A reader of a map that
 *   counts meanwhile may see that once, not three times.
 */
async function frameOf(source: KernelSource): Promise<Frame> {
  for (let attempt = 1; ; attempt++) {
    const frame = await source.read();
    const histograms = withSums(frame.histograms);
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
    if (attempt === ATTEMPTS) throw notASum(source, wrong[0]!);
    await sleep(PAUSE_MS);
  }
}

/** Programs need not keep a sum. Only what is above 0 is one, as ebpf_exporter documents. */
function withSums(histograms: readonly KernelHistogram[]): readonly KernelHistogram[] {
  const hasSums = histograms.some(({ sums }) => sums?.some((sum) => sum > 0));
  return histograms.map((histogram) => {
    const isKept = hasSums && (histogram.sums?.some((sum) => sum > 0) || isOfZeros(histogram));
    return { ...histogram, sums: isKept ? histogram.sums : undefined };
  });
}

/** Whether all values may be 0, so that 0 may be their sum. */
function isOfZeros(histogram: KernelHistogram): boolean {
  return boundsOfSum(sumCpus(histogram)).least === 0;
}

function isPossible(histogram: KernelHistogram): boolean {
  if (histogram.sums === undefined) return true;
  const totals = sumCpus(histogram);
  const { least, most } = boundsOfSum(totals);
  return totals.sum! * TOLERANCE >= least && totals.sum! <= most * TOLERANCE;
}

function notASum({ name }: KernelSource, histogram: KernelHistogram): HdrscopeError {
  const { sum = 0 } = sumCpus(histogram);
  const { slots, firstIndex, keys } = histogram.layout;
  const index = (keys?.at(-1) ?? firstIndex + slots.slotCount - 1) + 1;
  return kernelError(
    `${name} has the sum ${sum} at the key ${index}, where ebpf_exporter keeps the sum of all values, and the counts do not allow that sum: if the program counts values at this key, raise bucket_max`,
    { name: histogram.name, index },
  );
}
