import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DAY, dayOf } from '../../src/parquet/names.ts';
import { REQUIRED_COLUMNS } from '../../src/parquet/schema.ts';
import { runInDuckDb } from './duckdb.ts';
import { minutes } from './filled-folder.ts';
import { writeRows } from './folder.ts';
import { newDirectory } from './sandbox.ts';

/** A folder with a file of a history, and one that lacks a column. */
async function folderLacking(column: string): Promise<string> {
  const rows = await minutes(6);
  const folder = newDirectory();
  await writeRows(folder, rows.slice(0, 3));
  const whole = await writeRows(newDirectory(), rows.slice(3));
  const file = join(folder, `${DAY}${dayOf(rows[3]!.startMs)}`, 'lacking.parquet');
  mkdirSync(dirname(file), { recursive: true });
  await runInDuckDb(`COPY (SELECT * EXCLUDE ("${column}") FROM '${whole}') TO '${file}' (FORMAT parquet)`);
  return folder;
}

/**
 * Expects that an engine refuses a folder in which one file of two lacks a column, and never answers by the other file alone.
 *
 * @param columns @default each column that all files have
 */
export async function expectRefusedFiles(
  ask: (folder: string) => Promise<unknown>,
  columns: readonly string[] = REQUIRED_COLUMNS,
): Promise<void> {
  for (const column of columns) {
    const folder = await folderLacking(column);
    const answer = await ask(folder).catch((error: Error) => error);
    expect([column, answer]).toEqual([column, expect.any(Error)]);
  }
}
