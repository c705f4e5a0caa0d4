import type { HistogramSum } from '@hdrscope/core';
import { assertFollows, custom, type OptionRules, readOptions } from '@hdrscope/core/internal';
import { type LogInterval, storage } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { INTERVAL_RULES, type OperationOptions, selectIntervals } from '../reader/read.ts';
import type { Selection } from '../reader/selection.ts';
import {
  addInterval,
  byTag,
  decodeOrReport,
  type LogHistogram,
  type LogTotal,
  ownTag,
  TAG_RULES,
  TagLimits,
  type TagOptions,
} from './totals.ts';

/** Options of `summarizeLogs`. */
export interface SummarizeOptions extends Selection, OperationOptions, TagOptions {}

/** The sum of all intervals of a tag. */
export interface TagSummary {
  /** `undefined` for intervals without a tag. */
  readonly tag: string | undefined;
  /** Number of intervals. */
  readonly intervals: number;
  /** Start of the earliest interval, on the scale of `LogInterval.startSec`. */
  readonly startSec: number;
  /** End of the latest interval, on the same scale. */
  readonly endSec: number;
  /** The values of all these intervals, with bounds that contain the truth where the intervals have unlike layouts. */
  readonly sum: HistogramSum;
  /** The same values in one histogram, in the finest layout whose slots contain those of all intervals. Made when it is first read. */
  readonly histogram: LogHistogram;
}

type TagTotal = Omit<TagSummary, 'sum' | 'histogram'> & { readonly total: LogTotal };

/** A summary of one log or several. */
export interface LogSummary {
  /** Start of the earliest log; `undefined` if no interval was selected. */
  readonly startSec: number | undefined;
  /** Intervals without a tag first, then by name. */
  readonly tags: readonly TagSummary[];
}

/**
 * Adds up the intervals of each tag, over one log or several, in any order. Memory holds one histogram per tag and layout, of all tags
 * 1 GiB at most.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is invalid; `ERR_LOG_FORMAT` or `ERR_LOG_TIME` at a
 *   malformed line, unless `onMalformed` takes it; `ERR_TOO_LARGE` when there are more than `maxTags` tags, or their histograms
 *   take more than 1 GiB.
 * @example
 * ```ts
 * import { summarizeLogs } from '@hdrscope/interval-log';
 *
 * const log = new TextEncoder().encode(
 *   'Tag=get,0.127,1.007,0.000,HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe\n',
 * );
 * const { tags } = await summarizeLogs([log]);
 * tags.map(({ tag, intervals, histogram }) => [tag, intervals, histogram.max]); //=> [['get', 1, 42]]
 * ```
 */
export async function summarizeLogs(
  sources: Iterable<LogSource>,
  options: SummarizeOptions = {},
): Promise<LogSummary> {
  assertFollows('sources', logSources, sources);
  const settings = readOptions(options, SUMMARIZE_LOGS);
  const limits = new TagLimits(settings.maxTags);
  const tags = new Map<string | undefined, TagTotal>();
  let logStartSec: number | undefined;
  for (const source of sources) {
    for await (const interval of selectIntervals(source, () => settings)) {
      const { startSec, endSec, offsetSec } = interval;
      const known = tags.get(interval.tag);
      const bytesBefore = known?.total.byteLength ?? 0;
      const tag = known === undefined ? ownTag(interval.tag) : known.tag;
      const total = decodeOrReport(interval, source, settings, () =>
        addInterval(known?.total, interval, limits.storage),
      );
      if (total === undefined) continue;
      if (known === undefined) limits.addTag();
      limits.addBytes(total.byteLength - bytesBefore);
      logStartSec = Math.min(logStartSec ?? Number.POSITIVE_INFINITY, startSec - offsetSec);
      tags.set(tag, {
        tag,
        intervals: (known?.intervals ?? 0) + 1,
        startSec: Math.min(known?.startSec ?? startSec, startSec),
        endSec: Math.max(known?.endSec ?? endSec, endSec),
        total,
      });
    }
  }
  return { startSec: logStartSec, tags: [...tags.values()].map(summaryOf).sort(byTag) };
}

function summaryOf({ total, ...tag }: TagTotal): TagSummary {
  let histogram: LogHistogram | undefined;
  return {
    ...tag,
    sum: total.sum,
    get histogram() {
      histogram ??= total.toHistogram();
      return histogram;
    },
  };
}

const SUMMARIZE_LOGS = {
  name: 'summarizeLogs',
  rules: { ...INTERVAL_RULES, ...TAG_RULES },
  call: "summarizeLogs(['service.hlog'], { tags: ['read'] })",
};

/**
 * Adds up all selected intervals of any tag, in the finest layout whose slots contain those of all intervals. Returns `undefined` if
 * no interval is selected.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is invalid; `ERR_LOG_FORMAT` or `ERR_LOG_TIME` at a
 *   malformed line, unless `onMalformed` takes it; `ERR_VALUE_OUT_OF_RANGE` when doubles are too far apart for one histogram.
 */
export async function sumLogs(
  sources: Iterable<LogSource>,
  options: Selection & OperationOptions = {},
): Promise<LogHistogram | undefined> {
  assertFollows('sources', logSources, sources);
  const settings = readOptions(options, SUM_LOGS);
  let total: LogTotal | undefined;
  for (const source of sources) {
    for await (const interval of selectIntervals(source, () => settings)) {
      total = decodeOrReport(interval, source, settings, () => addInterval(total, interval)) ?? total;
    }
  }
  return total?.toHistogram();
}

const SUM_LOGS = {
  name: 'sumLogs',
  rules: INTERVAL_RULES,
  call: "sumLogs(['service.hlog'], { tags: ['read'] })",
};

/** An interval with its decoded histogram. */
export interface DecodedInterval {
  /** The line: its times, its tag and its encoded histogram. */
  readonly interval: LogInterval;
  /** The values of the interval: a new histogram, which the reader does not use again. */
  readonly histogram: LogHistogram;
}

/** Options of `decodeIntervals`. */
export interface DecodeIntervalsOptions extends Selection, OperationOptions {
  /** `'sparse'` takes a fraction of the time if histograms are only read. @default 'dense' */
  readonly storage?: 'dense' | 'sparse';
}

/**
 * Reads the selected intervals and decodes their histograms, whichever HdrHistogram has encoded them.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is invalid; `ERR_LOG_FORMAT` or `ERR_LOG_TIME` at a
 *   malformed line, unless `onMalformed` takes it.
 */
export async function* decodeIntervals(
  source: LogSource,
  options: DecodeIntervalsOptions = {},
): AsyncGenerator<DecodedInterval, void> {
  const settings = readOptions(options, DECODE_INTERVALS);
  const { storage } = settings;
  for await (const interval of selectIntervals(source, () => settings)) {
    const histogram = decodeOrReport(interval, source, settings, () => interval.histogram({ storage }));
    if (histogram !== undefined) yield { interval, histogram };
  }
}

const DECODE_INTERVALS = {
  name: 'decodeIntervals',
  rules: { ...INTERVAL_RULES, storage } satisfies OptionRules<DecodeIntervalsOptions>,
  call: "decodeIntervals('service.hlog', { tags: ['read'] })",
};

const logSources = custom<Iterable<LogSource>>(
  'an iterable of logs',
  (value) =>
    typeof value !== 'string' && typeof (value as Iterable<LogSource>)[Symbol.iterator] === 'function',
);
