import fc from 'fast-check';
import {
  compactHistory,
  folderCompactSql,
  folderRollupSql,
  type HistoryRow,
  queryHistory,
  rollUpHistory,
  verifyHistory,
} from '../../src/index.ts';
import type { FolderDialect } from '../../src/sql/folder-writers.ts';
import { minutes } from './filled-folder.ts';
import { rowsIn, writeRows } from './folder.ts';
import { droppedKeys, inOrder, mergedSeries, readRolledRow, rowsOfHosts } from './merged-series.ts';
import { newDirectory } from './sandbox.ts';

/** Runs statements in an engine, one after the other. */
export type Run = (statements: readonly string[]) => Promise<void>;

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const LATER_MS = Date.parse('2030-01-01');

/** Rows over three days. */
function spread(rows: readonly HistoryRow[]): HistoryRow[] {
  return rows.map((row, i) => {
    const startMs = row.startMs + ((i * 7) % 50) * HOUR_MS;
    return { ...row, startMs, endMs: startMs + 1000 };
  });
}

/** Writes rows to a folder, some of them twice, and one also in an earlier revision. */
async function written(rows: readonly HistoryRow[]): Promise<{ folder: string; rows: HistoryRow[] }> {
  const folder = newDirectory();
  const [first, ...others] = rows as [HistoryRow, ...HistoryRow[]];
  const all = [{ ...first, revision: 7 }, ...others];
  const earlier = { ...first, count: 1, sum: 5, min: 5, max: 5, k: [5], c: [1], w: [] };
  for (const some of [all.slice(0, 4), all.slice(4), all.slice(0, 2), [{ ...earlier, margins: undefined }]]) {
    for (const day of new Set(some.map(dayOf)))
      await writeRows(
        folder,
        some.filter((row) => dayOf(row) === day),
      );
  }
  return { folder, rows: all };
}

function dayOf({ startMs }: HistoryRow): number {
  return Math.floor(startMs / DAY_MS);
}

async function readFolder(folder: string): Promise<HistoryRow[]> {
  return [...(await rowsIn(folder)).values()].flat();
}

/**
 * Expects that the statements of a rollup write what `mergeRows` gives, that they may be run again, and that everything reads the files.
 */
export async function expectFolderRollups(numRuns: number, dialect: FolderDialect, run: Run): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      rowsOfHosts,
      fc.oneof(droppedKeys, fc.constant([])),
      fc.constantFrom(HOUR_MS, DAY_MS),
      async (make, drop, everyMs) => {
        const made = spread(await make());
        if (made.length === 0) return;
        const { folder, rows } = await written(made);
        const into = `${newDirectory()}/it's rolled`;
        const statements = folderRollupSql(dialect, folder, into, { everyMs, drop });
        await run(statements);
        const expected = mergedSeries(rows, drop, everyMs);
        const found = await readFolder(into);
        expect(inOrder(found.map(readRolledRow))).toEqual(expected);
        expect(found.every(({ startMs, endMs }) => endMs - startMs === everyMs)).toBe(true);
        await run(statements);
        expect(new Set(await readFolder(into))).toEqual(new Set(found));
        expect((await verifyHistory(into)).damaged).toEqual([]);
        const { metric } = rows[0]!;
        const count = async (some: string): Promise<number> =>
          (await queryHistory(some, { metric })).reduce((sum, group) => sum + group.count, 0);
        expect(await count(into)).toBe(await count(folder));
        // The rows are in the order that this needs.
        const days = newDirectory();
        await rollUpHistory(into, days, { everyMs: DAY_MS, nowMs: LATER_MS });
        expect(await count(days)).toBe(await count(folder));
      },
    ),
    { numRuns },
  );
}

/** Expects that the statements of a compaction write each row once, as it is. */
export async function expectFolderCompaction(
  numRuns: number,
  dialect: FolderDialect,
  run: Run,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(rowsOfHosts, async (make) => {
      const made = spread(await make());
      if (made.length === 0) return;
      const { folder } = await written(made);
      const [into, again] = [newDirectory(), newDirectory()];
      await run(folderCompactSql(dialect, folder, into));
      await run(folderCompactSql(dialect, folder, into));
      // Compacted by hdrscope, the folder has the same rows in the same order.
      await compactHistory(folder, { nowMs: LATER_MS });
      const expected = await readFolder(folder);
      const found = await readFolder(into);
      expect(found).toEqual(expected);
      expect((await rowsIn(into)).size).toBe((await rowsIn(folder)).size);
      expect((await verifyHistory(into)).damaged).toEqual([]);
      // A compaction of a compaction, by either, is the same.
      await run(folderCompactSql(dialect, into, again));
      expect(await readFolder(again)).toEqual(expected);
      await writeRows(again, [expected[0]!]);
      await compactHistory(again, { nowMs: LATER_MS });
      expect(await readFolder(again)).toEqual(expected);
    }),
    { numRuns },
  );
}

/** Expects that late rows count, that other days stay, and that merged series have bounds when they are merged again. */
export async function expectLaterRollups(dialect: FolderDialect, run: Run): Promise<void> {
  const [folder, into, daily, again] = [newDirectory(), newDirectory(), newDirectory(), newDirectory()];
  const onHost = (rows: readonly HistoryRow[], host: string, dayMs = 0): HistoryRow[] =>
    rows.map((row) => ({
      ...row,
      attributes: { host },
      startMs: row.startMs + dayMs,
      endMs: row.endMs + dayMs,
      producer: `${host} ${dayMs}`,
    }));
  await writeRows(folder, onHost(await minutes(120), 'a'));
  await writeRows(folder, onHost(await minutes(60), 'b'));
  await writeRows(folder, onHost(await minutes(60), 'a', DAY_MS));
  const options = { drop: ['host'] };
  await run(folderRollupSql(dialect, folder, into, options));
  const facts = async (some: string) =>
    (await readFolder(some)).map(({ count, series }) => [count, series?.lower, series?.upper]);
  expect(await facts(into)).toEqual([
    [240, 2, 2],
    [120, 1, 1],
    [120, 1, 1],
  ]);
  await writeRows(folder, onHost(await minutes(30), 'c'));
  await writeRows(folder, onHost(await minutes(30), 'c', DAY_MS));
  const untilMs = Date.parse('2023-11-15');
  await run(folderRollupSql(dialect, folder, into, { ...options, untilMs }));
  expect(await facts(into)).toEqual([
    [300, 3, 3],
    [120, 1, 1],
    [120, 1, 1],
  ]);
  // An hour of three hosts and one of one have three hosts together, or four.
  const ofDays = [
    [420, 3, 4],
    [120, 1, 1],
  ];
  await run(folderRollupSql(dialect, into, daily, { everyMs: DAY_MS }));
  expect(await facts(daily)).toEqual(ofDays);
  await rollUpHistory(into, again, { everyMs: DAY_MS, nowMs: LATER_MS });
  expect(await facts(again)).toEqual(ofDays);
}

/** Expects that rollups of spans that share days, and of another length into the same folder, have each value once. */
export async function expectOverlappingRollups(dialect: FolderDialect, run: Run): Promise<void> {
  const [folder, into, whole] = [newDirectory(), newDirectory(), newDirectory()];
  const rows = await minutes(3);
  const startMs = Math.floor(rows[0]!.startMs / DAY_MS) * DAY_MS;
  for (let day = 0; day < 3; day++) {
    const moved = rows.map((row) => ({
      ...row,
      startMs: row.startMs + day * DAY_MS,
      endMs: row.endMs + day * DAY_MS,
      producer: `shop ${day}`,
    }));
    await writeRows(folder, moved);
  }
  const roll = (options: object) => run(folderRollupSql(dialect, folder, into, options));
  await roll({ untilMs: startMs + 2 * DAY_MS });
  await roll({ sinceMs: startMs + DAY_MS });
  await run(folderRollupSql(dialect, folder, whole));
  expect(new Set(await readFolder(into))).toEqual(new Set(await readFolder(whole)));
  await roll({ everyMs: DAY_MS, sinceMs: startMs + DAY_MS });
  const found = await readFolder(into);
  expect(found.map(({ startMs, endMs, count }) => [endMs - startMs, count])).toEqual([
    [HOUR_MS, 6],
    [DAY_MS, 6],
    [DAY_MS, 6],
  ]);
}
