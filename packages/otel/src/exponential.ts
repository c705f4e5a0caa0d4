import { exponentialBuckets, type UnitLayouts } from '@hdrscope/core/internal';
import type { SeriesSnapshot } from '@hdrscope/registry';
import type { ExponentialHistogramValue } from './sdk.ts';

/**
 * Converts a series to an exponential histogram: see `exponentialBuckets` in core.
 *
 * @param maxSize The most buckets that the result may have: at least 2.
 * @param maxScale The finest scale. Left out, it is `justifiedScale`: a finer one would only pretend precision.
 */
export function toExponential(
  { counts, sum, min, max }: SeriesSnapshot,
  family: UnitLayouts,
  maxSize: number,
  maxScale?: number,
): ExponentialHistogramValue {
  const count = counts.total;
  const {
    scale,
    zeroCount,
    offset,
    counts: bucketCounts,
  } = exponentialBuckets(counts, family, { maxSize, maxScale });
  return {
    count,
    sum,
    scale,
    zeroCount,
    positive: { offset, bucketCounts },
    negative: { offset: 0, bucketCounts: [] },
    ...(count === 0 ? {} : { min, max }),
  };
}
