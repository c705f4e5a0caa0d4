import { bucketCounts, type FamilySnapshot } from '@hdrscope/registry';
import type { CurrentState } from '@hdrscope/registry/internal';
import type { PointKind } from './kept-points.ts';
import { type ExplicitHistogramValue, PointType } from './sdk.ts';

/** Histograms with explicit boundaries. */
export const EXPLICIT: PointKind<ExplicitHistogramValue> = {
  type: PointType.HISTOGRAM,
  valueOf: (state, family, { boundaries }) => toExplicit(state, family, boundaries),
};

/** Converts a series to a histogram with these boundaries, in the family's unit: see `bucketCounts`. */
export function toExplicit(
  series: CurrentState,
  family: Pick<FamilySnapshot, 'unitLayout' | 'thresholds'>,
  boundaries: readonly number[],
): ExplicitHistogramValue {
  const { counts, sum, min, max } = series;
  const count = counts.total;
  return {
    buckets: { boundaries: [...boundaries], counts: bucketCounts(family, series, boundaries) },
    sum,
    count,
    ...(count === 0 ? {} : { min, max }),
  };
}
