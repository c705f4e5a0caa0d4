import { HdrscopeError } from '@hdrscope/core';
import { mustBe, type OptionNames } from '@hdrscope/core/internal';
import { lineError } from '../errors.ts';
import { type LogEntry, LogInterval } from './entry.ts';
import { assertLimit } from './limits.ts';
import { parseLine } from './line.ts';
import { type DroppedLine, LineSplitter } from './lines.ts';
import { LogTime, TIME_MODES, type TimeMode } from './time.ts';

/** Options that change how lines become entries. */
export interface ParseLogOptions {
  /** How start times, base times and timestamps are interpreted. @default 'java' */
  readonly time?: TimeMode;
  /**
   * Length limit of a line in bytes: an integer of at least 1. A longer line is malformed and is not held in memory. Lines
   * of ordinary histograms have hundreds or thousands of bytes.
   *
   * @default 2 ** 24, 16 MiB
   */
  readonly maxLineBytes?: number;
  /**
   * How many malformed lines a log may have: an integer of at least 1. More of them end the reading with an error, because
   * the file is no interval log.
   *
   * @default 1,000,000; no limit for `followLog`
   */
  readonly maxMalformed?: number;
}

/** The names of `ParseLogOptions`. */
export const PARSER_NAMES: OptionNames<ParseLogOptions> = {
  time: true,
  maxLineBytes: true,
  maxMalformed: true,
};

/** Default of `maxLineBytes`. */
export const DEFAULT_MAX_LINE_BYTES: number = 2 ** 24;

/** Default of `maxMalformed`. */
const DEFAULT_MAX_MALFORMED = 1_000_000;

/** Later malformed lines have errors without a stack, which take a fifth of the time. */
const MOST_STACKS = 1000;

/** Turns chunks of UTF-8, or lines, into entries. Every reader of logs uses it. */
export class LogParser {
  readonly #time: LogTime;
  readonly #lines: LineSplitter;
  readonly #maxLineBytes: number;
  readonly #maxMalformed: number;
  #lineNumber = 0;
  #malformedCount = 0;

  /** @throws HdrscopeError `ERR_INVALID_OPTION` */
  constructor({
    time = 'java',
    maxLineBytes = DEFAULT_MAX_LINE_BYTES,
    maxMalformed = DEFAULT_MAX_MALFORMED,
  }: ParseLogOptions = {}) {
    if (!TIME_MODES.includes(time)) {
      throw mustBe('ERR_INVALID_OPTION', 'time', TIME_MODES.map((mode) => `'${mode}'`).join(', '), time);
    }
    if (!Number.isSafeInteger(maxLineBytes) || maxLineBytes < 1) {
      throw mustBe('ERR_INVALID_OPTION', 'maxLineBytes', 'an integer of at least 1', maxLineBytes);
    }
    assertLimit('maxMalformed', maxMalformed);
    this.#maxMalformed = maxMalformed;
    this.#time = new LogTime(time);
    this.#lines = new LineSplitter(maxLineBytes);
    this.#maxLineBytes = maxLineBytes;
  }

  /** Start of the log in seconds since 1970; `undefined` before the first start time or interval. */
  get startSec(): number | undefined {
    return this.#time.startSec;
  }

  /** Number of lines read so far. */
  get lineCount(): number {
    return this.#lineNumber;
  }

  /** Yields the entries of the lines that end in this chunk, which must not change meanwhile. */
  push(chunk: Uint8Array): Generator<LogEntry, void> {
    return withoutBlanks(this.pushLines(chunk));
  }

  /** As `push`, with `undefined` for each blank line, so that a reader can pause within millions of them. */
  *pushLines(chunk: Uint8Array): Generator<LogEntry | undefined, void> {
    for (const line of this.#lines.push(chunk)) yield this.pushLine(line);
  }

  /** Forgets the line whose end has not arrived yet. */
  dropLine(): void {
    this.#lines.drop();
  }

  /** Yields the entry of the last line if no newline ends it. */
  *end(): Generator<LogEntry, void> {
    for (const line of this.#lines.end()) {
      const entry = this.pushLine(line);
      if (entry !== undefined) yield entry;
    }
  }

  /**
   * Returns the entry of one line that the caller has cut out of the log; `undefined` for a blank line. Use either this
   * or `push` for a log, not both.
   *
   * @throws HdrscopeError `ERR_TOO_LARGE` when the log has more than `maxMalformed` malformed lines.
   */
  pushLine(line: string | DroppedLine): LogEntry | undefined {
    const lineNumber = ++this.#lineNumber;
    const { stackTraceLimit } = Error;
    const hasStack = this.#malformedCount < MOST_STACKS;
    if (!hasStack) Error.stackTraceLimit = 0;
    try {
      if (typeof line !== 'string') {
        const message = `a line must have at most ${this.#maxLineBytes} bytes, got ${line.bytes}`;
        throw lineError('ERR_LOG_FORMAT', lineNumber, message);
      }
      return this.#entryOf(line, lineNumber);
    } catch (error) {
      if (!(error instanceof HdrscopeError)) throw error;
      this.#malformedCount++;
      this.#assertFewMalformed();
      return { kind: 'malformed', lineNumber, error };
    } finally {
      if (!hasStack) Error.stackTraceLimit = stackTraceLimit;
    }
  }

  #assertFewMalformed(): void {
    if (this.#malformedCount <= this.#maxMalformed) return;
    const most = this.#maxMalformed;
    const message = `a log must have at most ${most} malformed lines, and line ${this.#lineNumber} is another one: choose an interval log, or set maxMalformed`;
    throw new HdrscopeError('ERR_TOO_LARGE', message, {
      details: { what: 'malformed lines', limit: 'maxMalformed', most },
    });
  }

  #entryOf(line: string, lineNumber: number): LogEntry | undefined {
    const parsed = parseLine(line, lineNumber);
    if (parsed === undefined) return undefined;
    switch (parsed.kind) {
      case undefined:
        return new LogInterval(parsed, this.#time.place(parsed.timestampSec, parsed.lengthSec, lineNumber));
      case 'start-time':
        this.#time.setStart(parsed.seconds, lineNumber);
        return parsed;
      case 'base-time':
        this.#time.setBase(parsed.seconds, lineNumber);
        return parsed;
      default:
        return parsed;
    }
  }
}

function* withoutBlanks(entries: Iterable<LogEntry | undefined>): Generator<LogEntry, void> {
  for (const entry of entries) if (entry !== undefined) yield entry;
}
