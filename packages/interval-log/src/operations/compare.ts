import {
  HdrscopeError,
  kolmogorovSmirnovTest,
  mannWhitneyTest,
  mustBe,
  type PercentileDifference,
  percentileDifference,
} from '@hdrscope/core';
import type { LogHistogram } from './intervals.ts';
import { type IntegerPair, toIntegers } from './to-integers.ts';

/** What is compared, and what counts as worse. */
export interface CompareOptions {
  /** From 0 to 100. */
  readonly percentiles: readonly number[];
  /** How sure a difference has to be: above 0 and below 1. @default 0.99 */
  readonly confidence?: number;
  /** By which part of its former value a percentile may grow: 0.05 is 5 %. At least 0. @default 0 */
  readonly tolerance?: number;
}

/**
 * What a percentile's change comes to. With `limit` for the tolerance times the value before, and an interval that
 * contains the true difference with the confidence asked for:
 *
 * - `'too few values'`: the percentile of one side cannot be known with that confidence. Nothing else is said then.
 * - `'worse beyond doubt'`: the whole interval lies above the limit.
 * - `'worse'`: the difference is above the limit, and the whole interval above 0: that it grew is sure, and by more
 *   than tolerated is the best estimate.
 * - `'better'`: the whole interval lies below 0.
 * - `'within tolerance'`: the whole interval lies above 0, the difference is not above the limit: it grew, but not too much.
 * - `'no difference shown'`: the interval contains 0. It need not be that there is none.
 */
export type ChangeVerdict =
  | 'too few values'
  | 'worse beyond doubt'
  | 'worse'
  | 'better'
  | 'within tolerance'
  | 'no difference shown';

/** A percentile before and after. */
export interface PercentileChange {
  readonly percentile: number;
  readonly before: number;
  readonly after: number;
  /** After less before. */
  readonly difference: number;
  /** The difference as a part of the value before; infinite or NaN where that is 0. */
  readonly relative: number;
  /** Where the true difference lies. */
  readonly lower: number;
  readonly upper: number;
  /** How sure that is: what was asked for, or less where there are too few values. */
  readonly confidence: number;
  readonly change: ChangeVerdict;
}

/** Two distributions, compared. */
export interface Comparison {
  readonly percentiles: readonly PercentileChange[];
  /** Whether any of them has become worse, with doubt or without. */
  readonly isWorse: boolean;
  /**
   * How far apart the distribution functions are, 0 to 1, and how often chance alone makes that. `undefined` where not
   * every value is known.
   */
  readonly kolmogorovSmirnov: { readonly statistic: number; readonly pValue: number } | undefined;
  /** How much more often a value after is larger than one before than smaller, -1 to 1, and likewise. */
  readonly mannWhitney: { readonly effectSize: number; readonly pValue: number } | undefined;
}

/** Values that are known within bounds: each lies between where it is in `lowest` and where it is in `highest`. */
export interface BoundedHistogram {
  /** The best guess. */
  readonly histogram: LogHistogram;
  readonly lowest: LogHistogram;
  readonly highest: LogHistogram;
}

/**
 * Compares percentiles before and after a change of what was measured. Each has a confidence interval of its own: of
 * many percentiles at 99 %, one in a hundred shows a difference where there is none.
 *
 * Values are taken to be independent of one another. Those of a service that stalls for a while are not, and then
 * the intervals are too narrow: compare several runs. Where values are known within bounds only, the intervals contain
 * the true difference wherever in their bounds they are.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when a histogram is empty, or one has integers and the other doubles;
 *   `ERR_INVALID_OPTION`, `ERR_INVALID_VALUE`.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { compareHistograms } from '@hdrscope/interval-log';
 *
 * const before = new Histogram({ highestTrackableValue: 100_000 });
 * const after = new Histogram({ highestTrackableValue: 100_000 });
 * for (let value = 1; value <= 10_000; value++) {
 *   before.record(value);
 *   after.record(value * 1.2);
 * }
 * const { percentiles } = compareHistograms(before, after, { percentiles: [50, 99.99], tolerance: 0.05 });
 * percentiles.map(({ change }) => change); //=> ['worse beyond doubt', 'too few values']
 * ```
 */
export function compareHistograms(
  before: LogHistogram | BoundedHistogram,
  after: LogHistogram | BoundedHistogram,
  { percentiles, confidence = 0.99, tolerance = 0 }: CompareOptions,
): Comparison {
  if (!(tolerance >= 0 && Number.isFinite(tolerance))) {
    throw mustBe('ERR_INVALID_OPTION', 'tolerance', 'a finite number of at least 0', tolerance);
  }
  const [one, other] = [inBounds(before), inBounds(after)];
  for (const [name, { histogram }] of Object.entries({ before: one, after: other })) {
    if (histogram.totalCount === 0)
      throw new HdrscopeError('ERR_INCOMPATIBLE', `there are no values ${name} the change`);
  }
  const guess = toIntegers(one.histogram, other.histogram);
  const isExact = !('lowest' in before || 'lowest' in after);
  const least = isExact ? guess : toIntegers(one.highest, other.lowest);
  const most = isExact ? guess : toIntegers(one.lowest, other.highest);
  const changes = percentiles.map((percentile): PercentileChange => {
    const differenceOf = (integers: IntegerPair): PercentileDifference =>
      percentileDifference(integers.after, integers.before, percentile, { confidence });
    const found = differenceOf(guess);
    const lower = isExact ? found.lower : differenceOf(least).lower;
    const upper = isExact ? found.upper : differenceOf(most).upper;
    const was = guess.before.valueAtPercentile(percentile);
    const isKnown = found.confidence >= confidence;
    return {
      percentile,
      before: was * guess.ratio,
      after: guess.after.valueAtPercentile(percentile) * guess.ratio,
      difference: found.difference * guess.ratio,
      relative: found.difference / was,
      lower: lower * least.ratio,
      upper: upper * most.ratio,
      confidence: found.confidence,
      change: isKnown
        ? changeOf({ difference: found.difference, lower, upper }, tolerance * was)
        : 'too few values',
    };
  });
  return {
    percentiles: changes,
    isWorse: changes.some(({ change }) => change === 'worse' || change === 'worse beyond doubt'),
    ...(isExact ? wholeOf(guess) : { kolmogorovSmirnov: undefined, mannWhitney: undefined }),
  };
}

function inBounds(values: LogHistogram | BoundedHistogram): BoundedHistogram {
  return 'lowest' in values ? values : { histogram: values, lowest: values, highest: values };
}

function wholeOf({ before, after }: IntegerPair): Pick<Comparison, 'kolmogorovSmirnov' | 'mannWhitney'> {
  const { statistic, pValue } = kolmogorovSmirnovTest(before, after);
  const ranks = mannWhitneyTest(after, before);
  return {
    kolmogorovSmirnov: { statistic, pValue },
    mannWhitney: { effectSize: ranks.effectSize, pValue: ranks.pValue },
  };
}

function changeOf(
  { difference, lower, upper }: { difference: number; lower: number; upper: number },
  limit: number,
): ChangeVerdict {
  if (lower > limit) return 'worse beyond doubt';
  if (lower > 0) return difference > limit ? 'worse' : 'within tolerance';
  return upper < 0 ? 'better' : 'no difference shown';
}
