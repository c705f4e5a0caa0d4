import { join } from 'node:path';
import { createRegistry, type Snapshot } from '@hdrscope/registry';
import { recordSample } from '@hdrscope/registry/internal';
import { caseCount } from '@hdrscope/testing/case-count';
import { createRandom } from '@hdrscope/testing/random';
import { findMostByChance } from '@hdrscope/testing/sampling';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import fc from 'fast-check';
import {
  compactHistory,
  explainHistory,
  folderCompactSql,
  folderRollupSql,
  type HistoryRow,
  mergeRows,
  openHistory,
  queryMergedRows,
  readRows,
  rollUpHistory,
  rowsBetween,
  snapshotsOfRows,
  writeRows as writeFileOfRows,
} from '../../src/index.ts';
import { explainRows, histogramsOfRow } from '../../src/internal.ts';
import { objectiveHistory } from '../../src/objective/objective-history.ts';
import { compareRows } from '../../src/parquet/order.ts';
import { runInDuckDb } from '../support/duckdb.ts';
import { rowsIn, writeRows } from '../support/folder.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

const START_MS = Date.parse('2023-11-14T10:00:00Z');
const LATER_MS = Date.parse('2024-01-01');

let sequence = 0;

/** A row of some counts in slots of single ticks, which are milliseconds. */
function rowOf(more: Partial<HistoryRow> & Pick<HistoryRow, 'k' | 'c'>): HistoryRow {
  const startMs = more.startMs ?? START_MS;
  const ticks = [1, 1000];
  return {
    ...{ metric: 'lat', unit: 'ms', attributes: {}, producer: 'p', sequence: sequence++, version: 2 },
    ...{ startMs, endMs: startMs + 60_000, scale: 1, bits: 10, w: [] },
    ...{ count: more.c.reduce((sum, n) => sum + n, 0), sum: 1, min: ticks[0]!, max: ticks[1]! },
    ...more,
  };
}

const [FAST, SLOW] = [(1023 << 10) | 0, (1032 << 10) | 976];

/** Rows of a few routes and minutes, some of samples. */
const anyRows = fc
  .array(
    fc.record({
      route: fc.constantFrom('/a', '/b'),
      minute: fc.nat(100),
      weight: fc.constantFrom(undefined, undefined, 2, 10, 1000),
      c: fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 })),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((all) =>
    all.map(({ route, minute, weight, c }) =>
      rowOf({
        ...{ attributes: { route }, startMs: START_MS + minute * 60_000, k: [FAST, SLOW], c: [...c] },
        ...(weight !== undefined && { weight }),
      }),
    ),
  );

const weightOf = (rows: readonly HistoryRow[]): number | undefined => mergeRows(rows).weight;

async function weightIn(folder: string): Promise<number | undefined> {
  const found: (number | undefined)[] = [];
  for await (const { weight } of queryMergedRows(folder, { metric: 'lat', by: [] })) found.push(weight);
  expect(found).toHaveLength(1);
  return found[0];
}

test('a row of a sample has its weight, only where values of its interval stand for several', async () => {
  const registry = createRegistry();
  const family = registry.histogram({ name: 'lat', unit: 's' });
  const snapshots: Snapshot[] = [];
  for (const weight of [1, 10, 1, 4]) {
    recordSample(family.with({ route: '/a' }), 0.25, weight);
    family.with({ route: '/b' }).record(0.25);
    snapshots.push(await registry.gather());
  }
  const weights = snapshots.map((later, i) =>
    [...rowsBetween(snapshots[i - 1], later, { producer: 'p' })].map(({ weight }) => weight),
  );
  // That of an earlier interval holds for later ones with samples.
  expect(weights).toEqual([
    [undefined, undefined],
    [10, undefined],
    [undefined, undefined],
    [10, undefined],
  ]);
});

test('files, sums, compactions and rollups keep the largest weight, and files without samples have no column', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRows, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (files, dropsRoute) => {
        const [folder, hourly] = [newDirectory(), newDirectory()];
        const all = files.flat();
        for (const rows of files) {
          const path = await writeRows(folder, rows);
          const columns = await runInDuckDb(`DESCRIBE SELECT * FROM '${path}'`, {});
          const hasColumn = columns.some(({ column_name }) => column_name === 'weight');
          expect(hasColumn).toBe(weightOf(rows) !== undefined);
          const read: HistoryRow[] = [];
          for await (const row of readRows(path)) read.push(row);
          expect(read).toEqual([...rows].sort(compareRows));
        }
        expect(await weightIn(folder)).toBe(weightOf(all));
        await rollUpHistory(folder, hourly, { nowMs: LATER_MS });
        expect(await weightIn(hourly)).toBe(weightOf(all));
        for (const statements of [
          (into: string) => folderCompactSql('duckdb', folder, into),
          (into: string) => folderRollupSql('duckdb', folder, into, { drop: dropsRoute ? ['route'] : [] }),
        ]) {
          const into = newDirectory();
          for (const statement of statements(into)) await runInDuckDb(statement, {});
          expect(await weightIn(into)).toBe(weightOf(all));
        }
        await compactHistory(folder, { nowMs: LATER_MS });
        const kept = [...(await rowsIn(folder)).values()].flat();
        expect(kept.sort(compareRows)).toEqual([...all].sort(compareRows));
      },
    ),
    { numRuns: caseCount(5, 30) },
  );
});

test('a history that an application writes, and the snapshots of one, have the weights', async () => {
  const registry = createRegistry();
  recordSample(registry.histogram({ name: 'lat', unit: 's' }).with({}), 0.25, 10);
  const folder = newDirectory();
  await (await openHistory(registry, { folder })).close();
  expect(await weightIn(folder)).toBe(10);
  let last: number | undefined;
  for await (const { families } of snapshotsOfRows(queryMergedRows(folder, { metric: 'lat', everyMs: 1000 })))
    last = families[0]?.series[0]?.weight;
  expect(last).toBe(10);
});

test('writeRows writes weights', async () => {
  const path = join(newDirectory(), 'one.parquet');
  const row = rowOf({ k: [FAST], c: [30], weight: 10 });
  await writeFileOfRows(path, [row]);
  const read: HistoryRow[] = [];
  for await (const one of readRows(path)) read.push(one);
  expect(read).toEqual([row]);
  expect(histogramsOfRow(row).highest.weight).toBe(10);
});

test('days of a sample are kept or missed only where they surely are', async () => {
  const [runs, weight] = [caseCount(200, 2000), 10];
  const random = createRandom(1);
  const folder = newDirectory();
  const rows: HistoryRow[] = [];
  const firstMs = Date.parse('2023-01-01');
  const DAY_MS = 86_400_000;
  for (let day = 0; day < runs; day++) {
    const within = Array.from({ length: 1000 }, random).filter((value) => value < 0.9).length;
    const startMs = firstMs + day * DAY_MS;
    rows.push(rowOf({ startMs, k: [FAST, SLOW], c: [within * weight, (1000 - within) * weight], weight }));
  }
  await writeFileOfRows(join(folder, 'day=2023-01-01', 'all.parquet'), rows);
  const question = { metric: 'lat', threshold: 500, sinceMs: firstMs, untilMs: firstMs + runs * DAY_MS };
  const verdictsOf = async (objective: number) =>
    (await objectiveHistory(folder, { ...question, objective, everyMs: DAY_MS }))[0]!.verdicts;
  const { kept, missed } = await verdictsOf(0.9);
  expect(kept + missed).toBeLessThanOrEqual(findMostByChance(runs, 0.01));
  expect((await verdictsOf(0.8)).kept).toBe(runs);
  expect((await verdictsOf(0.95)).missed).toBeGreaterThan(0.9 * runs);
});

test('explanations of a history are those of its rows in memory, with their weights', async () => {
  const folder = newDirectory();
  const rowsAt = (startMs: number, slower: string): HistoryRow[] =>
    ['/a', '/b', '/c'].map((route) =>
      rowOf({
        ...{ attributes: { route }, startMs, k: [FAST, SLOW], weight: 10 },
        c: route === slower ? [2000, 3000] : [4900, 100],
      }),
    );
  const [before, after] = [rowsAt(START_MS, ''), rowsAt(START_MS + 3_600_000, '/c')];
  await writeRows(folder, [...before, ...after]);
  const range = (startMs: number) => ({ sinceMs: startMs, untilMs: startMs + 60_000 });
  const found = await explainHistory(folder, {
    ...{ metric: 'lat', percentile: 90 },
    before: range(START_MS),
    after: range(START_MS + 3_600_000),
  });
  expect(found.before).toMatchObject({ count: 15_000, asGoodAs: 1500 });
  expect([found.verdict, found.causes[0]!.attributes]).toEqual([
    'explained',
    [[{ key: 'route', value: '/c' }]],
  ]);
  const { causes, ...inMemory } = explainRows(before, after, { metric: 'lat', percentile: 90 });
  expect(found).toMatchObject(inMemory);
  // The order of additions changes the last bits.
  const cause = { ...causes[0]!, evidence: expect.closeTo(causes[0]!.evidence, 6) };
  expect(found.causes[0]).toEqual(cause);
});
