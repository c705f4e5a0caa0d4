import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import fc from 'fast-check';
import { compactWith } from '../../src/compact/compact.ts';
import {
  explainHistory,
  type HistoryRow,
  objectiveHistory,
  queryHistory,
  queryMergedRows,
} from '../../src/index.ts';
import { realFiles } from '../../src/parquet/files.ts';
import { ROWS_KEY } from '../../src/parquet/row-ranges.ts';
import { writeFile } from '../../src/parquet/write-file.ts';
import { withDuckDb } from '../../src/query/duckdb.ts';
import { rowSourceOf, sharingFiles } from '../../src/query/row-sources.ts';
import { DIALECTS } from '../../src/sql/dialects.ts';
import type { RowSource } from '../../src/sql/row-source.ts';
import { HOUR_MS } from '../../src/times.ts';
import { runInDuckDb } from '../support/duckdb.ts';
import { writeRows } from '../support/folder.ts';
import { rowsOf, START_MS } from '../support/recorded.ts';
import { FaultyFiles } from '../support/runtime.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

const DAY = 'day=2023-11-14';

async function someRows(count: number, producer = 'shop 7d1f'): Promise<HistoryRow[]> {
  const intervals = Array.from({ length: count }, (_, i) => [i, i + 1]);
  const rows = await rowsOf([{ significantDigits: 2, attributes: {}, intervals }]);
  return rows.map((row) => ({ ...row, producer }));
}

function filesIn(folder: string): string[] {
  return readdirSync(join(folder, DAY)).map((name) => join(folder, DAY, name));
}

/** How the files of a folder are read. */
function sourceOf(folder: string): Promise<RowSource> {
  return withDuckDb({}, (run) => rowSourceOf(filesIn(folder), run));
}

async function countIn(folder: string): Promise<number | undefined> {
  return (await queryHistory(folder, { metric: 'lat' }))[0]?.count;
}

test('files that share no rows are read without a check', async () => {
  const folder = newDirectory();
  const rows = await someRows(20);
  for (let i = 0; i < 20; i += 5) await writeRows(folder, rows.slice(i, i + 5));
  await writeRows(folder, await someRows(20, 'another start'));
  const source = await sourceOf(folder);
  expect(source.repeated).toBeUndefined();
  expect(DIALECTS.duckdb.once('k', source, 'TRUE')).not.toContain('QUALIFY');
  expect(await countIn(folder)).toBe(80);
});

test('a file whose rows have widths against its metadata is refused', async () => {
  const [row] = await someRows(1);
  const wide = { ...row!, w: row!.k.map(() => 3) };
  const ranges = [{ producer: wide.producer, isPrefix: false, first: wide.sequence, last: wide.sequence }];
  for (const [isNarrow, refusals] of [
    [false, 0],
    [true, 4],
  ] as const) {
    const folder = newDirectory();
    const metadata = { [ROWS_KEY]: JSON.stringify({ rows: 1, ranges, isNarrow }) };
    await writeFile(realFiles, join(folder, DAY, '0.parquet'), [[wide]], { metadata: () => metadata });
    const [before, after] = [-1, 0].map((hour) => ({
      sinceMs: START_MS + hour * HOUR_MS,
      untilMs: START_MS + (hour + 1) * HOUR_MS,
    }));
    const answers = await Promise.allSettled([
      queryHistory(folder, { metric: 'lat' }),
      queryMergedRows(folder, { metric: 'lat' }).next(),
      objectiveHistory(folder, { metric: 'lat', threshold: 1, objective: 0.9, ...after! }),
      explainHistory(folder, { metric: 'lat', percentile: 50, before: before!, after: after! }),
    ]);
    const refused = answers.filter(({ status }) => status === 'rejected');
    expect(refused).toEqual(
      new Array(refusals).fill({
        status: 'rejected',
        reason: expect.objectContaining({
          code: 'ERR_HISTORY_ENGINE',
          message: expect.stringContaining('isNarrow'),
        }),
      }),
    );
  }
});

test('a file that a writer has written again is read with a check, and others without', async () => {
  const folder = newDirectory();
  const rows = await someRows(20);
  const first = await writeRows(folder, rows.slice(0, 5));
  const second = await writeRows(folder, rows.slice(5, 10));
  const third = await writeRows(folder, rows.slice(10));
  const again = await writeRows(folder, rows.slice(8, 10));
  const { distinct, repeated } = await sourceOf(folder);
  expect([first, third].map((path) => [distinct!.includes(path), repeated!.includes(path)])).toEqual([
    [true, false],
    [true, false],
  ]);
  expect([second, again].map((path) => [distinct!.includes(path), repeated!.includes(path)])).toEqual([
    [false, true],
    [false, true],
  ]);
  expect(await countIn(folder)).toBe(40);
});

test('files that an interrupted compaction left, and copied files, count once', async () => {
  const folder = newDirectory();
  const rows = await someRows(20);
  for (let i = 0; i < 20; i += 5) await writeRows(folder, rows.slice(i, i + 5));
  const faulty = new FaultyFiles();
  faulty.faults.set('unlink', 'EIO');
  const nowMs = Date.parse('2024-01-01');
  await expect(compactWith(folder, { nowMs }, faulty.files)).rejects.toMatchObject({
    cause: { code: 'EIO' },
  });
  expect(filesIn(folder)).toHaveLength(5);
  expect((await sourceOf(folder)).distinct).toBeUndefined();
  expect(await countIn(folder)).toBe(40);

  const other = newDirectory();
  const path = await writeRows(other, rows);
  copyFileSync(path, join(other, DAY, 'copy.parquet'));
  expect(await countIn(other)).toBe(40);
  // Also on another day, where it does not belong.
  mkdirSync(join(other, 'day=2023-11-15'));
  copyFileSync(path, join(other, 'day=2023-11-15', 'copy.parquet'));
  expect(await countIn(other)).toBe(40);
});

test('a row that is twice in one file counts once', async () => {
  const folder = newDirectory();
  const rows = await someRows(5);
  await writeRows(folder, [...rows, rows[2]!]);
  expect((await sourceOf(folder)).distinct).toBeUndefined();
  expect(await countIn(folder)).toBe(10);
});

test.each([
  ['has no metadata', ''],
  [
    'has the metadata of a smaller file',
    `, KV_METADATA { "hdrscope.history.rows": '{"rows":1,"ranges":[]}' }`,
  ],
  ['has metadata that are no ranges', `, KV_METADATA { "hdrscope.history.rows": '{"rows":10,"ranges":7}' }`],
])('a file of another program that %s is read with a check', async (_, options) => {
  const folder = newDirectory();
  const rows = await someRows(10);
  const path = await writeRows(folder, rows);
  const copy = join(folder, DAY, 'copy.parquet');
  await runInDuckDb(`COPY (FROM '${path}') TO '${copy}' (FORMAT parquet${options})`);
  expect((await sourceOf(folder)).distinct).toBeUndefined();
  expect(await countIn(folder)).toBe(20);
});

test('files of many producers name what their names begin with', async () => {
  const folder = newDirectory();
  const [row] = await someRows(1);
  const rowsOfLog = (log: string, startMs: number) =>
    Array.from({ length: 100 }, (_, i) => ({ ...row!, producer: `import ${log} ${i}`, sequence: startMs }));
  await writeRows(folder, rowsOfLog('a', 1));
  await writeRows(folder, rowsOfLog('b', 1));
  expect((await sourceOf(folder)).repeated).toBeUndefined();
  // One producer of them in a file of its own.
  await writeRows(folder, rowsOfLog('a', 1).slice(7, 8));
  const { distinct, repeated } = await sourceOf(folder);
  expect([distinct, repeated].map((source) => source!.split('.parquet').length - 1)).toEqual([1, 2]);
  expect(await countIn(folder)).toBe(400);
});

test('files of too many producers say nothing', async () => {
  const folder = newDirectory();
  const [row] = await someRows(1);
  await writeRows(
    folder,
    Array.from({ length: 100 }, (_, i) => ({ ...row!, producer: `process ${i} start` })),
  );
  expect((await sourceOf(folder)).distinct).toBeUndefined();
  expect(await countIn(folder)).toBe(200);
});

test('every file that shares a row with another is found', () => {
  const range = fc.record({
    producer: fc.constantFrom('a 1', 'a 2', 'b 1', 'b'),
    sequences: fc.uniqueArray(fc.nat(30), { minLength: 1, maxLength: 6 }),
    isPrefix: fc.boolean(),
  });
  const file = fc.uniqueArray(range, { maxLength: 3, selector: ({ producer }) => producer });
  fc.assert(
    fc.property(fc.array(file, { maxLength: 6 }), (all) => {
      const files = all.map((ranges, i) => ({
        path: `${i}`,
        keys: new Set(
          ranges.flatMap(({ producer, sequences }) => sequences.map((one) => `${producer} ${one}`)),
        ),
        rows: {
          rows: 0,
          ranges: ranges.map(({ producer, sequences, isPrefix }) => ({
            producer: isPrefix ? producer.slice(0, producer.lastIndexOf(' ') + 1) : producer,
            isPrefix,
            first: Math.min(...sequences),
            last: Math.max(...sequences),
          })),
        },
      }));
      const sharing = sharingFiles(files);
      for (const one of files) {
        const others = files.filter((other) => other !== one);
        if (others.some(({ keys }) => [...one.keys].some((key) => keys.has(key)))) {
          expect(sharing).toContain(one.path);
        }
      }
    }),
    { numRuns: 500 },
  );
});
