import { caseCount } from '@hdrscope/testing/case-count';
import { refusalOf } from '@hdrscope/testing/refusals';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import {
  type HistoryQuestion,
  type HistoryRow,
  historySql,
  objectiveHistory,
  queryHistory,
  queryMergedRows,
} from '../../src/index.ts';
import { divideBy } from '../../src/internal.ts';
import { runInDuckDb } from '../support/duckdb.ts';
import { writeRows } from '../support/folder.ts';
import { rowsOf } from '../support/recorded.ts';
import { newDirectory } from '../support/sandbox.ts';
import { expectZonedStretches, rowsByDay } from '../support/zoned-stretches.ts';

shareDuckDb();

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

test('queries, merged rows, objectives and printed statements count each row where clocks show its start', async () => {
  await expectZonedStretches(caseCount(1, 20), async (lists) => {
    const folder = newDirectory();
    for (const rows of lists) await writeRows(folder, rows);
    const inAnswer = (startMs: number | undefined, count: number, crossingCount: number) => ({
      start_ms: startMs,
      count,
      crossing_count: crossingCount,
    });
    return [
      async (question) => runInDuckDb(historySql(question, 'duckdb', { folder }), {}),
      async (question) =>
        (await queryHistory(folder, question)).map((one) =>
          inAnswer(one.startMs, one.count, one.crossingCount),
        ),
      async ({ percentiles, ...question }: HistoryQuestion) => {
        const rows = [];
        for await (const row of queryMergedRows(folder, { ...question, by: [] }))
          rows.push(inAnswer(row.startMs, row.count, row.crossingCount));
        return rows;
      },
      async ({ percentiles, ...question }: HistoryQuestion) => {
        // Periods are cut where the question begins, so it begins earlier.
        const sinceMs = question.sinceMs! - 100 * DAY_MS;
        const untilMs = question.untilMs!;
        const asked = { ...question, sinceMs, untilMs, threshold: 1, objective: 0.5 };
        const [all] = await objectiveHistory(folder, asked);
        const { periods, total } = all!;
        expect(periods.reduce((sum, { count }) => sum + count, 0)).toBe(total.count);
        for (const [at, { endMs }] of periods.entries())
          expect(periods[at + 1]?.startMs ?? untilMs).toBe(endMs);
        return periods
          .filter(({ count }) => count > 0)
          .map((one) => inAnswer(one.startMs, one.count, one.crossingCount));
      },
    ];
  });
});

/** Rows of a minute in a folder, one at each time. */
async function writeFolder(times: readonly string[], lengthMs = MINUTE_MS): Promise<string> {
  const [row] = await rowsOf([{ significantDigits: 1, attributes: {}, intervals: [[5]] }]);
  const folder = newDirectory();
  const rows = times.map((time, sequence): HistoryRow => {
    const startMs = Date.parse(`${time}Z`);
    return { ...row!, startMs, endMs: startMs + lengthMs, sequence };
  });
  for (const ofDay of rowsByDay(rows)) await writeRows(folder, ofDay);
  return folder;
}

test('an answer has both ends of its stretches, of days with 23 hours too, and of weeks that begin on Monday', async () => {
  const folder = await writeFolder([
    '2026-03-28T22:59',
    '2026-03-28T23:00',
    '2026-03-29T21:59',
    '2026-03-29T22:00',
  ]);
  const question = { metric: 'lat', timeZone: 'Europe/Berlin' };
  const days = await queryHistory(folder, { ...question, every: { days: 1 } });
  expect(
    days.map(({ startMs, endMs, count }) => [
      new Date(startMs!).toISOString(),
      (endMs! - startMs!) / HOUR_MS,
      count,
    ]),
  ).toEqual([
    ['2026-03-27T23:00:00.000Z', 24, 1],
    ['2026-03-28T23:00:00.000Z', 23, 2],
    ['2026-03-29T22:00:00.000Z', 24, 1],
  ]);
  const weeks = await queryHistory(folder, { ...question, every: { days: 7 } });
  expect(weeks.map(({ startMs, count }) => [new Date(startMs!).toISOString(), count])).toEqual([
    ['2026-03-22T23:00:00.000Z', 3],
    ['2026-03-29T22:00:00.000Z', 1],
  ]);
  const utc = await queryHistory(folder, { metric: 'lat', every: { days: 7 } });
  expect(utc.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
    [Date.parse('2026-03-23'), Date.parse('2026-03-30')],
  ]);
});

test('rows of days of UTC that days of a zone cut are counted as crossing', async () => {
  const folder = await writeFolder(['2026-03-01T00:00', '2026-03-02T00:00'], DAY_MS);
  const crossing = async (more: object): Promise<(number | undefined)[]> =>
    (await queryHistory(folder, { metric: 'lat', ...more })).map(({ crossingCount }) => crossingCount);
  expect(await crossing({ every: { days: 1 } })).toEqual([0, 0]);
  expect(await crossing({ every: { days: 1 }, timeZone: 'America/New_York' })).toEqual([1, 1]);
  expect(await crossing({ every: { months: 1 }, timeZone: 'America/New_York' })).toEqual([1, 0]);
  expect(await crossing({})).toEqual([0]);
});

test('a merge in parts has all stretches of a year, also those that clocks make longer', async () => {
  const times = Array.from({ length: 365 }, (_, day) =>
    new Date(Date.parse('2026-01-01T12:00Z') + day * DAY_MS).toISOString().slice(0, 16),
  );
  const folder = await writeFolder(times);
  const rows = [];
  for await (const { startMs, endMs, count } of queryMergedRows(folder, {
    every: { days: 1 },
    timeZone: 'Europe/Berlin',
  })) {
    rows.push({ hours: (endMs - startMs) / HOUR_MS, count });
  }
  expect(rows.map(({ count }) => count)).toEqual(times.map(() => 1));
  expect(rows.filter(({ hours }) => hours !== 24).map(({ hours }) => hours)).toEqual([23, 25]);
});

test('a printed statement lists borders of a bounded time only', () => {
  const question = { metric: 'lat', every: { months: 1 } };
  expect(refusalOf(() => historySql(question, 'duckdb'), 'ERR_INVALID_OPTION').message).toBe(
    'sinceMs and untilMs must bound the time: a statement lists the borders of months, and those of a time zone',
  );
  const span = { sinceMs: Date.parse('2026-01-01'), untilMs: Date.parse('2027-01-01') };
  expect(historySql({ ...question, ...span }, 'duckdb')).toContain(`< ${Date.parse('2026-03-01')} THEN`);
  expect(historySql({ metric: 'lat', every: { days: 7 } }, 'postgres')).toContain('+ 259200000) % 604800000');
  const long = { ...question, sinceMs: 0, untilMs: 8.64e15 };
  expect(refusalOf(() => historySql(long, 'duckdb'), 'ERR_INVALID_OPTION').message).toContain(
    'at most 1000 years',
  );
});

test('lengths that suit a picture are days of the calendar from a day on', () => {
  expect([divideBy(HOUR_MS), divideBy(DAY_MS), divideBy(7 * DAY_MS)]).toEqual([
    { everyMs: HOUR_MS },
    { every: { days: 1 } },
    { every: { days: 7 } },
  ]);
});
