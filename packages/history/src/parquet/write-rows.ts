import { mustBe } from '@hdrscope/core/internal';
import { fileError } from '../errors.ts';
import { assertLengths } from '../rows/counted-of-row.ts';
import type { HistoryRow } from '../rows/row.ts';
import { largestWeight } from '../rows/row-weight.ts';
import { realFiles } from './files.ts';
import { inOrder } from './order.ts';
import { rowGroups, SLOTS_PER_GROUP } from './row-groups.ts';
import { type WrittenFile, writeFile } from './write-file.ts';

/**
 * Writes rows to a Parquet file, in the order of docs/formats/history.md. The file has another name until it is complete; it replaces a
 * file that is there. `openHistory` does this for a whole registry.
 *
 * @param path The folder is made if it does not exist.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the path is empty; `ERR_INVALID_COUNT` when `k`, `c` and `w` of a row differ in length,
 *   or one of them is no list; `ERR_HISTORY_FILE` when the file cannot be written.
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { readRows, rowsBetween, writeRows } from '@hdrscope/history';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * registry.histogram({ name: 'sizes', unit: 'By' }).with({ kind: 'image' }).record(2000);
 * const rows = [...rowsBetween(undefined, await registry.gather(), { producer: 'shop 7d1f' })];
 *
 * const path = join(await mkdtemp(join(tmpdir(), 'history-')), 'sizes.parquet');
 * (await writeRows(path, rows)).rows; //=> 1
 * for await (const { metric, attributes, max } of readRows(path)) {
 *   [metric, attributes, max]; //=> ['sizes', { kind: 'image' }, 2000]
 * }
 * ```
 */
export async function writeRows(path: string, rows: readonly HistoryRow[]): Promise<WrittenFile> {
  if (typeof path !== 'string' || path === '') {
    throw mustBe('ERR_INVALID_OPTION', 'path', 'the path of a file', path);
  }
  for (const [i, row] of rows.entries()) assertLengths(row, `rows[${i}].`);
  try {
    const hasWeights = largestWeight(rows) > 1;
    return await writeFile(realFiles, path, rowGroups(await inOrder(rows), SLOTS_PER_GROUP), { hasWeights });
  } catch (error) {
    throw fileError('write', path, error);
  }
}
