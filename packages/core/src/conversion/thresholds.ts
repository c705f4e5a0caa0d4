import { nextUp } from '../double.ts';
import type { Layout } from '../layout/layout.ts';

/**
 * How many values lie on each side of thresholds that share a slot with values. The slots divide all other values, because a
 * slot below that of a threshold holds values below the threshold only, and a slot above it holds values above it.
 */
export interface ThresholdCounts {
  /** Ascending, in the unit of the values. */
  readonly thresholds: readonly number[];
  /** For each threshold, the values of its slot that are at most the threshold and above the threshold before it. */
  readonly counts: readonly number[];
}

const known = new WeakMap<readonly number[], { readonly unitLayout: Layout; readonly slots: Int32Array }>();

/**
 * The slots of thresholds: those of equal values. A threshold beyond the range of the layout has the first or the last slot, all
 * of whose values lie on one side of it.
 *
 * @param unitLayout A layout in the unit of the thresholds.
 */
export function thresholdSlots(thresholds: readonly number[], unitLayout: Layout): Int32Array {
  const earlier = known.get(thresholds);
  if (earlier?.unitLayout === unitLayout) return earlier.slots;
  const last = unitLayout.slotCount - 1;
  const slots = Int32Array.from(thresholds, (threshold) =>
    threshold >= unitLayout.upper(last) ? last : Math.min(unitLayout.slotOf(Math.max(threshold, 0)), last),
  );
  known.set(thresholds, { unitLayout, slots });
  return slots;
}

/**
 * Divides the count of a slot at the thresholds in it.
 *
 * @param first The index of the first threshold of the slot.
 * @param count The count of the slot.
 * @param take Receives the count of each part that has one, and the value of the part that is nearest to the middle of the slot.
 * @returns The index after the last threshold of the slot.
 */
export function divideSlot(
  { thresholds, counts }: ThresholdCounts,
  unitLayout: Layout,
  first: number,
  count: number,
  take: (value: number, count: number) => void,
): number {
  const slots = thresholdSlots(thresholds, unitLayout);
  const slot = slots[first]!;
  const middle = unitLayout.midpoint(slot);
  let left = count;
  let above = Number.NEGATIVE_INFINITY;
  let i = first;
  for (; slots[i] === slot; i++) {
    const threshold = thresholds[i]!;
    const part = counts[i]!;
    if (part > 0) take(middle > above ? Math.min(middle, threshold) : nextUp(above), part);
    left -= part;
    above = threshold;
  }
  if (left > 0) take(middle > above ? middle : nextUp(above), left);
  return i;
}
