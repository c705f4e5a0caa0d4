/** The tag of a histogram without a tag. */
export const NO_TAG = 'NO TAG';

/**
 * How many bits a count may have. Here all counts go up to 2^53 − 1; the sizes decide the memory only: `32` and `64` have an
 * array of words, `8`, `16` and `'packed'` have small cells in pages, for those slots that are used.
 */
export type BitBucketSize = 8 | 16 | 32 | 64 | 'packed';

/** Percentiles, the maximum and the number of values. Percentiles are cut off after the significant digits. */
export interface HistogramSummary {
  p50: number;
  p75: number;
  p90: number;
  p97_5: number;
  p99: number;
  p99_9: number;
  p99_99: number;
  p99_999: number;
  max: number;
  totalCount: number;
}

/** The interface of all histograms. Values are integers from 0 to 2^53 − 1; the fraction of a number is ignored. */
export interface Histogram {
  /** Whether a value above the range widens it instead of being refused. */
  autoResize: boolean;
  /** The largest value of the range, which `autoResize` widens. */
  readonly highestTrackableValue: number;
  readonly numberOfSignificantValueDigits: number;
  /** How many values were counted. */
  readonly totalCount: number;
  /** The mean of the slots' middles; 0 when empty. */
  readonly mean: number;
  /** The standard deviation (of a population) of the slots' middles; 0 when empty. */
  readonly stdDeviation: number;
  /** The largest value, as it was recorded; after decoding, the upper bound of its slot. 0 when empty. */
  readonly maxValue: number;
  /** The smallest value above 0; `Number.MAX_SAFE_INTEGER` when there is no such value. */
  readonly minNonZeroValue: number;
  readonly summary: HistogramSummary;
  /** The bytes that it takes, rather too many than too few. */
  readonly estimatedFootprintInBytes: number;
  startTimeStampMsec: number;
  endTimeStampMsec: number;
  tag: string;

  /** @throws HdrscopeError when the value is negative, no number, or above a fixed range. */
  recordValue(value: number): void;
  /** Records a value `count` times. */
  recordValueWithCount(value: number, count: number): void;
  /** Records a value and, where it is above the interval, the values that were missed meanwhile (coordinated omission). */
  recordValueWithExpectedInterval(value: number, expectedIntervalBetweenValueSamples: number): void;
  /** The upper bound of the slot in which the percentile lies; for 0, the lower bound of the first slot. 0 when empty. */
  getValueAtPercentile(percentile: number): number;
  /** The distribution as text, as HdrHistogram prints it in Java. */
  outputPercentileDistribution(
    percentileTicksPerHalfDistance?: number,
    outputValueUnitScalingRatio?: number,
    useCsvFormat?: boolean,
  ): string;
  /** Adds the values of another histogram. */
  add(otherHistogram: Histogram): void;
  /** Takes the values of another histogram away, which must be contained in this one. */
  subtract(otherHistogram: Histogram): void;
  /** Adds the values of another histogram, and those that were missed meanwhile. */
  addWhileCorrectingForCoordinatedOmission(
    otherHistogram: Histogram,
    expectedIntervalBetweenValueSamples: number,
  ): void;
  /** A copy with the values that were missed meanwhile. */
  copyCorrectedForCoordinatedOmission(expectedIntervalBetweenValueSamples: number): Histogram;
  /** Forgets all values, the times and the tag. */
  reset(): void;
  /** Frees the memory of a WebAssembly histogram, which is unusable afterwards. Does nothing to others. */
  destroy(): void;
  toJSON(): HistogramSummary;
}

/** A class of histograms. */
export type HistogramConstructor = new (
  lowestDiscernibleValue: number,
  highestTrackableValue: number,
  numberOfSignificantValueDigits: number,
) => Histogram;

/**
 * The summary of any histogram.
 *
 * @param digits The digits of percentiles that stay. The significant digits of the histogram when left out.
 */
export function toSummary(
  histogram: Histogram,
  digits: number = histogram.numberOfSignificantValueDigits,
): HistogramSummary {
  const at = (percentile: number): number => cutOff(histogram.getValueAtPercentile(percentile), digits);
  return {
    p50: at(50),
    p75: at(75),
    p90: at(90),
    p97_5: at(97.5),
    p99: at(99),
    p99_9: at(99.9),
    p99_99: at(99.99),
    p99_999: at(99.999),
    max: histogram.maxValue,
    totalCount: histogram.totalCount,
  };
}

/** Replaces all but the first `digits` digits of an integer by zeros. */
function cutOff(value: number, digits: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) + 1 - digits);
  return value - (value % unit);
}
