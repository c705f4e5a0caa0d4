import { type BucketRun, type ExponentialBuckets, mergedBuckets } from './exponential.ts';

/**
 * The sum of two histograms in the finest buckets that fit into `maxSize`, at most as fine as the coarser of the two.
 *
 * @param maxSize The largest number of buckets: at least 2, as buckets below and above 1 remain two at any scale.
 * @example
 * ```ts
 * import { sumBuckets } from '@hdrscope/core/internal';
 *
 * const octaves = { scale: 0, zeroCount: 1, offset: 3, counts: [2, 5] };
 * const halves = { scale: 1, zeroCount: 0, offset: 8, counts: [1, 1, 4] };
 * sumBuckets(octaves, halves, 160); //=> { scale: 0, zeroCount: 1, offset: 3, counts: [2, 7, 4] }
 * ```
 */
export function sumBuckets(
  a: ExponentialBuckets,
  b: ExponentialBuckets,
  maxSize: number,
): ExponentialBuckets {
  const zeroCount = a.zeroCount + b.zeroCount;
  if (b.counts.length === 0) return { ...a, zeroCount };
  if (a.counts.length === 0) return { ...b, zeroCount };
  let scale = Math.min(a.scale, b.scale);
  while (spanAt(scale, a, b) > maxSize) scale--;
  const runs = [a, b].map((buckets) => mergedBuckets(buckets, buckets.scale - scale));
  // Bounded: these are two.
  const offset = Math.min(...runs.map((run) => run.offset));
  const counts = new Array<number>(spanAt(scale, a, b)).fill(0);
  for (const run of runs) {
    for (const [at, count] of run.counts.entries()) counts[run.offset - offset + at]! += count;
  }
  return { scale, zeroCount, offset, counts };
}

/**
 * Counts in buckets of a coarser scale.
 *
 * @param scale At most the scale of the buckets.
 * @example
 * ```ts
 * import { bucketsAtScale } from '@hdrscope/core/internal';
 *
 * bucketsAtScale({ scale: 1, zeroCount: 0, offset: 8, counts: [1, 1, 4] }, 0);
 * //=> { scale: 0, zeroCount: 0, offset: 4, counts: [2, 4] }
 * ```
 */
export function bucketsAtScale(buckets: ExponentialBuckets, scale: number): ExponentialBuckets {
  const { offset, counts } = mergedBuckets(buckets, buckets.scale - scale);
  return { scale, zeroCount: buckets.zeroCount, offset, counts: [...counts] };
}

/** The number of buckets at a scale from the lowest bucket of both to the highest, with empty buckets between them. */
function spanAt(scale: number, ...both: readonly ExponentialBuckets[]): number {
  // Bounded: these are two.
  const first = Math.min(...both.map(({ offset, scale: own }) => offset >> (own - scale)));
  // Bounded: these are two.
  const last = Math.max(...both.map((run) => lastOf(run) >> (run.scale - scale)));
  return last - first + 1;
}

function lastOf({ offset, counts }: BucketRun): number {
  return offset + counts.length - 1;
}
