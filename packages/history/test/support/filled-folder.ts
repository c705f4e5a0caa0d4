import type { HistoryRow } from '../../src/index.ts';
import { writeRows } from './folder.ts';
import { rowsOf } from './recorded.ts';
import { newDirectory } from './sandbox.ts';

/** A folder with files of one day, each row in one of them. */
export async function folderWith(
  fileCount: number,
  rowsPerFile = 5,
): Promise<{ folder: string; rows: HistoryRow[] }> {
  const folder = newDirectory();
  const all: HistoryRow[] = [];
  const routes = ['/a', '/b', '/c'];
  for (let file = 0; file < fileCount; file++) {
    const intervals = Array.from({ length: rowsPerFile }, (_, i) => [file, i, file * i]);
    const rows = (
      await rowsOf([{ significantDigits: 2, attributes: { route: routes[file % 3]! }, intervals }])
    ).map((row) => ({
      ...row,
      producer: `producer ${file % 4}`,
      sequence: row.sequence + file * rowsPerFile,
    }));
    await writeRows(folder, rows);
    all.push(...rows);
  }
  return { folder, rows: all };
}

/** Rows of one series, a minute each, from the start of 2023-11-14 on. */
export async function minutes(count: number, producer = 'shop 7d1f'): Promise<HistoryRow[]> {
  const [row] = await rowsOf([{ significantDigits: 2, attributes: { route: '/a' }, intervals: [[5, 700]] }]);
  const startMs = Date.parse('2023-11-14');
  return Array.from({ length: count }, (_, i) => ({
    ...row!,
    startMs: startMs + i * 60_000,
    endMs: startMs + (i + 1) * 60_000,
    producer,
    sequence: i,
  }));
}
