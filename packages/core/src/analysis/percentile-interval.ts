import type { Bounds } from '../bounds.ts';
import { type Counted, type CountedTotal, countIndependent } from '../counted.ts';
import { assertHdrCounted } from '../histogram/operands.ts';
import { valueAtPercentile } from '../histogram/percentiles.ts';
import { asNumbers } from '../histogram/slot-values.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import { intervalOfSlot } from '../sum/intervals.ts';
import { assertHolds, assertPercentile, type ConfidenceOptions, confidenceOf } from './checks.ts';
import { percentileRanks } from './order-statistics.ts';

/** A percentile of a sample, and an interval for the percentile of its population. */
export interface PercentileInterval {
  /** The result of `valueAtPercentile`, in the unit of the values. */
  readonly value: number;
  /** The lower bound of a slot. At most `value`. */
  readonly lower: number;
  /** The upper bound of a slot. At least `value`. */
  readonly upper: number;
  /** The least confidence of the interval, between 0 and 1: the one asked for, or less when the histogram has too few values. */
  readonly confidence: number;
}

/**
 * An interval for a percentile of the population from which the counted values are a random sample. The distribution may have any
 * shape: the bounds are counted values, whose ranks the binomial distribution gives exactly for any count, and the interval
 * contains the rounding to slots. So it has at least the confidence asked for.
 *
 * A sample can be too small: ten values show next to nothing about the 99th percentile, which is probably above all of them. Then
 * the bound is the lowest or the highest value, and `confidence` shows how little that is worth.
 *
 * The values must be independent. Values of a system that slows down for a while are not, and make the interval too narrow. Counts of a
 * sample, of which each value stands for several, state their `weight`.
 *
 * @param percentile From 0 to 100.
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the percentile is outside its range, `ERR_INVALID_OPTION` when the
 *   confidence is, `ERR_INCOMPATIBLE` when the histogram is empty.
 * @example
 * ```ts
 * import { Histogram, percentileInterval } from '@hdrscope/core';
 *
 * const latencies = new Histogram({ highestTrackableValue: 3_600_000_000 });
 * for (let value = 1; value <= 1000; value++) latencies.record(value);
 *
 * percentileInterval(latencies, 99); //=> { value: 990, lower: 983, upper: 997, confidence: 0.95 }
 * percentileInterval(latencies, 99.99).confidence.toFixed(3); //=> '0.090'
 *
 * // A client sent one of ten values, and each counts ten times: these are 100 values.
 * const { layout, counts } = latencies;
 * percentileInterval({ layout, counts, weight: 10 }, 50); //=> { value: 500, lower: 391, upper: 610, confidence: 0.95 }
 * ```
 */
export function percentileInterval(
  histogram: Counted<HdrLayout>,
  percentile: number,
  options: ConfidenceOptions = {},
): PercentileInterval {
  assertHdrCounted('percentileInterval', histogram);
  const { layout, counts, placedFrom, weight } = histogram;
  const boundsAt = (rank: number): Bounds => intervalOfSlot(layout, counts.slotOfRank(rank), 1, placedFrom);
  const found = findInterval({ counts, weight }, percentile, options, boundsAt);
  return { ...found, value: valueAtPercentile({ layout, counts }, asNumbers, percentile) };
}

/**
 * The interval of a percentile of any distribution: see `percentileInterval`. Its `value` is the upper end of the percentile.
 *
 * @param boundsAt Bounds of the value of a rank.
 */
export function findInterval(
  sample: CountedTotal,
  percentile: number,
  options: ConfidenceOptions,
  boundsAt: (rank: number) => Bounds,
): PercentileInterval {
  assertPercentile(percentile);
  const asked = confidenceOf('percentileInterval', options);
  assertHolds('percentileInterval', 1, [sample]);
  const n = countIndependent(sample);
  const { rank, lower, upper, confidence } = percentileRanks(sample.counts.total, n, percentile, asked);
  return {
    value: boundsAt(rank).upper,
    lower: boundsAt(lower).lower,
    upper: boundsAt(upper).upper,
    confidence,
  };
}
