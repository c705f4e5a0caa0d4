import type { Layout } from '../../src/layout/layout.ts';

/** Whether `value` is within the bounds of a slot. The layout states which bounds are included. */
export function isIn(layout: Layout, slot: number, value: number): boolean {
  const [lower, upper] = [layout.lower(slot), layout.upper(slot)];
  const above = value > lower || (value === lower && (layout.lowerInclusive || !Number.isFinite(lower)));
  const below = value < upper || (value === upper && (layout.upperInclusive || !Number.isFinite(upper)));
  return above && below;
}

/** Slots ascend. Each begins at the end of the slot before, and its middle is within its bounds. */
export function expectSlotsInOrder(layout: Layout): void {
  let end = layout.lower(0);
  for (let slot = 0; slot < layout.slotCount; slot++) {
    const [lower, middle, upper] = [layout.lower(slot), layout.midpoint(slot), layout.upper(slot)];
    const inOrder = lower === end && lower <= middle && middle <= upper && Number.isFinite(middle);
    if (!inOrder) expect({ slot, lower, middle, upper }).toBe(`in order, after ${end}`);
    end = upper;
  }
}
