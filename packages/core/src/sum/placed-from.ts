import type { Counted } from '../counted.ts';
import { haveSameSlots } from '../increase.ts';
import { isHdrLayout } from '../layout/hdr.ts';
import type { Layout } from '../layout/layout.ts';

export const NO_LAYOUTS: readonly Layout[] = [];

/** A list with more layouts than this becomes one layout of one slot, of which nothing is known. */
const MOST_LAYOUTS = 16;

/** Any value may lie anywhere. */
const ANYWHERE: Layout = {
  kind: 'explicit',
  slotCount: 1,
  lowerInclusive: true,
  upperInclusive: true,
  slotOf: () => 0,
  lower: () => Number.NEGATIVE_INFINITY,
  upper: () => Number.POSITIVE_INFINITY,
  midpoint: () => 0,
};

/**
 * The layouts from which counts were placed somewhere: those from before, and others. See `Counted.placedFrom`. The order of both stays,
 * because counts of one layout may have come through the one before it.
 */
export function placedFromAfter(before: readonly Layout[], added: readonly Layout[]): readonly Layout[] {
  const all = [...before];
  let from = 0;
  let isChanged = false;
  for (const layout of added) {
    const known = all.findIndex((other, i) => i >= from && (covers(other, layout) || covers(layout, other)));
    from = known < 0 ? all.length : known;
    if (known >= 0 && covers(all[known]!, layout)) continue;
    all[from] = layout;
    isChanged = true;
  }
  if (!isChanged) return before;
  return all.length > MOST_LAYOUTS ? [ANYWHERE] : all;
}

/** The layouts from which counts are placed into a layout when `counted` is added to it: none where whole slots lie in its slots. */
export function layoutsPlaced({ layout, placedFrom = NO_LAYOUTS }: Counted, into: Layout): readonly Layout[] {
  const isWhole =
    isHdrLayout(layout) && isHdrLayout(into) ? into.contains(layout) : haveSameSlots(layout, into);
  return isWhole ? placedFrom : [layout, ...placedFrom];
}

/** Whether each slot of a layout that counts are placed from is known to lie in one of another. */
function covers(outer: Layout, layout: Layout): boolean {
  if (isHdrLayout(outer) && isHdrLayout(layout)) {
    return outer.contains(layout) && outer.largestValue >= layout.largestValue;
  }
  return haveSameSlots(layout, outer) || (areDoubles(outer, layout) && isWiderRange(outer, layout));
}

/** Whether both have doubles, the first one with as few digits at most. */
function areDoubles(outer: Layout & { significantDigits?: number }, layout: typeof outer): boolean {
  const areBoth = outer.kind === 'double' && layout.kind === 'double';
  return areBoth && outer.significantDigits! <= layout.significantDigits!;
}

/** Whether doubles of any size that the second one holds lie in the range of the first one. */
function isWiderRange(outer: Layout, layout: Layout): boolean {
  return (
    outer.lower(1) <= layout.lower(1) &&
    outer.upper(outer.slotCount - 1) >= layout.upper(layout.slotCount - 1)
  );
}
