import type { Layout } from '@hdrscope/core';

/** Consecutive slots of an axis. */
export interface SlotSpan {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** The sum of the cells of each slot of one axis. Only cells within the span of every axis count. */
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
