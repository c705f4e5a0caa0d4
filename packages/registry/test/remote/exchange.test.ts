import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { createRegistry, type Family, type Registry } from '../../src/index.ts';
import { RemoteStates } from '../../src/remote/remote-states.ts';
import { ServedRegistry } from '../../src/remote/served-registry.ts';
import {
  type CollectMessage,
  collectMessage,
  type ReceivedChanges,
  readChanges,
} from '../../src/remote/wire.ts';
import { countOf, totalsOf } from '../support/totals.ts';

/** A registry and a remote one, whose messages the test carries itself. */
class Exchange {
  readonly main: Registry = createRegistry();
  readonly remote: Registry = createRegistry();
  readonly states = new RemoteStates(this.main);
  readonly served = new ServedRegistry(this.remote);
  /** Has recorded all that the remote has, and its series do not end. */
  readonly single: Registry = createRegistry();
  readonly questions: CollectMessage[] = [];
  readonly answers: ReceivedChanges[] = [];

  question({ isFirst = false, asker = this.states.asker } = {}): CollectMessage {
    const known = isFirst ? undefined : this.states.known(this.served.instance);
    return collectMessage({ request: 1, timeoutMs: 1000, asker, known });
  }

  async answer(question: CollectMessage): Promise<ReceivedChanges> {
    const message = await this.served.answer(question, { isLast: false, isText: false });
    return readChanges(structuredClone(message))!;
  }

  async exchange(question = this.question()): Promise<unknown[]> {
    return this.states.take(await this.answer(question), {});
  }

  record(series: number, value: number): void {
    for (const registry of [this.remote, this.single])
      familyOf(registry, series).with({ series }).record(value);
  }

  /** Ends a series of the remote. */
  remove(series: number): void {
    familyOf(this.remote, series).remove({ series });
  }

  async expectNothingTwice(): Promise<void> {
    const totals = totalsOf(await this.single.gather());
    for (const [key, { slots }] of totalsOf(await this.main.gather())) {
      const recorded = new Map(totals.get(key)!.slots);
      for (const [slot, count] of slots) expect(count).toBeLessThanOrEqual(recorded.get(slot)!);
    }
  }
}

function familyOf(registry: Registry, series: number): Family {
  return registry.histogram({ name: series < 4 ? 'x' : 'y', resolution: 1 });
}

type Step =
  | readonly [what: 'remove', series: number]
  | readonly [what: 'record', series: number, value: number]
  | readonly [what: 'ask', isFirst: boolean]
  | readonly [what: 'answer' | 'take', which: number, isRepeated: boolean]
  | readonly [what: 'answer two' | 'lose question' | 'lose answer' | 'return'];

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(
      fc.constant('record' as const),
      fc.nat({ max: 6 }),
      fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 2 ** 40 }), fc.constant(-1)),
    ),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constant('remove' as const), fc.nat({ max: 6 })) },
  { weight: 6, arbitrary: fc.tuple(fc.constant('ask' as const), fc.boolean()) },
  {
    weight: 12,
    arbitrary: fc.tuple(fc.constantFrom('answer' as const, 'take' as const), fc.nat(), fc.boolean()),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...(['answer two', 'lose question', 'lose answer', 'return'] as const).map((what) => [what] as const),
    ),
  },
);

async function run(exchange: Exchange, step: Step): Promise<void> {
  const { questions, answers, states, served } = exchange;
  switch (step[0]) {
    case 'record':
      return exchange.record(step[1], step[2]);
    case 'remove':
      return exchange.remove(step[1]);
    case 'ask':
      questions.push(exchange.question({ isFirst: step[1] }));
      return;
    case 'answer': {
      const question = chosen(questions, step[1], step[2]);
      if (question !== undefined) answers.push(await exchange.answer(question));
      return;
    }
    case 'answer two':
      answers.push(...(await Promise.all(questions.splice(0, 2).map((one) => exchange.answer(one)))));
      return;
    case 'take': {
      const answer = chosen(answers, step[1], step[2]);
      if (answer !== undefined) expect(await states.take(answer, {})).toEqual([]);
      return exchange.expectNothingTwice();
    }
    case 'lose question':
      questions.shift();
      return;
    case 'lose answer':
      answers.shift();
      return;
    case 'return':
      // The last port is closed, and another one leads to the same registry.
      states.attach(served.instance);
      states.detach(served.instance);
  }
}

/** An element, which stays when it comes again. */
function chosen<T>(all: T[], which: number, isRepeated: boolean): T | undefined {
  const at = which % Math.max(1, all.length);
  return isRepeated ? all[at] : all.splice(at, 1)[0];
}

test('questions and answers that are late, lost, repeated or in another order lose no value and count none twice', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const exchange = new Exchange();
      for (const one of steps) await run(exchange, one);
      // The first answer may repeat a state that was not acknowledged.
      for (let times = 0; times < 2; times++) expect(await exchange.exchange()).toEqual([]);
      expect(totalsOf(await exchange.main.gather())).toEqual(totalsOf(await exchange.single.gather()));
    }),
    { numRuns: caseCount(50, 150) },
  );
});

test.each([true, false])(
  'the last changes have all that was not acknowledged, whether or not it comes too: %p',
  async (isLate) => {
    const exchange = new Exchange();
    const question = exchange.question();
    exchange.record(0, 1);
    await exchange.exchange(question);
    exchange.record(0, 2);
    const earlier = await exchange.answer(exchange.question());
    exchange.record(1, 3);
    const last = await exchange.answer(exchange.question({ isFirst: true }));
    for (const changes of isLate ? [last, earlier] : [last]) {
      expect(await exchange.states.take(changes, {})).toEqual([]);
    }
    expect(countOf(await exchange.main.gather())).toBe(3);
  },
);

test('a registry that never acknowledges makes the remote remember a few states only, and loses nothing', async () => {
  const exchange = new Exchange();
  const question = exchange.question();
  let longest = 0;
  for (let value = 0; value < 30; value++) {
    exchange.record(0, value);
    longest = Math.max(longest, (await exchange.answer(question)).increases.length);
  }
  expect(longest).toBeLessThan(10);
  for (let times = 0; times < 2; times++) await exchange.exchange();
  expect(countOf(await exchange.main.gather())).toBe(30);
});

test('a remote that has forgotten a registry says that counts are lost, and goes on without counting any twice', async () => {
  const exchange = new Exchange();
  exchange.record(0, 1);
  await exchange.exchange();
  exchange.record(0, 2);
  for (let others = 0; others < 16; others++) {
    await exchange.answer(exchange.question({ isFirst: true, asker: `other ${others}` }));
  }
  // This answer is lost.
  await exchange.answer(exchange.question());
  exchange.record(1, 3);
  expect(await exchange.exchange()).toMatchObject([
    { message: expect.stringMatching(/^its counts since its state 1 are lost/) },
  ]);
  exchange.record(1, 4);
  exchange.record(2, 5);
  expect(await exchange.exchange()).toEqual([]);
  // The value 2 is lost.
  expect(countOf(await exchange.main.gather())).toBe(4);
});

test('a registry that has forgotten a remote goes on where the remote knows it to be', async () => {
  const exchange = new Exchange();
  for (const value of [1, 2]) {
    exchange.record(0, value);
    await exchange.exchange();
  }
  for (let others = 0; others <= 1000; others++) {
    const name = others === 0 ? exchange.served.instance : `other ${others}`;
    exchange.states.attach(name);
    exchange.states.detach(name);
  }
  expect(exchange.states.known(exchange.served.instance).sequence).toBe(0);
  exchange.record(0, 3);
  expect(await exchange.exchange()).toEqual([]);
  expect(totalsOf(await exchange.main.gather())).toEqual(totalsOf(await exchange.single.gather()));
});

describe('series of a remote that end', () => {
  test('leave all their counts, also when they begin anew', async () => {
    const exchange = new Exchange();
    const handle = familyOf(exchange.remote, 0).with({ series: 0 });
    for (const value of [1, 2, 3]) {
      handle.record(value);
      exchange.remove(0);
      handle.record(value);
      await exchange.exchange();
    }
    exchange.remove(0);
    await exchange.exchange();
    expect(countOf(await exchange.main.gather())).toBe(6);
    expect(countOf(await exchange.remote.gather())).toBe(0);
  });

  test('leave their counts when they begin and end before the first question', async () => {
    const exchange = new Exchange();
    exchange.record(0, 1);
    exchange.remove(0);
    await exchange.exchange();
    expect(countOf(await exchange.main.gather())).toBe(1);
  });

  test('leave no ids behind: ids begin anew when most of their series have ended', async () => {
    const exchange = new Exchange();
    const family = exchange.remote.histogram({ name: 'x', cardinalityLimit: 500 });
    let mostKnown = 0;
    for (let round = 0; round < 20; round++) {
      for (let user = 0; user < 200; user++) family.with({ round, user }).record(1);
      expect(await exchange.exchange()).toEqual([]);
      family.clear();
      mostKnown = Math.max(mostKnown, exchange.states.known(exchange.served.instance).series);
    }
    await exchange.exchange();
    expect(mostKnown).toBeLessThan(2000);
    expect(countOf(await exchange.main.gather())).toBe(4000);
  });

  test('of an earlier generation of ids are taken from late answers that define them', async () => {
    const exchange = new Exchange();
    const family = exchange.remote.histogram({ name: 'x', cardinalityLimit: 5000 });
    for (let user = 0; user < 2000; user++) family.with({ user }).record(1);
    const late = await exchange.answer(exchange.question());
    family.clear();
    family.with({ user: 'last' }).record(1);
    const asked = exchange.question();
    const later = await exchange.answer(asked);
    expect(later.generation).toBe(late.generation + 1);
    for (const changes of [later, late, later]) expect(await exchange.states.take(changes, {})).toEqual([]);
    await exchange.exchange();
    expect(countOf(await exchange.main.gather())).toBe(2001);
  });
});

test('a family that ends silent series ends them in the registry that collects, too', async () => {
  const exchange = new Exchange();
  exchange.remote.histogram({ name: 'x', expireAfterMs: 5000 });
  await exchange.exchange();
  expect(exchange.main.family({ name: 'x' })!.expireAfterMs).toBe(5000);
});
