import { readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectMisspelt } from '@hdrscope/testing/refusals';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import { compactWith } from '../../src/compact/compact.ts';
import { compactHistory, queryHistory } from '../../src/index.ts';
import { compareRows } from '../../src/parquet/order.ts';
import { folderWith } from '../support/filled-folder.ts';
import { rowsIn, writeRows } from '../support/folder.ts';
import { FaultyFiles } from '../support/runtime.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

const LATER_MS = Date.parse('2024-01-01');

test('the files of a day become one, with every row once, in order', async () => {
  const { folder, rows } = await folderWith(130);
  // A retry of a writer, and a crash of an earlier compaction.
  await writeRows(folder, rows.slice(3, 20));
  const before = await queryHistory(folder, { metric: 'lat', by: ['route'] });
  const days = await compactHistory(folder, { nowMs: LATER_MS });
  expect(days).toEqual([
    {
      day: '2023-11-14',
      files: 131,
      rows: rows.length,
      duplicates: 17,
      bytesBefore: expect.any(Number),
      bytes: expect.any(Number),
    },
  ]);
  expect(days[0]!.bytes).toBeLessThan(days[0]!.bytesBefore / 4);
  const files = await rowsIn(folder);
  expect([...files.keys()]).toEqual([
    expect.stringMatching(/^day=2023-11-14\/\d+-compact-[0-9a-f]{16}-0\.parquet$/),
  ]);
  expect([...files.values()][0]).toEqual([...rows].sort(compareRows));
  expect(await queryHistory(folder, { metric: 'lat', by: ['route'] })).toEqual(
    before.map((group) => ({ ...group, sum: expect.closeTo(group.sum, 12) })),
  );
  expect(await compactHistory(folder, { nowMs: LATER_MS })).toEqual([]);
});

test('days that have ended a short time ago are left alone', async () => {
  const { folder } = await folderWith(3);
  const endMs = Date.parse('2023-11-15');
  expect(await compactHistory(folder, { nowMs: endMs + 7_199_999 })).toEqual([]);
  expect((await rowsIn(folder)).size).toBe(3);
  expect(await compactHistory(folder, { nowMs: endMs, olderThanMs: 0 })).toMatchObject([{ files: 3 }]);
});

test('files whose writer died before their rows were in a larger one are adopted, and young ones are not', async () => {
  const { folder, rows } = await folderWith(3);
  const day = join(folder, 'day=2023-11-14');
  for (const [age, name] of ['old', 'young'].entries()) {
    const path = await writeRows(folder, rows.slice(age, age + 2));
    renameSync(path, join(day, `_${name}.parquet.waiting`));
  }
  utimesSync(join(day, '_old.parquet.waiting'), LATER_MS / 1000 - 7201, LATER_MS / 1000 - 7201);
  utimesSync(join(day, '_young.parquet.waiting'), LATER_MS / 1000 - 7199, LATER_MS / 1000 - 7199);
  const before = await queryHistory(folder, { metric: 'lat' });
  expect(before).toMatchObject([{ count: 3 * rows.length }]);
  expect(await compactHistory(folder, { nowMs: LATER_MS })).toMatchObject([
    { files: 4, rows: rows.length, duplicates: 2 },
  ]);
  expect(readdirSync(day).sort()).toEqual([expect.stringMatching(/-compact-/), '_young.parquet.waiting']);
  expect(await queryHistory(folder, { metric: 'lat' })).toMatchObject([{ count: 3 * rows.length }]);
});

test('files that writers have left when they died are removed after a day, and other files stay', async () => {
  const { folder } = await folderWith(1);
  const day = join(folder, 'day=2023-11-14');
  writeFileSync(join(day, '_old.parquet.partial'), '');
  writeFileSync(join(day, '_young.parquet.partial'), '');
  writeFileSync(join(day, 'notes.txt'), '');
  writeFileSync(join(folder, 'notes.txt'), '');
  utimesSync(join(day, '_old.parquet.partial'), 0, 0);
  await compactHistory(folder, { nowMs: Date.now() });
  expect(readdirSync(day).sort()).toEqual([
    expect.stringMatching(/\.parquet$/),
    '_young.parquet.partial',
    'notes.txt',
  ]);
});

test.each(['open', 'write', 'datasync', 'rename', 'unlink'] as const)(
  'a failure at %s leaves every row in a file, and the next call completes the work',
  async (operation) => {
    const { folder, rows } = await folderWith(5);
    const faulty = new FaultyFiles();
    faulty.faults.set(operation, 'EIO');
    await expect(compactWith(folder, { nowMs: LATER_MS }, faulty.files)).rejects.toMatchObject({
      code: 'ERR_HISTORY_FILE',
      cause: { code: 'EIO' },
    });
    expect(faulty.openFiles).toBe(0);
    expect(await queryHistory(folder, { metric: 'lat' })).toMatchObject([{ count: 3 * rows.length }]);
    await compactHistory(folder, { nowMs: LATER_MS });
    const files = await rowsIn(folder);
    expect([files.size, [...files.values()].flat().length]).toEqual([1, rows.length]);
  },
);

test('a broken file ends the work, and stays', async () => {
  const { folder } = await folderWith(3);
  writeFileSync(join(folder, 'day=2023-11-14', 'broken.parquet'), 'broken');
  await expect(compactHistory(folder, { nowMs: LATER_MS })).rejects.toMatchObject({
    code: 'ERR_HISTORY_FILE',
    message: expect.stringContaining('broken.parquet'),
  });
  expect(readdirSync(join(folder, 'day=2023-11-14')).length).toBe(4);
});

test('two compactions at one time lose nothing', async () => {
  const { folder, rows } = await folderWith(10);
  const options = { nowMs: LATER_MS };
  await Promise.allSettled([compactHistory(folder, options), compactHistory(folder, options)]);
  expect(await queryHistory(folder, { metric: 'lat' })).toMatchObject([{ count: 3 * rows.length }]);
  await compactHistory(folder, options);
  expect((await rowsIn(folder)).size).toBe(1);
});

test('options that do not exist, or are outside their ranges, are refused', async () => {
  await expectMisspelt(() => compactHistory(newDirectory(), { olderThanMS: 1 } as never), 'olderThanMs');
  await expect(compactHistory('')).rejects.toThrow('folder must be the path of a folder, got ""');
  await expect(compactHistory('a', { olderThanMs: -1 })).rejects.toThrow(
    'olderThanMs must be a number of at least 0, got -1',
  );
  await expect(compactHistory('a', { nowMs: Number.NaN })).rejects.toThrow(
    'nowMs must be a number of milliseconds, got NaN',
  );
  await expect(compactHistory(join(newDirectory(), 'absent'))).rejects.toMatchObject({
    code: 'ERR_HISTORY_FILE',
  });
});
