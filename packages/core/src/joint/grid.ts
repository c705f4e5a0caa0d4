import { computeStrides } from '@hdrscope/core/internal';

/** Consecutive slots of an axis. */
export interface SlotSpan {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/**
 * Visits the cells within the span of every axis, row by row in their order: a row is the cells of the last axis.
 *
 * @param visit Gets the first cell of a row and how many cells it has. `slots` holds the slots of the first cell, and changes
 *   after the call.
 */
export function visitRows(
  slotCounts: readonly number[],
  spans: readonly SlotSpan[],
  visit: (cell: number, length: number, slots: readonly number[]) => void,
): void {
  if (spans.some(({ from, to }) => from >= to)) return;
  const strides = computeStrides(slotCounts);
  const slots = spans.map(({ from }) => from);
  const last = slots.length - 1;
  const length = last < 0 ? 1 : spans[last]!.to - spans[last]!.from;
  let cell = slots.reduce((sum, slot, i) => sum + slot * strides[i]!, 0);
  for (;;) {
    visit(cell, length, slots);
    let axis = last - 1;
    while (axis >= 0 && slots[axis]! + 1 === spans[axis]!.to) {
      cell -= (slots[axis]! - spans[axis]!.from) * strides[axis]!;
      slots[axis] = spans[axis]!.from;
      axis--;
    }
    if (axis < 0) return;
    slots[axis]!++;
    cell += strides[axis]!;
  }
}

/**
 * Visits the cells within the span of every axis, in their order.
 *
 * @param visit `slots` holds the slot of the cell on each axis, and changes after the call.
 */
export function visitCells(
  slotCounts: readonly number[],
  spans: readonly SlotSpan[],
  visit: (cell: number, slots: readonly number[]) => void,
): void {
  const last = slotCounts.length - 1;
  visitRows(slotCounts, spans, (first, length, slots) => {
    const own = [...slots];
    for (let i = 0; i < length; i++) {
      if (last >= 0) own[last] = slots[last]! + i;
      visit(first + i, own);
    }
  });
}
