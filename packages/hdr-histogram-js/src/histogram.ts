/** The tag of a histogram without a tag. */
export const NO_TAG = 'NO TAG';

/**
 * How many bits a count may have. Here all counts go up to 2^53 − 1; the sizes decide the memory only: `32` and `64` have an
 * array of words, `8`, `16` and `'packed'` have small cells in pages, for those slots that are used.
 */
export type BitBucketSize = 8 | 16 | 32 | 64 | 'packed';

/** Percentiles, the maximum and the number of values. Percentiles are cut off after the significant digits. */
export interface HistogramSummary {
  /** The median, in the unit of the values. */
  p50: number;
  /** The value at the 75th percentile. */
  p75: number;
  /** The value at the 90th percentile. */
  p90: number;
  /** The value at the 97.5th percentile. */
  p97_5: number;
  /** The value at the 99th percentile. */
  p99: number;
  /** The value at the 99.9th percentile. */
  p99_9: number;
  /** The value at the 99.99th percentile. */
  p99_99: number;
  /** The value at the 99.999th percentile. */
  p99_999: number;
  /** The largest value, in the unit of the values; 0 when empty. */
  max: number;
  /** How many values were counted. */
  totalCount: number;
}

/** The interface of all histograms. Values are integers from 0 to 2^53 − 1; the fraction of a number is ignored. */
export interface Histogram {
  /** Whether a value above the range widens it instead of being refused. */
  autoResize: boolean;
  /** The end of the range, in the unit of the values. `autoResize` widens it. */
  readonly highestTrackableValue: number;
  /** Decimal digits to which a value keeps its precision: an integer from 0 to 5. */
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
  /** Percentiles, the maximum and the number of values at this moment. */
  readonly summary: HistogramSummary;
  /** The bytes that it takes, rather too many than too few. */
  readonly estimatedFootprintInBytes: number;
  /** Start of the counting in milliseconds since 1970; `Number.MAX_SAFE_INTEGER` until it is set, 0 after `reset`. */
  startTimeStampMsec: number;
  /** End of the counting in milliseconds since 1970; 0 until it is set. */
  endTimeStampMsec: number;
  /** The tag of its lines in logs; `NO_TAG` for lines without a tag. */
  tag: string;

  /**
   * Counts a value once.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is negative or not a number, `ERR_VALUE_OUT_OF_RANGE` when it is above a
   *   range that does not widen.
   */
  recordValue(value: number): void;
  /** Records a value `count` times. */
  recordValueWithCount(value: number, count: number): void;
  /**
   * Records a value and, where it is above the interval, the values that were missed meanwhile (coordinated omission).
   *
   * @param expectedIntervalBetweenValueSamples In the unit of the values. 0 corrects nothing.
   */
  recordValueWithExpectedInterval(value: number, expectedIntervalBetweenValueSamples: number): void;
  /** The upper bound of the slot in which the percentile lies; for 0, the lower bound of the first slot. 0 when empty. */
  getValueAtPercentile(percentile: number): number;
  /**
   * The distribution as text, as HdrHistogram prints it in Java.
   *
   * @param percentileTicksPerHalfDistance How many lines each half distance to 100 % has. @default 5
   * @param outputValueUnitScalingRatio Values are divided by it: 1000 prints microseconds as milliseconds. @default 1
   */
  outputPercentileDistribution(
    percentileTicksPerHalfDistance?: number,
    outputValueUnitScalingRatio?: number,
    useCsvFormat?: boolean,
  ): string;
  /** Adds the values of another histogram. */
  add(otherHistogram: Histogram): void;
  /** Takes the values of another histogram away, which must be contained in this one. */
  subtract(otherHistogram: Histogram): void;
  /**
   * Adds the values of another histogram, and those that were missed meanwhile.
   *
   * @param expectedIntervalBetweenValueSamples In the unit of the values. 0 corrects nothing.
   */
  addWhileCorrectingForCoordinatedOmission(
    otherHistogram: Histogram,
    expectedIntervalBetweenValueSamples: number,
  ): void;
  /**
   * A copy with the values that were missed meanwhile.
   *
   * @param expectedIntervalBetweenValueSamples In the unit of the values. 0 corrects nothing.
   */
  copyCorrectedForCoordinatedOmission(expectedIntervalBetweenValueSamples: number): Histogram;
  /** Forgets all values, the times and the tag. */
  reset(): void;
  /** Frees the memory of a WebAssembly histogram, which is unusable afterwards. Does nothing to others. */
  destroy(): void;
  /** The `summary`, for `JSON.stringify`. */
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
