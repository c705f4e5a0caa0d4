import { type Counted, type HdrLayout, type HistogramSum, percentileDifference } from '@hdrscope/core';
import {
  assertFollows,
  assertOptions,
  custom,
  number,
  type OptionRule,
  type OptionsOwner,
  object,
} from '@hdrscope/core/internal';
import type { CountedUnit } from '@hdrscope/registry';
import type { ComparisonPlot, PlotTitles, PlottedChange } from '../plot.ts';
import { PERCENTILES, TITLES, UNIT, VALUE_AXIS } from './option-rules.ts';
import { curveOfSum } from './percentile-curve.ts';
import { finestDigits, shownBounds, sparseSum } from './shown-bounds.ts';

/** One side of a comparison. */
export interface ComparisonSide {
  /** The name in the legend, such as `before`. */
  readonly name: string;
  /** The values of this side, such as a `Histogram`. */
  readonly histogram: Counted<HdrLayout>;
}

/** How two distributions are compared. */
export interface ComparisonPlotOptions extends PlotTitles {
  /** The unit of the values. @default 'none' */
  readonly unit?: CountedUnit;
  /** The percentiles to compare, from 0 to 100. @default [50, 90, 99, 99.9] */
  readonly percentiles?: readonly number[];
  /** The confidence of the intervals: above 0 and below 1. @default 0.99 */
  readonly confidence?: number;
  /** The scale of the upper vertical axis. @default 'log' when the values span a decade, otherwise 'linear' */
  readonly valueAxis?: 'linear' | 'log';
}

/**
 * Two distributions and the differences of their percentiles, with the intervals of core's `percentileDifference`. A change
 * has no interval when there are too few values for the confidence. Both histograms count in one unit. Where counts of a histogram came
 * from wider slots, its curve and its values have the bounds of these slots.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when a histogram is empty; `ERR_INVALID_OPTION` when `before` or `after` is not `{ name,
 *   histogram }`, or an option does not exist; `ERR_INVALID_OPTION` or `ERR_INVALID_VALUE` when an option is outside the range stated on
 *   it.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { comparisonPlot } from '@hdrscope/plot';
 *
 * const before = new Histogram({ highestTrackableValue: 100_000 });
 * const after = new Histogram({ highestTrackableValue: 100_000 });
 * for (let value = 1; value <= 1000; value++) {
 *   before.record(value);
 *   after.record(value + 100);
 * }
 * const { changes } = comparisonPlot(
 *   { name: 'before', histogram: before },
 *   { name: 'after', histogram: after },
 *   { percentiles: [50, 99.99] },
 * );
 * changes.map((change) => [change.before, change.after, change.lower !== undefined]);
 * //=> [[500, 600, true], [1000, 1100, false]]
 * ```
 */
export function comparisonPlot(
  before: ComparisonSide,
  after: ComparisonSide,
  options: ComparisonPlotOptions = {},
): ComparisonPlot {
  assertFollows('before', SIDE, before);
  assertFollows('after', SIDE, after);
  assertOptions(options, COMPARISON_PLOT);
  const { unit = 'none', percentiles = [50, 90, 99, 99.9], confidence = 0.99, ...rest } = options;
  const [wasSum, isSum] = [before, after].map(({ histogram }) => sparseSum(histogram)) as [
    HistogramSum,
    HistogramSum,
  ];
  const changes = percentiles.map((percentile): PlottedChange => {
    const found = percentileDifference(after.histogram, before.histogram, percentile, { confidence });
    const [was, is] = [wasSum, isSum].map((sum) => shownBounds(sum, percentile, finestDigits(sum.layouts)));
    return {
      percentile,
      before: was!.value,
      after: is!.value,
      ...(was!.lower !== undefined && { beforeLower: was!.lower }),
      ...(is!.lower !== undefined && { afterLower: is!.lower }),
      ...(found.confidence >= confidence && { lower: found.lower, upper: found.upper }),
    };
  });
  return {
    kind: 'comparison',
    ...rest,
    unit,
    before: curveOfSum(before.name, wasSum),
    after: curveOfSum(after.name, isSum),
    changes,
    confidence,
  };
}

const SIDE: OptionRule<ComparisonSide> = custom('{ name, histogram }', (side) =>
  object().accepts((side as ComparisonSide).histogram),
);

const COMPARISON_PLOT: OptionsOwner<ComparisonPlotOptions> = {
  name: 'comparisonPlot',
  names: {
    unit: UNIT,
    percentiles: PERCENTILES,
    confidence: number({ above: 0, below: 1 }),
    valueAxis: VALUE_AXIS,
    ...TITLES,
  },
  call: "comparisonPlot(before, after, { unit: 'ms' })",
};
