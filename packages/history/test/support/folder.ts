import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type HistoryRow, readRows } from '../../src/index.ts';
import { realFiles } from '../../src/parquet/files.ts';
import { DAY, dayOf } from '../../src/parquet/names.ts';
import { compareRows } from '../../src/parquet/order.ts';
import { rowGroups } from '../../src/parquet/row-groups.ts';
import { writeFile } from '../../src/parquet/write-file.ts';

/** All rows of a folder, by their files. Files that are being written are not among them. */
export async function rowsIn(folder: string): Promise<Map<string, HistoryRow[]>> {
  const found = new Map<string, HistoryRow[]>();
  for (const name of (readdirSync(folder, { recursive: true }) as string[]).sort()) {
    if (!name.endsWith('.parquet')) continue;
    const rows: HistoryRow[] = [];
    for await (const row of readRows(join(folder, name))) rows.push(row);
    found.set(name, rows);
  }
  return found;
}

let files = 0;

/** Writes rows to a file of a folder, in the order of a history. Returns its path. */
export async function writeRows(
  folder: string,
  rows: readonly HistoryRow[],
  slots = 10_000,
): Promise<string> {
  const path = join(folder, `${DAY}${dayOf(rows[0]?.startMs ?? 0)}`, `${files++}.parquet`);
  const hasWeights = rows.some(({ weight }) => weight !== undefined);
  await writeFile(realFiles, path, rowGroups([...rows].sort(compareRows), slots), { hasWeights });
  return path;
}
