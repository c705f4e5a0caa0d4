import { correctedTotal } from './coordinated-omission.ts';
import type { DoubleLayout } from './double-range.ts';

/** The last of the values that correction adds: at least the interval, and less than two of it. */
export function lowestCorrected(value: number, interval: number): number {
  return nth(value, interval, correctedTotal(value, interval) - 1);
}

/** As `correctedCounts`, of doubles. */
export function* correctedDoubles(
  layout: DoubleLayout,
  value: number,
  interval: number,
): Generator<[slot: number, count: number], void, undefined> {
  const steps = correctedTotal(value, interval);
  for (let done = 0; done < steps; ) {
    const rest = nth(value, interval, done);
    const slot = layout.slotOf(rest);
    const share = Math.min(Math.floor((rest - layout.lower(slot)) / interval) + 1, steps - done);
    yield [slot, share];
    done += share;
  }
}

/** Rounding must not carry the last ones below the interval. */
function nth(value: number, interval: number, n: number): number {
  return n === 0 ? value : Math.max(value - n * interval, interval);
}
