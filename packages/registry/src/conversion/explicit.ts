import { type EdgeLayout, explicitLayout, type ReadonlyCounts, rebucket } from '@hdrscope/core';
import type { FamilyLayouts } from './exponential.ts';

/**
 * The counts of a family's series between boundaries, one more than there are of these: those of every HDR slot go to where the
 * slot's middle lies.
 *
 * @param boundaries Ascending, in the family's unit; each belongs to the bucket below it.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when they are not ascending.
 * @example
 * ```ts
 * import { createRegistry, explicitCounts } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * registry.histogram({ name: 'size', unit: 'By' }).with({}).record(500);
 * const [family] = (await registry.gather()).families;
 * explicitCounts(family!.series[0]!.histogram.counts, family!, [10, 1000, 100_000]); //=> [0, 1, 0, 0]
 * ```
 */
export function explicitCounts(
  counts: ReadonlyCounts,
  { unitLayout }: FamilyLayouts,
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
