import {
  DoubleHistogram,
  HdrscopeError,
  Histogram,
  kolmogorovSmirnovTest,
  mannWhitneyTest,
  type PercentileDifference,
  percentileDifference,
} from '@hdrscope/core';
import {
  assertFollows,
  containingLayout,
  custom,
  number,
  type OptionRules,
  readOptions,
  withDefault,
} from '@hdrscope/core/internal';
import type { LogHistogram } from './totals.ts';

/** Options of `compareHistograms`. */
export interface CompareOptions {
  /** The percentiles to compare, from 0 to 100. */
  readonly percentiles: readonly number[];
  /** Confidence of the intervals: above 0 and below 1. @default 0.99 */
  readonly confidence?: number;
  /** Tolerated growth of a percentile as a part of its value before: 0.05 is 5 %. At least 0. @default 0 */
  readonly tolerance?: number;
}

/**
 * The verdict on a percentile's change. The limit is the tolerance times the value before, and the confidence interval
 * is that of the difference:
 *
 * - `'too few values'`: one side has too few values to know the percentile with the confidence. No other verdict applies.
 * - `'worse beyond doubt'`: the whole interval lies above the limit.
 * - `'worse'`: the difference is above the limit and the whole interval above 0. The percentile surely grew, and the
 *   best estimate is that it grew more than tolerated.
 * - `'better'`: the whole interval lies below 0.
 * - `'within tolerance'`: the whole interval lies above 0 and the difference is not above the limit. The percentile
 *   surely grew, and the best estimate is that the growth is tolerated.
 * - `'no difference shown'`: the interval contains 0. There may be a difference all the same.
 */
export type ChangeVerdict =
  | 'too few values'
  | 'worse beyond doubt'
  | 'worse'
  | 'better'
  | 'within tolerance'
  | 'no difference shown';

/** A percentile before and after a change, in the unit of the values. */
export interface PercentileChange {
  /** The compared percentile, from 0 to 100. */
  readonly percentile: number;
  /** The value at the percentile before the change. */
  readonly before: number;
  /** The value at the percentile after the change. */
  readonly after: number;
  /** `after - before`, in the unit of the values. */
  readonly difference: number;
  /** The difference relative to the value before: 0.1 for a tenth more. Infinite or `NaN` if that value is 0. */
  readonly relative: number;
  /** Lower bound of the confidence interval of the difference, in the unit of the values. */
  readonly lower: number;
  /** Upper bound of the confidence interval of the difference, in the unit of the values. */
  readonly upper: number;
  /** Confidence of the interval, between 0 and 1: the requested one, or less if there are too few values. */
  readonly confidence: number;
  /** The verdict, which weighs the difference against `tolerance` and chance. */
  readonly change: ChangeVerdict;
}

/** The comparison of two distributions. */
export interface Comparison {
  /** One entry for each percentile of the options, in their order. */
  readonly percentiles: readonly PercentileChange[];
  /** Whether the verdict on any percentile is `'worse'` or `'worse beyond doubt'`. */
  readonly isWorse: boolean;
  /**
   * Largest distance of the two distribution functions, 0 to 1, and the probability that chance makes one as large.
   * `undefined` if values are known within bounds only.
   */
  readonly kolmogorovSmirnov: { readonly statistic: number; readonly pValue: number } | undefined;
  /**
   * Probability that a value after is larger than one before, minus the probability that it is smaller, -1 to 1; and the
   * probability that chance makes an effect as large. `undefined` if values are known within bounds only.
   */
  readonly mannWhitney: { readonly effectSize: number; readonly pValue: number } | undefined;
}

/** Values that are known within bounds: the true percentiles lie between those of `lowest` and those of `highest`. */
export interface BoundedHistogram {
  /** The best estimate of the values. */
  readonly histogram: LogHistogram;
  /** Each value at the lowest that it may have been. */
  readonly lowest: LogHistogram;
  /** Each value at the highest that it may have been. */
  readonly highest: LogHistogram;
}

/**
 * Compares percentiles before and after a change of the measured system. Each percentile has a confidence interval of its
 * own. At 99 % one percentile in a hundred shows a difference by chance.
 *
 * The intervals assume that values are independent. Values of a service that stalls for a while are not, and the
 * intervals are too narrow for them: compare several runs. For values known within bounds, an interval contains the true
 * difference wherever in their bounds the values lie.
 *
 * Histograms of other digits or units are compared in the finest slots that contain those of both.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when a histogram is empty, or one has integers and the other doubles; `ERR_INVALID_OPTION` when
 *   an option does not exist, or `confidence` or `tolerance` is out of range; `ERR_INVALID_VALUE` when a percentile is.
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
  options: CompareOptions,
): Comparison {
  assertCompared(before);
  assertCompared(after);
  const { percentiles, confidence, tolerance } = readOptions(options, COMPARE_HISTOGRAMS);
  const [one, other] = [withBounds(before), withBounds(after)];
  for (const [name, { histogram }] of Object.entries({ before: one, after: other })) {
    if (histogram.totalCount === 0)
      throw new HdrscopeError(
        'ERR_INCOMPATIBLE',
        `the histogram ${name} the change must have values, and is empty`,
        { details: { side: name } },
      );
  }
  const guess = toIntegers(one.histogram, other.histogram);
  const isExact = !('lowest' in before || 'lowest' in after);
  const least = isExact ? guess : toIntegers(one.highest, other.lowest);
  const most = isExact ? guess : toIntegers(one.lowest, other.highest);
  const changes = percentiles.map((percentile): PercentileChange => {
    const measure = (integers: IntegerPair): PercentileDifference =>
      percentileDifference(integers.after, integers.before, percentile, { confidence });
    const found = measure(guess);
    const valueIn = (integers: Histogram, histogram: LogHistogram): number => {
      const integer = integers.valueAtPercentile(percentile);
      // Much larger values may leave the value no integer above 0.
      return integer === 0 ? histogram.valueAtPercentile(percentile) : integer * guess.ratio;
    };
    const was = valueIn(guess.before, one.histogram);
    const bounds = {
      difference: found.difference * guess.ratio,
      lower: (isExact ? found : measure(least)).lower * least.ratio,
      upper: (isExact ? found : measure(most)).upper * most.ratio,
    };
    const isKnown = found.confidence >= confidence;
    return {
      percentile,
      before: was,
      after: valueIn(guess.after, other.histogram),
      relative: bounds.difference / was,
      ...bounds,
      confidence: found.confidence,
      change: isKnown ? judgeChange(bounds, tolerance * was) : 'too few values',
    };
  });
  return {
    percentiles: changes,
    isWorse: changes.some(({ change }) => change === 'worse' || change === 'worse beyond doubt'),
    ...(isExact ? testWhole(guess) : { kolmogorovSmirnov: undefined, mannWhitney: undefined }),
  };
}

const confidence = custom<number>(
  'a number above 0 and below 1',
  (value) => typeof value === 'number' && value > 0 && value < 1,
);

const COMPARE_HISTOGRAMS = {
  name: 'compareHistograms',
  rules: {
    // Each is checked where it is compared.
    percentiles: custom<readonly number[]>('an array of percentiles', Array.isArray),
    confidence: withDefault(confidence, 0.99),
    tolerance: withDefault(number({ from: 0 }), 0),
  } satisfies OptionRules<CompareOptions>,
  call: 'compareHistograms(before, after, { percentiles: [50, 99] })',
};

function withBounds(values: LogHistogram | BoundedHistogram): BoundedHistogram {
  return 'lowest' in values ? values : { histogram: values, lowest: values, highest: values };
}

function testWhole({ before, after }: IntegerPair): Pick<Comparison, 'kolmogorovSmirnov' | 'mannWhitney'> {
  const { statistic, pValue } = kolmogorovSmirnovTest(before, after);
  const ranks = mannWhitneyTest(after, before);
  return {
    kolmogorovSmirnov: { statistic, pValue },
    mannWhitney: { effectSize: ranks.effectSize, pValue: ranks.pValue },
  };
}

function judgeChange(
  { difference, lower, upper }: { difference: number; lower: number; upper: number },
  limit: number,
): ChangeVerdict {
  if (lower > limit) return 'worse beyond doubt';
  if (lower > 0) return difference > limit ? 'worse' : 'within tolerance';
  return upper < 0 ? 'better' : 'no difference shown';
}

/** Two histograms of integers in the same unit. */
interface IntegerPair {
  readonly before: Histogram;
  readonly after: Histogram;
  /** Size of the unit: 1 for integers, a power of two for doubles. */
  readonly ratio: number;
}

/** The bits of the largest integer that values may become: the slot of a larger one could end beyond 2^63. */
const MOST_BITS = 62;

/**
 * Converts two histograms to integers in the same unit and layout, as the statistics need them. The layout is the finest one whose slots
 * contain those of both: the value of a wider slot would look larger than an equal one of a finer slot. Histograms of doubles count
 * integers already, each in its own unit. Both units are powers of two, so the smaller one expresses all values exactly, unless they are
 * too far apart.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when one has integers and the other doubles.
 */
function toIntegers(before: LogHistogram, after: LogHistogram): IntegerPair {
  if (before instanceof DoubleHistogram && after instanceof DoubleHistogram) {
    const ratio = Math.max(
      Math.min(before.integerToDoubleValueConversionRatio, after.integerToDoubleValueConversionRatio),
      2 ** Math.ceil(Math.log2(Math.max(before.max, after.max)) - MOST_BITS),
    );
    return { ...inOneLayout(scaleToIntegers(before, ratio), scaleToIntegers(after, ratio)), ratio };
  }
  if (before instanceof DoubleHistogram || after instanceof DoubleHistogram) {
    throw new HdrscopeError('ERR_INCOMPATIBLE', 'integers cannot be compared with doubles');
  }
  return { ...inOneLayout(before, after), ratio: 1 };
}

function inOneLayout(before: Histogram, after: Histogram): Omit<IntegerPair, 'ratio'> {
  if (before.layout.sharesSlotsWith(after.layout)) return { before, after };
  const layout = containingLayout([before.layout, after.layout]);
  const [one, other] = [before, after].map((histogram) => {
    const contained = new Histogram({ ...layout, storage: 'sparse' });
    contained.add(histogram);
    return contained;
  }) as [Histogram, Histogram];
  return { before: one, after: other };
}

function scaleToIntegers(doubles: DoubleHistogram, ratio: number): Histogram {
  const { significantDigits } = doubles.layout;
  const integers = new Histogram({ significantDigits, storage: 'sparse' });
  for (const { valueIteratedTo, countAddedInThisIterationStep } of doubles.recordedValues()) {
    integers.record(Math.floor(valueIteratedTo / ratio), countAddedInThisIterationStep);
  }
  return integers;
}

const compared = custom<LogHistogram | BoundedHistogram>('a histogram', (value) => {
  const { counts, histogram } = value as Partial<LogHistogram & BoundedHistogram>;
  return (counts ?? histogram) !== undefined;
});

function assertCompared(value: LogHistogram | BoundedHistogram): void {
  assertFollows('a compared histogram', compared, value);
}
