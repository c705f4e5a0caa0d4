import { HdrscopeError, type Histogram, HistogramSum } from '@hdrscope/core';
import {
  assertFollows,
  assertOptions,
  having,
  type OptionRule,
  type OptionsOwner,
} from '@hdrscope/core/internal';
import { Slices } from '@hdrscope/kit';
import type { CountedUnit } from '@hdrscope/registry';
import { formatCount } from '../count-text.ts';
import type { Plot } from '../plot.ts';
import { assertInteger } from './checks.ts';
import { createHeatMap } from './heat-map.ts';
import { UNIT } from './option-rules.ts';
import { createOverTime } from './over-time.ts';
import { curveOfSum } from './percentile-curve.ts';

/** An interval of a log, as `readHistograms` of `@hdrscope/interval-log` yields it. */
export interface LoggedInterval {
  /** Tag of the interval; `undefined` without a tag. The eight largest tags have curves of their own. */
  readonly tag: string | undefined;
  /** Since 1970. */
  readonly startSec: number;
  /** Length in seconds. */
  readonly lengthSec: number;
  /** The counts; `undefined` for an interval that cannot be added to others, such as one of doubles. */
  readonly histogram: Histogram | undefined;
}

/** How the plots of a log are made. */
export interface LogPlotsOptions {
  /** The unit of the values. @default 'ns' */
  readonly unit?: CountedUnit | undefined;
}

/** How the plots of a whole log are made. */
export interface WholeLogOptions extends LogPlotsOptions {
  /** How many different tags the log may have: an integer of at least 1. More of them end the reading. @default 10,000 */
  readonly maxTags?: number | undefined;
}

/** The plots of a log that grows. */
export interface LogPlots {
  /** Adds the counts of an interval. */
  add(interval: LoggedInterval): void;
  /**
   * All counts so far: the percentile curves of the eight largest tags, percentiles over time, and a heat map. A log of one
   * interval has curves only, and a log without values has no plots.
   */
  plots(): readonly Plot[];
}

// Tags that never end would fill the memory, and no picture shows more curves.
const MOST_TAGS = 100;
const MOST_CURVES = 8;
// All tags of a log with 10,000 of them, each of a hundred characters.
const MOST_TAG_CHARACTERS = 1_000_000;
const OTHERS = 'other tags';

const PERCENTILES = [50, 90, 99, 99.9, 100];

/**
 * Makes the plots of an interval log in bounded memory: one histogram for each of the first 100 tags, one for all later tags,
 * and as many columns of time as a picture has.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { createLogPlots } from '@hdrscope/plot';
 *
 * const histogram = new Histogram({ highestTrackableValue: 1_000_000_000 });
 * histogram.record(2_000_000, 10);
 * const log = createLogPlots({ unit: 'ns' });
 * log.add({ tag: 'get', startSec: 1_700_000_000, lengthSec: 1, histogram });
 * log.add({ tag: 'get', startSec: 1_700_000_001, lengthSec: 1, histogram });
 * log.plots().map(({ kind }) => kind); //=> ['percentiles', 'over-time', 'heat-map']
 * ```
 */
export function createLogPlots(options: LogPlotsOptions = {}): LogPlots {
  assertOptions(options, CREATE_LOG_PLOTS);
  const { unit = 'ns' } = options;
  const totals = new Map<string, HistogramSum>();
  const overTime = createOverTime({
    unit,
    percentiles: PERCENTILES,
    title: 'Percentiles over time',
  });
  const heatMap = createHeatMap({ unit, rows: 48, title: 'Heat map' });
  let [startMs, endMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
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
      totalFor(totals, tag ?? '').add(histogram);
      const [fromMs, toMs] = [startSec * 1000, (startSec + lengthSec) * 1000];
      [startMs, endMs] = [Math.min(startMs, fromMs), Math.max(endMs, toMs)];
      overTime.add({ startMs: fromMs, endMs: toMs, histogram });
      heatMap.add({ startMs: fromMs, endMs: toMs, histogram });
    },
    plots() {
      if (totals.size === 0) return [];
      const largest = [...totals].sort(([, a], [, b]) => b.totalCount - a.totalCount);
      const untagged = totals.size === 1 ? 'all values' : '(no tag)';
      const curves = largest
        .slice(0, MOST_CURVES)
        .map(([tag, total]) => curveOfSum(tag || untagged, total, { period: { startMs, endMs } }));
      const subtitle = subtitleOf(count, leftOut, totals.size);
      const percentiles: Plot = {
        ...{ kind: 'percentiles', title: 'Percentiles', subtitle, unit, curves },
      };
      // A single interval, such as percentile text, does not change over time.
      return count === 1 ? [percentiles] : [percentiles, overTime.plot(), heatMap.plot()];
    },
  };
}

const CREATE_LOG_PLOTS: OptionsOwner<LogPlotsOptions> = {
  name: 'createLogPlots',
  names: { unit: UNIT },
  call: "createLogPlots({ unit: 'us' })",
};

/**
 * The plots of a whole log: see `createLogPlots`. Rejects with the error of `intervals` when that throws. Other work of the process
 * runs between intervals.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when there are no such intervals, or an option does not exist or is outside its range;
 *   `ERR_TOO_LARGE`, with the details `limit` and `most`, when the log has more tags than `maxTags`, or more than a million characters of
 *   tags.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { plotsOfLog } from '@hdrscope/plot';
 *
 * async function* intervals() {
 *   const histogram = new Histogram({ highestTrackableValue: 1000 });
 *   histogram.record(10);
 *   yield { tag: undefined, startSec: 0, lengthSec: 1, histogram };
 * }
 *
 * const [percentiles] = await plotsOfLog(intervals(), { unit: 'ms' });
 * percentiles?.subtitle; //=> '1 interval'
 * ```
 */
export async function plotsOfLog(
  intervals: AsyncIterable<LoggedInterval>,
  options: WholeLogOptions = {},
): Promise<readonly Plot[]> {
  assertFollows('intervals', LOGGED_INTERVALS, intervals);
  assertOptions(options, PLOTS_OF_LOG);
  const { maxTags = 10_000, ...shown } = options;
  assertInteger('maxTags', maxTags, 1, Number.MAX_SAFE_INTEGER);
  const log = createLogPlots(shown);
  const tags = new Set<string>();
  let characters = 0;
  const slices = new Slices();
  for await (const interval of intervals) {
    const { tag = '' } = interval;
    if (!tags.has(tag)) {
      tags.add(ownText(tag));
      characters += tag.length;
      if (tags.size > maxTags) throw tooLarge(`${maxTags} tags`, 'maxTags', maxTags);
      if (characters > MOST_TAG_CHARACTERS) {
        throw tooLarge(`${MOST_TAG_CHARACTERS} characters in its tags`, 'characters', MOST_TAG_CHARACTERS);
      }
    }
    log.add(interval);
    if (slices.isOver()) await slices.next();
  }
  return log.plots();
}

const LOGGED_INTERVALS: OptionRule<AsyncIterable<LoggedInterval>> = having(
  'an async iterable of intervals of a log',
  Symbol.asyncIterator,
);

const PLOTS_OF_LOG: OptionsOwner<WholeLogOptions> = {
  name: 'plotsOfLog',
  names: { ...CREATE_LOG_PLOTS.names, maxTags: true },
  call: "plotsOfLog(intervals, { unit: 'us' })",
};

function tooLarge(allowed: string, limit: string, most: number): HdrscopeError {
  const message = `the log must have at most ${allowed}, and has more: choose a part of it`;
  return new HdrscopeError('ERR_TOO_LARGE', message, { details: { what: 'the log', limit, most } });
}

/** A copy of a text. A part of a line keeps the whole line in memory. */
function ownText(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

function totalFor(totals: Map<string, HistogramSum>, tag: string): HistogramSum {
  const key = totals.has(tag) || totals.size < MOST_TAGS ? tag : OTHERS;
  const total = totals.get(key) ?? new HistogramSum({ storage: 'sparse' });
  if (!totals.has(key)) totals.set(ownText(key), total);
  return total;
}

function subtitleOf(count: number, leftOut: number, tags: number): string {
  const parts = [count === 1 ? '1 interval' : `${formatCount(count)} intervals`];
  if (tags > MOST_TAGS)
    parts.push(`the ${MOST_CURVES} largest of ${MOST_TAGS} tags and all other tags as one`);
  else if (tags > MOST_CURVES) parts.push(`the ${MOST_CURVES} largest of ${tags} tags`);
  if (leftOut > 0) parts.push(`${formatCount(leftOut)} left out because they are damaged or hold doubles`);
  return parts.join(', ');
}
