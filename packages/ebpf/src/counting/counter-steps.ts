/** By how much counters have grown since they were last read. */
export interface CounterSteps {
  /** Increase of each counter, 0 or more. */
  readonly steps: Float64Array;
  /** Whether a counter started again at 0, other than by passing its largest value. */
  readonly isReset: boolean;
}

const TURN = 2 ** 32;
const HALF_TURN = 2 ** 31;

/**
 * The increases of the counters of one CPU. A counter that fell started again at 0, so its whole value is new. A counter of
 * 32 bits that fell from its upper to its lower half has passed its largest value, unless another counter of the same CPU
 * shows that all were set to 0.
 *
 * @param before As many counters as `now` has, with 0 for new ones.
 */
export function counterSteps(before: Float64Array, now: Float64Array, counterBits: 32 | 64): CounterSteps {
  const mayTurn = (i: number): boolean =>
    counterBits === 32 && before[i]! >= HALF_TURN && now[i]! < HALF_TURN;
  const isLess = (i: number): boolean => now[i]! < before[i]!;
  let isReset = false;
  for (let i = 0; i < now.length; i++) if (isLess(i) && !mayTurn(i)) isReset = true;
  const steps = now.map((counter, i) => {
    if (!isLess(i)) return counter - before[i]!;
    return isReset ? counter : counter - before[i]! + TURN;
  });
  return { steps, isReset };
}
