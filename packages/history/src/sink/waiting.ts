import { dayOf } from '../parquet/names.ts';
import type { HistoryRow } from '../rows/row.ts';
import type { RowBatch } from './target.ts';

// Measured with Node.js 20: an object with its times and texts, and two arrays that have grown to some capacity.
const BYTES_PER_ROW = 400;
const BYTES_PER_SLOT = 24;

interface WaitingRow {
  readonly row: HistoryRow;
  readonly sinceMs: number;
  /** Where the row is kept meanwhile. */
  kept: KeptRows | undefined;
}

/** Rows that are kept together while they wait. */
interface KeptRows {
  /** How many of them wait. */
  waiting: number;
  readonly remove: () => Promise<void>;
}

/** Rows that are given up, and are kept nowhere. */
interface LostRows {
  readonly rows: readonly HistoryRow[];
  /** How many of them were in a batch that somebody has tried to write. */
  readonly tried: number;
}

/** A batch without its producer. */
type WaitingBatch = Omit<RowBatch, 'producer'>;

/** The rows that wait to be written, in the order in which they came. */
export class WaitingRows {
  #rows: WaitingRow[] = [];
  #bytes = 0;
  #batch: WaitingBatch | undefined;
  #batches = 0;
  #batchesKept = 0;

  get length(): number {
    return this.#rows.length;
  }

  /** About as many bytes as the rows take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** When the oldest row came; `Infinity` when there is no row. */
  get oldestMs(): number {
    return this.#rows[0]?.sinceMs ?? Number.POSITIVE_INFINITY;
  }

  add(rows: readonly HistoryRow[], nowMs: number): void {
    for (const row of rows) {
      this.#rows.push({ row, sinceMs: nowMs, kept: undefined });
      this.#bytes += bytesOf(row);
    }
  }

  /**
   * The first rows of one day: at most `maxBatchRows`, and of at most `maxBytes` unless the first alone is larger. They stay, and the batch is
   * the same until it is written or lost: a failed attempt may have written it.
   */
  next(maxBatchRows: number, maxBytes: number): WaitingBatch {
    this.#batch ??= { number: this.#batches++, rows: firstOfDay(this.#rows, maxBatchRows, maxBytes) };
    return this.#batch;
  }

  /** The first rows of one day that are not kept yet; `undefined` when all are. */
  nextToKeep(maxBatchRows: number): WaitingBatch | undefined {
    const waiting = this.#rows.filter(({ kept }) => kept === undefined);
    if (waiting.length === 0) return undefined;
    return { number: this.#batchesKept++, rows: firstOfDay(waiting, maxBatchRows, Number.POSITIVE_INFINITY) };
  }

  /** Rows are kept until all of them are written: `remove` removes them then. */
  keep({ rows }: WaitingBatch, remove: () => Promise<void>): void {
    const kept = { waiting: rows.length, remove };
    const these = new Set(rows);
    for (const one of this.#rows) if (these.has(one.row)) one.kept = kept;
  }

  /** Takes the rows of the batch out: they are written. Removes those that were kept, of which none waits any more. */
  async remove(batch: WaitingBatch): Promise<void> {
    for (const { kept } of this.#takeOut(batch)) {
      if (kept !== undefined && --kept.waiting === 0) await kept.remove();
    }
  }

  #takeOut({ rows }: WaitingBatch): WaitingRow[] {
    const gone = new Set(rows);
    const out: WaitingRow[] = [];
    const staying: WaitingRow[] = [];
    // The rows of a batch are among the first ones: looking at all would take quadratic time in the number of batches.
    let end = 0;
    for (; out.length < rows.length && end < this.#rows.length; end++) {
      const waiting = this.#rows[end]!;
      (gone.has(waiting.row) ? out : staying).push(waiting);
    }
    this.#rows = staying.concat(this.#rows.slice(end));
    for (const row of rows) this.#bytes -= bytesOf(row);
    this.#batch = undefined;
    return out;
  }

  /**
   * Takes the oldest rows out until the others take at most so many bytes, and a batch that was tried as a whole.
   *
   * @returns Those that are kept nowhere. What is kept stays there.
   */
  dropBeyond(mostBytes: number): LostRows {
    if (this.#bytes <= mostBytes) return { rows: [], tried: 0 };
    const tried = this.#batch === undefined ? [] : this.#takeOut(this.#batch);
    let count = 0;
    while (this.#bytes > mostBytes && count < this.#rows.length)
      this.#bytes -= bytesOf(this.#rows[count++]!.row);
    const others = this.#rows.splice(0, count);
    const lost = (some: readonly WaitingRow[]): HistoryRow[] =>
      some.filter(({ kept }) => kept === undefined).map(({ row }) => row);
    return { rows: [...lost(tried), ...lost(others)], tried: lost(tried).length };
  }
}

/** The first rows that start on one day. The first row is among them. */
function firstOfDay(waiting: readonly WaitingRow[], maxRows: number, maxBytes: number): HistoryRow[] {
  const day = dayOf(waiting[0]!.row.startMs);
  const rows: HistoryRow[] = [];
  let bytes = 0;
  for (const { row } of waiting) {
    if (dayOf(row.startMs) !== day) continue;
    bytes += bytesOf(row);
    if (rows.length === maxRows || (rows.length > 0 && bytes > maxBytes)) break;
    rows.push(row);
  }
  return rows;
}

function bytesOf({ k }: HistoryRow): number {
  return BYTES_PER_ROW + BYTES_PER_SLOT * k.length;
}
