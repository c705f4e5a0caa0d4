import type { Bounds } from './bounds.ts';

// An objective promises that so many percent of the values are at most so large: that a percentile is at most a limit.

/** `undecided` when the bounds of what is known contain the limit, or nothing is known. */
export type ObjectiveVerdict = 'kept' | 'missed' | 'undecided';

/** Judges whether a number is at most a limit in the same unit. */
export function judgeLimit({ lower, upper }: Bounds, limit: number): ObjectiveVerdict {
  if (upper <= limit) return 'kept';
  return lower > limit ? 'missed' : 'undecided';
}

/** An objective, judged by the number of values within its limit. */
export interface JudgedObjective {
  readonly verdict: ObjectiveVerdict;
  /** The share of values within the limit, from 0 to 1; `NaN` without values. */
  readonly share: Bounds;
  /** The values beyond the limit, as a part of those that may be beyond it: above 1 when the budget is exceeded. */
  readonly budgetUsed: Bounds;
}

/**
 * Judges an objective by counts. Integers are compared, so 999 of 1,000 values keep 99.9 %.
 *
 * @param within How many values are within the limit, as `countWithin` finds them.
 * @param total How many values there are, an integer.
 * @param percentile Above 0, at most 100, with at most 12 decimals.
 * @param budgetTotal How many values the error budget is for: those of a longer time, for the part of its budget that these values used.
 */
export function judgeObjective(
  within: Bounds,
  total: number,
  percentile: number,
  budgetTotal: number = total,
): JudgedObjective {
  const budget = errorBudget(percentile);
  const used = (count: number): number => (total - count) / budgetTotal / budget;
  // The percentile is within the limit when as many values are as its rank.
  const rank = exactRank(percentile, total);
  const sure = within.lower >= rank ? 'kept' : within.upper < rank ? 'missed' : 'undecided';
  return {
    verdict: total === 0 ? 'undecided' : sure,
    // A quotient of integers is the double nearest to it.
    share: { lower: within.lower / total, upper: within.upper / total },
    budgetUsed: { lower: used(within.upper), upper: used(within.lower) },
  };
}

const HUNDRED_PERCENT = 100_000_000_000_000n;

/** The rank of a percentile of at most 12 decimals. The rank in doubles, of which Java's percentiles are made, is one off among 2 ** 41 values. */
function exactRank(percentile: number, total: number): number {
  const share = BigInt(percentile.toFixed(12).replace('.', ''));
  const rank = (BigInt(total) * share + HUNDRED_PERCENT - 1n) / HUNDRED_PERCENT;
  return Math.max(1, Number(rank));
}

/** The share of values that may be beyond the limit of an objective. */
export function errorBudget(percentile: number): number {
  // 100 - 99.9 is 0.09999999999999432, and 0.07 / 100 is 0.0007000000000000001.
  return Number((Number((100 - percentile).toFixed(12)) / 100).toPrecision(12));
}
