import { mustBe } from '../errors.ts';

/** The treatment of a value that has no slot and cannot get one: see `HistogramOptions.outOfRange`. */
export type OutOfRangePolicy = 'throw' | 'clamp' | 'discard';

/** How many values were out of range, by treatment. */
export interface Outliers {
  readonly thrown: number;
  readonly clamped: number;
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
