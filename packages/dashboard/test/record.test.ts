import { pbkdf2 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { createRegistry, type Snapshot } from '@hdrscope/registry';
import { EventReader, endAll, open, serve } from './support.ts';

afterEach(endAll);

const hash = promisify(pbkdf2);

const START_MS = 1_700_000_000_000;

/** Sixty seconds, in each of which a series counts a value of its second, in milliseconds. */
async function* record(fails = false): AsyncGenerator<Snapshot> {
  let nowMs = START_MS;
  const registry = createRegistry({ clock: { nowMs: () => nowMs, monotonicMs: () => nowMs } });
  const series = registry.histogram({ name: 'rpc', unit: 's' }).with({ method: 'get' });
  yield registry.gather();
  for (let second = 1; second <= 60; second++) {
    series.record(second / 1000);
    nowMs += 1000;
    yield registry.gather();
    if (fails && second === 10) throw new Error('the disk is gone');
  }
}

test('a record is shown with its own times, and every interval of it', async () => {
  const { port } = await serve(record());
  const range = { fromMs: START_MS, toMs: START_MS + 60_000 };
  const events = await EventReader.open({ port, path: '/events?pick=rpc+method%3Dget' });

  let table = await events.table();
  while (table.history.range.toMs < range.toMs) table = await events.table();

  expect(table).toMatchObject({ isRecord: true, timeMs: range.toMs, history: { range, intervals: 60 } });
  // Rows of earlier tables may come first.
  let { rows } = await events.rows();
  while (rows[0]!.count < 60) ({ rows } = await events.rows());
  expect(rows).toMatchObject([{ attributes: ['method=get'], count: 60, perSecond: 1 }]);
  const { plots } = await events.detail();
  expect(plots.map(({ kind }) => kind)).toEqual(['percentiles', 'over-time', 'heat-map']);

  expect(plots[0]).toMatchObject({ curves: [{ name: 'the whole record', totalCount: 60 }] });

  const [from, to] = [START_MS + 10_000, START_MS + 20_000];
  const part = await EventReader.open({ port, path: `/events?time=${from}-${to}` });
  const answer = await part.rows();
  expect(answer).toMatchObject({ range: { fromMs: from, toMs: to }, rows: [{ count: 10, perSecond: 1 }] });
  expect(answer.rows[0]!.values!.upper.at(-1)).toBeCloseTo(0.02, 3);
});

test('the page says while it reads a record', async () => {
  let goOn = (): void => {};
  const waits = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  async function* slow(): AsyncGenerator<Snapshot> {
    let left = 5;
    for await (const snapshot of record()) {
      if (left-- === 0) await waits;
      yield snapshot;
    }
  }
  const { port } = await serve(slow());
  const events = await EventReader.open({ port });
  let table = await events.table();
  expect([table.isRecord, table.isReading]).toEqual([true, true]);
  goOn();
  while (table.isReading) table = await events.table();
  expect(table.history.range.toMs).toBe(START_MS + 60_000);
});

test('a client whose first table is still being compressed when a record ends gets its end at once', async () => {
  let goOn = (): void => {};
  const waits = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  async function* large(): AsyncGenerator<Snapshot> {
    let nowMs = START_MS;
    const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
    const registry = createRegistry({ clock });
    const family = registry.histogram({ name: 'rpc', unit: 's', cardinalityLimit: 5000 });
    for (let n = 0; n < 4000; n++) family.with({ n }).record(n / 1000);
    yield registry.gather();
    await waits;
    family.with({ n: 1 }).record(1);
    nowMs += 1000;
    yield registry.gather();
  }
  const { port } = await serve(large());
  const hasFirst = async (): Promise<boolean> => {
    const plain = await EventReader.open({ port });
    const { rows } = await plain.table();
    plain.close();
    return rows.length > 0;
  };
  while (!(await hasFirst())) await sleep(10);
  // Threads of Node.js compress. While all of them have other work, the table waits for one.
  const others = Array.from({ length: 4 }, () => hash('password', 'salt', 200_000, 64, 'sha512'));
  const zipped = await open({ port, path: '/events', headers: { 'accept-encoding': 'gzip' } });
  goOn();
  const openedMs = performance.now();
  await Promise.all(others);
  const events = new EventReader(zipped.pipe(createGunzip()) as never);
  while ((await events.table()).isReading);
  // Clients that have missed an update get it each 15 seconds at the latest.
  expect(performance.now() - openedMs).toBeLessThan(12_000);
});

test('a record that breaks off is shown as far as it goes, and the page says why', async () => {
  const { port } = await serve(record(true));
  const events = await EventReader.open({ port });
  let table = await events.table();
  while (table.errors.length === 0) table = await events.table();
  expect(table.errors).toEqual(['the record: the disk is gone']);
  expect(table.isReading).toBe(false);
  expect(table.history.range.toMs).toBe(START_MS + 10_000);
});
