import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { caseCount } from '@hdrscope/testing/case-count';
import { expectMisspelt } from '@hdrscope/testing/refusals';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import fc from 'fast-check';
import { compactHistory, type HistoryGroup, queryHistory, rollUpHistory } from '../../src/index.ts';
import { minutes } from '../support/filled-folder.ts';
import { rowsIn, writeRows } from '../support/folder.ts';
import { recorded, rowsOf } from '../support/recorded.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const LATER_MS = Date.parse('2024-01-01');
const DAY = 'day=2023-11-14';
const FILE = `${Date.parse('2023-11-14')}-rollup-3600000-0.parquet`;

async function ask(folder: string, everyMs?: number) {
  return await queryHistory(folder, { metric: 'lat', ...(everyMs && { everyMs }) });
}

test('percentiles of rollups are those of all rows, by group and time, whatever the digits are', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(recorded, { minLength: 1, maxLength: 5 }),
      fc.array(fc.nat(400), { minLength: 1, maxLength: 5 }),
      fc.constantFrom([], ['route'], ['route', 'method']),
      fc.constantFrom(undefined, HOUR_MS, DAY_MS),
      async (all, halfHours, by, everyMs) => {
        const rows = (await rowsOf(all)).map((row, i) => {
          const startMs = row.startMs + (halfHours[i % halfHours.length]! * HOUR_MS) / 2;
          return { ...row, startMs, endMs: startMs + 60_000 };
        });
        if (rows.length === 0) return;
        const [folder, into] = [newDirectory(), newDirectory()];
        for (const row of rows) await writeRows(folder, [row]);
        await writeRows(folder, rows.slice(0, 1));
        const days = await rollUpHistory(folder, into, { nowMs: LATER_MS });
        expect(days.reduce((sum, { sourceRows }) => sum + sourceRows, 0)).toBe(rows.length);
        const question = { metric: 'lat', percentiles: [0, 50, 99, 100], by, ...(everyMs && { everyMs }) };
        const [raw, rolled] = [await queryHistory(folder, question), await queryHistory(into, question)];
        const close = ({ mean, sum, ...group }: HistoryGroup) => ({
          ...group,
          sum: near(sum),
          mean: { lower: near(mean.lower), upper: near(mean.upper) },
        });
        expect(rolled).toEqual(raw.map(close));
      },
    ),
    // A smaller case takes seconds to find, and a seed is enough.
    { numRuns: caseCount(3, 15), endOnFailure: true },
  );
});

/** A sum of doubles depends on the order of adding, in its last digits. */
function near(value: number): number {
  return expect.closeTo(value, 11 - Math.ceil(Math.log10(Math.abs(value) + 1)));
}

test('each series and hour has one row, which is the same whenever it is made', async () => {
  const [folder, into, again] = [newDirectory(), newDirectory(), newDirectory()];
  const rows = await minutes(150);
  // More files than are read at one time.
  for (let i = 0; i < 150; i += 3) await writeRows(folder, rows.slice(i, i + 3));
  expect(await rollUpHistory(folder, into, { nowMs: LATER_MS })).toEqual([
    { day: '2023-11-14', sourceRows: 150, rows: 3, bytes: expect.any(Number), isKept: false },
  ]);
  const files = await rowsIn(into);
  const startMs = Date.parse('2023-11-14');
  expect([...files.keys()]).toEqual([`${DAY}/${FILE}`]);
  expect(files.get(`${DAY}/${FILE}`)).toEqual(
    [60, 60, 30].map((count, hour) =>
      expect.objectContaining({
        metric: 'lat',
        attributes: { route: '/a' },
        startMs: startMs + hour * HOUR_MS,
        endMs: startMs + (hour + 1) * HOUR_MS,
        producer: expect.stringMatching(/^rollup 3600000 [0-9a-f]{16}$/),
        sequence: startMs + hour * HOUR_MS,
        count: 2 * count,
        sum: rows[0]!.sum * count,
        c: [count, count],
      }),
    ),
  );
  await compactHistory(folder, { nowMs: LATER_MS });
  await rollUpHistory(folder, again, { nowMs: LATER_MS });
  expect(await rowsIn(again)).toEqual(files);
  // A copy of a rollup counts once.
  copyFileSync(join(into, DAY, FILE), join(into, DAY, 'copy.parquet'));
  expect(await ask(into)).toMatchObject([{ count: 300 }]);
});

test('only stretches that have ended are made, and days that have not changed are left alone', async () => {
  const [folder, into] = [newDirectory(), newDirectory()];
  await writeRows(folder, await minutes(150));
  const startMs = Date.parse('2023-11-14');
  const at = (minute: number) => ({ nowMs: startMs + minute * 60_000, olderThanMs: 600_000 });
  expect(await rollUpHistory(folder, into, at(69))).toEqual([]);
  expect(await rollUpHistory(folder, into, at(70))).toMatchObject([{ sourceRows: 60, rows: 1 }]);
  expect(await rollUpHistory(folder, into, at(129))).toEqual([]);
  expect(await rollUpHistory(folder, into, at(130))).toMatchObject([{ sourceRows: 120, rows: 2 }]);
  expect(await ask(into, HOUR_MS)).toMatchObject([{ count: 120 }, { count: 120 }]);
  expect(await rollUpHistory(folder, into, { nowMs: LATER_MS })).toMatchObject([
    { sourceRows: 150, rows: 3 },
  ]);
  expect(await rollUpHistory(folder, into, { nowMs: LATER_MS })).toEqual([]);
});

test('late rows are added, and a compacted day stays what it is', async () => {
  const [folder, into] = [newDirectory(), newDirectory()];
  await writeRows(folder, await minutes(100));
  await rollUpHistory(folder, into, { nowMs: LATER_MS });
  await writeRows(folder, await minutes(10, 'late 1a2b'));
  expect(await rollUpHistory(folder, into, { nowMs: LATER_MS })).toMatchObject([{ sourceRows: 110 }]);
  expect(await ask(into)).toMatchObject([{ count: 220 }]);
  await compactHistory(folder, { nowMs: LATER_MS });
  await rollUpHistory(folder, into, { nowMs: LATER_MS });
  expect(await ask(into)).toMatchObject([{ count: 220 }]);
  expect(await rollUpHistory(folder, into, { nowMs: LATER_MS })).toEqual([]);
});

test('rollups outlive the rows that they were made of', async () => {
  const [folder, into] = [newDirectory(), newDirectory()];
  const rows = await minutes(100);
  const first = await writeRows(folder, rows.slice(0, 50));
  await writeRows(folder, rows.slice(50));
  await rollUpHistory(folder, into, { nowMs: LATER_MS });
  rmSync(first);
  expect(await rollUpHistory(folder, into, { nowMs: LATER_MS })).toMatchObject([
    { sourceRows: 50, isKept: true },
  ]);
  expect(await ask(into)).toMatchObject([{ count: 200 }]);
  rmSync(join(folder, DAY), { recursive: true });
  expect(await rollUpHistory(folder, into, { nowMs: LATER_MS })).toEqual([]);
  expect(await ask(into)).toMatchObject([{ count: 200 }]);
  // Another history does not replace them either.
  const other = newDirectory();
  await writeRows(other, await minutes(140, 'another producer'));
  expect(await rollUpHistory(other, into, { nowMs: LATER_MS })).toMatchObject([{ isKept: true }]);
  expect(await ask(into)).toMatchObject([{ count: 200 }]);
});

test('a rollup of rollups is that of all rows', async () => {
  const [folder, hours, days, once] = [newDirectory(), newDirectory(), newDirectory(), newDirectory()];
  await writeRows(folder, await minutes(1440));
  await rollUpHistory(folder, hours, { nowMs: LATER_MS });
  await rollUpHistory(hours, days, { everyMs: DAY_MS, nowMs: LATER_MS });
  await rollUpHistory(folder, once, { everyMs: DAY_MS, nowMs: LATER_MS });
  expect(await rowsIn(days)).toEqual(await rowsIn(once));
  expect([...(await rowsIn(days)).values()].flat()).toMatchObject([
    { count: 2880, startMs: Date.parse('2023-11-14') },
  ]);
});

test('a process that is killed leaves files that nobody reads, and they are removed after a day', async () => {
  const [folder, into] = [newDirectory(), newDirectory()];
  await writeRows(folder, await minutes(10));
  for (const name of ['.rollup-old', '.rollup-young']) {
    mkdirSync(join(into, name));
    writeFileSync(join(into, name, 'day.partial'), 'begun');
  }
  utimesSync(join(into, '.rollup-old'), 0, 0);
  await rollUpHistory(folder, into, { nowMs: Date.now() });
  expect(readdirSync(into).sort()).toEqual(['.rollup-young', DAY]);
  expect(readdirSync(join(into, DAY))).toEqual([FILE]);
});

test('a broken file ends the work, and the earlier rollup stays', async () => {
  const [folder, into] = [newDirectory(), newDirectory()];
  await writeRows(folder, await minutes(10));
  await rollUpHistory(folder, into, { nowMs: LATER_MS });
  const before = readFileSync(join(into, DAY, FILE));
  writeFileSync(join(folder, DAY, 'broken.parquet'), 'broken');
  await expect(rollUpHistory(folder, into, { nowMs: LATER_MS })).rejects.toMatchObject({
    code: 'ERR_HISTORY_FILE',
    message: expect.stringContaining('broken.parquet'),
  });
  expect(readFileSync(join(into, DAY, FILE)).equals(before)).toBe(true);
  expect(readdirSync(into)).toEqual([DAY]);
});

test('a folder that has other files is refused', async () => {
  const folder = newDirectory();
  await writeRows(folder, await minutes(10));
  await expect(rollUpHistory(folder, join(folder, '.'), {})).rejects.toThrow('into must be another folder');
  const into = newDirectory();
  await rollUpHistory(folder, into, { nowMs: LATER_MS });
  await expect(rollUpHistory(folder, into, { everyMs: DAY_MS })).rejects.toMatchObject({
    code: 'ERR_HISTORY_FILE',
    message: expect.stringContaining(`it must have rollups of 86400000 ms only, and has ${DAY}/${FILE}`),
  });
});

test('options that do not exist, or are outside their ranges, are refused', async () => {
  await expectMisspelt(() => rollUpHistory('a', 'b', { every: 1 } as never), 'everyMs');
  await expect(rollUpHistory('', 'b')).rejects.toThrow('folder must be the path of a folder, got ""');
  await expect(rollUpHistory('a', '')).rejects.toThrow('into must be the path of a folder, got ""');
  await expect(rollUpHistory('a', 'b', { everyMs: 7_000_000 })).rejects.toThrow(
    'everyMs must be an integer of milliseconds that divides a day, got 7000000',
  );
  await expect(rollUpHistory('a', 'b', { olderThanMs: -1 })).rejects.toThrow(
    'olderThanMs must be a number of at least 0, got -1',
  );
  await expect(rollUpHistory('a', 'b', { nowMs: Number.NaN })).rejects.toThrow(
    'nowMs must be a number of milliseconds',
  );
  await expect(rollUpHistory(join(newDirectory(), 'absent'), 'b')).rejects.toMatchObject({
    code: 'ERR_HISTORY_FILE',
  });
});

test('a question meanwhile counts the day as it was or as it is', async () => {
  const [folder, into] = [newDirectory(), newDirectory()];
  const rows = await minutes(120);
  await writeRows(folder, rows.slice(0, 60));
  await rollUpHistory(folder, into, { nowMs: LATER_MS });
  const counts = new Set<number>();
  for (let i = 60; i < 120; i += 10) {
    await writeRows(folder, rows.slice(i, i + 10));
    const [answers] = await Promise.all([
      Promise.all([ask(into), ask(into), ask(into)]),
      rollUpHistory(folder, into, { nowMs: LATER_MS }),
    ]);
    for (const [group] of answers) counts.add(group!.count);
    for (const [group] of answers) expect(group!.count % 20).toBe(0);
    expect(await ask(into)).toMatchObject([{ count: 2 * (i + 10) }]);
  }
  expect(Math.max(...counts)).toBeLessThanOrEqual(240);
});
