import { computeStrides } from '@hdrscope/core/internal';
import type { Cells } from './cells.ts';
import { type SlotSpan, visitCells } from './grid.ts';

/** The cells of a histogram that are summed over one axis. */
export interface Summed {
  /** The number of slots of each axis. */
  readonly slotCounts: readonly number[];
  /** The slots of each axis that count. */
  readonly spans: readonly SlotSpan[];
  /** The axis that the result lacks. */
  readonly at: number;
}

/**
 * Adds cells to those of a histogram that lacks one axis.
 *
 * @throws HdrscopeError `ERR_COUNT_OVERFLOW`
 */
export function sumInto(target: Cells, cells: BigUint64Array, { slotCounts, spans, at }: Summed): void {
  const strides = computeStrides(without(slotCounts, at));
  visitCells(slotCounts, spans, (cell, slots) => {
    const count = cells[cell]!;
    if (count !== 0n) target.addAt(placeWithout(slots, at, strides), count);
  });
}

/**
 * The sums of the values of one axis, for a histogram that lacks another one.
 *
 * @param sums By the slots of all axes but `of`.
 * @param of The axis whose values are summed, another one than `at`.
 * @returns The sums by the slots of all axes but `of` and `at`.
 */
export function sumsWithout(
  sums: Float64Array,
  of: number,
  { slotCounts, spans, at }: Summed,
): Float64Array<ArrayBuffer> {
  const result = new Float64Array(sums.length / slotCounts[at]!);
  const others = without(slotCounts, of);
  // The place of the axis `at` among the axes but `of`.
  const dropped = at < of ? at : at - 1;
  const strides = computeStrides(without(others, dropped));
  visitCells(others, without(spans, of), (from, slots) => {
    result[placeWithout(slots, dropped, strides)]! += sums[from]!;
  });
  return result;
}

/** A list without the item at a place. */
export function without<Item>(items: readonly Item[], at: number): Item[] {
  return items.filter((_, i) => i !== at);
}

/** The place of a cell among those of all axes but one. @param strides Those of the remaining axes. */
function placeWithout(slots: readonly number[], at: number, strides: readonly number[]): number {
  let place = 0;
  for (let i = 0; i < strides.length; i++) place += slots[i < at ? i : i + 1]! * strides[i]!;
  return place;
}
