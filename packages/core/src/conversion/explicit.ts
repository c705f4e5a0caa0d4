import type { ReadonlyCounts } from '../counts/readonly-counts.ts';
import { type EdgeLayout, explicitLayout } from '../layout/edges.ts';
import { rebucket } from '../rebucket.ts';
import type { UnitLayouts } from './exponential.ts';

/**
 * The counts of an HDR layout in buckets between boundaries: all counts of a slot go to the bucket that holds its middle. There is
 * one bucket more than there are boundaries.
 *
 * @param boundaries Finite and ascending, in the unit; each belongs to the bucket below it.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the boundaries are not ascending.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { explicitCounts } from '@hdrscope/core/internal';
 *
 * const bytes = new Histogram({ highestTrackableValue: 1_000_000 });
 * bytes.record(500);
 * explicitCounts(bytes.counts, { unitLayout: bytes.layout }, [10, 1000, 100_000]); //=> [0, 1, 0, 0]
 * ```
 */
export function explicitCounts(
  counts: ReadonlyCounts,
  { unitLayout }: Pick<UnitLayouts, 'unitLayout'>,
  boundaries: readonly number[],
): number[] {
  return [...rebucket(unitLayout, layoutOf(boundaries)).apply(counts).counts];
}

const layouts = new WeakMap<readonly number[], EdgeLayout>();

function layoutOf(boundaries: readonly number[]): EdgeLayout {
  const layout = layouts.get(boundaries) ?? explicitLayout(boundaries);
  layouts.set(boundaries, layout);
  return layout;
}
