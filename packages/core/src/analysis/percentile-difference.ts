import type { Counted } from '../counted.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import { assertPercentile, atOneMoment, type ConfidenceOptions, confidenceOf } from './checks.ts';
import { type PercentileInterval, percentileInterval } from './percentile-interval.ts';
import { differenceOfTwo, type SampleFigure } from './runs-difference.ts';

/** The difference of a percentile between two samples, and its interval for their populations. */
export interface PercentileDifference {
  /** The percentile of `a` less that of `b`. */
  readonly difference: number;
  /** Lower bound of the interval of the difference, in the unit of the values. */
  readonly lower: number;
  /** Upper bound of the interval of the difference, in the unit of the values. */
  readonly upper: number;
  /** The confidence of the interval, between 0 and 1: the one asked for, or less when a histogram has too few values. */
  readonly confidence: number;
  /** Whether the interval has the confidence asked for and does not contain 0. */
  readonly significant: boolean;
}

/**
 * The difference of a percentile between two populations, from independent random samples `a` and `b` of them. The distributions
 * may have any shapes, and need not be shifted copies of each other.
 *
 * The interval combines the two intervals of `percentileInterval`. These are exact; their combination is an approximation, which
 * misses the true difference less often than it may. When a histogram is too small for the percentile, its interval has less
 * confidence than asked for, and so has the interval of the difference: it is no evidence then. Where counts came from wider slots, as
 * `placedFrom` says, the interval contains the difference wherever the values lie in them.
 *
 * @param percentile From 0 to 100.
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the percentile is outside its range, `ERR_INVALID_OPTION` when the
 *   confidence is, `ERR_INCOMPATIBLE` when a histogram is empty.
 * @example
 * ```ts
 * import { Histogram, percentileDifference } from '@hdrscope/core';
 *
 * const before = new Histogram({ highestTrackableValue: 10_000 });
 * const after = new Histogram({ highestTrackableValue: 10_000 });
 * for (let value = 1; value <= 1000; value++) {
 *   before.record(value);
 *   after.record(value + 100);
 * }
 * const { difference, lower, upper, significant } = percentileDifference(after, before, 50);
 * difference; //=> 100
 * [lower.toFixed(1), upper.toFixed(1)]; //=> ['55.4', '144.6']
 * significant; //=> true
 * ```
 */
export function percentileDifference(
  a: Counted<HdrLayout>,
  b: Counted<HdrLayout>,
  percentile: number,
  options: ConfidenceOptions = {},
): PercentileDifference {
  assertPercentile(percentile);
  const confidence = confidenceOf('percentileDifference', options);
  const [first, second] = atOneMoment('percentileDifference', a, b);
  const inA = percentileInterval(first, percentile, { confidence });
  const inB = percentileInterval(second, percentile, { confidence });
  // Where counts came from wider slots, a distance contains the width of such a slot.
  const isPlaced = [first, second].some(({ placedFrom = [] }) => placedFrom.length > 0);
  const { estimate, lower, upper } = differenceOfTwo(
    sampleOf(inB),
    sampleOf(inA),
    isPlaced,
    (1 - confidence) / 2,
  );
  const attained = Math.min(inA.confidence, inB.confidence);
  return {
    difference: estimate,
    lower,
    upper,
    confidence: attained,
    significant: attained >= confidence && (lower > 0 || upper < 0),
  };
}

/** Where in its slot the value lies does not matter for an interval. */
function sampleOf({ value, lower, upper }: PercentileInterval): SampleFigure {
  return { value, lower: value, upper: value, interval: { lower, upper } };
}
