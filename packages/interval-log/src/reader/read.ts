import { HdrscopeError } from '@hdrscope/core';
import { assertOptions, type OptionNames, type OptionsOwner } from '@hdrscope/core/internal';
import { Slices } from '@hdrscope/kit';
import { brokenEnd, type LogEntry, type LogInterval, type MalformedLine } from './entry.ts';
import { type LogSource, textOf } from './input.ts';
import { LogParser, PARSER_NAMES, type ParseLogOptions } from './parser.ts';
import { SELECTION_NAMES, type Selection, selector } from './selection.ts';

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

/** The names of `ReadOptions`. */
export const READ_NAMES: OptionNames<ReadOptions> = {
  ...PARSER_NAMES,
  onBytes: true,
  maxInflatedBytes: true,
};

/** Options of `readIntervals`: which intervals it yields, and what happens to malformed lines. */
export interface ReadIntervalsOptions extends ReadOptions, Selection {
  /** Receives every malformed line, and reading continues. @default the error of the line is thrown, and reading ends */
  readonly onMalformed?: (line: MalformedLine) => void;
}

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
  assertOptions(options, READ_ENTRIES);
  const slices = new Slices();
  for await (const entries of readBatches(source, options)) {
    for (const entry of entries) {
      if (entry !== undefined) yield entry;
      if (slices.isOver()) await pause(slices, options.onBytes);
    }
  }
}

const READ_ENTRIES: OptionsOwner<ReadOptions> = {
  name: 'readEntries',
  names: READ_NAMES,
  call: "readEntries('service.hlog', { time: 'java' })",
};

/** Lets other work of the process run, which may end the reading. */
export async function pause(slices: Slices, onBytes: ReadOptions['onBytes']): Promise<void> {
  await slices.next();
  onBytes?.(0);
}

/** Yields the entries of each chunk together, with `undefined` for blank lines, because each turn of an asynchronous loop costs a microsecond. */
export async function* readBatches(
  source: LogSource,
  options: ReadOptions,
): AsyncGenerator<Iterable<LogEntry | undefined>, void> {
  const parser = new LogParser(options);
  let broken: HdrscopeError | undefined;
  const chunks = textOf(source, options.onBytes, options.maxInflatedBytes);
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
  yield parser.end();
  if (broken !== undefined) yield [brokenEnd(broken, parser.lineCount + 1)];
}

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
export async function* readIntervals(
  source: LogSource,
  options: ReadIntervalsOptions = {},
): AsyncGenerator<LogInterval, void> {
  assertOptions(options, READ_INTERVALS);
  const isSelected = selector(options);
  const slices = new Slices();
  for await (const entries of readBatches(source, options)) {
    for (const entry of entries) {
      if (entry?.kind === 'interval') {
        if (isSelected(entry)) yield entry;
      } else if (entry?.kind === 'malformed') {
        if (options.onMalformed === undefined) throw entry.error;
        options.onMalformed(entry);
      }
      if (slices.isOver()) await pause(slices, options.onBytes);
    }
  }
}

const READ_INTERVALS: OptionsOwner<ReadIntervalsOptions> = {
  name: 'readIntervals',
  names: {
    ...READ_NAMES,
    ...SELECTION_NAMES,
    onMalformed: true,
  },
  call: "readIntervals('service.hlog', { tags: ['read'] })",
};
