import { compareRows, isSameRow } from '../parquet/order.ts';
import type { HistoryRow } from '../rows/row.ts';

/** How many files are read at one time: memory has a row group of each. */
export const FILES_AT_ONCE = 32;

interface Head {
  readonly rows: AsyncIterator<HistoryRow>;
  row: HistoryRow;
}

/**
 * Several lists of rows as one, in the order of a file. Rows that are the same row come once, in their largest revision. Lists that are in
 * the order of a file need no memory; otherwise some duplicates may stay, which statements drop.
 *
 * @param onDuplicate Called for each row that is left out.
 */
export async function* merged(
  lists: readonly AsyncIterable<HistoryRow>[],
  onDuplicate: () => void,
): AsyncGenerator<HistoryRow, void, undefined> {
  const open: AsyncIterator<HistoryRow>[] = [];
  try {
    const heads: Head[] = [];
    for (const list of lists) {
      const rows = list[Symbol.asyncIterator]();
      open.push(rows);
      const first = await rows.next();
      if (!first.done) heads.push({ rows, row: first.value });
    }
    let last: HistoryRow | undefined;
    while (heads.length > 0) {
      const head = heads.reduce((least, one) => (compareRows(one.row, least.row) < 0 ? one : least));
      const { row } = head;
      if (last !== undefined && isSameRow(last, row)) onDuplicate();
      else yield row;
      last = row;
      const next = await head.rows.next();
      if (next.done) heads.splice(heads.indexOf(head), 1);
      else head.row = next.value;
    }
  } finally {
    for (const rows of open) await rows.return?.();
  }
}
