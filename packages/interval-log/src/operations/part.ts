/** A part of a log that another thread summarises: what it must know beforehand, and what it hands back. */
import { HdrscopeError } from '@hdrscope/core';
import { Slices } from '@hdrscope/kit';
import { lineError } from '../errors.ts';
import type { LogInterval, MalformedLine } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { LogParser, type ParserSettings } from '../reader/parser.ts';
import { pause, readBatches } from '../reader/read.ts';
import { createSelector, type Moment } from '../reader/selection.ts';
import type { KnownTimes } from '../reader/time.ts';
import type { PartTag, PartTotals } from './tag-totals.ts';
import { LogTotal, TagLimits } from './totals.ts';

/** What is asked of a part. A message to another thread can have it. */
export interface PartQuestion extends ParserSettings {
  /** The times that are known above the part. */
  readonly known: KnownTimes;
  readonly maxTags: number;
  readonly tags: readonly (string | undefined)[] | undefined;
  readonly since: Moment | undefined;
  readonly until: Moment | undefined;
}

/** A malformed line of a part. */
interface PartMalformed {
  /** Counts from 1, from the beginning of the part. */
  readonly lineNumber: number;
  readonly code: 'ERR_LOG_FORMAT' | 'ERR_LOG_TIME';
  /** Without the number of the line. */
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The summary of a part. A message to another thread can have it. */
export interface LogPart extends PartTotals {
  readonly lineCount: number;
  /** How many lines the parser could not read. */
  readonly malformedCount: number;
  /** These lines, and those whose histogram could not be decoded. */
  readonly malformed: readonly PartMalformed[];
}

/** More malformed lines are not worth a message. */
const MOST_MALFORMED = 1000;

/** A part whose intervals cannot be judged apart from those before it. */
class Inseparable extends Error {}

/**
 * Summarises a part of a log that begins with a line. Returns `undefined` when the part has to be read with all that stands above it: when it
 * states times, has doubles or unlike layouts in a tag, is damaged all over, or takes much memory.
 *
 * @param onBytes Receives the number of bytes of each chunk.
 */
export async function summarizePart(
  source: LogSource,
  question: PartQuestion,
  onBytes: (bytes: number) => void,
): Promise<LogPart | undefined> {
  const parser = new LogParser(question, question.known);
  const isSelected = createSelector(question);
  const totals = new SeparateTotals(question.maxTags);
  const malformed: PartMalformed[] = [];
  const settings = { ...question, onBytes, maxInflatedBytes: undefined };
  const slices = new Slices();
  try {
    for await (const entries of readBatches(source, settings, parser)) {
      for (const entry of entries) {
        if (entry?.kind === 'malformed') malformed.push(separateLine(entry));
        else if (entry?.kind === 'interval') {
          const broken = isSelected(entry) ? totals.add(entry) : undefined;
          if (broken !== undefined) malformed.push(separateLine(broken));
        } else if (entry?.kind === 'start-time' || entry?.kind === 'base-time') return undefined;
        if (malformed.length > MOST_MALFORMED) return undefined;
        if (slices.isOver()) await pause(slices, settings);
      }
    }
    const { lineCount, malformedCount } = parser;
    return { lineCount, malformedCount, malformed, ...totals.finish() };
  } catch (error) {
    if (error instanceof Inseparable) return undefined;
    // A limit of the whole log: the reader of the whole log says it.
    if (error instanceof HdrscopeError && error.code === 'ERR_TOO_LARGE') return undefined;
    throw error;
  }
}

function separateLine({ lineNumber, error }: MalformedLine): PartMalformed {
  const { code, message } = error;
  if (code !== 'ERR_LOG_FORMAT' && code !== 'ERR_LOG_TIME') throw new Inseparable();
  const { line: _, ...details } = error.details as Readonly<Record<string, unknown>>;
  return { lineNumber, code, message: message.slice(`line ${lineNumber}: `.length), details };
}

/** The malformed lines of a part, when it begins after so many lines. */
export function* placeMalformed({ malformed }: LogPart, linesAbove: number): Generator<MalformedLine> {
  for (const { lineNumber: within, code, message, details } of malformed) {
    const lineNumber = linesAbove + within;
    yield { kind: 'malformed', lineNumber, error: lineError(code, lineNumber, message, { details }) };
  }
}

/** The totals of all tags of a part. */
class SeparateTotals {
  readonly #limits: TagLimits;
  readonly #tags = new Map<string | undefined, SeparateTotal>();
  #startSec: number | undefined;

  constructor(maxTags: number) {
    this.#limits = new TagLimits(maxTags);
  }

  /** Adds an interval. Returns the line when its histogram cannot be decoded. */
  add(interval: LogInterval): MalformedLine | undefined {
    if (interval.isDouble || !this.#limits.hasRoomFor(0, 0)) throw new Inseparable();
    const { tag, lineNumber, startSec, offsetSec } = interval;
    const known = this.#tags.get(tag);
    const total = known ?? new SeparateTotal(interval);
    const bytesBefore = total.byteLength;
    try {
      total.add(interval);
    } catch (error) {
      if (!(error instanceof HdrscopeError)) throw error;
      return { kind: 'malformed', lineNumber, error };
    }
    if (known === undefined) {
      this.#limits.addTag();
      this.#tags.set(tag, total);
    }
    this.#limits.addBytes(total.byteLength - bytesBefore);
    this.#startSec = Math.min(this.#startSec ?? Number.POSITIVE_INFINITY, startSec - offsetSec);
    return undefined;
  }

  finish(): PartTotals {
    const tags = [...this.#tags.values()];
    const byteLength = tags.reduce((sum, total) => sum + total.byteLength, 0);
    return { startSec: this.#startSec, tags: tags.map((total) => total.finish()), byteLength };
  }
}

/** The total of a tag of a part. */
class SeparateTotal {
  readonly #tag: string | undefined;
  #intervals = 0;
  #startSec = Number.POSITIVE_INFINITY;
  #endSec = Number.NEGATIVE_INFINITY;
  /** The first interval with values, as it is written. */
  #first: string | undefined;
  #firstCount = 0;
  #firstBytes = 0;
  /** The sum of the intervals after it. */
  readonly #rest: LogTotal;

  constructor(interval: LogInterval) {
    this.#tag = interval.tag;
    this.#rest = new LogTotal(interval);
  }

  get byteLength(): number {
    return this.#firstBytes + this.#rest.byteLength;
  }

  /** @throws HdrscopeError as `LogInterval.addTo`. */
  add(interval: LogInterval): void {
    if (this.#first === undefined) this.#addFirst(interval);
    else this.#rest.add(interval);
    this.#intervals++;
    this.#startSec = Math.min(this.#startSec, interval.startSec);
    this.#endSec = Math.max(this.#endSec, interval.endSec);
  }

  #addFirst(interval: LogInterval): void {
    const total = new LogTotal(interval);
    total.add(interval);
    if (total.sum.totalCount === 0) return;
    this.#first = interval.encoded;
    this.#firstCount = total.sum.totalCount;
    this.#firstBytes = total.byteLength;
  }

  finish(): PartTag {
    const { sum } = this.#rest;
    // The order in which layouts come decides which of them share slots.
    if (sum.layouts.length > 1) throw new Inseparable();
    return {
      ...{ tag: this.#tag, intervals: this.#intervals, startSec: this.#startSec, endSec: this.#endSec },
      count: this.#firstCount + sum.totalCount,
      encodings: [
        ...(this.#first === undefined ? [] : [this.#first]),
        ...(sum.totalCount === 0 ? [] : [sum.toHistogram().encode()]),
      ],
    };
  }
}
