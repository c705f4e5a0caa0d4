import { correctedTotal } from './coordinated-omission.ts';
import type { DoubleLayout } from './double-layout.ts';
import { type DoubleRange, octaveOf } from './double-range.ts';

/** The lowest value that a correction adds: at least the interval, and less than two intervals. */
export function lowestCorrected(value: number, interval: number): number {
  return nth(value, interval, correctedTotal(value, interval) - 1);
}

/** Moves a range so that the values of a correction fit, from the highest down. Returns whether all of them fit. */
export function reachCorrected(range: DoubleRange, value: number, interval: number): boolean {
  const lowest = octaveOf(lowestCorrected(value, interval));
  // Each octave in between has at least one of the values.
  for (let octave = octaveOf(value) - 1; octave >= lowest; octave--) {
    if (!range.reach(2 ** octave)) return false;
  }
  return true;
}

/**
 * `correctedCounts` of doubles: the largest value in each slot, and the number of values in that slot. Below `low` there are two
 * shares: values nearer to `low`, and values nearer to 0.
 */
export function* correctedDoubles(
  layout: DoubleLayout,
  low: number,
  value: number,
  interval: number,
): Generator<[value: number, count: number], void, undefined> {
  const steps = correctedTotal(value, interval);
  for (let done = 0; done < steps; ) {
    const rest = nth(value, interval, done);
    const bound = rest >= low ? layout.lower(layout.slotOf(rest)) : rest >= low / 2 ? low / 2 : 0;
    const share = Math.min(Math.floor((rest - bound) / interval) + 1, steps - done);
    yield [rest, share];
    done += share;
  }
}

/** The value after `n` intervals. Rounding must not carry the last one below the interval. */
function nth(value: number, interval: number, n: number): number {
  return n === 0 ? value : Math.max(value - n * interval, interval);
}
