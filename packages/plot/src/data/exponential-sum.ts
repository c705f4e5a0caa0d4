import { type ExponentialBuckets, mergedBuckets } from '@hdrscope/core';

/** What two histograms have counted together, in as fine buckets as fit into `maxSize`: at least 1. */
export function sumOfBuckets(
  a: ExponentialBuckets,
  b: ExponentialBuckets,
  maxSize: number,
): ExponentialBuckets {
  const zeroCount = a.zeroCount + b.zeroCount;
  if (b.counts.length === 0) return { ...a, zeroCount };
  if (a.counts.length === 0) return { ...b, zeroCount };
  let scale = Math.min(a.scale, b.scale);
  while (spanAt(scale, a, b) > maxSize) scale--;
  const [first, second] = [atScale(a, scale), atScale(b, scale)];
  const offset = Math.min(first.offset, second.offset);
  const counts = new Array<number>(spanAt(scale, a, b)).fill(0);
  for (const run of [first, second]) {
    for (const [at, count] of run.counts.entries()) counts[run.offset - offset + at]! += count;
  }
  return { scale, zeroCount, offset, counts };
}

/** The same counts in buckets of a coarser scale. */
export function atScale(buckets: ExponentialBuckets, scale: number): ExponentialBuckets {
  const { offset, counts } = mergedBuckets(buckets, buckets.scale - scale);
  return { scale, zeroCount: buckets.zeroCount, offset, counts: [...counts] };
}

/** How many buckets of a scale both have together, those between them included. */
function spanAt(scale: number, a: ExponentialBuckets, b: ExponentialBuckets): number {
  const [first, second] = [a, b].map((buckets) => atScale(buckets, scale)) as [
    ExponentialBuckets,
    ExponentialBuckets,
  ];
  const end = (run: ExponentialBuckets): number => run.offset + run.counts.length;
  return Math.max(end(first), end(second)) - Math.min(first.offset, second.offset);
}
