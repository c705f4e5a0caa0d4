import { caseCount } from '@hdrscope/testing/case-count';
import { NO_QUESTION, type Question } from '../../src/question.ts';
import { START_MS, TimedPage } from '../support-history.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

/** Records requests of some routes for some minutes, and lets the page take each minute. */
async function work(page: TimedPage, minutes: number, routes = ['/a', '/b'], slow = 1): Promise<void> {
  const family = page.family();
  for (let minute = 0; minute < minutes; minute++) {
    for (const route of routes) {
      const factor = route === '/a' ? slow : 1;
      for (let n = 1; n <= 300; n++) family.with({ route }).record(0.01 * factor * (n / 301) ** -0.4);
    }
    await page.pass(MINUTE_MS);
  }
}

const changesOf = async (page: TimedPage, question: Partial<Question> = {}) =>
  (await page.answers.changes({ ...NO_QUESTION, ...question })).changes;
const whyOf = async (page: TimedPage, pick: string) => (await page.answers.why({ ...NO_QUESTION, pick })).why;
const labelsOf = async (page: TimedPage) => (await changesOf(page))!.rows.map(({ label }) => label);

test('without series, nothing is asked and nothing fails', async () => {
  const page = new TimedPage();
  expect(await changesOf(page)).toBeUndefined();
  await page.update();
  await page.pass(MINUTE_MS);
  expect(await changesOf(page)).toBeUndefined();
  expect(await page.ask({ pick: 'rpc.duration', by: [] })).toMatchObject({ rows: { rows: [], leftOut: 0 } });
  expect(await whyOf(page, 'rpc.duration')).toBeUndefined();
});

test('with one interval, there is no time before', async () => {
  const page = new TimedPage();
  await page.update();
  await work(page, 1);
  expect(await changesOf(page)).toBeUndefined();
  expect(await whyOf(page, 'rpc.duration route=/a')).toMatchObject({
    verdict: 'too few values',
    summary: 'The page remembers no time before, so it cannot say what changed.',
  });
});

test('with one series without attributes, its change is named, and no attribute explains it', async () => {
  const page = new TimedPage();
  const series = page.family().with({});
  await page.update();
  for (let minute = 0; minute <= 10; minute++) {
    for (let n = 1; n <= 300; n++) series.record(0.01 * (minute === 10 ? 9 : 1) * (n / 301) ** -0.4);
    await page.pass(MINUTE_MS);
  }
  expect(await labelsOf(page)).toEqual(['rpc.duration']);
  expect((await whyOf(page, 'rpc.duration'))!.summary).toContain('No attribute value explains it.');
});

test('a day in which a process slept is no usual time', async () => {
  const page = new TimedPage({ spanMs: 3 * DAY_MS });
  await page.update();
  await work(page, 60);
  page.nowMs += DAY_MS;
  await page.update();
  await work(page, 1);

  expect(await labelsOf(page)).toEqual([]);
  await work(page, 3, ['/a', '/b'], 9);
  expect(await labelsOf(page)).toEqual(['rpc.duration route=/a']);
});

test.each([-30_000, -DAY_MS, 30_000, DAY_MS])(
  'a clock that steps by %i ms leaves times in order',
  async (stepMs) => {
    const page = new TimedPage({ spanMs: 3 * DAY_MS });
    await page.update();
    await work(page, 20);
    page.nowMs += stepMs;
    await page.update().catch(() => {});
    await work(page, 12);

    const { intervals } = page.history;
    for (let i = 1; i < intervals.length; i++) {
      expect(intervals[i]!.startMs).toBeGreaterThanOrEqual(intervals[i - 1]!.endMs);
    }
    expect((await changesOf(page))?.rows ?? []).toEqual([]);
    expect(intervals[0]!.startMs).toBe(START_MS);
  },
);

const ROUTES = caseCount(200, 1000);
const MANY_SERIES = 100 * ROUTES;

test('of very many series, the largest rows are shown, the count of the others is stated, and a filter shows them', async () => {
  const page = new TimedPage();
  const family = page.family({ cardinalityLimit: 200_000, significantDigits: 1 });
  await page.update();
  for (let n = 0; n < MANY_SERIES; n++) {
    const series = family.with({ host: n % 100, route: Math.floor(n / 100) });
    series.record(1);
    if (n < 10) series.record(2);
  }
  await page.pass(MINUTE_MS);

  const { rows } = await page.ask({ range: { fromMs: START_MS, toMs: page.nowMs } });
  expect([rows!.rows.length, rows!.leftOut]).toEqual([2000, MANY_SERIES - 2000]);
  expect(rows!.rows.slice(0, 10).map(({ count }) => count)).toEqual(Array.from({ length: 10 }, () => 2));
  const chosen = await page.ask({ where: ['route=199'] });
  expect([chosen.rows!.rows.length, chosen.rows!.leftOut]).toEqual([100, 0]);
  const merged = await page.ask({ by: ['route'] });
  expect([merged.rows!.rows.length, merged.rows!.leftOut]).toEqual([ROUTES, 0]);
}, 60_000);
