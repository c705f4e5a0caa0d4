import { exponentialBuckets, SparseCounts } from '@hdrscope/core/internal';
import type { FamilySnapshot, SeriesSnapshot } from '@hdrscope/registry';
import { atThresholdsSince, toThresholdCounts } from '@hdrscope/registry/internal';
import type { PointKind } from './kept-points.ts';
import { PackedBuckets } from './packed-buckets.ts';
import { type ExponentialHistogramValue, PointType } from './sdk.ts';

/** Exponential histograms: see `exponentialBuckets` in core. */
export const EXPONENTIAL: PointKind<ExponentialHistogramValue> = {
  type: PointType.EXPONENTIAL_HISTOGRAM,
  valueOf: (state, family, { maxSize, maxScale }) => toExponential(state, family, maxSize, maxScale),
  updated(earlier, before, now, family, { maxSize }) {
    const increase = now.counts instanceof SparseCounts ? now.counts.listedSince(before.counts) : undefined;
    const { scale, zeroCount, positive } = earlier;
    if (increase === undefined || !(positive instanceof PackedBuckets)) return undefined;
    // The conversion of a sum is the sum of the conversions.
    const division = toThresholdCounts(family, { atThresholds: atThresholdsSince(now, before) });
    const added = exponentialBuckets(increase, family, { maxSize, maxScale: scale }, division);
    if (added.scale !== scale) return undefined;
    const sum = positive.with(added.offset, added.counts);
    return sum && valueFrom(now, scale, zeroCount + added.zeroCount, sum);
  },
  packed(value) {
    const { positive } = value;
    if (positive instanceof PackedBuckets) return value;
    return { ...value, positive: PackedBuckets.of(positive.offset, positive.bucketCounts) };
  },
};

/**
 * Converts a series to an exponential histogram.
 *
 * @param maxSize The most buckets that the result may have: at least 2.
 * @param maxScale The finest scale. Left out, it is `justifiedScale`: a finer one would only pretend precision.
 */
export function toExponential(
  state: SeriesSnapshot,
  family: Pick<FamilySnapshot, 'layout' | 'unitLayout' | 'thresholds'>,
  maxSize: number,
  maxScale?: number,
): ExponentialHistogramValue {
  const division = toThresholdCounts(family, state);
  const buckets = exponentialBuckets(state.counts, family, { maxSize, maxScale }, division);
  const { scale, zeroCount, offset, counts: bucketCounts } = buckets;
  return valueFrom(state, scale, zeroCount, { offset, bucketCounts });
}

const NO_BUCKETS = /* @__PURE__ */ Object.freeze({ offset: 0, bucketCounts: [] });

function valueFrom(
  { counts: { total: count }, sum, min, max }: SeriesSnapshot,
  scale: number,
  zeroCount: number,
  positive: ExponentialHistogramValue['positive'],
): ExponentialHistogramValue {
  return count === 0
    ? { count, sum, scale, zeroCount, positive, negative: NO_BUCKETS }
    : { count, sum, scale, zeroCount, positive, negative: NO_BUCKETS, min, max };
}
