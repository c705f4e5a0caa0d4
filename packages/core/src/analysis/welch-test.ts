import type { Bounds } from '../bounds.ts';
import { type Counted, countIndependent } from '../counted.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import { atOneMoment, type ConfidenceOptions, confidenceOf } from './checks.ts';
import { momentsOf } from './moments.ts';
import { studentUpperQuantile, studentUpperTail } from './student-t.ts';

/** The result of Welch's t-test. */
export interface WelchResult {
  /** The difference, in units of its standard error. */
  readonly t: number;
  /** The degrees of freedom of Student's distribution, by Welch and Satterthwaite; seldom an integer. */
  readonly degreesOfFreedom: number;
  /** The probability that samples of populations with equal means differ as much, either way. */
  readonly pValue: number;
  /** The mean of `a` less that of `b`, in the unit of the values. */
  readonly difference: number;
  /** The interval for the difference of the populations' means, with the confidence asked for. */
  readonly interval: Bounds;
}

/**
 * Welch's t-test, two-sided: do the means of two populations differ? Their variances may differ, too. Each value is read as the
 * middle of its slot.
 *
 * The test assumes independent values, and means that are about normally distributed. Means of latencies, with their long tails,
 * need some thousand values for that, and a single stall can decide the result: `mannWhitneyTest` and `percentileDifference` do
 * not depend on it.
 *
 * When all values of each histogram share a slot, the middles do not vary. Different means are then infinitely many standard errors
 * apart, with p = 0, and equal means 0, with p = 1.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the confidence is outside its range, `ERR_INCOMPATIBLE` when a
 *   histogram has fewer than 2 values or no integers.
 * @example
 * ```ts
 * import { Histogram, welchTest } from '@hdrscope/core';
 *
 * const before = new Histogram({ highestTrackableValue: 1000 });
 * const after = new Histogram({ highestTrackableValue: 1000 });
 * for (const value of [20, 22, 24, 26, 28]) before.record(value);
 * for (const value of [25, 29, 33, 37, 41]) after.record(value);
 *
 * const { difference, t, pValue, interval } = welchTest(after, before);
 * difference; //=> 9
 * t.toFixed(4); //=> '2.8460'
 * pValue.toFixed(4); //=> '0.0300'
 * [interval.lower.toFixed(2), interval.upper.toFixed(2)]; //=> ['1.22', '16.78']
 * ```
 */
export function welchTest(
  a: Counted<HdrLayout>,
  b: Counted<HdrLayout>,
  options: ConfidenceOptions = {},
): WelchResult {
  const confidence = confidenceOf('welchTest', options);
  const [first, second] = atOneMoment('welchTest', a, b, 2);
  const { difference, standardError, degreesOfFreedom } = meanDifference(sampleOf(first), sampleOf(second));
  const t = difference === 0 ? 0 : difference / standardError;
  const reach = studentUpperQuantile((1 - confidence) / 2, degreesOfFreedom) * standardError;
  return {
    t,
    degreesOfFreedom,
    pValue: 2 * studentUpperTail(Math.abs(t), degreesOfFreedom),
    difference,
    interval: { lower: difference - reach, upper: difference + reach },
  };
}

function sampleOf(histogram: Counted<HdrLayout>): Sample {
  const { mean, squares, count } = momentsOf(histogram);
  return { mean, variance: squares / (count - (histogram.weight ?? 1)), count: countIndependent(histogram) };
}

/** A sample of at least 2 independent values. */
interface Sample {
  readonly count: number;
  readonly mean: number;
  /** The variance of the population, estimated from the sample. */
  readonly variance: number;
}

/**
 * The mean of `a` less that of `b`, its standard error, and the degrees of freedom by Welch and Satterthwaite. Those of samples without
 * any variance are those of equal variances.
 */
export function meanDifference(
  a: Sample,
  b: Sample,
): { difference: number; standardError: number; degreesOfFreedom: number } {
  const [ofA, ofB] = [a.variance / a.count, b.variance / b.count]; // of the means
  const variance = ofA + ofB;
  return {
    difference: a.mean - b.mean,
    standardError: Math.sqrt(variance),
    degreesOfFreedom:
      variance === 0
        ? a.count + b.count - 2
        : 1 / ((ofA / variance) ** 2 / (a.count - 1) + (ofB / variance) ** 2 / (b.count - 1)),
  };
}
