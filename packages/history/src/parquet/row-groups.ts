import type { HistoryRow } from '../rows/row.ts';
import { seriesKey } from './order.ts';

/**
 * How many slots a row group has in files. Readers hold a group in memory, and decode it at once, in up to 50 ms. Larger groups would make files
 * 3 % smaller.
 */
export const SLOTS_PER_GROUP = 80_000;

// The other columns of a row take as long as so many slots, and so do so many characters of a series that the row before does not have.
const ROW = 10;
const CHARACTERS_PER_SLOT = 5;

/**
 * Rows in groups of about `slots` slots. Memory holds a group, and its texts are encoded at once.
 *
 * @param first Slots of the first group. Each group is twice as large as the one before, until it has `slots` slots: in a process that
 *   encodes for the first time, code takes ten times as long.
 */
export async function* rowGroups(
  rows: Iterable<HistoryRow> | AsyncIterable<HistoryRow>,
  slots: number,
  first: number = slots,
): AsyncGenerator<HistoryRow[]> {
  let group: HistoryRow[] = [];
  let size = Math.min(first, slots);
  let left = size;
  let lastKey = '';
  for await (const row of rows) {
    group.push(row);
    const key = seriesKey(row);
    left -= row.k.length + ROW + (key === lastKey ? 0 : key.length / CHARACTERS_PER_SLOT);
    lastKey = key;
    if (left > 0) continue;
    yield group;
    group = [];
    size = Math.min(2 * size, slots);
    left = size;
  }
  if (group.length > 0) yield group;
}
