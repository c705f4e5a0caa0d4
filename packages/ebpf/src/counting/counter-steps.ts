/** How far counters have come since they were last read. */
export interface CounterSteps {
  /** One for each counter, 0 or more. */
  readonly steps: Float64Array;
  /** Whether any of them began anew, other than by passing its largest value. */
  readonly isReset: boolean;
}

const TURN = 2 ** 32;
const HALF_TURN = 2 ** 31;

/**
 * The steps of the counters of one CPU. A counter that is less than before began anew, and all it has is new; but one
 * of 32 bits that was in its upper half and is in its lower one has passed its largest value, unless another of the
 * same CPU shows that all were set to 0.
 *
 * @param before As many counters as `now` has; 0 for what was not there.
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
