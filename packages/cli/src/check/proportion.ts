import { Histogram, type PercentileInterval, percentileInterval } from '@hdrscope/core';

/** What a number of values within a threshold says about a percentile. */
export interface Proportion {
  /** Whether the percentile of these values is within the threshold. */
  readonly isWithin: boolean;
  /** Whether that of the population is, with the confidence: the interval of the percentile ends within the threshold. */
  readonly isSurelyWithin: boolean;
  /** Whether that of the population is beyond, with the confidence: the interval begins beyond the threshold. */
  readonly isSurelyBeyond: boolean;
}

/**
 * Judges a percentile by the number of values within a threshold. The intervals are those of `percentileInterval`, so the verdicts agree
 * with `hdrscope diff`.
 *
 * @param within How many of `count` values are within. There must be values.
 * @param percentile Above 0 and below 100.
 */
export function proportionOf(
  within: number,
  count: number,
  percentile: number,
  confidence: number,
): Proportion {
  // Values within count as 0, those beyond as 1.
  const values = new Histogram({ highestTrackableValue: 2, significantDigits: 1 });
  if (within > 0) values.record(0, within);
  if (count > within) values.record(1, count - within);
  const found = percentileInterval(values, percentile, { confidence });
  return {
    isWithin: found.value === 0,
    isSurelyWithin: found.upper === 0 && hasUpperEnd(found, count, percentile, confidence),
    isSurelyBeyond: found.lower === 1 && hasLowerEnd(found, count, percentile, confidence),
  };
}

/**
 * Whether the upper end of an interval is sure enough: the whole interval is, or the end alone. The highest value is below the percentile
 * when all values are, with the probability `q ** n`.
 */
export function hasUpperEnd(
  { confidence: attained }: PercentileInterval,
  count: number,
  percentile: number,
  confidence: number,
): boolean {
  return attained >= confidence || (percentile / 100) ** count <= (1 - confidence) / 2;
}

/** As `hasUpperEnd`: the lowest value is above the percentile with the probability `(1 - q) ** n`. */
function hasLowerEnd(
  { confidence: attained }: PercentileInterval,
  count: number,
  percentile: number,
  confidence: number,
): boolean {
  return attained >= confidence || (1 - percentile / 100) ** count <= (1 - confidence) / 2;
}
