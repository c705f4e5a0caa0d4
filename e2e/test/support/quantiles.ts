import type { PromHistogram } from './prometheus.ts';

/** `m` of the bound on a quantile's error, by significant digits: see "How exact it is" of `@hdrscope/otel`. */
const SUB_BUCKET_BITS: Readonly<Record<number, number>> = { 1: 4, 2: 7, 3: 10, 4: 14, 5: 17 };

/** The largest relative distance of a value from the middle of its HDR slot. */
export function slotError(significantDigits: number): number {
  return 2 ** -(SUB_BUCKET_BITS[significantDigits]! + 1);
}

/** The largest relative error of a quantile that is estimated as the middle of its exponential bucket. */
export function quantileBound(significantDigits: number, scale: number): number {
  const base = 2 ** (2 ** -scale);
  const bucketError = (base - 1) / (base + 1);
  return (1 + slotError(significantDigits)) * (1 + bucketError) - 1;
}

/** The smallest value such that at least a share `quantile` of all values is not above it. `sorted` is ascending. */
export function trueQuantile(sorted: ArrayLike<number>, quantile: number): number {
  return sorted[rankOf(quantile, sorted.length) - 1]!;
}

/** The middle of the bucket with the quantile. */
export function bucketQuantile({ buckets, count }: PromHistogram, quantile: number): number {
  const rank = rankOf(quantile, count);
  let seen = 0;
  for (const bucket of buckets) {
    seen += bucket.count;
    if (seen >= rank) return (bucket.lower + bucket.upper) / 2;
  }
  return Number.NaN;
}

/** The scale of a native histogram, computed from the width of a bucket above zero. */
export function scaleOf({ buckets }: PromHistogram): number {
  const { lower, upper } = buckets.at(-1)!;
  return Math.round(-Math.log2(Math.log2(upper / lower)));
}

export function relativeError(shown: number, actual: number): number {
  return Math.abs(shown / actual - 1);
}

function rankOf(quantile: number, count: number): number {
  return Math.max(1, Math.ceil(quantile * count));
}
