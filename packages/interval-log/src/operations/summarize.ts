import { assertFollows, custom, type OptionRules, readOptions, type Settings } from '@hdrscope/core/internal';
import { type LogInterval, storage } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import {
  INTERVAL_RULES,
  type IntervalSettings,
  type OperationOptions,
  selectIntervals,
} from '../reader/read.ts';
import type { Selection } from '../reader/selection.ts';
import { type LogSummary, TagTotals } from './tag-totals.ts';
import {
  addInterval,
  decodeOrReport,
  type LogHistogram,
  type LogTotal,
  TAG_RULES,
  type TagOptions,
} from './totals.ts';

/** Options of `summarizeLogs`. */
export interface SummarizeOptions extends Selection, OperationOptions, TagOptions {}

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
  const settings = readSummarySettings(sources, options);
  const totals = new TagTotals(settings.maxTags);
  for (const source of sources) {
    for await (const interval of selectIntervals(source, () => settings))
      totals.add(interval, source, settings);
  }
  return totals.toSummary();
}

/** Checked options of a summary, with their defaults. */
export type SummarySettings = IntervalSettings & Settings<TagOptions>;

/** @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is invalid. */
export function readSummarySettings(
  sources: Iterable<LogSource>,
  options: SummarizeOptions,
): SummarySettings {
  assertFollows('sources', logSources, sources);
  return readOptions(options, SUMMARIZE_LOGS);
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
