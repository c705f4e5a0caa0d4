import { exponentialBuckets, type UnitLayouts } from '@hdrscope/core';
import type { SeriesSnapshot } from '@hdrscope/registry';
import type { ExponentialHistogramValue } from './sdk.ts';

/**
 * Shows a series as an exponential histogram: see `exponentialBuckets` of the core.
 *
 * @param maxSize The most buckets that the result may have: at least 2.
 * @param maxScale Finer scales than `justifiedScale` only pretend precision.
 */
export function toExponential(
  { histogram, sum, min, max }: SeriesSnapshot,
  family: UnitLayouts,
  maxSize: number,
  maxScale?: number,
): ExponentialHistogramValue {
  const { counts, totalCount: count } = histogram;
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
