import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectMisspelt } from '@hdrscope/testing/refusals';
import { queryHistory, queryMergedRows } from '../../src/index.ts';
import { loadDuckDb } from '../../src/query/duckdb.ts';
import { askFolder } from '../../src/query/query-history.ts';
import { writeRows } from '../support/folder.ts';
import { rowsOf, START_MS } from '../support/recorded.ts';
import { newDirectory } from '../support/sandbox.ts';

const DAY_MS = 86_400_000;

test('only the days that are asked for are read', async () => {
  const [row] = await rowsOf([{ significantDigits: 2, attributes: {}, intervals: [[1]] }]);
  const folder = newDirectory();
  for (let day = 0; day < 3; day++) {
    await writeRows(folder, [{ ...row!, startMs: START_MS + day * DAY_MS, sequence: day }]);
  }
  const counts = async (span: object) =>
    (await queryHistory(folder, { metric: 'lat', ...span })).map(({ count }) => count);
  expect(await counts({})).toEqual([3]);
  expect(await counts({ everyMs: DAY_MS })).toEqual([1, 1, 1]);
  // It would be refused if it were read.
  writeFileSync(join(folder, 'day=2023-11-14', 'broken.parquet'), 'broken');
  expect(await counts({ sinceMs: START_MS + DAY_MS })).toEqual([2]);
  expect(await counts({ sinceMs: START_MS + DAY_MS, untilMs: START_MS + 2 * DAY_MS })).toEqual([1]);
  await expect(counts({})).rejects.toMatchObject({
    code: 'ERR_HISTORY_FILE',
    message: expect.stringContaining('broken.parquet'),
  });
});

test('a question may end, and a stretch of time may be as long, as Date counts', async () => {
  const folder = newDirectory();
  await writeRows(folder, await rowsOf([{ significantDigits: 2, attributes: {}, intervals: [[1, 2]] }]));
  const [latestMs, yearsMs] = [8.64e15, 1e15];
  const counts = async (span: object) =>
    (await queryHistory(folder, { metric: 'lat', ...span })).map(({ count }) => count);
  expect(await counts({ untilMs: latestMs })).toEqual([2]);
  expect(await counts({ untilMs: latestMs, everyMs: yearsMs })).toEqual([2]);
  expect(await counts({ sinceMs: latestMs })).toEqual([]);
  const merged: number[] = [];
  for await (const { count } of queryMergedRows(folder, { everyMs: yearsMs })) merged.push(count);
  expect(merged).toEqual([2]);
});

test('an empty folder, and a metric that nobody counted, have no answer', async () => {
  const folder = newDirectory();
  expect(await queryHistory(folder, { metric: 'lat' })).toEqual([]);
  mkdirSync(join(folder, 'day=2023-11-14'));
  expect(await queryHistory(folder, { metric: 'lat' })).toEqual([]);
  await writeRows(folder, await rowsOf([{ significantDigits: 2, attributes: {}, intervals: [[1]] }]));
  expect(await queryHistory(folder, { metric: 'other' })).toEqual([]);
  expect(await queryHistory(folder, { metric: 'lat' }, { threads: 1, memoryBytes: 2 ** 28 })).toHaveLength(1);
  rmSync(folder, { recursive: true });
  await expect(queryHistory(folder, { metric: 'lat' })).rejects.toMatchObject({ code: 'ERR_HISTORY_FILE' });
});

describe('files that are replaced while they are read', () => {
  const ALL = { sinceMs: undefined, untilMs: undefined };

  /** A folder with a file, and a function that replaces the file by an equal one. */
  async function replaceable(): Promise<{ folder: string; replace: () => void }> {
    const folder = newDirectory();
    const path = await writeRows(
      folder,
      await rowsOf([{ significantDigits: 2, attributes: {}, intervals: [[1]] }]),
    );
    const replace = (): void => {
      copyFileSync(path, `${path}.partial`);
      renameSync(`${path}.partial`, path);
    };
    return { folder, replace };
  }

  test('are asked again', async () => {
    const { folder, replace } = await replaceable();
    let attempts = 0;
    const rows = await askFolder(folder, ALL, {}, ({ all }) => {
      if (++attempts < 3) replace();
      return `SELECT "count" FROM ${all}`;
    });
    expect(rows.map(({ count }) => Number(count))).toEqual([1]);
    expect(attempts).toBe(3);
  });

  test('have no answer when that never ends, because a part of it would be of other files', async () => {
    const { folder, replace } = await replaceable();
    const asked = askFolder(folder, ALL, {}, ({ all }) => {
      replace();
      return `SELECT "count" FROM ${all}`;
    });
    await expect(asked).rejects.toMatchObject({
      code: 'ERR_HISTORY_FILE',
      message: expect.stringContaining('its files were replaced while they were read'),
    });
  });
});

test('the error says how to install DuckDB', async () => {
  const cause = new Error('Cannot find package');
  await expect(loadDuckDb(() => Promise.reject(cause))).rejects.toMatchObject({
    code: 'ERR_HISTORY_ENGINE',
    message: expect.stringContaining('npm install @duckdb/node-api'),
    cause,
  });
});

test('options that do not exist, or are outside their ranges, are refused', async () => {
  const question = { metric: 'lat' };
  await expectMisspelt(() => queryHistory('a', question, { thread: 1 } as never), 'threads');
  await expect(queryHistory('', question)).rejects.toThrow('folder must be the path of a folder, got ""');
  await expect(queryHistory('a', question, { threads: 0 })).rejects.toThrow(
    'threads must be an integer of at least 1, got 0',
  );
  await expect(queryHistory('a', question, { memoryBytes: 1 })).rejects.toThrow(
    'memoryBytes must be an integer of at least 2^24, got 1',
  );
});
