import {
  type Counted,
  type HdrLayout,
  type HistogramSum,
  type IterationStep,
  type ParsedPercentiles,
  percentileInterval,
} from '@hdrscope/core';
import {
  assertFollows,
  assertHdrCounted,
  assertOptions,
  assertText,
  type ConfidenceOptions,
  number,
  type OptionsOwner,
} from '@hdrscope/core/internal';
import { areWide } from '@hdrscope/kit';
import type { AxisSlot, Curve, CurvePoint, Period } from '../plot.ts';
import { assertInteger } from './checks.ts';
import { pointsOfSteps, type Sampling, type SlotStep } from './curve-points.ts';
import { PERIOD, VALUE_SCALE } from './option-rules.ts';
import { finestDigits } from './shown-bounds.ts';

/** A distribution that a curve can be made of, such as a `Histogram` or a `DoubleHistogram`. */
export interface CurveSource {
  /** How many values were counted: the count at 100 %. */
  readonly totalCount: number;
  /** The used slots, ascending: the upper bound of each, and how many values lie up to there. */
  recordedValues(): Iterable<Pick<IterationStep, 'valueIteratedTo' | 'totalCountToThisValue'>>;
}

/** How a curve is made. */
export interface CurveOptions {
  /**
   * How many columns the picture has at most, such as its width in pixels: an integer from 2 to 20000. The curve has a step for each
   * slot that a column shows. @default 1000
   */
  readonly columns?: number;
  /** The divisor of all values: 1e6 turns nanoseconds into milliseconds. Above 0. @default 1 */
  readonly valueScale?: number;
  /** When the values were counted. @default unknown */
  readonly period?: Period | undefined;
}

/** How a curve with bounds is made. */
export interface BoundedCurveOptions extends CurveOptions, ConfidenceOptions {
  /** The confidence of each point's bounds: above 0 and below 1. @default points have no bounds */
  readonly confidence?: number;
}

/**
 * A distribution as a curve, read off its slots: a point for each slot that a column of the picture shows, for the percentiles
 * that people ask for, and last for the maximum. A histogram without values has no points.
 *
 * With a confidence, points have the bounds of `percentileInterval`. A point with too few values for that has no bounds.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { percentileCurve } from '@hdrscope/plot';
 *
 * const latencies = new Histogram({ highestTrackableValue: 3_600_000_000 });
 * for (let value = 1; value <= 1000; value++) latencies.record(value);
 *
 * const { points } = percentileCurve('get', latencies, { confidence: 0.95 });
 * points.find(({ percentile }) => percentile === 50); //=> { percentile: 50, value: 500, lower: 469, upper: 532 }
 * points.at(-1); //=> { percentile: 100, value: 1000 }
 * ```
 */
export function percentileCurve(
  name: string,
  histogram: CurveSource & Counted<HdrLayout>,
  options: BoundedCurveOptions = {},
): Curve {
  assertText('the name', name);
  assertHdrCounted('percentileCurve', histogram);
  assertOptions(options, PERCENTILE_CURVE);
  const { confidence, ...curveOptions } = options;
  if (confidence === undefined) return curveOfSource(name, histogram, curveOptions, false);
  const curve = curveOfSource(name, histogram, curveOptions, true);
  const { valueScale = 1 } = curveOptions;
  const points = curve.points.map((point): CurvePoint => {
    const interval = percentileInterval(histogram, point.percentile, { confidence });
    if (interval.confidence < confidence) return point;
    return { ...point, lower: interval.lower / valueScale, upper: interval.upper / valueScale };
  });
  return { ...curve, points, confidence };
}

const CURVE_NAMES = { columns: true, valueScale: VALUE_SCALE, period: PERIOD } as const;

const PERCENTILE_CURVE: OptionsOwner<BoundedCurveOptions> = {
  name: 'percentileCurve',
  names: { confidence: true, ...CURVE_NAMES },
  call: "percentileCurve('GET', histogram, { confidence: 0.99 })",
};

/**
 * A curve without bounds of any distribution that steps through its slots, `DoubleHistogram` included. Otherwise as
 * `percentileCurve`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it.
 * @example
 * ```ts
 * import { DoubleHistogram } from '@hdrscope/core';
 * import { curveOf } from '@hdrscope/plot';
 *
 * const seconds = new DoubleHistogram({ significantDigits: 2 });
 * for (const value of [0.5, 0.5, 0.5, 2]) seconds.record(value);
 * curveOf('seconds', seconds).points.map(({ percentile }) => percentile); //=> [75, 100]
 * ```
 */
export function curveOf(name: string, source: CurveSource, options: CurveOptions = {}): Curve {
  assertText('the name', name);
  assertOptions(options, CURVE_OF);
  return curveOfSource(name, source, options, false);
}

const CURVE_OF: OptionsOwner<CurveOptions> = {
  name: 'curveOf',
  names: CURVE_NAMES,
  call: "curveOf('GET', histogram, { valueScale: 1000 })",
};

/** Values with their numbers, ascending by value. */
export type CountedValues = Iterable<readonly [value: number, count: number]>;

/**
 * A curve of values whose ends are known. The value of a rank lies between the lower end and the upper end of this rank, each ranked among
 * its like. A point has bounds where they are wider than `digits` significant digits; `Infinity` digits mean that each width counts.
 */
export function curveBetween(
  name: string,
  { lower, upper }: { readonly lower: CountedValues; readonly upper: CountedValues },
  {
    digits,
    totalCount,
    isSplit = false,
  }: { readonly digits: number; readonly totalCount: number } & Partial<Pick<Sampling, 'isSplit'>>,
  options: CurveOptions,
): Curve {
  const { valueScale, columns, period } = checked(options);
  const inUnit = (value: number): number => value / valueScale;
  const steps = stepsBetween(ranked(lower), ranked(upper), digits, inUnit);
  const points = pointsOfSteps(steps, totalCount, { columns, isSplit });
  return { name, points, totalCount, ...(period && { period }) };
}

interface RankedValue {
  readonly value: number;
  /** How many values are counted up to here. */
  readonly countTo: number;
}

function* ranked(values: CountedValues): Generator<RankedValue, undefined> {
  let countTo = 0;
  for (const [value, count] of values) {
    countTo += count;
    yield { value, countTo };
  }
  return undefined;
}

function* stepsBetween(
  lowers: Iterator<RankedValue, undefined>,
  uppers: Iterator<RankedValue, undefined>,
  digits: number,
  inUnit: (value: number) => number,
): Generator<SlotStep, void> {
  let [low, high] = [lowers.next().value, uppers.next().value];
  while (low !== undefined && high !== undefined) {
    const bounds = { lower: inUnit(low.value), upper: inUnit(high.value) };
    const countTo = Math.min(low.countTo, high.countTo);
    const isBand = Number.isFinite(bounds.lower) && areWide(bounds, digits);
    yield { value: bounds.upper, countTo, ...(isBand && bounds) };
    if (low.countTo === countTo) low = lowers.next().value;
    if (high.countTo === countTo) high = uppers.next().value;
  }
}

/**
 * The curve of a sum of histograms, whose layouts may differ. Where they leave more open than the digits of the finest one, points have
 * the bounds of the sum. Otherwise as `curveOf`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it.
 * @example
 * ```ts
 * import { explicitLayout, HistogramSum, LayoutHistogram } from '@hdrscope/core';
 * import { curveOfSum } from '@hdrscope/plot';
 *
 * const seconds = new LayoutHistogram(explicitLayout([1, 2.5]));
 * seconds.recordValues([1.5, 2]);
 * const sum = new HistogramSum();
 * sum.add(seconds);
 * curveOfSum('get', sum).points; //=> [{ percentile: 100, value: 2.5, lower: 1, upper: 2.5 }]
 * ```
 */
export function curveOfSum(name: string, sum: HistogramSum, options: CurveOptions = {}): Curve {
  assertText('the name', name);
  assertOptions(options, CURVE_OF_SUM);
  const intervals = [...sum.intervals()];
  const lower = intervals.map(({ lower, count }) => [lower, count] as const);
  const upper = intervals.map(({ upper, count }) => [upper, count] as const);
  const ascending = (a: readonly [number, number], b: readonly [number, number]): number => a[0] - b[0];
  const ends = { lower: lower.sort(ascending), upper: upper.sort(ascending) };
  const digits = finestDigits(sum.layouts);
  return curveBetween(name, ends, { digits, totalCount: sum.totalCount }, options);
}

const CURVE_OF_SUM: OptionsOwner<CurveOptions> = {
  name: 'curveOfSum',
  names: CURVE_NAMES,
  call: "curveOfSum('GET', sum, { valueScale: 1000 })",
};

function curveOfSource(name: string, source: CurveSource, options: CurveOptions, isSplit: boolean): Curve {
  const { valueScale, columns, period } = checked(options);
  const { totalCount } = source;
  function* steps(): Generator<SlotStep, void> {
    for (const { valueIteratedTo, totalCountToThisValue } of source.recordedValues()) {
      yield { value: valueIteratedTo / valueScale, countTo: totalCountToThisValue };
    }
  }
  const points = pointsOfSteps(steps(), totalCount, { columns, isSplit });
  return { name, points, totalCount, ...(period && { period }) };
}

function checked({ columns = 1000, valueScale = 1, period }: CurveOptions): Omit<Sampling, 'isSplit'> & {
  readonly valueScale: number;
  readonly period: Period | undefined;
} {
  assertInteger('columns', columns, 2, MOST_CURVE_COLUMNS);
  return { columns, valueScale, period };
}

const MOST_CURVE_COLUMNS = 20_000;

/**
 * A curve of counts in wide slots, such as those of a kernel map or of an axis of Ceph. Each slot is a step at its largest value,
 * with the bounds of the slot: its values lie anywhere between them. Otherwise as `curveOf`.
 *
 * @param slots Ascending.
 * @param counts One for each slot, each at least 0.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it, and when a count is not a
 *   finite number of at least 0.
 * @example
 * ```ts
 * import { curveOfSlots } from '@hdrscope/plot';
 *
 * const slots = [{ lower: 1, upper: 1 }, { lower: 2, upper: 3 }, { lower: 4, upper: 7 }];
 * curveOfSlots('run queue', slots, [8, 0, 2]).points;
 * //=> [{ percentile: 80, value: 1 }, { percentile: 100, value: 7, lower: 4, upper: 7 }]
 * ```
 */
export function curveOfSlots(
  name: string,
  slots: readonly AxisSlot[],
  counts: readonly number[],
  options: CurveOptions = {},
): Curve {
  assertText('the name', name);
  assertOptions(options, CURVE_OF_SLOTS);
  for (const [i, count] of counts.entries()) assertFollows(`counts[${i}]`, COUNT, count);
  const totalCount = counts.reduce((sum, count) => sum + count, 0);
  const lower = slots.map((slot, i) => [slot.lower, counts[i] ?? 0] as const);
  const upper = slots.map((slot, i) => [slot.upper, counts[i] ?? 0] as const);
  return curveBetween(name, { lower, upper }, { digits: Number.POSITIVE_INFINITY, totalCount }, options);
}

// Steps of another length than a number would never reach the end of the curve.
const COUNT = number({ from: 0 });

const CURVE_OF_SLOTS: OptionsOwner<CurveOptions> = {
  name: 'curveOfSlots',
  names: CURVE_NAMES,
  call: "curveOfSlots('GET', slots, counts, { valueScale: 1000 })",
};

/**
 * A curve of percentile text that core's `parsePercentiles` has read: a `.hgrm` file, its CSV, the report of wrk2. Each step is
 * as long as the rows of the text say, and between two rows, where the text does not say anything, the curve is a straight line.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it.
 * @example
 * ```ts
 * import { formatPercentiles, Histogram, parsePercentiles } from '@hdrscope/core';
 * import { curveOfPercentiles } from '@hdrscope/plot';
 *
 * const latencies = new Histogram({ highestTrackableValue: 3_600_000_000 });
 * for (let value = 1; value <= 1000; value++) latencies.record(value);
 *
 * const text = formatPercentiles(latencies);
 * const { points } = curveOfPercentiles('get.hgrm', parsePercentiles(text));
 * points.slice(0, 2).map(({ value }) => value); //=> [1, 100]
 * points.at(-1)?.value; //=> 1000
 * ```
 */
export function curveOfPercentiles(
  name: string,
  {
    histogram,
    rows,
  }: Pick<ParsedPercentiles, 'rows'> & {
    readonly histogram: { readonly totalCount: number; readonly max: number };
  },
  options: Omit<CurveOptions, 'columns'> = {},
): Curve {
  assertText('the name', name);
  assertOptions(options, CURVE_OF_PERCENTILES);
  const { valueScale, period } = checked(options);
  const { totalCount, max } = histogram;
  const points: CurvePoint[] = [];
  const push = (from: number, percentile: number, value: number): void => {
    const before = points.at(-1)?.percentile ?? 0;
    if (percentile <= before) return;
    const start = Math.min(Math.max(from, before), percentile);
    points.push({ percentile, ...(start > before && { from: start }), value: value / valueScale });
  };
  for (let i = 0; i < rows.length; ) {
    const first = rows[i]!;
    // The rows of one slot have its value and its count.
    let end = i + 1;
    while (rows[end]?.totalCount === first.totalCount) end++;
    const isLast = first.totalCount >= totalCount;
    push(first.percentile, isLast ? 100 : (100 * first.totalCount) / totalCount, first.value);
    i = end;
  }
  // Values above the last row are known by the maximum only.
  if (rows.length > 0) push(100, 100, max);
  return { name, points, totalCount, ...(period && { period }) };
}

const CURVE_OF_PERCENTILES: OptionsOwner<Omit<CurveOptions, 'columns'>> = {
  name: 'curveOfPercentiles',
  names: { valueScale: VALUE_SCALE, period: PERIOD },
  call: "curveOfPercentiles('get.hgrm', parsePercentiles(text), { valueScale: 1000 })",
};
