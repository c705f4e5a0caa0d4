import type { AxisSlot } from '../plot.ts';

/** The largest number of columns that an option may ask for. */
export const MOST_COLUMNS = 10_000;

/** The content of a stretch of time. */
export interface TimeColumn<T> {
  readonly startMs: number;
  /** At least `startMs`. */
  readonly endMs: number;
  readonly content: T;
}

/** How much the contents of columns may take. */
export interface ContentLimit<T> {
  readonly maxBytes: number;
  bytesOf(content: T): number;
}

/** With fewer columns there is no time axis. */
const FEWEST_COLUMNS = 2;

/**
 * A bounded number of columns, for a time of any length. When there are too many columns, neighbours become one column of
 * twice the width, and later intervals fill columns of that width. Contents that take too many bytes have the same effect.
 */
export class TimeColumns<T> {
  /** At least 2. */
  readonly #limit: number;
  readonly #merge: (a: T, b: T) => T;
  readonly #contents: ContentLimit<T>;
  /** The size of all contents. */
  #bytes = 0;
  #isShort = false;
  /** Ascending by start, at most `#limit`. */
  #columns: TimeColumn<T>[] = [];
  /** Neighbours that are together no wider become one column, in ms. Doubles as time goes on; 0 before the first column. */
  #widthMs = 0;
  /** How much wider a column may be, since the lengths of intervals vary a little: half of the first interval. */
  #toleranceMs = 0;

  /** @param merge May change and return its first argument. */
  constructor(limit: number, merge: (a: T, b: T) => T, contents: ContentLimit<T> = UNLIMITED) {
    this.#limit = limit;
    this.#merge = merge;
    this.#contents = contents;
  }

  /** Whether there are fewer columns because of the bytes of their contents. */
  get isShort(): boolean {
    return this.#isShort;
  }

  /** Ascending, of unequal width. Time without intervals has no column. */
  get columns(): readonly TimeColumn<T>[] {
    return this.#columns;
  }

  /** Intervals may come in any order. */
  add(startMs: number, endMs: number, content: T): void {
    const added: TimeColumn<T> = { startMs, endMs: Math.max(startMs, endMs), content };
    this.#bytes += this.#contents.bytesOf(content);
    if (this.#columns.length === 0) {
      this.#widthMs = Math.max(1, added.endMs - startMs);
      this.#toleranceMs = this.#widthMs / 2;
    }
    const at = this.#after(startMs);
    const before = this.#columns[at - 1];
    const next = this.#columns[at];
    if (before !== undefined && this.#isOne(before, added)) this.#columns[at - 1] = this.#sum(before, added);
    else if (next !== undefined && this.#isOne(added, next)) this.#columns[at] = this.#sum(next, added);
    else this.#columns.splice(at, 0, added);
    while (this.#columns.length > this.#limit) this.#widen();
    while (this.#bytes > this.#contents.maxBytes && this.#columns.length > FEWEST_COLUMNS) {
      this.#isShort = true;
      this.#widen();
    }
  }

  /** The place of the first column that starts after a moment. */
  #after(moment: number): number {
    let at = this.#columns.length;
    while (at > 0 && this.#columns[at - 1]!.startMs > moment) at--;
    return at;
  }

  /** Whether two columns become one. `first` starts no later than `second`. */
  #isOne(first: TimeColumn<T>, second: TimeColumn<T>): boolean {
    const lengthMs = Math.max(first.endMs, second.endMs) - first.startMs;
    const isWithin = second.startMs < first.endMs && second.endMs <= first.endMs;
    return isWithin || lengthMs <= this.#widthMs + this.#toleranceMs;
  }

  #sum(a: TimeColumn<T>, b: TimeColumn<T>): TimeColumn<T> {
    const { bytesOf } = this.#contents;
    const bytes = bytesOf(a.content) + bytesOf(b.content);
    const content = this.#merge(a.content, b.content);
    this.#bytes += bytesOf(content) - bytes;
    return { startMs: Math.min(a.startMs, b.startMs), endMs: Math.max(a.endMs, b.endMs), content };
  }

  #widen(): void {
    this.#widthMs *= 2;
    const wider: TimeColumn<T>[] = [];
    for (const column of this.#columns) {
      const last = wider.at(-1);
      if (last !== undefined && this.#isOne(last, column)) wider[wider.length - 1] = this.#sum(last, column);
      else wider.push(column);
    }
    this.#columns = wider;
  }
}

const UNLIMITED: ContentLimit<unknown> = { maxBytes: Number.POSITIVE_INFINITY, bytesOf: () => 0 };

/** A slot of the time axis. */
export interface TimeSlot {
  readonly slot: AxisSlot;
  /** The place of the slot's column; `undefined` for a gap. */
  readonly column: number | undefined;
}

/** The slots of columns and of the gaps between them. A gap that is shorter than a usual column belongs to the column before it. */
export function timeSlots(
  columns: readonly { readonly startMs: number; readonly endMs: number }[],
): TimeSlot[] {
  const lengths = columns.map(({ startMs, endMs }) => endMs - startMs).sort((a, b) => a - b);
  const typicalMs = Math.max(1, lengths[lengths.length >> 1] ?? 0);
  return columns.flatMap(({ startMs, endMs }, column): TimeSlot[] => {
    const next = columns[column + 1];
    const own = (upper: number): TimeSlot => ({ slot: { lower: startMs, upper }, column });
    if (next === undefined) return [own(endMs)];
    if (next.startMs - endMs < typicalMs) return [own(next.startMs)];
    return [own(endMs), { slot: { lower: endMs, upper: next.startMs }, column: undefined }];
  });
}
