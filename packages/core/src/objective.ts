import { percentileRanks } from './analysis/order-statistics.ts';
import type { Bounds } from './bounds.ts';
import { countIndependent } from './counted.ts';

// An objective promises that so many percent of the values are at most so large: that a percentile is at most a limit.

/** `undecided` when the bounds of what is known contain the limit, nothing is known, or chance may have chosen the values of a sample so. */
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

/** What else is known of the values of an objective. */
interface ObjectiveFacts {
  /** How many values the error budget is for: those of a longer time, for the part of its budget that these values used. @default `total` */
  readonly budgetTotal?: number;
  /** The most values that one stands for: see `Counted`. Above 1, the share is an estimate. @default 1 */
  readonly weight?: number | undefined;
}

/**
 * Judges an objective by counts. Integers are compared, so 999 of 1,000 values keep 99.9 %. Of a sample, the verdict is that on all values from
 * which it was taken, with 99 % confidence.
 *
 * @param within How many values are within the limit, as `countWithin` finds them.
 * @param total How many values there are, an integer.
 * @param percentile Above 0, at most 100, with at most 12 decimals.
 */
export function judgeObjective(
  within: Bounds,
  total: number,
  percentile: number,
  { budgetTotal = total, weight = 1 }: ObjectiveFacts = {},
): JudgedObjective {
  const budget = errorBudget(percentile);
  const used = (count: number): number => (total - count) / budgetTotal / budget;
  // The percentile is within the limit when as many values are as its rank.
  const rank = exactRank(percentile, total);
  const ranks =
    weight > 1 && total > 0 ? sampleRanks(percentile, total, weight) : { lower: rank, upper: rank };
  const sure = within.lower >= ranks.upper ? 'kept' : within.upper < ranks.lower ? 'missed' : 'undecided';
  return {
    verdict: total === 0 ? 'undecided' : sure,
    // A quotient of integers is the double nearest to it.
    share: { lower: within.lower / total, upper: within.upper / total },
    budgetUsed: { lower: used(within.upper), upper: used(within.lower) },
  };
}

const SAMPLE_CONFIDENCE = 0.99;

/** As many values within the limit as `upper` show that the percentile is, and fewer than `lower` that it is not. */
function sampleRanks(percentile: number, total: number, weight: number): Bounds {
  // A value beyond the limit is beyond it whatever the others are, and nothing shows that all are within.
  if (percentile === 100) return { lower: total, upper: Number.POSITIVE_INFINITY };
  const n = countIndependent({ counts: { total }, weight });
  const share = percentile / 100;
  const { lower, upper } = percentileRanks(total, n, percentile, SAMPLE_CONFIDENCE);
  const miss = (1 - SAMPLE_CONFIDENCE) / 2;
  // All values of a small sample may be on one side.
  return {
    lower: (1 - share) ** n <= miss ? lower : 0,
    upper: share ** n <= miss ? upper : Number.POSITIVE_INFINITY,
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
