import { HdrscopeError, mustBe } from '@hdrscope/core';
import { type LogEntry, LogInterval, lineError } from './entry.ts';
import { parseLine } from './line.ts';
import { type DroppedLine, LineSplitter } from './lines.ts';
import { LogTime, TIME_MODES, type TimeMode } from './time.ts';

/** How a log is read. */
export interface ParserOptions {
  /** How its times are understood. @default 'java' */
  readonly time?: TimeMode;
  /**
   * A longer line is malformed, and not held in memory: an integer of at least 1. The lines of ordinary histograms have
   * hundreds or thousands of bytes.
   *
   * @default 16 MiB
   */
  readonly maxLineBytes?: number;
}

/** What `maxLineBytes` is where nothing is said. */
export const DEFAULT_MAX_LINE_BYTES: number = 2 ** 24;

/** Makes entries of chunks of UTF-8, as they come: the one place where lines become entries. */
export class LogParser {
  readonly #time: LogTime;
  readonly #lines: LineSplitter;
  readonly #maxLineBytes: number;
  #lineNumber = 0;

  /** @throws HdrscopeError `ERR_INVALID_OPTION` */
  constructor({ time = 'java', maxLineBytes = DEFAULT_MAX_LINE_BYTES }: ParserOptions = {}) {
    if (!TIME_MODES.includes(time)) {
      throw mustBe('ERR_INVALID_OPTION', 'time', TIME_MODES.map((mode) => `'${mode}'`).join(', '), time);
    }
    if (!Number.isSafeInteger(maxLineBytes) || maxLineBytes < 1) {
      throw mustBe('ERR_INVALID_OPTION', 'maxLineBytes', 'an integer of at least 1', maxLineBytes);
    }
    this.#time = new LogTime(time);
    this.#lines = new LineSplitter(maxLineBytes);
    this.#maxLineBytes = maxLineBytes;
  }

  /** When the log starts, in seconds since 1970, as far as it has been told. */
  get startSec(): number | undefined {
    return this.#time.startSec;
  }

  /** How many lines have been read. */
  get lineCount(): number {
    return this.#lineNumber;
  }

  /** What the lines say that end in this chunk. */
  push(chunk: Uint8Array): LogEntry[] {
    return this.#entriesOf(this.#lines.push(chunk));
  }

  /** What the last line says, where no newline ends it. */
  end(): LogEntry[] {
    return this.#entriesOf(this.#lines.end());
  }

  /**
   * What one more line says, which was cut out of the log already; `undefined` where it is blank. A log is read by this
   * alone, or by chunks.
   */
  pushLine(line: string | DroppedLine): LogEntry | undefined {
    const lineNumber = ++this.#lineNumber;
    try {
      if (typeof line !== 'string') {
        const message = `a line must have at most ${this.#maxLineBytes} bytes, got ${line.bytes}`;
        throw lineError('ERR_LOG_FORMAT', lineNumber, message);
      }
      return this.#understood(line, lineNumber);
    } catch (error) {
      if (!(error instanceof HdrscopeError)) throw error;
      return { kind: 'malformed', lineNumber, error };
    }
  }

  #entriesOf(lines: readonly (string | DroppedLine)[]): LogEntry[] {
    const entries: LogEntry[] = [];
    for (const line of lines) {
      const entry = this.pushLine(line);
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  }

  #understood(line: string, lineNumber: number): LogEntry | undefined {
    const parsed = parseLine(line, lineNumber);
    if (parsed === undefined) return undefined;
    switch (parsed.kind) {
      case undefined:
        return new LogInterval(parsed, this.#time.place(parsed.timestampSec, parsed.lengthSec, lineNumber));
      case 'start-time':
        this.#time.tellStart(parsed.seconds, lineNumber);
        return parsed;
      case 'base-time':
        this.#time.tellBase(parsed.seconds, lineNumber);
        return parsed;
      default:
        return parsed;
    }
  }
}
