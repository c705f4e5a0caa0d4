import { dayOf } from '../parquet/names.ts';
import type { HistoryRow } from '../rows/row.ts';
import type { RowBatch } from './target.ts';

// Measured with Node.js 20: an object with its times and texts, and two arrays that have grown to some capacity.
const BYTES_PER_ROW = 400;
const BYTES_PER_SLOT = 24;

interface WaitingRow {
  readonly row: HistoryRow;
  readonly sinceMs: number;
}

/** Rows that are given up. */
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
      this.#rows.push({ row, sinceMs: nowMs });
      this.#bytes += bytesOf(row);
    }
  }

  /**
   * The first rows of one day: at most `maxBatchRows`, and of at most `maxBytes` unless the first alone is larger. They stay, and the batch is
   * the same until it is written or lost: a failed attempt may have written it.
   */
  next(maxBatchRows: number, maxBytes: number): WaitingBatch {
    this.#batch ??= { number: this.#batches++, rows: this.#firstOfDay(maxBatchRows, maxBytes) };
    return this.#batch;
  }

  /** Takes the rows of the batch out: they are written. */
  remove({ rows }: WaitingBatch): void {
    const gone = new Set(rows);
    this.#rows = this.#rows.filter(({ row }) => !gone.has(row));
    for (const row of rows) this.#bytes -= bytesOf(row);
    this.#batch = undefined;
  }

  /** Takes the oldest rows out until the others take at most so many bytes, and a batch that was tried as a whole. Returns them. */
  dropBeyond(mostBytes: number): LostRows {
    const tried = this.#bytes > mostBytes ? (this.#batch?.rows ?? []) : [];
    if (this.#batch !== undefined && tried.length > 0) this.remove(this.#batch);
    let count = 0;
    while (this.#bytes > mostBytes && count < this.#rows.length)
      this.#bytes -= bytesOf(this.#rows[count++]!.row);
    const others = this.#rows.splice(0, count).map(({ row }) => row);
    return { rows: [...tried, ...others], tried: tried.length };
  }

  #firstOfDay(maxBatchRows: number, maxBytes: number): HistoryRow[] {
    const day = dayOf(this.#rows[0]!.row.startMs);
    const rows: HistoryRow[] = [];
    let bytes = 0;
    for (const { row } of this.#rows) {
      if (dayOf(row.startMs) !== day) continue;
      bytes += bytesOf(row);
      if (rows.length === maxBatchRows || (rows.length > 0 && bytes > maxBytes)) break;
      rows.push(row);
    }
    return rows;
  }
}

function bytesOf({ k }: HistoryRow): number {
  return BYTES_PER_ROW + BYTES_PER_SLOT * k.length;
}
