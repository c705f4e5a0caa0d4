import { createRegistry, type Snapshot } from '@hdrscope/registry';
import { EventReader, endAll, serve } from './support.ts';

afterEach(endAll);

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
  const { rows } = await events.rows();
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

test('a record that breaks off is shown as far as it goes, and the page says why', async () => {
  const { port } = await serve(record(true));
  const events = await EventReader.open({ port });
  let table = await events.table();
  while (table.errors.length === 0) table = await events.table();
  expect(table.errors).toEqual(['the record: the disk is gone']);
  expect(table.isReading).toBe(false);
  expect(table.history.range.toMs).toBe(START_MS + 10_000);
});
