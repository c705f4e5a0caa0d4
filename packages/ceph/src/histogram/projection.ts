import type { Layout } from '@hdrscope/core';

/** Slots of an axis, from one on and before another. */
export interface SlotSpan {
  readonly from: number;
  readonly to: number;
}

/** The sum of the cells of each slot of an axis, of those that lie in a span of every axis. */
export function sumsByAxis(
  cells: BigUint64Array,
  layouts: readonly Layout[],
  axis: number,
  spans: readonly SlotSpan[],
): bigint[] {
  const sums = new Array<bigint>(layouts[axis]!.slotCount).fill(0n);
  for (const [cell, count] of cells.entries()) {
    if (count === 0n) continue;
    let [rest, slot, isWithin] = [cell, 0, true];
    for (let i = layouts.length - 1; i >= 0; i--) {
      const { slotCount } = layouts[i]!;
      const at = rest % slotCount;
      rest = (rest - at) / slotCount;
      isWithin &&= at >= spans[i]!.from && at < spans[i]!.to;
      if (i === axis) slot = at;
    }
    if (isWithin) sums[slot]! += count;
  }
  return sums;
}
