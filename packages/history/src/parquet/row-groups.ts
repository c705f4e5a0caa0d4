import type { HistoryRow } from '../rows/row.ts';

/**
 * Rows in groups of about `slots` slots. A group is encoded at once, so its size is how long other work waits.
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
  for await (const row of rows) {
    group.push(row);
    // The other columns take as long as a few slots.
    left -= row.k.length + 10;
    if (left > 0) continue;
    yield group;
    group = [];
    size = Math.min(2 * size, slots);
    left = size;
  }
  if (group.length > 0) yield group;
}
