import { HdrscopeError } from '@hdrscope/core';
import { callback, optional, type RulesFor, readOptions, type Settings } from '@hdrscope/core/internal';
import { Slices } from '@hdrscope/kit';
import type { LogEntry, LogInterval, MalformedLine } from './entry.ts';
import { type LogSource, readUtf8 } from './input.ts';
import { LogParser, limit, PARSER_RULES, type ParseLogOptions } from './parser.ts';
import { createSelector, SELECTION_RULES, type Selection } from './selection.ts';

/** Options of every function that reads a log. */
export interface ReadOptions extends ParseLogOptions {
  /**
   * Receives the number of bytes taken from the source, chunk by chunk, and 0 after each pause within a chunk: for a progress bar. An
   * error that it throws ends the reading. @default not called
   */
  readonly onBytes?: (bytes: number) => void;
  /**
   * How many bytes a compressed log may have after decompression: an integer of at least 1. A longer one ends the reading with
   * an error.
   *
   * @default 64 MiB, or 250 times the compressed bytes if that is more. Deflate makes an ordinary log a few times smaller, and
   *   hardly any text 1000 times
   */
  readonly maxInflatedBytes?: number;
}

/** Options of `readIntervals`: which intervals it yields, and what happens to malformed lines. */
export interface ReadIntervalsOptions extends ReadOptions, Selection {
  /** Receives every malformed line, and reading continues. @default the error of the line is thrown, and reading ends */
  readonly onMalformed?: (line: MalformedLine) => void;
}

/** Options of every operation on logs. */
export interface OperationOptions extends ReadOptions {
  /** Receives every malformed line, and the operation leaves it out. @default the error of the line is thrown */
  readonly onMalformed?: (line: MalformedLine, source: LogSource) => void;
}

/** Options of reading that have no default. */
type Unset = 'onBytes' | 'maxInflatedBytes';

const READ_RULES: RulesFor<ReadOptions, Unset> = {
  ...PARSER_RULES,
  onBytes: optional(callback()),
  maxInflatedBytes: optional(limit),
};

/** The rules of `OperationOptions`. */
export const OPERATION_RULES: RulesFor<Omit<ReadIntervalsOptions, keyof Selection>, Unset | 'onMalformed'> = {
  ...READ_RULES,
  onMalformed: optional(callback()),
};

/** The rules of an operation on selected intervals. */
export const INTERVAL_RULES: RulesFor<ReadIntervalsOptions, Unset | 'onMalformed' | keyof Selection> = {
  ...SELECTION_RULES,
  ...OPERATION_RULES,
};

/** Checked options, with their defaults. */
type ReadSettings = Settings<ReadOptions, Unset>;
export type OperationSettings = Settings<OperationOptions, Unset | 'onMalformed'>;
export type IntervalSettings = OperationSettings & Settings<Selection, keyof Selection>;

/**
 * Reads a log entry by entry. Memory is bounded by the longest allowed line. A malformed line is an entry, and so is the
 * end of a gzip stream that is cut short. An error of the source is thrown unchanged. Other work of the process runs between
 * entries, however long a chunk is.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` at the first step; `ERR_TOO_LARGE` with the details `limit` and `most` when the log
 *   passes `maxMalformed` or `maxInflatedBytes`.
 * @example
 * ```ts
 * import { readEntries } from '@hdrscope/interval-log';
 *
 * const log = new TextEncoder().encode('#[BaseTime: 1000 (seconds since epoch)]\nTag=get,1.5,1.0,0.1,HISTFAAA\n');
 * for await (const entry of readEntries(log)) {
 *   if (entry.kind === 'interval') [entry.tag, entry.startSec]; //=> ['get', 1001.5]
 * }
 * ```
 */
export async function* readEntries(
  source: LogSource,
  options: ReadOptions = {},
): AsyncGenerator<LogEntry, void> {
  const settings = readOptions(options, READ_ENTRIES);
  const slices = new Slices();
  for await (const entries of readBatches(source, settings)) {
    for (const entry of entries) {
      if (entry !== undefined) yield entry;
      if (slices.isOver()) await pause(slices, settings);
    }
  }
}

const READ_ENTRIES = {
  name: 'readEntries',
  rules: READ_RULES,
  call: "readEntries('service.hlog', { time: 'java' })",
};

/**
 * Reads the intervals of a log. Options select tags and a range of start times.
 *
 * The range ends before `to`, as in every operation. HdrHistogram's `HistogramLogReader` includes the end: its
 * `nextIntervalHistogram(0, 60)` also returns an interval that starts at second 60.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` at the first step, `ERR_LOG_FORMAT` or `ERR_LOG_TIME` at a malformed line;
 *   `ERR_TOO_LARGE` when the log passes `maxMalformed` or `maxInflatedBytes`.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { readIntervals } from '@hdrscope/interval-log';
 *
 * const log = new TextEncoder().encode(
 *   'Tag=get,0.127,1.007,0.000,HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe\n',
 * );
 * const total = new Histogram({ autoResize: true });
 * for await (const interval of readIntervals(log, { tags: ['get'] })) interval.addTo(total);
 * [total.totalCount, total.max]; //=> [1, 42]
 * ```
 */
export function readIntervals(
  source: LogSource,
  options: ReadIntervalsOptions = {},
): AsyncGenerator<LogInterval, void> {
  return selectIntervals(source, () => {
    const { onMalformed, ...settings } = readOptions(options, READ_INTERVALS);
    return { ...settings, onMalformed: onMalformed && ((line) => onMalformed(line)) };
  });
}

const READ_INTERVALS = {
  name: 'readIntervals',
  rules: INTERVAL_RULES,
  call: "readIntervals('service.hlog', { tags: ['read'] })",
};

/**
 * Reads the selected intervals, and reports malformed lines.
 *
 * @param readSettings Called at the first step.
 */
export async function* selectIntervals(
  source: LogSource,
  readSettings: () => IntervalSettings,
): AsyncGenerator<LogInterval, void> {
  const settings = readSettings();
  const isSelected = createSelector(settings);
  const slices = new Slices();
  for await (const entries of readBatches(source, settings)) {
    for (const entry of entries) {
      if (entry?.kind === 'malformed') reportMalformed(settings, entry, source);
      else if (entry?.kind === 'interval' && isSelected(entry)) yield entry;
      if (slices.isOver()) await pause(slices, settings);
    }
  }
}

/** Passes a malformed line to `onMalformed`, or throws its error if there is no listener. */
export function reportMalformed(
  { onMalformed }: Pick<OperationSettings, 'onMalformed'>,
  line: MalformedLine,
  source: LogSource,
): void {
  if (onMalformed === undefined) throw line.error;
  onMalformed(line, source);
}

/** A line of a log and its entry. */
interface LogLine {
  /** The line without its newline; empty for a dropped line and for the broken end of a gzip stream. */
  readonly text: string;
  /** `undefined` for a blank line. */
  readonly entry: LogEntry | undefined;
}

/** Reads entries as `readEntries` does, together with their lines: for operations that copy lines. */
export async function* readLines(source: LogSource, settings: ReadSettings): AsyncGenerator<LogLine, void> {
  const parser = new LogParser(settings);
  const slices = new Slices();
  for await (const entries of readBatches(source, settings, parser)) {
    for (const entry of entries) {
      yield { text: parser.line, entry };
      if (slices.isOver()) await pause(slices, settings);
    }
  }
}

/** Lets other work of the process run, which may end the reading. */
export async function pause(slices: Slices, { onBytes }: ReadSettings): Promise<void> {
  await slices.next();
  onBytes?.(0);
}

/** Yields the entries of each chunk together, with `undefined` for blank lines, because each turn of an asynchronous loop costs a microsecond. */
export async function* readBatches(
  source: LogSource,
  settings: ReadSettings,
  parser: LogParser = new LogParser(settings),
): AsyncGenerator<Iterable<LogEntry | undefined>, void> {
  let broken: HdrscopeError | undefined;
  const chunks = readUtf8(source, settings.onBytes, settings.maxInflatedBytes);
  try {
    for (;;) {
      let chunk: Uint8Array;
      try {
        const { done, value } = await chunks.next();
        if (done === true) break;
        chunk = value;
      } catch (error) {
        if (!(error instanceof HdrscopeError) || error.code !== 'ERR_LOG_FORMAT') throw error;
        broken = error;
        break;
      }
      yield parser.pushLines(chunk);
    }
  } finally {
    // Closes the source also when the consumer stops early.
    await chunks.return();
  }
  yield parser.endLines(broken);
}
