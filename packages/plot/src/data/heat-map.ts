import type { Counted, HdrLayout, Layout } from '@hdrscope/core';
import {
  assertOptions,
  bucketsAtScale,
  type ExponentialBuckets,
  type ExponentialOptions,
  exponentialBound,
  exponentialBuckets,
  type OptionsOwner,
  sumBuckets,
} from '@hdrscope/core/internal';
import type { CountedUnit } from '@hdrscope/registry';
import type { AxisSlot, HeatMapPlot, PlotTitles } from '../plot.ts';
import { assertInteger } from './checks.ts';
import { MOST_COLUMNS, TimeColumns, timeSlots } from './time-columns.ts';

/** The counts of an interval of time. */
export interface TimedHistogram<H = Counted<HdrLayout>> {
  /** In ms since 1970. */
  readonly startMs: number;
  /** At least `startMs`. */
  readonly endMs: number;
  /** The values of the interval. */
  readonly histogram: H;
}

/** The counts of an interval of time, which may be in another unit than the plot. */
export interface TimedCounts extends TimedHistogram {
  /** The histogram's layout in the unit of the plot, such as `unitLayout` of a family. @default the histogram's layout */
  readonly unitLayout?: Layout;
}

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
 * Makes a heat map of values over time, for a log of any length: memory is bounded by rows times columns. Each row is larger
 * than the row below by a constant factor, as exponential buckets are, and that factor grows with the range of the values. A
 * column is an interval; when there are too many intervals, neighbours share a column.
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
  const time = new TimeColumns<ExponentialBuckets>(columns, (a, b) => sumBuckets(a, b, rows));
  return {
    add({ startMs, endMs, histogram, unitLayout = histogram.layout }) {
      const { layout, counts } = histogram;
      const options: ExponentialOptions = { maxSize: rows };
      time.add(startMs, endMs, exponentialBuckets(counts, { layout, unitLayout }, options));
    },
    plot() {
      const all = time.columns.map(({ content }) => content);
      const whole = all.reduce((a, b) => sumBuckets(a, b, rows), EMPTY);
      const shown = all.map((buckets) => bucketsAtScale(buckets, Math.min(buckets.scale, whole.scale)));
      const x = timeSlots(time.columns);
      return {
        kind: 'heat-map',
        ...titles,
        x: { name: 'time', unit: 'time', slots: x.map(({ slot }) => slot) },
        y: { name, unit, slots: valueSlots(whole) },
        counts: rowsOf(
          whole,
          x.map(({ column }) => (column === undefined ? undefined : shown[column])),
        ),
      };
    },
  };
}

const CREATE_HEAT_MAP: OptionsOwner<HeatMapOptions> = {
  name: 'createHeatMap',
  names: { unit: true, name: true, rows: true, columns: true, title: true, subtitle: true },
  call: "createHeatMap({ unit: 'ms' })",
};

/**
 * The heat map of a list of intervals: see `createHeatMap`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
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
  const heatMap = createHeatMap(options);
  for (const interval of intervals) heatMap.add(interval);
  return heatMap.plot();
}

const EMPTY: ExponentialBuckets = { scale: 20, zeroCount: 0, offset: 0, counts: [] };

/** The buckets; below them, if zeros were counted, a slot from 0 to the first bucket. */
function valueSlots({ scale, offset, counts, zeroCount }: ExponentialBuckets): AxisSlot[] {
  const slots = counts.map((_, at) => ({
    lower: exponentialBound(scale, offset + at),
    upper: exponentialBound(scale, offset + at + 1),
  }));
  if (zeroCount > 0) slots.unshift({ lower: 0, upper: slots[0]?.lower ?? 1 });
  return slots;
}

function rowsOf(whole: ExponentialBuckets, columns: readonly (ExponentialBuckets | undefined)[]): number[][] {
  const rows = whole.counts.map((_, row) =>
    columns.map((column) => column?.counts[whole.offset + row - column.offset] ?? 0),
  );
  if (whole.zeroCount > 0) rows.unshift(columns.map((column) => column?.zeroCount ?? 0));
  return rows;
}
