import {
  exponentialBuckets,
  type RecountedBuckets,
  recountBuckets,
  SparseCounts,
} from '@hdrscope/core/internal';
import type { FamilySnapshot } from '@hdrscope/registry';
import { type CurrentState, toThresholdCounts } from '@hdrscope/registry/internal';
import type { PointKind } from './kept-points.ts';
import { PackedBuckets } from './packed-buckets.ts';
import { type ExponentialHistogramValue, PointType } from './sdk.ts';

type Updated = NonNullable<PointKind<ExponentialHistogramValue>['updated']>;

/** Exponential histograms: see `exponentialBuckets` in core. */
export const EXPONENTIAL: PointKind<ExponentialHistogramValue> = {
  type: PointType.EXPONENTIAL_HISTOGRAM,
  valueOf: (state, family, { maxSize, maxScale }) => toExponential(state, family, maxSize, maxScale),
  updated(earlier, ...changes) {
    const found = recount(earlier, ...changes);
    if (found === undefined) return undefined;
    const { state, zeroCount, positive, recounted } = found;
    return valueFrom(state, earlier.scale, zeroCount, positive.with(recounted));
  },
  packed(value) {
    const { positive } = value;
    if (positive instanceof PackedBuckets) return value;
    return { ...value, positive: PackedBuckets.of(positive.offset, positive.bucketCounts) };
  },
};

/** The buckets of an earlier value, and their new counts. */
interface Recount {
  readonly state: CurrentState;
  readonly zeroCount: number;
  readonly positive: PackedBuckets;
  readonly recounted: RecountedBuckets;
}

/** Counts some buckets of an earlier value anew; `undefined` where all of them lie elsewhere. */
export function recount(
  ...[{ scale, zeroCount, positive }, state, changed, family, { maxScale }]: Parameters<Updated>
): Recount | undefined {
  const { counts } = state;
  if (!(positive instanceof PackedBuckets && counts instanceof SparseCounts)) return undefined;
  const division = toThresholdCounts(family, state);
  const earlier = { scale, offset: positive.offset, length: positive.length };
  const recounted = recountBuckets(earlier, counts, family, maxScale, changed, division);
  if (recounted === undefined) return undefined;
  return { state, positive, recounted, zeroCount: changed[0] === 0 ? counts.at(0) : zeroCount };
}

/**
 * Converts a series to an exponential histogram.
 *
 * @param maxSize The most buckets that the result may have: at least 2.
 * @param maxScale The finest scale. Left out, it is `justifiedScale`: a finer one would only pretend precision.
 */
export function toExponential(
  state: CurrentState,
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
  { counts: { total: count }, sum, min, max }: CurrentState,
  scale: number,
  zeroCount: number,
  positive: ExponentialHistogramValue['positive'],
): ExponentialHistogramValue {
  return count === 0
    ? { count, sum, scale, zeroCount, positive, negative: NO_BUCKETS }
    : { count, sum, scale, zeroCount, positive, negative: NO_BUCKETS, min, max };
}
