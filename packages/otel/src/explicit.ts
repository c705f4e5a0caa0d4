import { explicitCounts, type UnitLayouts } from '@hdrscope/core/internal';
import type { SeriesSnapshot } from '@hdrscope/registry';
import type { ExplicitHistogramValue } from './sdk.ts';

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
