import type { Counted } from '../counted.ts';
import { isHdrLayout } from '../layout/hdr.ts';
import type { Layout } from '../layout/layout.ts';

export const NO_LAYOUTS: readonly Layout[] = [];

/** The digits of a layout of doubles. */
interface MaybeDouble {
  readonly significantDigits?: number;
}

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
  if (added.length === 0) return before;
  const all = [...before];
  let at = 0;
  for (const layout of added) {
    const isKnown = (): boolean => covers(all[at]!, layout);
    while (at < all.length && !isKnown() && !covers(layout, all[at]!)) at++;
    if (at === all.length || !isKnown()) all[at] = layout;
  }
  return all.length > MOST_LAYOUTS ? [ANYWHERE] : all;
}

/** The layouts from which counts are placed into a layout when `counted` is added to it: none where whole slots lie in its slots. */
export function layoutsPlaced(
  { layout, placedFrom = NO_LAYOUTS }: Omit<Counted, 'counts'>,
  into: Layout,
): readonly Layout[] {
  const areWhole =
    isHdrLayout(layout) && isHdrLayout(into) ? into.contains(layout) : haveSameBounds(layout, into);
  return areWhole ? placedFrom : [layout, ...placedFrom];
}

/** Whether each slot of a layout that counts are placed from is known to lie in one of another. */
function covers(outer: Layout & MaybeDouble, layout: Layout & MaybeDouble): boolean {
  if (isHdrLayout(outer) && isHdrLayout(layout)) {
    return outer.contains(layout) && outer.largestValue >= layout.largestValue;
  }
  if (outer.kind !== 'double' || layout.kind !== 'double') return haveSameBounds(outer, layout);
  return (
    outer.significantDigits! <= layout.significantDigits! &&
    outer.lower(1) <= layout.lower(1) &&
    outer.upper(outer.slotCount - 1) >= layout.upper(layout.slotCount - 1)
  );
}

function haveSameBounds(a: Layout, b: Layout): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.slotCount !== b.slotCount || a.lowerInclusive !== b.lowerInclusive) return false;
  for (let slot = 0; slot < a.slotCount; slot++) {
    if (a.lower(slot) !== b.lower(slot) || a.upper(slot) !== b.upper(slot)) return false;
  }
  return true;
}
