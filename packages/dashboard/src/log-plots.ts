import { Histogram } from '@hdrscope/core';
import {
  createHeatMap,
  createOverTime,
  curveOf,
  type HeatMapBuilder,
  type OverTimeBuilder,
  type Plot,
} from '@hdrscope/plot';
import type { CountedUnit } from '@hdrscope/registry';
import { valueAxisOf } from './value-axis.ts';

/** An interval of a log, as `readHistograms` of `@hdrscope/interval-log` gives it. */
export interface LoggedInterval {
  readonly tag: string | undefined;
  /** Since 1970. */
  readonly startSec: number;
  readonly lengthSec: number;
  /** What was counted; `undefined` where it cannot be added up, as doubles cannot. */
  readonly histogram: Histogram | undefined;
}

/** How a log is shown. */
export interface LogPlotsOptions {
  /** What its values were counted in. @default 'ns' */
  readonly unit?: CountedUnit | undefined;
}

/** The plots of a log that grow with it. */
export interface LogPlots {
  /** Counts an interval. */
  add(interval: LoggedInterval): void;
  /** What was counted up to now: percentile curves by tag, percentiles over time, and a heat map. */
  plots(): readonly Plot[];
}

// More curves than that are no picture, and tags that never end would fill the memory.
const MOST_TAGS = 100;
const MOST_CURVES = 8;
const OTHERS = 'other tags';

const PERCENTILES = [50, 90, 99, 99.9, 100];
const TICKS_PER_HALF_DISTANCE = 8;

/**
 * Makes the plots of an interval log, in bounded memory: a histogram for each of at most 100 tags, and as many columns of
 * time as a picture has.
 *
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { createLogPlots } from '@hdrscope/dashboard';
 *
 * const histogram = new Histogram({ highestTrackableValue: 1_000_000_000 });
 * histogram.record(2_000_000, 10);
 * const log = createLogPlots({ unit: 'ns' });
 * log.add({ tag: 'get', startSec: 1_700_000_000, lengthSec: 1, histogram });
 * log.add({ tag: 'get', startSec: 1_700_000_001, lengthSec: 1, histogram });
 * log.plots().map(({ kind }) => kind); //=> ['percentiles', 'over-time', 'heat-map']
 * ```
 */
export function createLogPlots({ unit = 'ns' }: LogPlotsOptions = {}): LogPlots {
  const totals = new Map<string, Histogram>();
  const overTime: OverTimeBuilder<Histogram> = createOverTime<Histogram>({
    unit,
    percentiles: PERCENTILES,
    title: 'Percentiles over time',
  });
  const heatMap: HeatMapBuilder = createHeatMap({ unit, rows: 48, title: 'Heat map' });
  let count = 0;
  let leftOut = 0;

  return {
    add({ tag, startSec, lengthSec, histogram }) {
      if (histogram === undefined) {
        leftOut += 1;
        return;
      }
      count += 1;
      if (histogram.totalCount === 0) return;
      totalOf(totals, tag ?? '').add(histogram);
      const [startMs, endMs] = [startSec * 1000, (startSec + lengthSec) * 1000];
      overTime.add({ startMs, endMs, histogram });
      heatMap.add({ startMs, endMs, histogram });
    },
    plots() {
      if (totals.size === 0) return [];
      const largest = [...totals].sort(([, a], [, b]) => b.totalCount - a.totalCount);
      const valueAxis = valueAxisOf(largest[0]![1]);
      const untagged = totals.size === 1 ? 'all values' : '(no tag)';
      const curves = largest
        .slice(0, MOST_CURVES)
        .map(([tag, total]) =>
          curveOf(tag || untagged, total, { ticksPerHalfDistance: TICKS_PER_HALF_DISTANCE }),
        );
      const subtitle = subtitleOf(count, leftOut, totals.size);
      const percentiles: Plot = {
        ...{ kind: 'percentiles', title: 'Percentiles', subtitle, unit, curves },
        valueAxis,
      };
      // One interval, such as percentile text is, has no time to show.
      return count === 1 ? [percentiles] : [percentiles, { ...overTime.plot(), valueAxis }, heatMap.plot()];
    },
  };
}

/** The plots of a log that is whole: see `createLogPlots`. Rejects with what the intervals throw. */
export async function plotsOfLog(
  intervals: AsyncIterable<LoggedInterval>,
  options?: LogPlotsOptions,
): Promise<readonly Plot[]> {
  const log = createLogPlots(options);
  for await (const interval of intervals) log.add(interval);
  return log.plots();
}

function totalOf(totals: Map<string, Histogram>, tag: string): Histogram {
  const key = totals.has(tag) || totals.size < MOST_TAGS ? tag : OTHERS;
  const total =
    totals.get(key) ?? new Histogram({ autoResize: true, significantDigits: 3, storage: 'sparse' });
  totals.set(key, total);
  return total;
}

function subtitleOf(count: number, leftOut: number, tags: number): string {
  const parts = [count === 1 ? '1 interval' : `${count.toLocaleString('en-US')} intervals`];
  if (tags > MOST_CURVES) parts.push(`the ${MOST_CURVES} largest of ${tags} tags`);
  if (leftOut > 0) parts.push(`${leftOut.toLocaleString('en-US')} left out, which are doubles or damaged`);
  return parts.join(', ');
}
