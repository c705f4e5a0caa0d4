import type { ExponentialHistogramValue } from '../../src/sdk.ts';

/** Counts by the index of their bucket. */
export type Buckets = Map<number, number>;

/**
 * The bucket of a value by the definition `base ** index < value <= base ** (index + 1)`, without any code of this
 * repository. https://opentelemetry.io/docs/specs/otel/metrics/data-model/#exponential-buckets
 */
export function referenceIndex(scale: number, value: number): number {
  return Math.ceil(Math.log2(value) * 2 ** scale) - 1;
}

/** The buckets of a histogram that sees the raw values. */
export function referenceBuckets(scale: number, values: Iterable<number>): Buckets {
  const buckets: Buckets = new Map();
  for (const value of values) {
    if (value === 0) continue;
    const index = referenceIndex(scale, value);
    buckets.set(index, (buckets.get(index) ?? 0) + 1);
  }
  return buckets;
}

/** The positive buckets that are not empty. */
export function bucketsOf({ positive: { offset, bucketCounts } }: ExponentialHistogramValue): Buckets {
  return new Map(
    bucketCounts.flatMap((count, i): [number, number][] => (count === 0 ? [] : [[offset + i, count]])),
  );
}

/** The same counts at a scale coarser by `steps`. */
export function downscaled(buckets: Buckets, steps: number): Buckets {
  const coarse: Buckets = new Map();
  for (const [index, count] of buckets) coarse.set(index >> steps, (coarse.get(index >> steps) ?? 0) + count);
  return coarse;
}

export function sumOf(...all: readonly Buckets[]): Buckets {
  const sum: Buckets = new Map();
  for (const [index, count] of all.flatMap((buckets) => [...buckets]))
    sum.set(index, (sum.get(index) ?? 0) + count);
  return sum;
}

/** The buckets in ascending order, for comparisons. */
export function sorted(buckets: Buckets): [index: number, count: number][] {
  return [...buckets].sort(([a], [b]) => a - b);
}

/** How many counts lie in a different bucket than in `expected`. */
export function misplaced(buckets: Buckets, expected: Buckets): number {
  let difference = 0;
  for (const index of new Set([...buckets.keys(), ...expected.keys()])) {
    difference += Math.abs((buckets.get(index) ?? 0) - (expected.get(index) ?? 0));
  }
  return difference / 2;
}

/**
 * The value of a rank, counted from 1. In the bucket from `lower` to `upper` it is the point whose relative error is
 * equal at both ends, `2 * lower * upper / (lower + upper)`. That error is `(base - 1) / (base + 1)`.
 */
export function valueAtRank(value: ExponentialHistogramValue, rank: number): number {
  const { scale, zeroCount, positive } = value;
  if (rank <= zeroCount) return 0;
  const base = 2 ** (2 ** -scale);
  let upTo = zeroCount;
  for (const [i, count] of positive.bucketCounts.entries()) {
    upTo += count;
    if (rank <= upTo) return (2 ** ((positive.offset + i) * 2 ** -scale) * 2 * base) / (1 + base);
  }
  throw new Error(`rank ${rank} must be at most ${upTo}`);
}
