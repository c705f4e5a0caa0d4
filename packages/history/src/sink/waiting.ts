import { Slices } from '@hdrscope/kit';
import { dayOf } from '../parquet/names.ts';
import { seriesKey } from '../parquet/order.ts';
import type { HistoryRow } from '../rows/row.ts';

// Measured with Node.js 20: an object with its times and texts, and two arrays that have grown to some capacity.
const BYTES_PER_ROW = 400;
const BYTES_PER_SLOT = 24;

interface WaitingRow {
  readonly row: HistoryRow;
  readonly sinceMs: number;
}

/** The rows that wait for a file, in the order in which they came. */
export class WaitingRows {
  #rows: WaitingRow[] = [];
  #bytes = 0;

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

  /** The first rows, at most `count`, that are of one day. They stay. */
  firstOfDay(count: number): HistoryRow[] {
    const [first] = this.#rows;
    if (first === undefined) return [];
    const day = dayOf(first.row.startMs);
    const rows: HistoryRow[] = [];
    for (const { row } of this.#rows) {
      if (rows.length === count) break;
      if (dayOf(row.startMs) === day) rows.push(row);
    }
    return rows;
  }

  /** Takes rows out. */
  remove(rows: readonly HistoryRow[]): void {
    const gone = new Set(rows);
    this.#rows = this.#rows.filter(({ row }) => !gone.has(row));
    for (const row of rows) this.#bytes -= bytesOf(row);
  }

  /** Takes the oldest rows out until the others take at most so many bytes. Returns them. */
  dropBeyond(mostBytes: number): HistoryRow[] {
    let count = 0;
    while (this.#bytes > mostBytes && count < this.#rows.length)
      this.#bytes -= bytesOf(this.#rows[count++]!.row);
    return this.#rows.splice(0, count).map(({ row }) => row);
  }
}

function bytesOf({ k }: HistoryRow): number {
  return BYTES_PER_ROW + BYTES_PER_SLOT * k.length;
}

/** Rows in the order of a file. Those of a series must be in the order of time already: only the series are sorted. */
export async function inFileOrder(rows: readonly HistoryRow[]): Promise<HistoryRow[]> {
  const slices = new Slices();
  const bySeries = new Map<string, HistoryRow[]>();
  for (const row of rows) {
    const key = seriesKey(row);
    const ofSeries = bySeries.get(key);
    if (ofSeries === undefined) bySeries.set(key, [row]);
    else ofSeries.push(row);
    if (slices.isOver()) await slices.next();
  }
  return [...bySeries.keys()].sort().flatMap((key) => bySeries.get(key)!);
}
