import type { Counted, Layout } from '@hdrscope/core';
import {
  assertFollows,
  assertOptions,
  custom,
  having,
  type OptionRule,
  type OptionsOwner,
  object,
  text,
} from '@hdrscope/core/internal';
import type { CountedUnit } from '@hdrscope/registry';
import type { HeatMapPlot, PlotTitles } from '../plot.ts';
import { assertInteger } from './checks.ts';
import { TITLES, UNIT } from './option-rules.ts';
import {
  type RowCounts,
  rowCounts,
  spreadCounts,
  spreadSubtitle,
  sumRowCounts,
  type WideCount,
} from './spread.ts';
import { MOST_COLUMNS, TimeColumns, timeSlots } from './time-columns.ts';

/** The counts of an interval of time. */
export interface TimedHistogram {
  /** In ms since 1970. */
  readonly startMs: number;
  /** At least `startMs`. */
  readonly endMs: number;
  /** The values of the interval. */
  readonly histogram: Counted;
}

/** The counts of an interval of time, which may be in another unit than the plot. */
export interface TimedCounts extends TimedHistogram {
  /** The histogram's layout in the unit of the plot, such as `unitLayout` of a family. @default the histogram's layout */
  readonly unitLayout?: Layout;
  /** Counts of wide buckets that `histogram` does not have. @default none */
  readonly wide?: readonly WideCount[];
}

/** One of the intervals of a plot over time. */
export const INTERVAL: OptionRule<TimedHistogram> = custom('{ startMs, endMs, histogram }', (interval) =>
  object().accepts((interval as TimedHistogram).histogram),
);

/** All intervals of a plot over time. */
export const INTERVALS: OptionRule<Iterable<TimedHistogram>> = having(
  'an iterable of { startMs, endMs, histogram }',
  Symbol.iterator,
);

/** How a heat map over time is made. */
export interface HeatMapOptions extends PlotTitles {
  /** The unit of the values. @default 'none' */
  readonly unit?: CountedUnit;
  /** The name of the values, such as `latency`. @default 'value' */
  readonly name?: string;
  /** The largest number of rows, not counting the row of zeros: an integer from 2 to 1000. @default 60 */
  readonly rows?: number;
  /** The largest number of columns, not counting gaps: an integer from 2 to 10000. @default 240 */
  readonly columns?: number;
}

/** A heat map that grows. */
export interface HeatMapBuilder {
  /** Adds the counts of an interval. Intervals may come in any order and overlap. */
  add(interval: TimedCounts): void;
  /** The heat map of all intervals so far. */
  plot(): HeatMapPlot;
}

const MOST_ROWS = 1000;

/**
 * Makes a heat map of values over time, for a log of any length: memory is bounded by rows times columns, and by the different wide
 * buckets of each column. Each row is larger than the row below by a constant factor, as exponential buckets are, and that factor grows
 * with the range of the values. A column is an interval; when there are too many intervals, neighbours share a column.
 *
 * The values of an HDR slot of 1 digit or more are at its middle. Others, such as those of buckets or those that came from wider slots, may
 * lie in several rows: they are spread over these rows, the subtitle says so, and each cell has bounds. Values without a lower or an upper
 * bound have a row without one.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { createHeatMap } from '@hdrscope/plot';
 *
 * const heatMap = createHeatMap({ unit: 'ns', columns: 4 });
 * for (let second = 0; second < 8; second++) {
 *   const histogram = new Histogram({ highestTrackableValue: 1_000_000, significantDigits: 2 });
 *   histogram.record(1000, 10);
 *   heatMap.add({ startMs: second * 1000, endMs: (second + 1) * 1000, histogram });
 * }
 * const { x, y, counts } = heatMap.plot();
 * x.slots.length; //=> 4
 * y.slots.length; //=> 1
 * counts; //=> [[20, 20, 20, 20]]
 * ```
 */
export function createHeatMap(options: HeatMapOptions = {}): HeatMapBuilder {
  assertOptions(options, CREATE_HEAT_MAP);
  const { unit = 'none', name = 'value', rows = 60, columns = 240, ...titles } = options;
  assertInteger('rows', rows, 2, MOST_ROWS);
  assertInteger('columns', columns, 2, MOST_COLUMNS);
  const time = new TimeColumns<RowCounts>(columns, (a, b) => sumRowCounts(a, b, rows));
  return {
    add(interval) {
      assertFollows('the interval', INTERVAL, interval);
      const { startMs, endMs, histogram, unitLayout = histogram.layout, wide = [] }: TimedCounts = interval;
      const { layout, counts, placedFrom } = histogram;
      time.add(startMs, endMs, rowCounts({ layout, counts, placedFrom, unitLayout, wide }, rows));
    },
    plot() {
      const x = timeSlots(time.columns);
      const contents = x.map(({ column }) =>
        column === undefined ? undefined : time.columns[column]!.content,
      );
      const { slots, counts, bounds } = spreadCounts(contents, rows);
      return {
        kind: 'heat-map',
        ...titles,
        ...(bounds && { subtitle: spreadSubtitle(titles.subtitle) }),
        x: { name: 'time', unit: 'time', slots: x.map(({ slot }) => slot) },
        y: { name, unit, slots },
        counts,
        ...bounds,
      };
    },
  };
}

const CREATE_HEAT_MAP: OptionsOwner<HeatMapOptions> = {
  name: 'createHeatMap',
  names: { unit: UNIT, name: text, rows: true, columns: true, ...TITLES },
  call: "createHeatMap({ unit: 'ms' })",
};

/**
 * The heat map of a list of intervals: see `createHeatMap`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it, or there are no such intervals.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { heatMapOverTime } from '@hdrscope/plot';
 *
 * const histogram = new Histogram({ highestTrackableValue: 1_000_000 });
 * histogram.record(1000, 3);
 * heatMapOverTime([{ startMs: 0, endMs: 1000, histogram }]).counts; //=> [[3]]
 * ```
 */
export function heatMapOverTime(intervals: Iterable<TimedCounts>, options?: HeatMapOptions): HeatMapPlot {
  assertFollows('intervals', INTERVALS, intervals);
  const heatMap = createHeatMap(options);
  for (const interval of intervals) heatMap.add(interval);
  return heatMap.plot();
}
