import { type ChildProcess, fork, type SerializationType } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { BuiltPackages } from '@hdrscope/testing';
import { collectFrom, createRegistry, type Registry } from '../../src/index.ts';
import { totalsOf } from '../support/totals.ts';

const built = new BuiltPackages(['registry']);
const processes: ChildProcess[] = [];
afterAll(() => {
  for (const process of processes) process.kill('SIGKILL');
  built.remove();
});

/** A busy machine may take long to start a process. */
const PATIENCE_MS = 30_000;

/** Records 0 … `values` - 1, then sends `recorded`. Ends in good order when it receives `stop`. */
const RECORD = `
  import { createRegistry, serveRegistry } from '@hdrscope/registry';

  const registry = createRegistry();
  const stop = serveRegistry(registry, process);
  process.on('message', (message) => {
    if (message === 'stop') void stop().then(() => process.exit());
  });
  const family = registry.histogram({ name: 'values' });
  for (let value = 0; value < 1000; value++) family.with({ infinite: Infinity }).record(value);
  family.with({ infinite: Infinity }).record(-1);
  process.send('recorded');
`;
const child = built.script('child', RECORD);

function start(main: Registry, serialization: SerializationType, name: string): ChildProcess {
  const process = fork(child, { serialization, execArgv: [] });
  processes.push(process);
  collectFrom(main, process, { name, timeoutMs: PATIENCE_MS });
  return process;
}

async function expected(generations: number): Promise<Map<string, unknown>> {
  const single = createRegistry();
  const series = single.histogram({ name: 'values' }).with({ infinite: Number.POSITIVE_INFINITY });
  for (let i = 0; i < generations; i++) {
    for (let value = 0; value < 1000; value++) series.record(value);
    series.record(-1);
  }
  return totalsOf(await single.gather());
}

test('child processes leave their reported counts, and those that stop report the last ones', async () => {
  const main = createRegistry();
  const [killed, stopped] = [start(main, 'json', 'killed'), start(main, 'advanced', 'stopped')];
  await Promise.all([once(killed, 'message'), once(stopped, 'message')]);
  expect(totalsOf(await main.gather())).toEqual(await expected(2));

  killed.kill('SIGKILL');
  await once(killed, 'disconnect');
  // It is never asked: its counts come with its last state.
  const replacement = start(main, 'json', 'replacement');
  await once(replacement, 'message');
  const ends = [stopped, replacement].map((process) => once(process, 'disconnect'));
  for (const process of [stopped, replacement]) process.send('stop');
  await Promise.all(ends);
  const snapshot = await main.gather();
  expect(snapshot.errors.map(({ source }) => source)).toEqual(['killed']);
  expect(totalsOf(snapshot)).toEqual(await expected(3));
  const again = await main.gather();
  expect(again.errors.map(({ source }) => source)).toEqual(['killed']);
  expect(totalsOf(again)).toEqual(await expected(3));

  const successor = start(main, 'json', 'killed');
  await once(successor, 'message');
  const last = await main.gather();
  expect(last.errors).toEqual([]);
  expect(totalsOf(last)).toEqual(await expected(4));
});

test('a process that is killed and replaced at once is named by a snapshot', async () => {
  const main = createRegistry();
  const killed = start(main, 'json', 'killed');
  await once(killed, 'message');
  killed.kill('SIGKILL');
  // Its channel may report the end later.
  await once(killed, 'exit');
  await once(start(main, 'json', 'killed'), 'message');
  const named = await main.gather();
  expect(named.errors.map(({ source }) => source)).toEqual(['killed']);
  expect(totalsOf(named)).toEqual(await expected(1));
  expect((await main.gather()).errors).toEqual([]);
});

test('a cluster is collected from while workers come and go', async () => {
  const worker = built.script('worker', RECORD);
  const primary = built.script(
    'primary',
    `
    import cluster from 'node:cluster';
    import { once } from 'node:events';
    import { collectFromCluster, createRegistry } from '@hdrscope/registry';

    cluster.setupPrimary({ exec: ${JSON.stringify(worker)}, execArgv: [] });
    const registry = createRegistry();
    collectFromCluster(registry, cluster, { timeoutMs: ${PATIENCE_MS} });
    const begin = () => once(cluster.fork(), 'message');
    const totals = async () => {
      const { families, errors } = await registry.gather();
      const [{ histogram, sum, rejected }] = families[0].series;
      return [histogram.totalCount, sum, rejected.negative, errors.map(({ source }) => source)];
    };
    await Promise.all([begin(), begin()]);
    const first = await totals();
    cluster.workers[1].process.kill('SIGKILL');
    await once(cluster, 'exit');
    const second = await totals();
    const last = cluster.workers[2];
    last.send('stop');
    await once(last, 'disconnect');
    const third = await totals();
    await begin(); // replaces the one that was killed
    process.send([first, second, third, await totals()]);
    cluster.workers[3].process.kill('SIGKILL');
    process.disconnect();
  `,
  );
  const process = fork(primary, { execArgv: [] });
  processes.push(process);
  const [received] = await once(process, 'message');
  const sum = (1000 * 999) / 2;
  const killed = expect.stringMatching(/^worker 1 \(process \d+\)$/);
  expect(received).toEqual([
    [2000, 2 * sum, 2, []],
    [2000, 2 * sum, 2, [killed]],
    [2000, 2 * sum, 2, [killed]],
    [3000, 3 * sum, 3, []],
  ]);
});

/** Sends rubbish without being asked, and as answers, until the channel ends. */
const RUBBISH = `
  import { createRegistry, serveRegistry } from '@hdrscope/registry';

  const advanced = process.argv[2] === 'advanced';
  const values = [undefined, null, -1, 1.5, 2 ** 53, '', 'x', [], [null], {}, { toString: 1, valueOf: 1 }, 'A'.repeat(5000)];
  if (advanced) values.push(new Array(5), new Map(), NaN, 1n, new Date(NaN), new ArrayBuffer(7), new Uint8Array(3));
  let random = 17;
  const pick = (list) => list[(random = (random * 1103515245 + 12345) % 2 ** 31) % list.length];
  const change = (value) => {
    if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return pick(values);
    const copy = Array.isArray(value) ? [...value] : { ...value };
    const key = pick(Object.keys(copy));
    copy[key] = pick([true, false]) ? change(copy[key]) : pick(values);
    return copy;
  };
  const other = () => ({ hdrscope: pick(['changes', 'state', 'collect', 'refusal', 'x']), version: 2, request: pick(values) });
  const registry = createRegistry();
  const family = registry.histogram({ name: 'rubbish' });
  const listeners = [];
  let answer;
  serveRegistry(registry, {
    on: (event, listener) => listeners.push([event, listener]),
    off: () => {},
    send: (message) => { answer = message; },
  });
  const hear = (message) => {
    for (const [event, listener] of listeners) if (event === 'message') listener(message);
  };
  process.on('disconnect', () => process.exit());
  process.on('message', (question) => {
    family.with({ k: ['v'] }).record(1);
    hear(question);
    for (let i = 0; i < 20; i++) if (answer !== undefined) process.send(change(answer));
  });
  setInterval(() => {
    for (let i = 0; i < 50; i++) process.send(answer === undefined || i % 2 ? other() : change(answer));
  }, 5);
`;
const rubbish = built.script('rubbish', RUBBISH);

test.each<SerializationType>(['json', 'advanced'])(
  'processes that send rubbish for a while leave the counts of the others exact: %s',
  async (serialization) => {
    const main = createRegistry();
    const good = start(main, serialization, 'good');
    await once(good, 'message');
    const bad = fork(rubbish, [serialization], { serialization, execArgv: [] });
    processes.push(bad);
    let messages = 0;
    bad.on('message', () => messages++);
    collectFrom(main, bad, { name: 'bad', timeoutMs: 200 });
    await once(bad, 'message');
    const problems = new Set<string>();
    const [leastMs, endMs] = [Date.now() + 300, Date.now() + PATIENCE_MS];
    const isEnough = (): boolean => Date.now() > leastMs && messages > 500 && problems.size > 3;
    for (; !isEnough() && Date.now() < endMs; await sleep(20)) {
      for (const { source, error } of (await main.gather()).errors) {
        expect(source).toBe('bad');
        for (const one of error instanceof AggregateError ? error.errors : [error]) {
          expect(one).toBeInstanceOf(Error);
          expect((one as Error).name).not.toBe('TypeError');
          problems.add((one as Error).message);
        }
      }
    }
    expect(messages).toBeGreaterThan(500);
    expect(problems.size).toBeGreaterThan(3);
    const values = new Map([...totalsOf(await main.gather())].filter(([key]) => key.startsWith(' values ')));
    expect(values).toEqual(await expected(1));
    bad.kill('SIGKILL');
    good.kill('SIGKILL');
  },
  60_000,
);
