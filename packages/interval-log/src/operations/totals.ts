import { type DoubleHistogram, HdrscopeError, type Histogram, HistogramSum } from '@hdrscope/core';
import { type RulesFor, withDefault } from '@hdrscope/core/internal';
import { type LogInterval, truncateToMs } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { limit } from '../reader/parser.ts';
import { type OperationSettings, reportMalformed } from '../reader/read.ts';

/** The histogram of a log's intervals: integers or doubles, as in the log. */
export type LogHistogram = Histogram | DoubleHistogram;

// A sum makes layouts share slots from 17 of them on.
const FEW_LAYOUTS = 8;
const MOST_COUNT = Number.MAX_SAFE_INTEGER;

/** The first and the last time of some intervals. */
interface Spanned {
  readonly startSec: number;
  readonly endSec: number;
}

/** The sum of intervals, which need not have one layout. */
export class LogTotal {
  readonly sum: HistogramSum;
  readonly #tag: string | undefined;
  readonly #isDouble: boolean;
  #startTimeMs = Number.POSITIVE_INFINITY;
  #endTimeMs = Number.NEGATIVE_INFINITY;

  /** An empty sum of intervals like this one. */
  constructor(
    { tag, isDouble }: Pick<LogInterval, 'tag' | 'isDouble'>,
    storage: 'dense' | 'sparse' = 'dense',
  ) {
    this.sum = new HistogramSum({ storage });
    this.#tag = ownTag(tag);
    this.#isDouble = isDouble;
  }

  get byteLength(): number {
    return this.sum.byteLength;
  }

  /** @throws HdrscopeError as `LogInterval.addTo`; the sum stays as it is. */
  add(interval: LogInterval): void {
    interval.assertKind(this.#isDouble);
    interval.addTo(this.sum);
    this.#startTimeMs = Math.min(this.#startTimeMs, interval.startTimeMs);
    this.#endTimeMs = Math.max(this.#endTimeMs, interval.endTimeMs);
  }

  /** Whether so many integers of one layout or two can be added, whatever their order among the values here. */
  takes(count: number): boolean {
    return (
      !this.#isDouble && this.sum.layouts.length <= FEW_LAYOUTS && this.sum.totalCount + count <= MOST_COUNT
    );
  }

  /** Adds encoded integers, which `takes` has accepted, and widens the times by those of their intervals. */
  addEncoded(encodings: readonly (string | Uint8Array)[], { startSec, endSec }: Spanned): void {
    for (const encoded of encodings) this.sum.addEncoded(encoded);
    this.#startTimeMs = Math.min(this.#startTimeMs, truncateToMs(startSec));
    this.#endTimeMs = Math.max(this.#endTimeMs, truncateToMs(endSec));
  }

  /** Adds all values of another sum, of intervals of this kind. */
  addTotal(other: LogTotal): void {
    this.sum.add(other.sum);
    this.#startTimeMs = Math.min(this.#startTimeMs, other.#startTimeMs);
    this.#endTimeMs = Math.max(this.#endTimeMs, other.#endTimeMs);
  }

  /**
   * All values in one histogram, whose slots contain those of all intervals.
   *
   * @throws HdrscopeError `ERR_VALUE_OUT_OF_RANGE` when doubles are too far apart for one histogram.
   */
  toHistogram(): LogHistogram {
    const histogram = this.#isDouble ? this.sum.toDoubleHistogram() : this.sum.toHistogram();
    histogram.startTimeMs = this.#startTimeMs;
    histogram.endTimeMs = this.#endTimeMs;
    histogram.tag = this.#tag;
    return histogram;
  }
}

/** Adds an interval to the sum of others, or to a new one. */
export function addInterval(
  total: LogTotal | undefined,
  interval: LogInterval,
  storage?: 'dense' | 'sparse',
): LogTotal {
  const sum = total ?? new LogTotal(interval, storage);
  sum.add(interval);
  return sum;
}

/** Returns the result of `decode`. If it throws an `HdrscopeError`, reports the line as malformed and returns `undefined`. */
export function decodeOrReport<T>(
  interval: LogInterval,
  source: LogSource,
  settings: OperationSettings,
  decode: () => T,
): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    reportMalformed(settings, { kind: 'malformed', lineNumber: interval.lineNumber, error }, source);
    return undefined;
  }
}

/** Options of operations that hold a part for each tag. */
export interface TagOptions {
  /**
   * How many different tags a log may have: an integer of at least 1. Memory holds one histogram per tag. More tags end the
   * operation with an error.
   *
   * @default 10,000
   */
  readonly maxTags?: number;
}

/** The rules of `TagOptions`. */
export const TAG_RULES: RulesFor<TagOptions> = { maxTags: withDefault(limit, 10_000) };

// Dense histograms are faster to add to, and take as much memory as the log asks for, whatever they count.
const DENSE_BYTES = 2 ** 26;
// A line of a few kilobytes may make a histogram of many megabytes.
const MOST_BYTES = 2 ** 30;

/** Bounds the number of tags and the memory of their totals. */
export class TagLimits {
  readonly #maxTags: number;
  #tags = 0;
  #bytes = 0;

  constructor(maxTags: number = TAG_RULES.maxTags.default) {
    this.#maxTags = maxTags;
  }

  /** The storage of the next total. */
  get storage(): 'dense' | 'sparse' {
    return this.#bytes < DENSE_BYTES ? 'dense' : 'sparse';
  }

  /** Whether totals of so many tags and bytes are far below the limits. */
  hasRoomFor(tags: number, bytes: number): boolean {
    return this.#tags + tags <= this.#maxTags && this.#bytes + bytes < DENSE_BYTES;
  }

  /**
   * Counts a tag.
   *
   * @throws HdrscopeError `ERR_TOO_LARGE` when there are too many.
   */
  addTag(): void {
    if (++this.#tags <= this.#maxTags) return;
    const message = `a log must have at most ${this.#maxTags} tags, and has more: select some, or set maxTags`;
    throw new HdrscopeError('ERR_TOO_LARGE', message, {
      details: { what: 'tags', limit: 'maxTags', most: this.#maxTags },
    });
  }

  /**
   * Counts bytes of totals.
   *
   * @throws HdrscopeError `ERR_TOO_LARGE` when there are too many.
   */
  addBytes(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= MOST_BYTES) return;
    const message = `the histograms of all tags must take at most ${MOST_BYTES} bytes, and take more: select some tags`;
    throw new HdrscopeError('ERR_TOO_LARGE', message, {
      details: { what: 'histograms', limit: 'bytes', most: MOST_BYTES },
    });
  }

  /** Begins anew, when all totals are given up. */
  clear(): void {
    this.#tags = 0;
    this.#bytes = 0;
  }
}

/** Copies a tag. A part of the line would keep the whole line in memory. */
export function ownTag(tag: string | undefined): string | undefined {
  return tag === undefined ? undefined : new TextDecoder().decode(new TextEncoder().encode(tag));
}

/** Orders what has no tag first, then by name. */
export function byTag(
  { tag: a }: { tag: string | undefined },
  { tag: b }: { tag: string | undefined },
): number {
  if (a === undefined || b === undefined) return (a === undefined ? 0 : 1) - (b === undefined ? 0 : 1);
  return a < b ? -1 : a > b ? 1 : 0;
}
