import { HdrscopeError } from '@hdrscope/core';
import { assertLimit } from '../reader/limits.ts';

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

const DEFAULT_MAX_TAGS = 10_000;

// Dense histograms are faster to add to, and take as much memory as the log asks for, whatever they count.
const DENSE_BYTES = 2 ** 26;
// A line of a few kilobytes may make a histogram of many megabytes.
const MOST_BYTES = 2 ** 30;

/** Bounds the number of tags and the memory of their totals. */
export class TagLimits {
  readonly #maxTags: number;
  #tags = 0;
  #bytes = 0;

  /** @throws HdrscopeError `ERR_INVALID_OPTION` */
  constructor({ maxTags = DEFAULT_MAX_TAGS }: TagOptions) {
    assertLimit('maxTags', maxTags);
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
