import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { BuiltPackages } from '@hdrscope/testing';
import { caseCount } from '@hdrscope/testing/case-count';
import { collectFrom, createRegistry, type Registry } from '../../src/index.ts';
import { settled } from '../support/ports.ts';
import { familyIn, onlySeries } from '../support/state.ts';
import { countOf, totalsOf } from '../support/totals.ts';

const built = new BuiltPackages(['registry']);
const workers: Worker[] = [];
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.terminate()));
  built.remove();
});

/** A busy machine may take long to start a thread. */
const PATIENCE_MS = 30_000;

/**
 * Records 0 … `values` - 1 in bursts, then sends `recorded`. Ends in good order when it receives `stop`, and
 * blocks for a while when it receives `sleep`.
 */
const script = built.script(
  'thread',
  `
  import { parentPort, workerData } from 'node:worker_threads';
  import { createRegistry, serveRegistry } from '@hdrscope/registry';

  const registry = createRegistry();
  const stop = serveRegistry(registry, parentPort);
  parentPort.on('message', (message) => {
    if (message.sleepMs) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, message.sleepMs);
    if (message === 'stop') void stop().then(() => parentPort.close());
  });
  const series = registry.histogram({ name: 'values' }).with({});
  let value = 0;
  (function burst() {
    for (const end = Math.min(value + 500, workerData.values); value < end; value++) series.record(value);
    if (value < workerData.values) setImmediate(burst);
    else parentPort.postMessage('recorded');
  })();
`,
);

function start(
  main: Registry,
  { values, name = 'thread', timeoutMs = PATIENCE_MS }: { values: number; name?: string; timeoutMs?: number },
): { readonly worker: Worker; readonly recorded: Promise<unknown> } {
  const worker = new Worker(script, { workerData: { values }, execArgv: [] });
  workers.push(worker);
  const recorded = new Promise((resolve) =>
    worker.on('message', (message) => message === 'recorded' && resolve(undefined)),
  );
  collectFrom(main, worker, { name, timeoutMs });
  return { worker, recorded };
}

/** The totals of one registry that has recorded all values. */
async function expected(...lists: readonly number[]): Promise<Map<string, unknown>> {
  const single = createRegistry();
  const series = single.histogram({ name: 'values' }).with({});
  for (const values of lists) for (let value = 0; value < values; value++) series.record(value);
  return totalsOf(await single.gather());
}

test('threads that record during gathers lose nothing, and totals never fall', async () => {
  const main = createRegistry();
  const sizes = [20_000, 30_000, 40_000];
  const threads = sizes.map((values) => start(main, { values }));
  let isRunning = true;
  const done = Promise.all(threads.map(({ recorded }) => recorded)).then(() => {
    isRunning = false;
  });
  const counts: number[] = [];
  let previous = await main.gather();
  let ofIntervals = countOf(previous);
  while (isRunning) {
    const snapshot = await main.gather();
    expect(snapshot.errors).toEqual([]);
    ofIntervals += countOf(snapshot.since(previous));
    counts.push(countOf(snapshot));
    previous = snapshot;
  }
  await done;
  const final = await main.gather();
  ofIntervals += countOf(final.since(previous));
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect(totalsOf(final)).toEqual(await expected(...sizes));
  expect(ofIntervals).toBe(90_000);
});

test('a thread that stops in good order reports its last counts, and then ends by itself', async () => {
  const main = createRegistry();
  const { worker, recorded } = start(main, { values: 1000 });
  await recorded;
  worker.postMessage('stop');
  await once(worker, 'exit');
  const snapshot = await main.gather();
  expect(snapshot.errors).toEqual([]);
  expect(totalsOf(snapshot)).toEqual(await expected(1000));
});

test('the counts of a killed thread stay, once, and its replacement adds its own', async () => {
  const main = createRegistry();
  const first = start(main, { values: 1000, name: 'first' });
  await first.recorded;
  await main.gather();
  await first.worker.terminate();
  const second = start(main, { values: 1000, name: 'second' });
  await second.recorded;
  const snapshot = await main.gather();
  expect(snapshot.errors.map(({ source }) => source)).toEqual(['first']);
  expect(totalsOf(snapshot)).toEqual(await expected(1000, 1000));
  expect(totalsOf(await main.gather())).toEqual(await expected(1000, 1000));
});

test('a blocked thread is not waited for; its last known state is used', async () => {
  const main = createRegistry();
  const { worker, recorded } = start(main, { values: 100, name: 'slow', timeoutMs: 60 });
  main.histogram({ name: 'values' }).with({}).record(1);
  await recorded;
  // On a busy machine the first answer may be late, and it arrives in a turn of the event loop only.
  while ((await main.gather()).errors.length > 0) await delay(5);

  let isAnswered = false;
  const answer = once(worker, 'message').then(() => {
    isAnswered = true;
  });
  worker.postMessage({ sleepMs: 400 });
  const snapshot = await main.gather();
  expect(isAnswered).toBe(false);
  expect(snapshot.errors).toMatchObject([{ source: 'slow', error: { name: 'TimeoutError' } }]);
  expect(onlySeries(familyIn(snapshot, 'values')).histogram.totalCount).toBe(101);

  await answer;
  await settled();
  const next = await main.gather({ timeoutMs: PATIENCE_MS });
  expect(countOf(next)).toBe(101);
});

/** Fills its series, says so, and computes for a while when it is told to begin, as a service under load does. */
const busyScript = built.script(
  'busy',
  `
  import { parentPort, workerData } from 'node:worker_threads';
  import { createRegistry, serveRegistry } from '@hdrscope/registry';

  const { id, series, values, busyMs } = workerData;
  const registry = createRegistry();
  serveRegistry(registry, parentPort);
  const family = registry.histogram({ name: 'values' });
  for (let route = 0; route < series; route++) {
    const one = family.with({ id, route });
    for (let value = 0; value < values; value++) one.record(value);
  }
  parentPort.on('message', (message) => {
    if (message !== 'compute') return;
    const endMs = performance.now() + busyMs;
    while (performance.now() < endMs);
  });
  parentPort.postMessage('recorded');
`,
);

test('busy threads with 2,000 series each: the time of the gather is theirs, and nothing is lost without it', async () => {
  const [threads, series, values, busyMs] = [caseCount(3, 16), 2000, 5, caseCount(400, 800)] as const;
  const main = createRegistry();
  main.histogram({ name: 'values', cardinalityLimit: threads * series });
  const busy = Array.from({ length: threads }, (_, id) => {
    const worker = new Worker(busyScript, { workerData: { id, series, values, busyMs }, execArgv: [] });
    workers.push(worker);
    return worker;
  });
  await Promise.all(busy.map((worker) => once(worker, 'message')));
  for (const [id, worker] of busy.entries()) {
    worker.postMessage('compute');
    collectFrom(main, worker, { name: `worker ${id}` });
  }
  const names = busy.map((_, id) => `worker ${id}`);
  const short = await main.gather({ timeoutMs: 50 });
  expect(short.errors.map(({ source }) => source)).toEqual(names);
  expect(countOf(short)).toBe(0);
  const patient = await main.gather({ timeoutMs: 2 * PATIENCE_MS });
  expect(patient.errors).toEqual([]);
  expect(countOf(patient)).toBe(threads * series * values);
  await Promise.all(busy.map((worker) => worker.terminate()));
  const dead = await main.gather();
  expect(dead.errors.map(({ source }) => source)).toEqual(names);
  expect(countOf(dead)).toBe(threads * series * values);
}, 90_000);
