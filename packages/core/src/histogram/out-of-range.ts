import { mustBe } from '../errors.ts';

/** The treatment of a value that has no slot and cannot get one: see `HistogramOptions.outOfRange`. */
export type OutOfRangePolicy = 'throw' | 'clamp' | 'discard';

/** How many values were out of range, by treatment. */
export interface Outliers {
  /** How many values were refused with `ERR_VALUE_OUT_OF_RANGE`, or `ERR_INVALID_VALUE` when negative or not a number. */
  readonly thrown: number;
  /** How many values were counted as the nearest value that fits. */
  readonly clamped: number;
  /** How many values were left out without an error. */
  readonly discarded: number;
}

export const NO_OUTLIERS: Outliers = { thrown: 0, clamped: 0, discarded: 0 };

/**
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the policy is another word.
 */
export function assertPolicy(outOfRange: OutOfRangePolicy): void {
  if (outOfRange === 'throw' || outOfRange === 'clamp' || outOfRange === 'discard') return;
  throw mustBe(
    'ERR_INVALID_OPTION',
    'outOfRange',
    "'throw', 'clamp' or 'discard'",
    outOfRange satisfies never,
  );
}
