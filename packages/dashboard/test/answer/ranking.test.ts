import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import type { ChangesMessage } from '../../src/messages.ts';
import { NO_QUESTION, type Question } from '../../src/question.ts';
import { START_MS, TimedPage } from '../support-history.ts';

const MINUTES = 10;

/** Values in seconds of a route in one of many short stretches of time; `minute` 10 is the last one. */
type Load = (route: number, minute: number, random: () => number) => readonly number[];

function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const usual = (random: () => number, count = 400, slow = 1): number[] =>
  Array.from({ length: count }, () => 0.01 * slow * (1 - random()) ** -0.4);

/** A page that has seen ten minutes and one more. @param order The order in which series are made. */
async function pageOf(load: Load, order: readonly number[], seed = 1): Promise<TimedPage> {
  const page = new TimedPage();
  const family = page.family();
  const series = new Map(order.map((route) => [route, family.with({ route: `/${route}` })]));
  const randoms = new Map(order.map((route) => [route, randomOf(seed * 1000 + route * 7919)]));
  await page.update();
  for (let minute = 0; minute <= MINUTES; minute++) {
    for (let part = 0; part < 4; part++) {
      for (const route of order) {
        for (const value of load(route, minute, randoms.get(route)!)) series.get(route)!.record(value);
      }
      await page.pass(15_000);
    }
  }
  return page;
}

async function rank(page: TimedPage, question: Partial<Question> = {}): Promise<ChangesMessage> {
  return (await page.answers.changes({ ...NO_QUESTION, ...question })).changes!;
}

const STALLED_PAGES = caseCount(20, 200);

const ROUTES = [0, 1, 2, 3];
const labels = ({ rows }: ChangesMessage): string[] => rows.map(({ label }) => label);

test('the row that became slow is the only one, with its percentile, its share and its start', async () => {
  const page = await pageOf(
    (route, minute, random) => usual(random, 400, route === 2 && minute === 10 ? 9 : 1),
    ROUTES,
  );

  const changes = await rank(page);

  expect(labels(changes)).toEqual(['rpc.duration route=/2']);
  const [worst] = changes.rows;
  expect(worst).toMatchObject({ isUp: true, isNew: false, percentile: 'p99' });
  expect(worst!.sinceMs).toBe(START_MS + 600_000);
  expect(worst!.share).toBeGreaterThan(0.8);
  expect(worst!.shareOfMetric).toBeCloseTo(worst!.share / 4, 10);
  expect(changes).toMatchObject({
    ...{ leftOut: 0, rowCount: 4 },
    before: { fromMs: START_MS, toMs: START_MS + 600_000 },
    after: { fromMs: START_MS + 600_000, toMs: START_MS + 660_000 },
  });
});

test('whatever the size of changes, rows without a change are not named, and the order of series makes no difference', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1000 }),
      fc.uniqueArray(fc.constantFrom(...ROUTES), { minLength: 1, maxLength: 3 }),
      fc.shuffledSubarray(ROUTES, { minLength: 4 }),
      async (seed, changed, order) => {
        const load: Load = (route, minute, random) =>
          usual(random, 200 + 100 * route, changed.includes(route) && minute === 10 ? 6 : 1);
        const changes = await rank(await pageOf(load, ROUTES, seed));
        expect(labels(changes).sort()).toEqual(changed.map((route) => `rpc.duration route=/${route}`).sort());
        expect(await rank(await pageOf(load, order, seed))).toEqual(changes);
      },
    ),
    { numRuns: caseCount(8, 50) },
  );
}, 600_000);

test('contributions add up: the parts of the metric are the parts of the rows, weighed by their values', async () => {
  const load: Load = (route, minute, random) => usual(random, 100 * (route + 1), minute === 10 ? 5 : 1);
  const { rows } = await rank(await pageOf(load, ROUTES));

  expect(rows).toHaveLength(4);
  const total = rows.reduce((sum, { moved }) => sum + moved, 0);
  const counts = rows.map(({ moved, share }) => moved / share);
  expect(rows.reduce((sum, { shareOfMetric }) => sum + shareOfMetric, 0)).toBeCloseTo(
    total / counts.reduce((sum, count) => sum + count, 0),
    10,
  );
  expect(rows.map(({ moved }) => moved)).toEqual(rows.map(({ moved }) => moved).sort((a, b) => b - a));
});

test('values that vary together from one stretch of time to the next are no change', async () => {
  for (let seed = 1; seed <= STALLED_PAGES; seed++) {
    // Every fourth stretch on average has a stall, which a tenth of its requests wait for.
    const load: Load = (_, __, random) => {
      const isStalled = random() < 0.25;
      return usual(random).map((value, i) => (isStalled && i % 10 === 0 ? 1 : value));
    };
    expect(labels(await rank(await pageOf(load, ROUTES, seed)))).toEqual([]);
  }
}, 600_000);

test('a change is named for as long as most of the time before is without it', async () => {
  const isNamed: boolean[] = [];
  for (const since of [10, 9, 8, 7, 6]) {
    const load: Load = (route, minute, random) => usual(random, 400, route === 1 && minute >= since ? 9 : 1);
    const { rows } = await rank(await pageOf(load, ROUTES));
    isNamed.push(rows.length === 1);
    if (rows.length > 0) expect(rows[0]!.sinceMs).toBe(START_MS + since * 60_000);
  }
  expect(isNamed).toEqual([true, true, true, true, true]);
});

test('rows that became faster come after those that became slower', async () => {
  const load: Load = (route, minute, random) =>
    usual(random, 400, minute < 10 ? 1 : route === 0 ? 0.1 : route === 3 ? 2 : 1);
  const { rows } = await rank(await pageOf(load, ROUTES));

  expect(rows.map(({ label, isUp }) => [label, isUp])).toEqual([
    ['rpc.duration route=/3', true],
    ['rpc.duration route=/0', false],
  ]);
  expect(rows[1]!.moved).toBeLessThan(0);
});

test('a row that is new is compared with its metric, and errors stand beside it', async () => {
  const page = new TimedPage();
  const family = page.family();
  const random = randomOf(3);
  await page.update();
  for (let minute = 0; minute <= MINUTES; minute++) {
    for (const value of usual(random, 900)) family.with({ route: '/pay', status: 200 }).record(value);
    if (minute === 10) for (let n = 0; n < 300; n++) family.with({ route: '/pay', status: 503 }).record(2);
    await page.pass(60_000);
  }

  const { rows } = await rank(page);

  expect(labels({ rows } as ChangesMessage)).toEqual(['rpc.duration route=/pay, status=503']);
  expect(rows[0]).toMatchObject({ isNew: true, before: 'no values', errors: { before: 0, after: 0.25 } });
});

test('errors that are as fast as other requests are named with their metric, and errors that vary are not', async () => {
  const share = async (failing: (minute: number, random: () => number) => number) => {
    const page = new TimedPage();
    const family = page.family();
    const random = randomOf(5);
    await page.update();
    for (let minute = 0; minute <= MINUTES; minute++) {
      for (let part = 0; part < 4; part++) {
        const bad = failing(minute, random);
        for (const value of usual(random, 600)) {
          family.with({ route: '/pay', status: random() < bad ? 503 : 200 }).record(value);
        }
        await page.pass(15_000);
      }
    }
    return await rank(page);
  };

  const { errors, rows } = await share((minute) => (minute === 10 ? 0.2 : 0.001));
  expect(rows).toEqual([]);
  expect(errors).toMatchObject([{ metric: 'rpc.duration', sinceMs: START_MS + 600_000 }]);
  expect(errors[0]!.before).toBeCloseTo(0.001, 2);
  expect(errors[0]!.after).toBeCloseTo(0.2, 1);
  const { errors: usualErrors } = await share((_, random) => (random() < 0.3 ? 0.2 : 0));
  expect(usualErrors).toEqual([]);
});

test('requests that export telemetry are not ranked', async () => {
  const page = new TimedPage({}, ['collector:4318']);
  const family = page.family({ name: 'http.client.request.duration' });
  const random = randomOf(9);
  await page.update();
  for (let minute = 0; minute <= MINUTES; minute++) {
    for (const [address, port] of [
      ['collector', 4318],
      ['shop', 80],
    ] as const) {
      const series = family.with({ 'server.address': address, 'server.port': port });
      for (const value of usual(random, 400, minute === 10 ? 9 : 1)) series.record(value);
    }
    await page.pass(60_000);
  }
  expect(labels(await rank(page))).toEqual([
    'http.client.request.duration server.address=shop, server.port=80',
  ]);
});

test('merged rows, filters and chosen times are ranked as they are shown; metrics of hdrscope are not', async () => {
  const page = await pageOf(
    (route, minute, random) => usual(random, 400, route < 2 && minute === 5 ? 9 : 1),
    ROUTES,
  );
  const own = page.registry.histogram({ name: 'hdrscope.agent.gather.duration', unit: 's' }).with({});
  for (let n = 0; n < 1000; n++) own.record(5);
  await page.pass(1000);

  expect(labels(await rank(page))).toEqual([]);
  const range = { fromMs: START_MS + 300_000, toMs: START_MS + 360_000 };
  expect(labels(await rank(page, { range })).sort()).toEqual([
    'rpc.duration route=/0',
    'rpc.duration route=/1',
  ]);
  expect(labels(await rank(page, { range, by: [] }))).toEqual(['rpc.duration']);
  expect(labels(await rank(page, { range, where: ['route=/1'] }))).toEqual(['rpc.duration route=/1']);
});
