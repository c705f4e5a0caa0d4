import { HdrscopeError } from '@hdrscope/core';
import {
  integer,
  type OptionRule,
  oneOf,
  type RulesFor,
  type Settings,
  withDefault,
} from '@hdrscope/core/internal';
import { lineError } from '../errors.ts';
import { type LogEntry, LogInterval } from './entry.ts';
import { parseLine } from './line.ts';
import { type KnownTimes, LogTime, type TimeMode } from './time.ts';

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

/** Rule of a limit that may be lifted. */
export const limit: OptionRule<number> = integer({ from: 1, to: Number.POSITIVE_INFINITY });

/** The rules of `ParseLogOptions`. */
export const PARSER_RULES: RulesFor<ParseLogOptions> = {
  time: withDefault(oneOf<TimeMode>(['java', 'plain', 'strict']), 'java'),
  maxLineBytes: withDefault(integer({ from: 1 }), 2 ** 24),
  maxMalformed: withDefault(limit, 1_000_000),
};

/** Checked options, with their defaults. */
export type ParserSettings = Settings<ParseLogOptions>;

/** Later malformed lines have errors without a stack, which take a fifth of the time. */
const MOST_STACKS = 1000;

/** Turns chunks of UTF-8 into entries. Every reader of logs uses it. */
export class LogParser {
  readonly #settings: ParserSettings;
  readonly #time: LogTime;
  readonly #lines: LineSplitter;
  #line = '';
  #lineNumber = 0;
  #malformedCount = 0;

  /** @param known The times above the first line, when it does not begin the log. */
  constructor(settings: ParserSettings, known?: KnownTimes) {
    this.#settings = settings;
    this.#time = new LogTime(settings.time, known);
    this.#lines = new LineSplitter(settings.maxLineBytes);
  }

  /** The line of the latest entry, without its newline; empty for a dropped line and for the broken end of a gzip stream. */
  get line(): string {
    return this.#line;
  }

  /** How many lines it has read. */
  get lineCount(): number {
    return this.#lineNumber;
  }

  /** How many of them were malformed. */
  get malformedCount(): number {
    return this.#malformedCount;
  }

  get times(): KnownTimes {
    return this.#time.known;
  }

  /** Passes over lines that another parser has read from here on. Returns whether it may: they state no time, and few are malformed. */
  skip({ lineCount, malformedCount }: Pick<LogParser, 'lineCount' | 'malformedCount'>): boolean {
    if (this.#malformedCount + malformedCount > this.#settings.maxMalformed) return false;
    this.#lineNumber += lineCount;
    this.#malformedCount += malformedCount;
    return true;
  }

  /** Yields the entries of the lines that end in this chunk, which must not change meanwhile. */
  push(chunk: Uint8Array): Generator<LogEntry, void> {
    return withoutBlanks(this.pushLines(chunk));
  }

  /** As `push`, with `undefined` for each blank line, so that a reader can pause within millions of them. */
  *pushLines(chunk: Uint8Array): Generator<LogEntry | undefined, void> {
    for (const line of this.#lines.push(chunk)) yield this.#parse(line);
  }

  /** Forgets the line whose end has not arrived yet. */
  dropLine(): void {
    this.#lines.drop();
  }

  /** Yields the entry of the last line if no newline ends it. */
  end(): Generator<LogEntry, void> {
    return withoutBlanks(this.endLines());
  }

  /**
   * As `end`, with `undefined` for a blank line.
   *
   * @param broken The error of a gzip stream that is cut short or broken. The last entry has it, and the number of the first
   *   unreadable line.
   */
  *endLines(broken?: HdrscopeError): Generator<LogEntry | undefined, void> {
    for (const line of this.#lines.end()) yield this.#parse(line);
    if (broken === undefined) return;
    this.#line = '';
    const lineNumber = this.#lineNumber + 1;
    const error = lineError('ERR_LOG_FORMAT', lineNumber, broken.message, { cause: broken });
    yield { kind: 'malformed', lineNumber, error };
  }

  /** @throws HdrscopeError `ERR_TOO_LARGE` when the log has more than `maxMalformed` malformed lines. */
  #parse(line: string | DroppedLine): LogEntry | undefined {
    const isWhole = typeof line === 'string';
    this.#line = isWhole ? line : '';
    const lineNumber = ++this.#lineNumber;
    const { stackTraceLimit } = Error;
    const hasStack = this.#malformedCount < MOST_STACKS;
    if (!hasStack) Error.stackTraceLimit = 0;
    try {
      if (isWhole) return this.#readLine(line, lineNumber);
      const message = `a line must have at most ${this.#settings.maxLineBytes} bytes, got ${line.bytes}`;
      throw lineError('ERR_LOG_FORMAT', lineNumber, message);
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
    const { maxMalformed: most } = this.#settings;
    if (this.#malformedCount <= most) return;
    const message = `a log must have at most ${most} malformed lines, and line ${this.#lineNumber} is another one: choose an interval log, or set maxMalformed`;
    throw new HdrscopeError('ERR_TOO_LARGE', message, {
      details: { what: 'malformed lines', limit: 'maxMalformed', most },
    });
  }

  #readLine(line: string, lineNumber: number): LogEntry | undefined {
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

/** A line that was longer than allowed and was dropped. */
export interface DroppedLine {
  /** The length of the line. */
  readonly bytes: number;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** Memory of a longer line is given up after it. */
const LARGEST_KEPT = 2 ** 20;

/**
 * Cuts chunks of UTF-8 into lines, one at a time. A line ends with `\n`, `\r\n` or `\r`, as in Java's readers. Lines that are decoded together would survive a garbage
 * collection together, and the young generation of V8 would grow. Memory is bounded by one line of the longest allowed length.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** The line whose end has not arrived yet; empty if that line is too long. The bytes after `#begunBytes` are unused. */
  #begun = new Uint8Array(0);
  /** Length of that line so far, including dropped bytes. */
  #begunBytes = 0;
  /** Whether the last byte of the chunk before was `\r`: a `\n` at the start of this one belongs to it. */
  #endsWithReturn = false;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Yields the lines that end in this chunk, which must not change meanwhile. */
  *push(chunk: Uint8Array): Generator<string | DroppedLine, void> {
    if (chunk.length === 0) return;
    let start = this.#endsWithReturn && chunk[0] === NEWLINE ? 1 : 0;
    this.#endsWithReturn = chunk.at(-1) === RETURN;
    // Most logs have none of them: they are looked for once.
    let nextReturn = chunk.indexOf(RETURN, start);
    let nextNewline = chunk.indexOf(NEWLINE, start);
    while (nextReturn !== -1 || nextNewline !== -1) {
      const isReturn = nextReturn !== -1 && (nextNewline === -1 || nextReturn < nextNewline);
      const end = isReturn ? nextReturn : nextNewline;
      const part = chunk.subarray(start, end);
      start = isReturn && chunk[end + 1] === NEWLINE ? end + 2 : end + 1;
      if (this.#begunBytes === 0) yield this.#lineOf(part, part.length);
      else {
        this.#begin(part);
        yield this.#finishLine();
      }
      if (isReturn) nextReturn = chunk.indexOf(RETURN, start);
      if (nextNewline !== -1 && nextNewline < start) nextNewline = chunk.indexOf(NEWLINE, start);
    }
    this.#begin(chunk.subarray(start));
  }

  /** Yields the last line if no newline ends it. */
  *end(): Generator<string | DroppedLine, void> {
    if (this.#begunBytes > 0) yield this.#finishLine();
  }

  /** Forgets the line whose end has not arrived yet. */
  drop(): void {
    this.#begunBytes = 0;
    this.#endsWithReturn = false;
  }

  #begin(part: Uint8Array): void {
    const bytes = this.#begunBytes + part.length;
    if (bytes <= this.#maxLineBytes) {
      // Copied, because the caller may reuse the memory of the chunk.
      if (bytes > this.#begun.length) this.#grow(bytes);
      this.#begun.set(part, this.#begunBytes);
    } else {
      this.#begun = new Uint8Array(0);
    }
    this.#begunBytes = bytes;
  }

  #grow(bytes: number): void {
    const longer = new Uint8Array(Math.min(2 * bytes, this.#maxLineBytes));
    longer.set(this.#begun.subarray(0, this.#begunBytes));
    this.#begun = longer;
  }

  #finishLine(): string | DroppedLine {
    const bytes = this.#begunBytes;
    const line = this.#lineOf(this.#begun.subarray(0, bytes), bytes);
    this.#begunBytes = 0;
    if (this.#begun.length > LARGEST_KEPT) this.#begun = new Uint8Array(0);
    return line;
  }

  #lineOf(line: Uint8Array, bytes: number): string | DroppedLine {
    if (bytes === 0) return '';
    return bytes > this.#maxLineBytes ? { bytes } : this.#decoder.decode(line);
  }
}
