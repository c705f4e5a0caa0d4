import { explicitCounts, type UnitLayouts } from '@hdrscope/core/internal';
import type { SeriesSnapshot } from '@hdrscope/registry';
import type { PointKind } from './kept-values.ts';
import { type ExplicitHistogramValue, PointType } from './sdk.ts';

/** Histograms with explicit boundaries. */
export const EXPLICIT: PointKind<ExplicitHistogramValue> = {
  type: PointType.HISTOGRAM,
  valueOf: (state, family, { boundaries }) => toExplicit(state, family, boundaries),
};

/** Converts a series to a histogram with these boundaries, in the family's unit: see `explicitCounts` in core. */
export function toExplicit(
  { counts, sum, min, max }: SeriesSnapshot,
  family: UnitLayouts,
  boundaries: readonly number[],
): ExplicitHistogramValue {
  const count = counts.total;
  return {
    buckets: { boundaries: [...boundaries], counts: explicitCounts(counts, family, boundaries) },
    sum,
    count,
    ...(count === 0 ? {} : { min, max }),
  };
}
