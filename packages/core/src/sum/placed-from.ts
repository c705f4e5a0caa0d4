import type { Counted } from '../counted.ts';
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

/** The layouts from which counts were placed somewhere: those from before, and others. See `Counted.placedFrom`. */
export function placedFromAfter(before: readonly Layout[], added: readonly Layout[]): readonly Layout[] {
  const all = [...before];
  for (const layout of added) if (!all.some((known) => isInside(layout, known))) all.push(layout);
  if (all.length === before.length) return before;
  return all.length > MOST_LAYOUTS ? [ANYWHERE] : all;
}

/** The layouts from which counts are placed into a layout when `counted` is added to it: none where whole slots lie in its slots. */
export function layoutsPlaced({ layout, placedFrom = NO_LAYOUTS }: Counted, into: Layout): readonly Layout[] {
  return isInside(layout, into) ? placedFrom : [layout, ...placedFrom];
}

/** Whether each slot of a layout is known to lie in one slot of another. */
function isInside(layout: Layout, outer: Layout): boolean {
  return layout === outer || (isHdrLayout(layout) && isHdrLayout(outer) && outer.contains(layout));
}
