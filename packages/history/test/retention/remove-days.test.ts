import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expectMisspelt } from '@hdrscope/testing/refusals';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import { compactHistory, queryHistory, removeHistoryDays, rollUpHistory } from '../../src/index.ts';
import { realFiles } from '../../src/parquet/files.ts';
import { removeWith } from '../../src/retention/remove-days.ts';
import { minutes } from '../support/filled-folder.ts';
import { rowsIn, writeRows } from '../support/folder.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

const DAY_MS = 86_400_000;
const FIRST_MS = Date.parse('2023-11-14');
/** The day of the last row has ended an hour ago. */
const NOW_MS = Date.parse('2023-11-18T01:00');

/** A history of four days, 14 to 17 November, with a file of five rows each, 10 values a row. */
async function fourDays(): Promise<string> {
  const folder = newDirectory();
  const rows = await minutes(5);
  for (let day = 0; day < 4; day++) {
    const shift = day * DAY_MS;
    await writeRows(
      folder,
      rows.map((row) => ({
        ...row,
        startMs: row.startMs + shift,
        endMs: row.endMs + shift,
        sequence: row.sequence + day * 5,
      })),
    );
  }
  return folder;
}

const daysIn = (folder: string): string[] => readdirSync(folder).sort();

const rowCount = async (folder: string): Promise<number> =>
  [...(await rowsIn(folder)).values()].flat().length;

test('whole days go that ended longer ago than is kept, and a day that ended just as long ago', async () => {
  const folder = await fourDays();
  const bytes = readdirSync(join(folder, 'day=2023-11-14')).map(
    (file) => statSync(join(folder, 'day=2023-11-14', file)).size,
  );
  const first = { day: '2023-11-14', files: 1, bytes: bytes[0] };
  const at = (nowMs: number) => removeHistoryDays(folder, { keepMs: 2 * DAY_MS, nowMs });
  expect(await at(FIRST_MS + 3 * DAY_MS - 1)).toEqual({ removed: [], retained: [] });
  expect(daysIn(folder)).toHaveLength(4);
  expect(await at(FIRST_MS + 3 * DAY_MS)).toEqual({ removed: [first], retained: [] });
  expect(daysIn(folder)).toEqual(['day=2023-11-15', 'day=2023-11-16', 'day=2023-11-17']);
  expect(await at(NOW_MS)).toMatchObject({ removed: [{ day: '2023-11-15' }] });
  expect(await rowCount(folder)).toBe(10);
  expect(await queryHistory(folder, { metric: 'lat', everyMs: DAY_MS })).toHaveLength(2);
});

test('a dry run names the days, and leaves every byte', async () => {
  const folder = await fourDays();
  const before = readdirSync(folder, { recursive: true });
  const asked = { keepMs: DAY_MS, nowMs: NOW_MS };
  const dry = await removeHistoryDays(folder, { ...asked, dryRun: true });
  expect(readdirSync(folder, { recursive: true })).toEqual(before);
  expect(dry.removed.map(({ day }) => day)).toEqual(['2023-11-14', '2023-11-15', '2023-11-16']);
  expect(await removeHistoryDays(folder, asked)).toEqual(dry);
});

test('files that wait, that are damaged and that were never completed go with their day, and are counted', async () => {
  const folder = await fourDays();
  const day = join(folder, 'day=2023-11-14');
  const names = ['_a.parquet.waiting', '_b.parquet.damaged', '_c.parquet.partial', 'd.parquet'];
  for (const name of names) {
    writeFileSync(join(day, name), 'damaged');
    utimesSync(join(day, name), 0, 0);
  }
  const { removed } = await removeHistoryDays(folder, { keepMs: 3 * DAY_MS, nowMs: NOW_MS });
  expect(removed).toMatchObject([{ day: '2023-11-14', files: 5 }]);
});

test('what is no file of a history stays, and so does its day, with the reason', async () => {
  const folder = await fourDays();
  const elsewhere = newDirectory();
  writeFileSync(join(elsewhere, 'letters.txt'), 'mine');
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  writeFileSync(join(folder, 'day=2023-11-14', 'notes.txt'), 'mine');
  mkdirSync(join(folder, 'day=2023-11-15', 'more'));
  symlinkSync(elsewhere, join(folder, 'day=2023-11-12'));
  mkdirSync(join(folder, 'day=2023-11-11'));
  writeFileSync(join(folder, 'day=2023-11-11', '_a.parquet.partial'), '');
  const before = readdirSync(folder, { recursive: true });
  const done = await removeHistoryDays(folder, { keepMs: 2 * DAY_MS, nowMs: NOW_MS });
  expect(done.removed).toEqual([]);
  expect(done.retained).toEqual([
    { day: '2023-11-11', reason: `${join(folder, 'day=2023-11-11', '_a.parquet.partial')} is being written` },
    { day: '2023-11-12', reason: `${join(folder, 'day=2023-11-12')} is a link or a file, and no folder` },
    { day: '2023-11-14', reason: `${join(folder, 'day=2023-11-14', 'notes.txt')} is no file of a history` },
    { day: '2023-11-15', reason: `${join(folder, 'day=2023-11-15', 'more')} is no file of a history` },
  ]);
  expect(readdirSync(folder, { recursive: true })).toEqual(before);
  expect(readFileSync(join(elsewhere, 'letters.txt'), 'utf8')).toBe('mine');
});

test('Parquet files of others stay, also in folders of days', async () => {
  const folder = newDirectory();
  const day = join(folder, 'day=2023-11-14');
  mkdirSync(day);
  const { withDuckDb } = await import('../../src/query/duckdb.ts');
  await withDuckDb({}, (run) => run(`COPY (SELECT 1 AS salary) TO '${join(day, 'a.parquet')}'`));
  const { removed, retained } = await removeHistoryDays(folder, { keepMs: DAY_MS, nowMs: NOW_MS });
  expect([removed, retained]).toEqual([
    [],
    [{ day: '2023-11-14', reason: `${join(day, 'a.parquet')} has no rows of a history` }],
  ]);
  expect(readdirSync(day)).toEqual(['a.parquet']);
});

describe('with a rollup', () => {
  const asked = { keepMs: 2 * DAY_MS, nowMs: NOW_MS };

  async function rolledUp(): Promise<{ folder: string; rollup: string }> {
    const [folder, rollup] = [await fourDays(), join(newDirectory(), 'hourly')];
    await rollUpHistory(folder, rollup, { nowMs: NOW_MS });
    return { folder, rollup };
  }

  test('days go whose rows the rollup has', async () => {
    const { folder, rollup } = await rolledUp();
    const before = await queryHistory(rollup, { metric: 'lat' });
    expect((await removeHistoryDays(folder, { ...asked, rollup })).removed).toHaveLength(2);
    expect(await queryHistory(rollup, { metric: 'lat' })).toEqual(before);
    // The next rollup leaves them alone.
    await rollUpHistory(folder, rollup, { nowMs: NOW_MS });
    expect(await queryHistory(rollup, { metric: 'lat' })).toEqual(before);
  });

  test('a day stays while rows came after its rollup, and goes after the next one', async () => {
    const { folder, rollup } = await rolledUp();
    await writeRows(
      folder,
      (await minutes(1, 'late')).map((row) => ({ ...row, startMs: row.startMs + 1 })),
    );
    const { removed, retained } = await removeHistoryDays(folder, { ...asked, rollup });
    expect(removed.map(({ day }) => day)).toEqual(['2023-11-15']);
    expect(retained).toEqual([
      {
        day: '2023-11-14',
        reason: `${join(rollup, 'day=2023-11-14')} was not made of its files as they are: roll the history up`,
      },
    ]);
    await rollUpHistory(folder, rollup, { nowMs: NOW_MS });
    expect((await removeHistoryDays(folder, { ...asked, rollup })).removed).toMatchObject([
      { day: '2023-11-14', files: 2 },
    ]);
  });

  test('a day stays that is not rolled up to its end, whose rollup is damaged, or which has rows that no rollup reads', async () => {
    const { folder } = await rolledUp();
    const rollup = join(newDirectory(), 'hourly');
    const obstacles = async (): Promise<string[]> =>
      (await removeHistoryDays(folder, { ...asked, rollup })).retained.map(({ reason }) => reason);
    mkdirSync(rollup);
    expect(await obstacles()).toHaveLength(2);
    await rollUpHistory(folder, rollup, { nowMs: FIRST_MS + 2 * HOUR_MS, olderThanMs: 0 });
    expect(await obstacles()).toHaveLength(2);
    await rollUpHistory(folder, rollup, { nowMs: NOW_MS });
    const [file] = readdirSync(join(rollup, 'day=2023-11-14'));
    const path = join(rollup, 'day=2023-11-14', file!);
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1]! ^= 4;
    writeFileSync(path, bytes);
    const day = join(folder, 'day=2023-11-15');
    renameSync(join(day, readdirSync(day)[0]!), join(day, '_a.parquet.waiting'));
    expect(await obstacles()).toEqual([`${path} is damaged`, expect.stringContaining('lacks the rows of')]);
    expect(daysIn(folder)).toHaveLength(4);
  });

  test('a compaction makes the rollup outdated, and the next rollup mends that', async () => {
    const { folder, rollup } = await rolledUp();
    await writeRows(
      folder,
      (await minutes(1, 'late')).map((row) => ({ ...row, startMs: row.startMs + 1 })),
    );
    await rollUpHistory(folder, rollup, { nowMs: NOW_MS });
    await compactHistory(folder, { nowMs: NOW_MS });
    expect((await removeHistoryDays(folder, { ...asked, rollup })).removed).toHaveLength(1);
    await rollUpHistory(folder, rollup, { nowMs: NOW_MS });
    expect((await removeHistoryDays(folder, { ...asked, rollup })).removed).toHaveLength(1);
  });

  const HOUR_MS = 3_600_000;
});

test('a day into which somebody writes meanwhile comes back with all its rows', async () => {
  const folder = await fourDays();
  const files = {
    ...realFiles,
    rename: async (from: string, to: string) => {
      if (from.endsWith('day=2023-11-14')) {
        await writeRows(
          folder,
          (await minutes(1, 'late')).map((row) => ({ ...row, startMs: row.startMs + 1 })),
        );
      }
      await realFiles.rename(from, to);
    },
  };
  const { removed, retained } = await removeWith(folder, { keepMs: 2 * DAY_MS, nowMs: NOW_MS }, files);
  expect([removed.map(({ day }) => day), retained.map(({ day }) => day)]).toEqual([
    ['2023-11-15'],
    ['2023-11-14'],
  ]);
  expect(await rowCount(folder)).toBe(4 * 5 + 1 - 5);
  expect(daysIn(folder)).toEqual(['day=2023-11-14', 'day=2023-11-16', 'day=2023-11-17']);
});

test('what a killed call has left goes when it is a day old', async () => {
  const folder = await fourDays();
  const rest = join(folder, '.removed-2023-11-14-0123');
  renameSync(join(folder, 'day=2023-11-14'), rest);
  expect(await queryHistory(folder, { metric: 'lat', everyMs: DAY_MS })).toHaveLength(3);
  await removeHistoryDays(folder, { keepMs: 9999 * DAY_MS });
  expect(existsSync(rest)).toBe(true);
  await removeHistoryDays(folder, { keepMs: 9999 * DAY_MS, nowMs: Date.now() + DAY_MS + 1000 });
  expect(existsSync(rest)).toBe(false);
});

test('two calls at one time, and a reader, never see a part of a day', async () => {
  const folder = await fourDays();
  const asked = { keepMs: 2 * DAY_MS, nowMs: NOW_MS };
  const [one, other, groups] = await Promise.all([
    removeHistoryDays(folder, asked),
    removeHistoryDays(folder, asked),
    queryHistory(folder, { metric: 'lat', everyMs: DAY_MS }),
  ]);
  expect([...one.removed, ...other.removed].map(({ day }) => day).sort()).toEqual([
    '2023-11-14',
    '2023-11-15',
  ]);
  expect(new Set(groups.map(({ count }) => count)).size).toBe(1);
});

test('a refusal of the system removes nothing', async () => {
  const folder = await fourDays();
  const files = {
    ...realFiles,
    rename: () => Promise.reject(Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })),
  };
  await expect(removeWith(folder, { keepMs: DAY_MS, nowMs: NOW_MS }, files)).rejects.toMatchObject({
    code: 'ERR_HISTORY_FILE',
    message: `cannot remove ${join(folder, 'day=2023-11-14')}: EACCES: permission denied`,
  });
  expect(await rowCount(folder)).toBe(20);
});

test('a link, a folder of something else and wrong options are refused', async () => {
  const folder = await fourDays();
  const link = join(newDirectory(), 'history');
  symlinkSync(folder, link);
  const keep = { keepMs: DAY_MS, nowMs: NOW_MS };
  await expect(removeHistoryDays(link, keep)).rejects.toThrow(
    `cannot list ${link}: it is a link: name the folder that it leads to`,
  );
  await expect(removeHistoryDays(folder, { ...keep, rollup: link })).rejects.toThrow('it is a link');
  const other = newDirectory();
  writeFileSync(join(other, 'a.txt'), '');
  await expect(removeHistoryDays(other, keep)).rejects.toThrow(`cannot list ${other}: it is no history`);
  await expect(removeHistoryDays(join(other, 'a.txt'), keep)).rejects.toThrow('it is no folder');
  await expect(removeHistoryDays(join(other, 'absent'), keep)).rejects.toMatchObject({
    code: 'ERR_HISTORY_FILE',
  });
  expect(await removeHistoryDays(newDirectory(), keep)).toEqual({ removed: [], retained: [] });
  for (const keepMs of [0, DAY_MS - 1, Number.NaN]) {
    await expect(removeHistoryDays(folder, { keepMs })).rejects.toThrow(
      'keepMs must be a number of at least 86400000',
    );
  }
  await expect(removeHistoryDays('', keep)).rejects.toThrow('folder must be the path of a folder, got ""');
  await expectMisspelt(() => removeHistoryDays(folder, { keep: DAY_MS } as never), 'keepMs');
  expect(await rowCount(folder)).toBe(20);
});
