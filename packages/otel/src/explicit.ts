import { type EdgeLayout, explicitLayout, rebucket } from '@hdrscope/core';
import type { SeriesSnapshot } from '@hdrscope/registry';
import type { FamilyLayouts } from './exponential.ts';
import type { ExplicitHistogramValue } from './sdk.ts';

/** Shows a series as a histogram with these boundaries: every HDR slot's count goes to where the slot's middle lies. */
export function toExplicit(
  { histogram, sum, min, max }: SeriesSnapshot,
  { unitLayout }: FamilyLayouts,
  boundaries: readonly number[],
): ExplicitHistogramValue {
  const { counts } = rebucket(unitLayout, layoutOf(boundaries)).apply(histogram.counts);
  const range = histogram.totalCount === 0 ? {} : { min, max };
  return {
    buckets: { boundaries: [...boundaries], counts: [...counts] },
    sum,
    count: histogram.totalCount,
    ...range,
  };
}

const layouts = new WeakMap<readonly number[], EdgeLayout>();

function layoutOf(boundaries: readonly number[]): EdgeLayout {
  const layout = layouts.get(boundaries) ?? explicitLayout(boundaries);
  layouts.set(boundaries, layout);
  return layout;
}
