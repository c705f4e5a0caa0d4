import { caseCount, someCells } from '@hdrscope/testing/case-count';
import type { ChangesMessage } from '../../src/messages.ts';
import { type Against, NO_QUESTION, type Question } from '../../src/question.ts';
import { START_MS, TimedPage } from '../support-history.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const ROUTES = ['/cart', '/pay', '/search'];

/** How much slower a route is at a minute since the start. */
type Slowness = (route: string, minute: number) => number;

/** A page of a service, whose history may be longer than that of a fresh page. */
class Service {
  readonly page: TimedPage = new TimedPage({ spanMs: 30 * DAY_MS });
  #minute = 0;
  #state: number;
  readonly #slowness: Slowness;

  constructor(slowness: Slowness, seed = 1) {
    this.#slowness = slowness;
    this.#state = seed;
  }

  #random(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#state / 2 ** 32;
  }

  async pass(minutes: number, stepMinutes = 1): Promise<this> {
    if (this.page.table.updates === 0) await this.page.update();
    const family = this.page.family();
    for (let n = 0; n < minutes; n += stepMinutes) {
      for (const route of ROUTES) {
        const slow = this.#slowness(route, this.#minute);
        for (let i = 0; i < 400; i++) {
          family.with({ route }).record(0.01 * slow * (1 - this.#random()) ** -0.4);
        }
      }
      this.#minute += stepMinutes;
      await this.page.pass(stepMinutes * MINUTE_MS);
    }
    return this;
  }

  async rank(question: Partial<Question> = {}): Promise<ChangesMessage> {
    return (await this.page.answers.changes({ ...NO_QUESTION, ...question })).changes!;
  }
}

const since =
  (from: number): Slowness =>
  (route, minute) =>
    route === '/search' && minute >= from ? 6 : 1;

test.each(someCells([1, 5, 9, 12, 15, 25, 45, 90, 150], 0))(
  'an incident that began %i minutes ago is found on a page that was there before, with its start',
  async (age) => {
    const service = await new Service(since(360 - age)).pass(360);

    const changes = await service.rank();

    expect(changes.rows.map(({ label, isUp }) => [label, isUp])).toEqual([
      ['rpc.duration route=/search', true],
    ]);
    expect(changes.rows[0]!.sinceMs).toBe(START_MS + (360 - age) * MINUTE_MS);
    // The time that it is compared with has nothing of it.
    expect(changes.before.toMs).toBeLessThanOrEqual(changes.rows[0]!.sinceMs);
    expect(changes.rows[0]!.above.before).toBeLessThan(0.15);
    expect(changes.against).toBe(age < 9 ? 'recent' : 'earlier');
  },
);

test('the explanation compares the same times as the ranking', async () => {
  const service = await new Service(since(300)).pass(360);
  const { before, after, rows } = await service.rank();

  const { why } = await service.page.answers.why({ ...NO_QUESTION, pick: rows[0]!.label });

  expect(why).toMatchObject({ before, after, verdict: 'explained' });
  expect(why!.summary).toContain('route=/search explains');
});

test('after a night without a look, the page compares with the same time of the day before, and of a week before', async () => {
  const shown: Against[] = [];
  for (const days of [1, 7]) {
    // It began eleven hours ago, and the page remembers longer intervals further back.
    const service = await new Service(since(days * 1440 - 660)).pass(days * 1440 - 360, 30);
    await service.pass(360);
    const changes = await service.rank(days === 7 ? { against: 'week' } : {});
    expect(changes.rows.map(({ label }) => label)).toEqual(['rpc.duration route=/search']);
    expect(Math.abs(changes.after.fromMs - changes.before.toMs - days * DAY_MS)).toBeLessThan(DAY_MS / 12);
    shown.push(changes.against!);
  }
  expect(shown).toEqual(['day', 'week']);
});

test('a change that is nearer comes before one that is older; the reader chooses the time to compare with', async () => {
  const service = await new Service((route, minute) =>
    (route === '/search' && minute >= 100) || (route === '/pay' && minute >= 175) ? 6 : 1,
  ).pass(180);

  const nearest = await service.rank();
  const earlier = await service.rank({ against: 'earlier' });

  expect(nearest).toMatchObject({ against: 'recent', known: ['recent', 'earlier'] });
  expect(nearest.rows.map(({ label }) => label)).toEqual(['rpc.duration route=/pay']);
  expect(earlier).toMatchObject({ against: 'earlier', known: ['recent', 'earlier'] });
  expect(earlier.rows.map(({ label }) => label)).toContain('rpc.duration route=/pay');
  // There was no yesterday, so the page chooses.
  expect(await service.rank({ against: 'day' })).toEqual({ ...nearest, question: 'against=day' });
});

test('a quiet page looks at all times in turn, so that an old incident is found soon after its rows are asked for', async () => {
  const service = await new Service(() => 1).pass(200);
  const question = { where: ['route=/search'] };
  expect(await service.rank(question)).toMatchObject({ rows: [], errors: [], against: 'recent' });
  expect((await service.rank(question)).known).toEqual(['recent', 'earlier']);

  const late = await new Service(since(100)).pass(100);
  expect((await late.rank()).rows).toEqual([]);
  await late.pass(50);
  const looks: number[] = [];
  while (looks.at(-1) !== 1 && looks.length < 5) looks.push((await late.rank()).rows.length);
  expect(looks.at(-1)).toBe(1);
  expect((await late.rank()).rows).toHaveLength(1);
});

test('a rhythm of the day and a slow drift are no change', async () => {
  const alarms: string[][] = [];
  const kinds: Slowness[] = [
    (_, minute) => 1 + 0.5 * Math.sin((2 * Math.PI * minute) / 1440),
    (_, minute) => 1 + minute / 720,
  ];
  for (let seed = 1; seed <= caseCount(3, 20); seed++) {
    for (const kind of kinds) {
      const service = await new Service((route, minute) => kind(route, minute + seed * 97), seed).pass(360);
      const { rows } = await service.rank();
      if (rows.length > 0) alarms.push(rows.map(({ label, before, after }) => `${label} ${before} ${after}`));
    }
  }
  expect(alarms).toEqual([]);
}, 600_000);
