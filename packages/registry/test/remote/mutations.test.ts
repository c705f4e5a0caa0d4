import { EventEmitter } from 'node:events';
import { HdrscopeError } from '@hdrscope/core';
import { caseCount } from '@hdrscope/testing/case-count';
import { createRandom } from '@hdrscope/testing/random';
import { collectFrom, createRegistry, type Snapshot, serveRegistry } from '../../src/index.ts';
import { mutate } from '../support/mutations.ts';
import { FakePort } from '../support/ports.ts';
import { countOf } from '../support/totals.ts';

type Message = Record<string, unknown>;

const TIMEOUT_MS = 20_000;
const CASES = caseCount(300, 3000);

/** Real messages of a registry with everything that messages can have: the questions, and the answers. */
async function realMessages(): Promise<{ readonly questions: Message[]; readonly answers: Message[] }> {
  const ports = FakePort.pair();
  const remote = createRegistry();
  serveRegistry(remote, ports.remote);
  const main = createRegistry();
  collectFrom(main, ports.main);
  const attributes = { k: 'v', d: new Date(0), n: Number.NaN, l: [1, 'x'], o: { a: 1n } };
  const options = { name: 'a.b', unit: 's', scope: { name: 'shop' }, thresholds: [0.1] };
  const series = remote.histogram(options).with(attributes);
  for (let gathers = 0; gathers < 3; gathers++) {
    for (let i = 1; i < 20; i++) series.record(i / 8);
    series.record(-1);
    series.offerExemplar({ value: 2, timeMs: 1, attributes: { trace_id: 'a' } });
    await main.gather();
  }
  return { questions: ports.main.sent as Message[], answers: ports.remote.sent as Message[] };
}

/** Fails unless each problem of a snapshot is an error of hdrscope, or an error that the remote reported. */
function assertErrors({ errors }: Snapshot, reported: unknown): void {
  for (const { error } of errors) {
    const all = error instanceof AggregateError ? error.errors : [error];
    for (const one of all) {
      expect(one).toBeInstanceOf(Error);
      const isOwn =
        one instanceof HdrscopeError || /^its counts since its state|^\d+ more problems/.test(one.message);
      if (!isOwn && !(Array.isArray(reported) && reported.includes(one.message))) throw one;
      if (isOwn) expect(one.message).toMatch(/\S+ must|^the series|^its counts|"a\.b"|^the family/);
      for (let cause = one.cause; cause !== undefined; cause = cause.cause)
        expect(cause).not.toBeInstanceOf(TypeError);
    }
  }
}

test(`${CASES} mutated answers are errors that name the place, or counts, and no gather waits for more`, async () => {
  const random = createRandom(17);
  const { answers } = await realMessages();
  // Messages for others are not answers: the mark, the asker and the number of the request decide on it.
  const isFree = ([field]: string[]) => !['hdrscope', 'asker', 'request'].includes(field!);
  let refused = 0;
  for (let i = 0; i < CASES; i++) {
    const answer = structuredClone(answers[i % answers.length]!);
    mutate(answer, random, isFree);
    const port = Object.assign(new EventEmitter(), {
      postMessage({ request, asker }: Message) {
        queueMicrotask(() => port.emit('message', { ...answer, request, asker }));
      },
    });
    const main = createRegistry();
    collectFrom(main, port, { timeoutMs: TIMEOUT_MS });
    const startMs = performance.now();
    const snapshot = await main.gather();
    expect(performance.now() - startMs).toBeLessThan(TIMEOUT_MS / 2);
    assertErrors(snapshot, answer.errors);
    refused += Math.min(1, snapshot.errors.length);
  }
  // Neither all nor no mutations are harmless.
  expect(refused).toBeGreaterThan(CASES / 4);
  expect(refused).toBeLessThan(CASES);
}, 60_000);

test(`${CASES} mutated questions are answered or refused at once, and lose no counts of others`, async () => {
  const random = createRandom(18);
  const { questions } = await realMessages();
  const remote = createRegistry();
  const values = remote.histogram({ name: 'values' }).with({});
  const main = createRegistry();
  const ports = FakePort.pair();
  serveRegistry(remote, ports.remote);
  collectFrom(main, ports.main);
  const isFree = ([field]: string[]) => field !== 'hdrscope';
  for (let i = 0; i < CASES; i++) {
    const question = { ...structuredClone(questions[i % questions.length]!) };
    mutate(question, random, isFree);
    const port = Object.assign(new EventEmitter(), { postMessage: () => {} });
    const answered = new Promise<void>((resolve) => {
      port.postMessage = resolve;
    });
    serveRegistry(remote, port);
    port.emit('message', question);
    await answered;
    values.record(i);
    port.emit('close');
    if (i % 100 === 0) expect((await main.gather()).errors).toEqual([]);
  }
  expect(countOf(await main.gather())).toBe(CASES);
}, 60_000);

test('a question with a state that there has not been is refused, and the next one is answered', async () => {
  const main = createRegistry();
  const ports = FakePort.pair();
  const remote = createRegistry();
  serveRegistry(remote, ports.remote);
  collectFrom(main, ports.main, { timeoutMs: TIMEOUT_MS });
  const values = remote.histogram({ name: 'values' }).with({});
  values.record(1);
  await main.gather();
  const { postMessage } = ports.main;
  ports.main.postMessage = (message) => {
    const { known, ...question } = message as { known: object };
    postMessage.call(ports.main, { ...question, known: { ...known, sequence: 2 ** 53 - 1 } });
  };
  values.record(2);
  expect((await main.gather()).errors).toMatchObject([
    {
      error: {
        code: 'ERR_DECODE',
        message: expect.stringMatching(/collect.known.sequence must be at most 1/),
      },
    },
  ]);
  ports.main.postMessage = postMessage;
  const next = await main.gather();
  expect(next.errors).toEqual([]);
  expect(countOf(next)).toBe(2);
});

test('a remote that defines series without end is refused, and stays small', async () => {
  const { answers } = await realMessages();
  const [answer] = answers as [Message];
  const ports = FakePort.pair();
  const main = createRegistry();
  // A million series take their time on a busy machine, and a time-out would be another error.
  collectFrom(main, ports.main, { timeoutMs: 6 * TIMEOUT_MS });
  const series = new Array<unknown>(1_000_000).fill([0, [], 0]);
  const gathering = main.gather();
  const [{ request, asker }] = ports.main.sent as [Message];
  ports.main.emit('message', { ...answer, request, asker, series });
  ports.main.emit('message', { ...answer, request, asker, series: [[0, [], 0]], firstSeries: 1_000_000 });
  await gathering;
  expect((await Promise.all([main.gather(), answerLater()]))[0].errors).toMatchObject([
    {
      error: {
        code: 'ERR_TOO_LARGE',
        message: expect.stringMatching(/^the number of series .*at most 1000000/),
      },
    },
  ]);

  async function answerLater(): Promise<void> {
    ports.main.emit('message', {
      ...answer,
      request: 2,
      asker,
      series: [[0, [], 0]],
      firstSeries: 1_000_000,
    });
  }
});

test('a remote that sends faster than it is taken is an error, and the others are exact', async () => {
  const { answers } = await realMessages();
  const main = createRegistry();
  const [flood, good] = [FakePort.pair(), FakePort.pair()];
  collectFrom(main, flood.main, { name: 'flood', timeoutMs: TIMEOUT_MS });
  collectFrom(main, good.main, { name: 'good', timeoutMs: TIMEOUT_MS });
  const remote = createRegistry();
  serveRegistry(remote, good.remote);
  remote.histogram({ name: 'values' }).with({}).record(1);
  const gathering = main.gather();
  for (let i = 0; i < 1000; i++) flood.main.emit('message', { ...answers[0], asker: '', request: 0 });
  const snapshot = await gathering;
  expect(snapshot.errors).toMatchObject([{ source: 'flood', error: { code: 'ERR_TOO_LARGE' } }]);
  expect(snapshot.families.find(({ name }) => name === 'values')!.series[0]!.histogram.totalCount).toBe(1);
});
