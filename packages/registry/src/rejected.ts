import { counterIncrease } from '@hdrscope/core/internal';

/** The values that a series was given and could not count. All tallies are cumulative. */
export interface RejectedCounts {
  /** How many were NaN, or not numbers at all. */
  readonly notANumber: number;
  /** How many were below 0. */
  readonly negative: number;
  /** How many were above the largest value that the resolution of the family reaches. */
  readonly tooLarge: number;
  /** The largest of the values that were too large, in the family's unit; 0 when no value was. */
  readonly largest: number;
  /** How many were refused because the total count would have passed 2^53 − 1. */
  readonly overflowing: number;
}

/** Tallies that grow. */
export type RejectedTally = { -readonly [Reason in keyof RejectedCounts]: number };

export function emptyTally(): RejectedTally {
  return { notANumber: 0, negative: 0, tooLarge: 0, largest: 0, overflowing: 0 };
}

/** Adds rejected values to a tally. */
export function addRejected(tally: RejectedTally, added: Partial<RejectedCounts>): void {
  const { notANumber = 0, negative = 0, tooLarge = 0, largest = 0, overflowing = 0 } = added;
  tally.notANumber += notANumber;
  tally.negative += negative;
  tally.tooLarge += tooLarge;
  tally.largest = Math.max(tally.largest, largest);
  tally.overflowing += overflowing;
}

/** One object for nearly all series and families. */
export const NOTHING_REJECTED: RejectedCounts = /* @__PURE__ */ Object.freeze(emptyTally());

/** The sum of two tallies. */
export function rejectedTogether(one: RejectedCounts, other: RejectedCounts): RejectedCounts {
  const tally = { ...one };
  addRejected(tally, other);
  return Object.freeze(tally);
}

/** How many values were rejected, for all reasons together. */
export function rejectedCount(rejected: Partial<RejectedCounts>): number {
  const { notANumber = 0, negative = 0, tooLarge = 0, overflowing = 0 } = rejected;
  return notANumber + negative + tooLarge + overflowing;
}

/** The values that were rejected between two states. A tally that fell began anew, and counts as a whole. */
export function rejectedSince(now: RejectedCounts, before: RejectedCounts): RejectedCounts {
  const tooLarge = counterIncrease(now.tooLarge, before.tooLarge);
  return Object.freeze({
    notANumber: counterIncrease(now.notANumber, before.notANumber),
    negative: counterIncrease(now.negative, before.negative),
    tooLarge,
    largest: tooLarge === 0 ? 0 : now.largest,
    overflowing: counterIncrease(now.overflowing, before.overflowing),
  });
}
