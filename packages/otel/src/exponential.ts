import {
  type ExponentialBuckets,
  exponentialBuckets,
  type UnitLayouts,
  updatedBuckets,
} from '@hdrscope/core/internal';
import type { SeriesSnapshot } from '@hdrscope/registry';
import type { PointKind } from './kept-values.ts';
import { PackedBuckets } from './packed-buckets.ts';
import { type ExponentialHistogramValue, PointType } from './sdk.ts';

/** Exponential histograms: see `exponentialBuckets` in core. */
export const EXPONENTIAL: PointKind<ExponentialHistogramValue> = {
  type: PointType.EXPONENTIAL_HISTOGRAM,
  valueOf: (state, family, { maxSize, maxScale }) => toExponential(state, family, maxSize, maxScale),
  updated({ scale, zeroCount, positive: { offset, bucketCounts } }, before, now, family, { maxScale }) {
    const buckets = { scale, zeroCount, offset, counts: bucketCounts.slice() };
    const updated = updatedBuckets(buckets, before.counts, now.counts, family, maxScale);
    return updated && valueFrom(now, updated);
  },
  packed: (value) => ({
    ...value,
    positive: new PackedBuckets(value.positive.offset, value.positive.bucketCounts),
  }),
};

/**
 * Converts a series to an exponential histogram.
 *
 * @param maxSize The most buckets that the result may have: at least 2.
 * @param maxScale The finest scale. Left out, it is `justifiedScale`: a finer one would only pretend precision.
 */
export function toExponential(
  state: SeriesSnapshot,
  family: UnitLayouts,
  maxSize: number,
  maxScale?: number,
): ExponentialHistogramValue {
  return valueFrom(state, exponentialBuckets(state.counts, family, { maxSize, maxScale }));
}

const NO_BUCKETS = /* @__PURE__ */ Object.freeze({ offset: 0, bucketCounts: [] });

function valueFrom(
  { counts: { total: count }, sum, min, max }: SeriesSnapshot,
  { scale, zeroCount, offset, counts }: ExponentialBuckets,
): ExponentialHistogramValue {
  const positive = { offset, bucketCounts: counts };
  return count === 0
    ? { count, sum, scale, zeroCount, positive, negative: NO_BUCKETS }
    : { count, sum, scale, zeroCount, positive, negative: NO_BUCKETS, min, max };
}
