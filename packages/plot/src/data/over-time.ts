import type { Histogram } from '@hdrscope/core';
import type { CountedUnit } from '@hdrscope/registry';
import type { PlotTitles, SloLine, TimePlot } from '../plot.ts';
import { percentileName } from '../value-text.ts';
import { assertInteger, assertScale } from './checks.ts';
import type { TimedHistogram } from './heat-map.ts';
import { MOST_COLUMNS, TimeColumns, timeSlots } from './time-columns.ts';

/** What percentiles over time are made of: a `Histogram`, a `DoubleHistogram`. */
export interface Addable<H> extends Pick<Histogram, 'totalCount' | 'valuesAtPercentiles'> {
  add(other: H): void;
  copy(options: { readonly storage: 'sparse' }): H;
}

/** How percentiles over time are made. */
export interface OverTimeOptions extends PlotTitles {
  /** What values were counted in. @default 'none' */
  readonly unit?: CountedUnit;
  /** From 0 to 100; a line for each. @default [50, 90, 99, 100] */
  readonly percentiles?: readonly number[];
  /** How many moments there are at most: an integer from 2 to 10000. @default 240 */
  readonly columns?: number;
  /** What values are divided by. Above 0. @default 1 */
  readonly valueScale?: number;
  readonly slos?: readonly SloLine[];
  /** @default 'linear' */
  readonly valueAxis?: 'linear' | 'log';
}

/** Percentiles over time that grow. */
export interface OverTimeBuilder<H> {
  /** Counts an interval. Intervals may come in any order, and overlap. */
  add(interval: TimedHistogram<H>): void;
  /** What was counted up to now. */
  plot(): TimePlot;
}

/**
 * Percentiles of intervals over time, for a log of any length: where there are too many intervals, neighbours are added
 * up, so that percentiles are those of what was counted, not means of percentiles. In memory is a histogram for each
 * moment that is shown.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { createOverTime } from '@hdrscope/plot';
 *
 * const overTime = createOverTime<Histogram>({ unit: 'ms', percentiles: [50, 100] });
 * const histogram = new Histogram({ highestTrackableValue: 1000 });
 * for (const value of [10, 20, 30]) histogram.record(value);
 * overTime.add({ startMs: 0, endMs: 1000, histogram });
 *
 * overTime.plot().lines; //=> [{ name: 'p50', values: [20] }, { name: 'max', values: [30] }]
 * ```
 */
export function createOverTime<H extends Addable<H>>({
  unit = 'none',
  percentiles = [50, 90, 99, 100],
  columns = 240,
  valueScale = 1,
  ...rest
}: OverTimeOptions = {}): OverTimeBuilder<H> {
  assertInteger('columns', columns, 2, MOST_COLUMNS);
  assertScale(valueScale);
  const time = new TimeColumns<H>(columns, (a, b) => {
    a.add(b);
    return a;
  });
  return {
    // A copy: the histogram is somebody else's, and dense ones are large.
    add: ({ startMs, endMs, histogram }) => time.add(startMs, endMs, histogram.copy({ storage: 'sparse' })),
    plot() {
      const slots = timeSlots(time.columns);
      const found = slots.map(({ column }) => {
        const content = column === undefined ? undefined : time.columns[column]!.content;
        return content === undefined || content.totalCount === 0
          ? undefined
          : content.valuesAtPercentiles(percentiles).map((value) => value / valueScale);
      });
      return {
        kind: 'over-time',
        ...rest,
        unit,
        timesMs: slots.map(({ slot }) => slot.lower),
        lines: percentiles.map((percentile, line) => ({
          name: percentileName(percentile),
          values: found.map((values) => values?.[line] ?? null),
        })),
      };
    },
  };
}

/**
 * Percentiles over time of intervals that are there: see `createOverTime`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { overTimePlot } from '@hdrscope/plot';
 *
 * const histogram = new Histogram({ highestTrackableValue: 1000 });
 * histogram.record(10);
 * overTimePlot([{ startMs: 5000, endMs: 6000, histogram }], { percentiles: [50] }).timesMs; //=> [5000]
 * ```
 */
export function overTimePlot<H extends Addable<H>>(
  intervals: Iterable<TimedHistogram<H>>,
  options?: OverTimeOptions,
): TimePlot {
  const overTime = createOverTime<H>(options);
  for (const interval of intervals) overTime.add(interval);
  return overTime.plot();
}
