import type { Counted } from '../counted.ts';
import type { HdrLayout } from '../layout/hdr.ts';

/**
 * Walks two histograms together, ascending, by the finest ranges of values that both tell apart, skipping those in
 * which neither has counted anything.
 *
 * Whatever its digits and its unit, an HDR layout's slots are as wide as a power of two and begin at a multiple of
 * their width. So of two slots that share a value, one contains the other: everywhere the coarser slot is the common
 * range, and no count is ever split. It is that also where only the finer histogram has counted: which values are
 * tied must not depend on whose they are.
 */
export function forEachCommonRange(
  a: Counted<HdrLayout>,
  b: Counted<HdrLayout>,
  visit: (countInA: number, countInB: number) => void,
): void {
  const { layout: layoutA, counts: countsA } = a;
  const { layout: layoutB, counts: countsB } = b;
  let slotA = countsA.first;
  let slotB = countsB.first;
  while (slotA < countsA.length || slotB < countsB.length) {
    const lowerA = slotA < countsA.length ? layoutA.lower(slotA) : Number.POSITIVE_INFINITY;
    const lowerB = slotB < countsB.length ? layoutB.lower(slotB) : Number.POSITIVE_INFINITY;
    const lower = Math.min(lowerA, lowerB);
    const end = Math.max(endOfSlotAt(layoutA, lower), endOfSlotAt(layoutB, lower));
    let [countInA, countInB] = [0, 0];
    for (; slotA < countsA.length && layoutA.lower(slotA) < end; slotA = countsA.next(slotA + 1)) {
      countInA += countsA.at(slotA);
    }
    for (; slotB < countsB.length && layoutB.lower(slotB) < end; slotB = countsB.next(slotB + 1)) {
      countInB += countsB.at(slotB);
    }
    visit(countInA, countInB);
  }
}

/** The lowest value above the slot of `value`: an exact double, also above 2^53, where the slot's highest is not. */
function endOfSlotAt(layout: HdrLayout, value: number): number {
  const slot = layout.slotOf(value); // beyond the layout's range too, where its slots go on
  return layout.lower(slot) + layout.size(slot);
}
