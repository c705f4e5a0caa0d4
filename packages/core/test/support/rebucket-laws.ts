import type { Layout } from '../../src/layout/layout.ts';
import { rebucket } from '../../src/rebucket.ts';

/**
 * Counts values in one layout, moves them into another, and compares the result with the values themselves. Values that
 * `from` has no slot for are left out. So are values between the ticks of a scaled layout, which it rounds.
 */
export function expectErrorBounds(from: Layout, to: Layout, values: readonly number[]): void {
  const plan = rebucket(from, to);
  const sorted = values.filter((value) => holds(from, value)).sort((a, b) => a - b);
  const counts = new Float64Array(from.slotCount);
  for (const value of sorted) counts[from.slotOf(value)]!++;
  const moved = plan.apply(counts);

  const misplaced = sorted.filter((value) => plan.slotFor(from.slotOf(value)) !== slotIn(to, value)).length;
  if (misplaced > moved.maxMisplaced) expect({ misplaced }).toBe(`at most ${moved.maxMisplaced}`);

  // Slots keep their order, so the value of a rank is in the slot of that rank.
  let [slot, upTo] = [0, moved.counts[0]!];
  sorted.forEach((value, rank) => {
    while (upTo <= rank) upTo += moved.counts[++slot]!;
    const source = from.slotOf(value);
    if (!isClosed(from, source) || !isClosed(to, slot) || from.lower(source) <= 0) return;
    const error = Math.abs(to.midpoint(slot) - value) / value;
    if (error > plan.worstRelativeError) {
      expect({ value, rank, error }).toBe(`at most ${plan.worstRelativeError}`);
    }
  });
}

function holds(layout: Layout, value: number): boolean {
  const slot = layout.slotOf(value);
  return slot >= 0 && slot < layout.slotCount;
}

function slotIn(layout: Layout, value: number): number {
  return Math.min(Math.max(layout.slotOf(value), 0), layout.slotCount - 1);
}

function isClosed(layout: Layout, slot: number): boolean {
  return Number.isFinite(layout.lower(slot)) && Number.isFinite(layout.upper(slot));
}
