/** The least and the most that something may be. Equal when it is known exactly. */
export interface LeastMost {
  /** At least this, in the unit of the bounded number. */
  readonly least: number;
  /** At most this, in the unit of the bounded number. */
  readonly most: number;
}

/** Counts of a period, as DuckDB merges them. */
export interface WithinCounts {
  /** How many values there are. */
  readonly count: number;
  /** How many of them are at most the threshold. */
  readonly within: LeastMost;
}

/** `undecided`: the threshold lies inside a slot, and the values of this slot decide. */
export type ObjectiveVerdict = 'kept' | 'missed' | 'undecided' | 'without values';

/** How an objective was kept in a period. */
export interface ObjectivePeriod extends WithinCounts {
  /** Start of the period, in milliseconds since 1970. */
  readonly startMs: number;
  /** End of the period, in milliseconds since 1970. */
  readonly endMs: number;
  /** The share of values that are at most the threshold, from 0 to 1; `undefined` without values. */
  readonly share: LeastMost | undefined;
  /**
   * How fast the error budget burnt: the share of bad values, divided by the share that may be bad. At 1 the objective is just kept.
   * `undefined` without values. Source: https://sre.google/workbook/alerting-on-slos/
   */
  readonly burnRate: LeastMost | undefined;
  /** The part of the error budget of the whole time that this period used: its bad values, divided by all that may be bad. */
  readonly budgetUsed: LeastMost;
  /** `kept` when the least share is at least the objective, `missed` when the most is below it. */
  readonly verdict: ObjectiveVerdict;
}

/**
 * Judges a period.
 *
 * @param totalCount How many values there are in the whole time, whose budget is `(1 - objective) * totalCount` bad values.
 */
export function judged(
  { count, within }: WithinCounts,
  objective: number,
  totalCount: number,
): Omit<ObjectivePeriod, 'startMs' | 'endMs'> {
  // 1 - 0.999 is 0.0010000000000000009.
  const budget = Number((1 - objective).toPrecision(12));
  const bad = { least: count - within.most, most: count - within.least };
  const parts = (of: number): LeastMost => ({ least: bad.least / of / budget, most: bad.most / of / budget });
  if (count === 0) {
    const nothing = { least: 0, most: 0 };
    const unknown = { share: undefined, burnRate: undefined };
    return { count, within, ...unknown, budgetUsed: nothing, verdict: 'without values' };
  }
  // A quotient of integers is the double nearest to it, so 999 of 1000 are equal to 0.999.
  const share = { least: within.least / count, most: within.most / count };
  const verdict = share.least >= objective ? 'kept' : share.most < objective ? 'missed' : 'undecided';
  return { count, within, share, burnRate: parts(count), budgetUsed: parts(totalCount), verdict };
}
