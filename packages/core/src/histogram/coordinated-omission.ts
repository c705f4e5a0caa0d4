import type { HdrLayout } from '../layout/hdr.ts';

/**
 * The counts by slot of `value`, `value - interval`, `value - 2 * interval`, … down to the last that is at least
 * `interval`. Each slot's share is computed at once, so the work is bounded by the number of slots however small the
 * interval is.
 *
 * @param value An integer of at least `2 * interval`.
 * @param interval An integer of at least 1.
 */
export function* correctedCounts(
  layout: HdrLayout,
  value: number,
  interval: number,
): Generator<[slot: number, count: number], void, undefined> {
  const steps = Math.floor(value / interval);
  let done = 0; // value - done * interval is the next one to count
  while (done < steps) {
    const slot = layout.slotOf(value - done * interval);
    const beyond = Math.min(steps, Math.floor((value - layout.lower(slot)) / interval) + 1);
    yield [slot, beyond - done];
    done = beyond;
  }
}
