import type { HistogramSum } from '@hdrscope/core';
import { assertFollows, assertOptions, type OptionsOwner } from '@hdrscope/core/internal';
import { formatSize, percentileName } from '@hdrscope/kit';
import type { CountedUnit } from '@hdrscope/registry';
import type { ObjectiveLine, PlotTitles, TimePlot } from '../plot.ts';
import { assertInteger } from './checks.ts';
import { INTERVAL, INTERVALS, type TimedHistogram } from './heat-map.ts';
import { OBJECTIVES, PERCENTILES, TITLES, UNIT, VALUE_AXIS, VALUE_SCALE } from './option-rules.ts';
import { finestDigits, type ShownBounds, shownBounds, sparseSum } from './shown-bounds.ts';
import { type ContentLimit, MOST_COLUMNS, TimeColumns, timeSlots } from './time-columns.ts';

/** How percentiles over time are made. */
export interface OverTimeOptions extends PlotTitles {
  /** The unit of the values, after their division by `valueScale`. @default 'none' */
  readonly unit?: CountedUnit;
  /** From 0 to 100; each has a line. @default [50, 90, 99, 100] */
  readonly percentiles?: readonly number[];
  /** The largest number of moments, not counting gaps: an integer from 2 to 10000. @default 240 */
  readonly columns?: number;
  /**
   * How many bytes the histograms of all moments may take: an integer of at least 1. Beyond it neighbours are added up, as when there are
   * too many moments, down to two moments, and the subtitle says so. @default 67108864, 64 MiB: more than 240 histograms of 3 digits
   * from a nanosecond to an hour take when all their slots are used
   */
  readonly maxBytes?: number;
  /** The divisor of all values. Above 0. @default 1 */
  readonly valueScale?: number;
  /** Objectives. @default no objectives */
  readonly slos?: readonly ObjectiveLine[];
  /** The scale of the vertical axis. @default 'log' when the values span a decade, otherwise 'linear' */
  readonly valueAxis?: 'linear' | 'log';
}

/** Percentiles over time that grow. */
export interface OverTimeBuilder {
  /** Adds the counts of an interval, over any layout. Intervals may come in any order and overlap. */
  add(interval: TimedHistogram): void;
  /** The percentiles of all intervals so far. */
  plot(): TimePlot;
}

/**
 * Makes percentiles over time, for a log of any length. When there are too many intervals, neighbours are added up: the
 * percentiles are of all their values, not means of percentiles. Histograms of different layouts are added as a `HistogramSum` adds
 * them, and a value has a lower bound where its bounds are wider than the digits of the finest histogram. Memory holds the counts of
 * each moment of the plot, up to `maxBytes` together.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { createOverTime } from '@hdrscope/plot';
 *
 * const overTime = createOverTime({ unit: 'ms', percentiles: [50, 100] });
 * const histogram = new Histogram({ highestTrackableValue: 1000 });
 * for (const value of [10, 20, 30]) histogram.record(value);
 * overTime.add({ startMs: 0, endMs: 1000, histogram });
 *
 * overTime.plot().lines; //=> [{ name: 'p50', values: [20] }, { name: 'max', values: [30] }]
 * ```
 */
export function createOverTime(options: OverTimeOptions = {}): OverTimeBuilder {
  assertOptions(options, CREATE_OVER_TIME);
  const {
    unit = 'none',
    percentiles = [50, 90, 99, 100],
    columns = 240,
    valueScale = 1,
    ...others
  } = options;
  const { maxBytes = DEFAULT_MAX_BYTES, subtitle, ...rest } = others;
  assertInteger('columns', columns, 2, MOST_COLUMNS);
  assertInteger('maxBytes', maxBytes, 1, Number.MAX_SAFE_INTEGER);
  const contents: ContentLimit<HistogramSum> = { maxBytes, bytesOf: ({ byteLength }) => byteLength };
  const merge = (a: HistogramSum, b: HistogramSum): HistogramSum => {
    a.add(b);
    return a;
  };
  const time = new TimeColumns(columns, merge, contents);
  return {
    add(interval) {
      assertFollows('the interval', INTERVAL, interval);
      const { startMs, endMs, histogram } = interval;
      time.add(startMs, endMs, sparseSum(histogram));
    },
    plot() {
      const slots = timeSlots(time.columns);
      const digits = finestDigits(time.columns.flatMap(({ content }) => content.layouts));
      const found = slots.map(({ column }) => {
        const sum = column === undefined ? undefined : time.columns[column]!.content;
        return sum === undefined || sum.totalCount === 0
          ? undefined
          : percentiles.map((percentile) => divided(shownBounds(sum, percentile, digits), valueScale));
      });
      const notes = [subtitle, time.isShort ? shortText(time.columns.length, maxBytes) : undefined];
      const shown = notes.filter((note) => note !== undefined).join(', ');
      return {
        kind: 'over-time',
        ...rest,
        ...(shown !== '' && { subtitle: shown }),
        unit,
        timesMs: slots.map(({ slot }) => slot.lower),
        totalCount: time.columns.reduce((sum, { content }) => sum + content.totalCount, 0),
        ...(slots.length > 0 && { endMs: slots.at(-1)!.slot.upper }),
        lines: percentiles.map((percentile, line) => {
          const shown = found.map((all) => all?.[line]);
          const lower = shown.map((one) => one?.lower ?? null);
          return {
            name: percentileName(percentile),
            values: shown.map((one) => one?.value ?? null),
            ...(lower.some((value) => value !== null) && { lower }),
          };
        }),
      };
    },
  };
}

const DEFAULT_MAX_BYTES = 64 * 2 ** 20;

function divided({ value, lower }: ShownBounds, by: number): ShownBounds {
  return { value: value / by, ...(lower !== undefined && { lower: lower / by }) };
}

function shortText(columns: number, maxBytes: number): string {
  return `only ${columns} moments, because the histograms take more than ${formatSize(maxBytes)}`;
}

const CREATE_OVER_TIME: OptionsOwner<OverTimeOptions> = {
  name: 'createOverTime',
  names: {
    unit: UNIT,
    percentiles: PERCENTILES,
    columns: true,
    maxBytes: true,
    valueScale: VALUE_SCALE,
    slos: OBJECTIVES,
    valueAxis: VALUE_AXIS,
    ...TITLES,
  },
  call: "createOverTime({ unit: 'ms' })",
};

/**
 * The percentiles over time of a list of intervals: see `createOverTime`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it, or there are no such intervals.
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
export function overTimePlot(intervals: Iterable<TimedHistogram>, options?: OverTimeOptions): TimePlot {
  assertFollows('intervals', INTERVALS, intervals);
  const overTime = createOverTime(options);
  for (const interval of intervals) overTime.add(interval);
  return overTime.plot();
}
