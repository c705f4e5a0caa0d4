import type { ExponentialLayout } from '@hdrscope/core';
import { usedSlots } from '@hdrscope/core/internal';
import type { SketchTarget } from './sketch.ts';

/** Cumulative temporality, as https://github.com/open-telemetry/opentelemetry-proto numbers it. */
const CUMULATIVE = 2;

/** A run of counts in exponential buckets. */
interface Run {
  readonly offset: number;
  readonly bucketCounts: readonly string[];
}

/** The buckets of both sides of 0 from the first to the last that have values. */
export function splitBuckets(
  { zeroSlot, minIndex, negative }: ExponentialLayout,
  counts: Parameters<SketchTarget['write']>[0],
): Readonly<Record<'positive' | 'negative', readonly (readonly [index: number, count: number])[]>> {
  const positive: [index: number, count: number][] = [];
  const below: [index: number, count: number][] = [];
  for (const [slot, count] of usedSlots(counts)) {
    if (slot > zeroSlot) positive.push([slot - zeroSlot - 1 + minIndex, count]);
    else if (slot < zeroSlot) below.unshift([zeroSlot - slot - 1 + negative!.minIndex, count]);
  }
  return { positive, negative: below };
}

/**
 * A document of OTLP in JSON with one exponential histogram, whose times are not known. Integers of 64 bits are texts.
 * Source: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export function targetOtlp(
  layout: ExponentialLayout,
  { name, unit }: { readonly name: string; readonly unit: string },
): SketchTarget {
  return {
    layout,
    write(counts, { sum, min, max }) {
      const { positive, negative } = splitBuckets(layout, counts);
      const point = {
        count: String(counts.total),
        ...(sum !== undefined && { sum }),
        scale: layout.scale,
        zeroCount: String(counts.at(layout.zeroSlot)),
        zeroThreshold: layout.zeroThreshold,
        ...(positive.length > 0 && { positive: makeRun(positive) }),
        ...(negative.length > 0 && { negative: makeRun(negative) }),
        ...(min !== undefined && { min }),
        ...(max !== undefined && { max }),
      };
      const exponentialHistogram = { dataPoints: [point], aggregationTemporality: CUMULATIVE };
      const metric = { name, ...(unit !== 'none' && { unit }), exponentialHistogram };
      return `${JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics: [metric] }] }] })}\n`;
    },
  };
}

function makeRun(buckets: readonly (readonly [index: number, count: number])[]): Run {
  const offset = buckets[0]![0];
  const bucketCounts = new Array<string>(buckets.at(-1)![0] - offset + 1).fill('0');
  for (const [index, count] of buckets) bucketCounts[index - offset] = String(count);
  return { offset, bucketCounts };
}
