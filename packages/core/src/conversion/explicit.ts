import type { ReadonlyCounts } from '../counts/readonly-counts.ts';
import { type EdgeLayout, explicitLayout } from '../layout/edges.ts';
import { rebucket } from '../rebucket.ts';
import type { UnitLayouts } from './exponential.ts';
import { divideSlot, type ThresholdCounts, thresholdSlots } from './thresholds.ts';

/**
 * The counts of an HDR layout in buckets between boundaries. There is one bucket more than there are boundaries.
 *
 * At a boundary that is one of the thresholds, the counts are those of the values themselves. At any other boundary, all counts of
 * a slot go to the bucket that holds the middle of the slot.
 *
 * @param boundaries Finite and ascending, in the unit; each belongs to the bucket below it.
 * @param atThresholds How the counts divide at thresholds. Left out, the middle of its slot decides for every value.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the boundaries are not ascending.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { explicitCounts } from '@hdrscope/core/internal';
 *
 * const bytes = new Histogram({ highestTrackableValue: 1_000_000, significantDigits: 2 });
 * for (const value of [500, 1000, 1001]) bytes.record(value); // 1000 and 1001 share a slot
 * explicitCounts(bytes.counts, { unitLayout: bytes.layout }, [10, 1000, 100_000]); //=> [0, 1, 2, 0]
 * const atThresholds = { thresholds: [1000], counts: [1] };
 * explicitCounts(bytes.counts, { unitLayout: bytes.layout }, [10, 1000, 100_000], atThresholds); //=> [0, 2, 1, 0]
 * ```
 */
export function explicitCounts(
  counts: ReadonlyCounts,
  { unitLayout }: Pick<UnitLayouts, 'unitLayout'>,
  boundaries: readonly number[],
  atThresholds?: ThresholdCounts,
): number[] {
  const buckets = layoutOf(boundaries);
  const plan = rebucket(unitLayout, buckets);
  const bucketCounts = [...plan.apply(counts).counts];
  if (atThresholds === undefined) return bucketCounts;
  const slots = thresholdSlots(atThresholds.thresholds, unitLayout);
  for (let i = 0; i < slots.length; ) {
    const ofMiddle = plan.slotFor(slots[i]!);
    i = divideSlot(atThresholds, unitLayout, i, counts.at(slots[i]!), (value, count) => {
      bucketCounts[ofMiddle]! -= count;
      bucketCounts[buckets.slotOf(value)]! += count;
    });
  }
  return bucketCounts;
}

const layouts = new WeakMap<readonly number[], EdgeLayout>();

function layoutOf(boundaries: readonly number[]): EdgeLayout {
  const layout = layouts.get(boundaries) ?? explicitLayout(boundaries);
  layouts.set(boundaries, layout);
  return layout;
}
