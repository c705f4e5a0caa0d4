import { type ChildProcess, fork, type SerializationType } from 'node:child_process';
import { once } from 'node:events';
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
  expect(totalsOf(await main.gather())).toEqual(await expected(3));
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
    process.send([first, second, await totals()]);
    process.disconnect();
  `,
  );
  const process = fork(primary, { execArgv: [] });
  processes.push(process);
  const [received] = await once(process, 'message');
  const sum = (1000 * 999) / 2;
  expect(received).toEqual([
    [2000, 2 * sum, 2, []],
    [2000, 2 * sum, 2, ['worker 1']],
    [2000, 2 * sum, 2, []],
  ]);
});
