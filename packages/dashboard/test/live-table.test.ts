import { createRegistry } from '@hdrscope/registry';
import { histogramSince } from '../src/histogram-since.ts';
import { History } from '../src/history.ts';
import { LiveTable } from '../src/live-table.ts';

/** A registry with a clock that the test sets. */
function timedRegistry() {
  let nowMs = 1_000_000;
  const registry = createRegistry({ clock: { nowMs: () => nowMs, monotonicMs: () => nowMs } });
  return {
    registry,
    wait: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('a rate is the new count divided by the time since the last update', async () => {
  const { registry, wait } = timedRegistry();
  const series = registry.histogram({ name: 'a', unit: 's' }).with({});
  series.record(1);
  const table = new LiveTable();
  table.update(await registry.gather());
  expect(table.series[0]!.row[2]).toBe(0);

  for (let n = 0; n < 50; n++) series.record(1);
  wait(250);
  table.update(await registry.gather());

  expect(table.series[0]!.row[2]).toBe(200);
});

test('a series that has ended keeps its values, and its rate is 0', async () => {
  const { registry, wait } = timedRegistry();
  const family = registry.histogram({ name: 'a', unit: 's' });
  const table = new LiveTable();
  for (const attributes of [{ is: 'ended' }, { is: 'live' }]) family.with(attributes).record(1);
  table.update(await registry.gather());
  family.with({ is: 'ended' }).record(1);
  wait(500);
  table.update(await registry.gather());
  expect(table.series.map(({ row }) => row[2])).toEqual([2, 0]);

  family.remove({ is: 'ended' });
  wait(500);
  const update = table.updates;
  table.update(await registry.gather());
  const [, count, rate, last] = table.series[0]!.row;
  expect([count, rate, last, table.series[0]!.changedAt]).toEqual([2, 0, null, update + 1]);
});

test('names and attributes are sent without characters that a browser obeys', async () => {
  const { registry } = timedRegistry();
  registry.histogram({ name: 'a', description: 'x\u202ey' }).with({ k: 'v\u001b[31m\u009b' }).record(1);
  const table = new LiveTable();
  table.update(await registry.gather());

  const { families, series } = table.changesSince(0);
  expect(JSON.parse(families)[0].description).toBe('x\\u202ey');
  expect(JSON.parse(series)[0].attributes).toEqual(['k=v\\x1b[31m\\x9b']);
});

test('all values of a series that appears later are of the last interval', async () => {
  const { registry, wait } = timedRegistry();
  const table = new LiveTable();
  table.update(await registry.gather());

  registry.histogram({ name: 'a', unit: 's' }).with({}).record(1);
  wait(500);
  table.update(await registry.gather());

  const [id, count, perSecond, last, all] = table.series[0]!.row;
  expect([id, count, perSecond]).toEqual([0, 1, 2]);
  expect(last).toEqual(all);
});

test('families of one name in two scopes are different families, and each has an overflow series of its own', async () => {
  const { registry } = timedRegistry();
  for (const scope of [{ name: 'one' }, { name: 'two' }]) {
    const family = registry.histogram({ name: 'a', cardinalityLimit: 1, scope });
    family.with({ n: 1 }).record(1);
    family.with({ n: 2 }).record(1);
    family.with({ n: 3 }).record(1);
  }
  const table = new LiveTable();
  table.update(await registry.gather());

  const rows = table.series.map(({ facts, row }) => [facts.family, facts.attributes.join(), row[1]]);
  expect(rows).toEqual([
    [0, 'n=1', 1],
    [0, 'otel.metric.overflow=true', 2],
    [1, 'n=1', 1],
    [1, 'otel.metric.overflow=true', 2],
  ]);
});

test('the histogram since an earlier state equals the subtraction of that state', async () => {
  const { registry } = timedRegistry();
  const series = registry.histogram({ name: 'a', unit: 's', significantDigits: 3 }).with({});
  for (let n = 1; n <= 500; n++) series.record(n * n * 1e-6);
  const before = (await registry.gather()).families[0]!.series[0]!.histogram;
  for (let n = 1; n <= 700; n += 3) series.record(n * n * 1.3e-6);
  const now = (await registry.gather()).families[0]!.series[0]!.histogram;
  const wanted = now.copy();
  wanted.subtract(before);

  expect([...histogramSince(now, before).recordedValues()]).toEqual([...wanted.recordedValues()]);
  expect(histogramSince(now, now).totalCount).toBe(0);
  expect(histogramSince(now, undefined)).toBe(now);
});

test('the history has the length that is asked for, and a bounded number of moments and checkpoints', async () => {
  const { registry, wait } = timedRegistry();
  const family = registry.histogram({ name: 'a', unit: 's' });
  const table = new LiveTable();
  const history = new History(10_000, 1000);
  for (let second = 0; second < 35; second++) {
    if (second !== 30) family.with({ n: 1 }).record(second);
    if (second === 32) family.with({ n: 2 }).record(7);
    table.update(await registry.gather());
    history.add(table);
    wait(1000);
  }

  const { timesMs, values } = history.of(0);
  expect(timesMs).toEqual(Array.from({ length: 10 }, (_, i) => 1_025_000 + i * 1000));
  const max = values.at(-1)!.map((value) => value && Math.round(value));
  expect(max).toEqual([25, 26, 27, 28, 29, null, 31, 32, 33, 34]);
  expect(
    history
      .of(1)
      .values.at(-1)!
      .map((value) => value && Math.round(value)),
  ).toEqual([...Array(7).fill(null), 7, null, null]);
  const kept = history.checkpoints.map(({ timeMs }) => timeMs);
  expect(kept[0]).toBeGreaterThanOrEqual(1_024_000);
  expect(kept.at(-1)).toBe(1_034_000);
});

test('checkpoints share counts that have not changed', async () => {
  const { registry, wait } = timedRegistry();
  registry.histogram({ name: 'a', unit: 's' }).with({}).record(1);
  const table = new LiveTable();
  const history = new History(10_000, 1000);
  for (let n = 0; n < 5; n++) {
    table.update(await registry.gather());
    history.add(table);
    wait(1000);
  }

  expect(history.checkpoints).toHaveLength(5);
  expect(new Set(history.checkpoints.map(({ series }) => series.get(0))).size).toBe(1);
});

test('a series that ended as long ago as the history is long leaves the table and the history, and clients hear of it', async () => {
  const { registry, wait } = timedRegistry();
  const family = registry.histogram({ name: 'a', unit: 's' });
  const gone = registry.histogram({ name: 'gone', unit: 's' });
  const table = new LiveTable(10_000);
  const history = new History(10_000, 1000);
  const update = async (): Promise<readonly number[]> => {
    wait(1000);
    const removed = table.update(await registry.gather());
    for (const id of removed) history.remove(id);
    history.add(table);
    return removed;
  };
  for (const n of [1, 2]) family.with({ n }).record(1);
  gone.with({}).record(1);
  await update();
  const seen = table.updates;
  family.remove({ n: 1 });
  gone.remove({});
  for (let second = 0; second < 10; second++) expect(await update()).toEqual([]);
  expect(table.series.map(({ facts }) => facts.id)).toEqual([0, 1, 2]);

  expect(await update()).toEqual([0, 2]);
  expect(table.series.map(({ facts }) => facts.id)).toEqual([1]);
  expect([table.find(0), table.find(1)?.facts.id]).toEqual([undefined, 1]);
  expect(
    history
      .of(0)
      .values.flat()
      .every((value) => value === null),
  ).toBe(true);
  for (const { series } of history.checkpoints) expect([...series.keys()]).toEqual([1]);
  expect(JSON.parse(table.changesSince(seen).removed)).toEqual([0, 2]);
  expect(JSON.parse(table.changesSince(table.updates).removed)).toEqual([]);
  expect(JSON.parse(table.changesSince(0).removed)).toEqual([]);

  // A series that comes again is another one, and its family is sent with it.
  gone.with({}).record(1);
  const before = table.updates;
  await update();
  expect(JSON.parse(table.changesSince(before).series)).toMatchObject([{ id: 3 }]);
  expect(JSON.parse(table.changesSince(before).families)).toMatchObject([{ name: 'gone' }]);
});

test('the series of a family that a snapshot lacks have ended', async () => {
  const { registry, wait } = timedRegistry();
  registry.histogram({ name: 'a', unit: 's' }).with({}).record(1);
  const table = new LiveTable(10_000);
  const whole = await registry.gather();
  table.update(whole);
  wait(1000);
  table.update({ ...whole, timeMs: whole.timeMs + 1000, families: [] });
  expect(table.update({ ...whole, timeMs: whole.timeMs + 10_999, families: [] })).toEqual([]);
  expect(table.update({ ...whole, timeMs: whole.timeMs + 11_000, families: [] })).toEqual([0]);
  expect(JSON.parse(table.changesSince(0).families)).toEqual([]);
});

test('series that come and go take no memory, and a client that has missed many removals needs the whole table', async () => {
  const { registry, wait } = timedRegistry();
  const family = registry.histogram({ name: 'a', unit: 's' });
  const table = new LiveTable(1000);
  for (let second = 0; second < 30; second++) {
    for (let n = 0; n < 500; n++) family.with({ second, n }).record(1);
    table.update(await registry.gather());
    for (let n = 0; n < 500; n++) family.remove({ second, n });
    wait(1000);
  }
  expect(table.series.length).toBeLessThanOrEqual(1500);
  expect([
    table.knowsChangesSince(0),
    table.knowsChangesSince(1),
    table.knowsChangesSince(table.updates),
  ]).toEqual([false, false, true]);
});
