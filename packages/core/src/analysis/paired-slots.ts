import type { Counted } from '../counted.ts';
import type { HdrLayout } from '../layout/hdr.ts';

/**
 * Visits, ascending, the finest ranges of values that both histograms distinguish and at least one of them uses.
 *
 * The slots of an HDR layout are as wide as a power of two and begin at a multiple of their width, whatever its digits and unit. So
 * when two slots share a value, one contains the other. The coarser slot is the common range, and no count is ever split. That
 * holds even when only the finer histogram has counts there, because ties must not depend on which histogram has the values.
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

/** The lowest value above the slot of `value`: an exact double, even above 2^53, where the highest value of a slot is not. */
function endOfSlotAt(layout: HdrLayout, value: number): number {
  const slot = layout.slotOf(value); // slot numbers go on beyond the range of the layout
  return layout.lower(slot) + layout.size(slot);
}
