import { inOrder } from '../parquet/order.ts';
import { rowGroups, SLOTS_PER_GROUP } from '../parquet/row-groups.ts';
import type { HistoryRow } from '../rows/row.ts';
import type { RowBatch } from './target.ts';

// The code is not compiled yet.
const SLOTS_OF_FIRST_GROUP = 300;

/** The row groups of a batch. A batch has the same groups each time. */
export async function* batchGroups({ number, rows }: RowBatch): AsyncGenerator<HistoryRow[]> {
  const first = number === 0 ? SLOTS_OF_FIRST_GROUP : SLOTS_PER_GROUP;
  yield* rowGroups(await inOrder(rows), SLOTS_PER_GROUP, first);
}
