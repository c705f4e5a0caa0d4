import { mustBe } from '../errors.ts';

/** What is done with a value that has no slot, and cannot get one. */
export type OutOfRangePolicy = 'throw' | 'clamp' | 'discard';

/** How many values were out of range, by what was done with them. */
export interface Outliers {
  readonly thrown: number;
  readonly clamped: number;
  readonly discarded: number;
}

export const NO_OUTLIERS: Outliers = { thrown: 0, clamped: 0, discarded: 0 };

/**
 * @throws HdrscopeError `ERR_INVALID_OPTION` when it is none.
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
