import type { HistoryRow } from '../rows/row.ts';
import { compareRows, isSameRow } from './order.ts';
import type { Totals } from './totals.ts';

/** The key of a file's metadata that says which rows it has. */
export const ROWS_KEY = 'hdrscope.history.rows';

/** The sequences of one producer, or of several whose names begin alike. */
export interface SequenceRange {
  /** The name of the producer; in a range of several, what their names begin with. */
  readonly producer: string;
  /** Whether the range has all producers whose names begin so. */
  readonly isPrefix: boolean;
  /** The smallest sequence. */
  readonly first: number;
  /** The largest sequence. */
  readonly last: number;
}

/** The rows of a file, each there once: every one is in a range, and a range may have gaps. */
export interface RowRanges {
  readonly rows: number;
  readonly ranges: readonly SequenceRange[];
  /** Whether no row has widths. Questions refuse a file whose rows disagree. @default it is not known */
  readonly isNarrow?: boolean;
}

// About 5 kB of a file.
const MOST_RANGES = 64;

/** Finds the ranges of the rows of a file while they are written. */
export class RowRangesFinder {
  #ranges = new Map<string, { first: number; last: number }>();
  #isByPrefix = false;
  #isKnown = true;
  #isNarrow = true;
  #rows = 0;
  #isInOrder = true;
  #totals = { rows: 0, values: 0 };
  #last: HistoryRow | undefined;

  /** Takes the next rows of the file. */
  add(rows: readonly HistoryRow[]): void {
    this.#rows += rows.length;
    for (const row of rows) {
      if (row.w.length > 0) this.#isNarrow = false;
      if (!this.#isInOrder) continue;
      const last = this.#last;
      this.#last = row;
      this.#isInOrder = last === undefined || compareRows(last, row) <= 0;
      // Rows of equal producer and sequence have one series and one start, so in this order they are neighbours.
      const isRepeated = last !== undefined && isSameRow(last, row);
      this.#isKnown &&= this.#isInOrder && !isRepeated;
      if (!isRepeated) {
        this.#totals.rows++;
        this.#totals.values = Math.min(2 ** 53, this.#totals.values + row.count);
      }
      if (!this.#isKnown) continue;
      this.#take(this.#isByPrefix ? prefixOf(row.producer) : row.producer, row.sequence, row.sequence);
      if (this.#ranges.size > MOST_RANGES) this.#widen();
    }
  }

  /** Those of the rows so far; `undefined` when they are not in order, so that a row may be there again anywhere. */
  get totals(): Totals | undefined {
    return this.#isInOrder ? this.#totals : undefined;
  }

  /**
   * The ranges as metadata have them; `undefined` when rows are not in order, so that some may be there twice, or there are too many
   * ranges.
   */
  get text(): string | undefined {
    if (!this.#isKnown) return undefined;
    const isPrefix = this.#isByPrefix;
    const ranges = [...this.#ranges].map(([producer, range]) => ({ producer, isPrefix, ...range }));
    return JSON.stringify({ rows: this.#rows, ranges, isNarrow: this.#isNarrow } satisfies RowRanges);
  }

  #take(producer: string, first: number, last: number): void {
    const range = this.#ranges.get(producer);
    if (range === undefined) {
      this.#ranges.set(producer, { first, last });
    } else {
      range.first = Math.min(range.first, first);
      range.last = Math.max(range.last, last);
    }
  }

  /** Makes one range of all producers with an equal prefix. */
  #widen(): void {
    const ranges = this.#ranges;
    this.#isKnown = !this.#isByPrefix;
    this.#isByPrefix = true;
    this.#ranges = new Map();
    for (const [producer, { first, last }] of ranges) this.#take(prefixOf(producer), first, last);
    if (this.#ranges.size > MOST_RANGES) this.#isKnown = false;
  }
}

/** A name up to its last space, after which it has what distinguishes producers of one kind. */
export function prefixOf(producer: string): string {
  return producer.slice(0, producer.lastIndexOf(' ') + 1);
}

/**
 * Reads the ranges of a file.
 *
 * @param text The value of `ROWS_KEY`.
 * @param rowCount The rows that the file has.
 * @returns `undefined` when the text is no list of ranges, or speaks of another number of rows: a program that puts several files into one
 *   may keep the metadata of the first.
 */
export function parsedRanges(text: string, rowCount: number): RowRanges | undefined {
  try {
    const found = JSON.parse(text) as RowRanges;
    return found.rows === rowCount && found.ranges.every(isRange) ? found : undefined;
  } catch {
    return undefined;
  }
}

function isRange({ producer, isPrefix, first, last }: SequenceRange): boolean {
  return (
    typeof producer === 'string' &&
    typeof isPrefix === 'boolean' &&
    Number.isSafeInteger(first) &&
    Number.isSafeInteger(last)
  );
}
