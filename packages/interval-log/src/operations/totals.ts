import { type DoubleHistogram, HdrscopeError, type Histogram } from '@hdrscope/core';
import { type RulesFor, withDefault } from '@hdrscope/core/internal';
import type { LogInterval } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { limit } from '../reader/parser.ts';
import { type OperationSettings, reportMalformed } from '../reader/read.ts';

/** The histogram of a log's intervals: integers or doubles, as in the log. */
export type LogHistogram = Histogram | DoubleHistogram;

/**
 * Adds an interval to the sum of others. The first interval decides on the precision, as in HdrHistogram's own tools: a
 * finer layout than the log's would gain nothing.
 */
export function addInterval(
  total: LogHistogram | undefined,
  interval: LogInterval,
  storage: 'dense' | 'sparse' = 'dense',
): LogHistogram {
  if (total === undefined) return interval.histogram({ storage });
  interval.addTo(total);
  return total;
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
  return tag === undefined ? undefined : Buffer.from(tag).toString();
}
