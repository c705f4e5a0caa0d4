import { setTimeout as sleep } from 'node:timers/promises';
import { createRegistry } from '@hdrscope/registry';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { applyChanges, emptyTable } from '../browser/state.ts';
import { Feed } from '../src/feed.ts';
import { History } from '../src/history/history.ts';
import { makeRow } from '../src/live-series.ts';
import { LiveTable } from '../src/live-table.ts';
import type { Row } from '../src/messages.ts';
import { addressOf } from '../src/options.ts';
import { MESSAGE } from './browser/support.ts';

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
  await table.update(await registry.gather());
  expect(makeRow(table.series[0]!)[2]).toBe(0);

  for (let n = 0; n < 50; n++) series.record(1);
  wait(250);
  await table.update(await registry.gather());

  expect(makeRow(table.series[0]!)[2]).toBe(200);
});

test('a series that has ended keeps its values, and its rate is 0', async () => {
  const { registry, wait } = timedRegistry();
  const family = registry.histogram({ name: 'a', unit: 's' });
  const table = new LiveTable();
  for (const attributes of [{ is: 'ended' }, { is: 'live' }]) family.with(attributes).record(1);
  await table.update(await registry.gather());
  family.with({ is: 'ended' }).record(1);
  wait(500);
  await table.update(await registry.gather());
  expect(table.series.map((series) => makeRow(series)[2])).toEqual([2, 0]);

  family.remove({ is: 'ended' });
  wait(500);
  const update = table.updates;
  await table.update(await registry.gather());
  const [, count, rate, last] = makeRow(table.series[0]!);
  expect([count, rate, last, table.series[0]!.changedAt]).toEqual([2, 0, null, update + 1]);
});

test('names and attributes are sent without characters that a browser obeys', async () => {
  const { registry } = timedRegistry();
  registry.histogram({ name: 'a', description: 'x\u202ey' }).with({ k: 'v\u001b[31m\u009b' }).record(1);
  const table = new LiveTable();
  await table.update(await registry.gather());

  const { families, series } = table.changesSince(0);
  expect(JSON.parse(families)[0].description).toBe('x\\u202ey');
  expect(JSON.parse(series)[0].attributes).toEqual(['k=v\\x1b[31m\\x9b']);
});

test('all values of a series that appears later are of the last interval', async () => {
  const { registry, wait } = timedRegistry();
  const table = new LiveTable();
  await table.update(await registry.gather());

  registry.histogram({ name: 'a', unit: 's' }).with({}).record(1);
  wait(500);
  await table.update(await registry.gather());

  const [id, count, perSecond, last, all] = makeRow(table.series[0]!);
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
  await table.update(await registry.gather());

  const rows = table.series.map((series) => [
    series.facts.family,
    series.facts.attributes.join(),
    makeRow(series)[1],
  ]);
  expect(rows).toEqual([
    [0, 'n=1', 1],
    [0, 'otel.metric.overflow=true', 2],
    [1, 'n=1', 1],
    [1, 'otel.metric.overflow=true', 2],
  ]);
});

test('a series that has ended leaves the table after a time, and clients hear of it', async () => {
  const { registry, wait } = timedRegistry();
  const family = registry.histogram({ name: 'a', unit: 's' });
  const gone = registry.histogram({ name: 'gone', unit: 's' });
  const table = new LiveTable({ keepMs: 10_000 });
  const update = async (): Promise<readonly number[]> => {
    wait(1000);
    return table.update(await registry.gather());
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
  const table = new LiveTable({ keepMs: 10_000 });
  const whole = await registry.gather();
  await table.update(whole);
  wait(1000);
  await table.update({ ...whole, timeMs: whole.timeMs + 1000, families: [] });
  expect(await table.update({ ...whole, timeMs: whole.timeMs + 10_999, families: [] })).toEqual([]);
  expect(await table.update({ ...whole, timeMs: whole.timeMs + 11_000, families: [] })).toEqual([0]);
  expect(JSON.parse(table.changesSince(0).families)).toEqual([]);
});

test('series that come and go take no memory, and a client that has missed many removals needs the whole table', async () => {
  const { registry, wait } = timedRegistry();
  const family = registry.histogram({ name: 'a', unit: 's' });
  const table = new LiveTable({ keepMs: 1000 });
  for (let second = 0; second < 30; second++) {
    for (let n = 0; n < 500; n++) family.with({ second, n }).record(1);
    await table.update(await registry.gather());
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

test('of many series, a client gets those with the most values and those that somebody named, whenever it reads', async () => {
  const most = 8;
  const step = fc.record({
    record: fc.array(fc.tuple(fc.nat(24), fc.integer({ min: 1, max: 40 })), { maxLength: 12 }),
    remove: fc.array(fc.nat(24), { maxLength: 2 }),
    named: fc.array(fc.nat(24), { maxLength: 2 }),
    isRead: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const { registry, wait } = timedRegistry();
      const families = [0, 1].map((n) => registry.histogram({ name: `f${n}`, unit: 's' }));
      const table = new LiveTable({ keepMs: 2000, mostShown: most });
      const client = emptyTable();
      let seen = 0;
      const read = (): void => {
        const { series, rows, removed, families: added } = table.changesSince(seen);
        applyChanges(client, {
          ...{ ...MESSAGE, isWhole: seen === 0, leftOut: table.leftOut },
          ...{ families: JSON.parse(added), series: JSON.parse(series) },
          ...{ rows: JSON.parse(rows), removed: JSON.parse(removed) },
        });
        seen = table.updates;
      };
      for (const { record, remove, named, isRead } of steps) {
        for (const [n, count] of record) {
          const series = families[n % 2]!.with({ n });
          for (let i = 0; i < count; i++) series.record(1);
        }
        for (const n of remove) families[n % 2]!.remove({ n });
        wait(1000);
        await table.update(await registry.gather());
        table.show(named);
        if (isRead) read();
      }
      // What was named since the last update comes with the next one.
      for (let update = 0; update < 100; update++) {
        wait(1000);
        await table.update(await registry.gather());
      }
      read();
      const all = [...table.series].sort((a, b) => b.latest.counts.total - a.latest.counts.total);
      const shown = [...client.series].sort(([a], [b]) => a - b);
      expect(table.leftOut).toBe(Math.max(0, all.length - most));
      expect(shown.length).toBe(Math.min(most, all.length));
      // Those that are left out have at most as many values as each that is not.
      const least = Math.min(...shown.map(([id]) => table.find(id)!.latest.counts.total));
      for (const one of all.slice(most)) expect(one.latest.counts.total).toBeLessThanOrEqual(least);
      for (const [id, { row, label }] of shown) {
        const one = table.find(id)!;
        expect(row).toEqual(JSON.parse(JSON.stringify(makeRow(one))));
        expect(label).toContain(one.facts.attributes.join(', '));
      }
    }),
    { numRuns: caseCount(40, 400) },
  );
}, 120_000);

test('an update of very many series lets other work run, which finds all rates as they were, or all as they are', async () => {
  const { registry, wait } = timedRegistry();
  const count = 10_000;
  const family = registry.histogram({ name: 'a', unit: 's', cardinalityLimit: count + 1 });
  const all = Array.from({ length: count }, (_, n) => family.with({ n }));
  const table = new LiveTable();
  const history = new History({ spanMs: 1e6, mostBytes: 2 ** 26, coarsening: 'older' });
  await table.update(await registry.gather());
  for (const series of all) series.record(1);
  wait(1000);
  const snapshot = await registry.gather();

  let turns = 0;
  let isDone = false;
  const look = (): void => {
    if (isDone) return;
    turns++;
    const counting = table.series.filter(({ perSecond }) => perSecond > 0).length;
    expect([table.updates, counting]).toEqual(table.updates === 1 ? [1, 0] : [2, count]);
    setImmediate(look);
  };
  setImmediate(look);
  await table.update(snapshot);
  const turnsOfUpdate = turns;
  const interval = await history.add(table.startMs, snapshot.timeMs, table.increases());
  isDone = true;
  expect(interval.ids).toHaveLength(count);
  expect(turnsOfUpdate).toBeGreaterThan(3);
  expect(turns - turnsOfUpdate).toBeGreaterThan(3);
});

test('updates of many busy series become rarer, and clients hear how rare', async () => {
  const registry = createRegistry();
  const family = registry.histogram({ name: 'a', unit: 's', cardinalityLimit: 15_001 });
  const all = Array.from({ length: 15_000 }, (_, n) => family.with({ n }));
  const { page } = addressOf({ intervalMs: 100 });
  const feed = new Feed(registry, page, () => {
    for (const series of all) series.record(1);
  });
  feed.start(() => true);
  const startMs = performance.now();
  while (feed.everyMs === page.intervalMs || performance.now() - startMs < 500) await sleep(20);
  const { updates } = feed.table;
  await feed.stop();
  // An update of 15,000 busy series works for more than 50 ms.
  expect(feed.everyMs).toBeGreaterThanOrEqual(500);
  expect(updates).toBeLessThan((performance.now() - startMs) / (2 * page.intervalMs));
});

test('a series that is named comes with the next update, although others have more values', async () => {
  const { registry, wait } = timedRegistry();
  const family = registry.histogram({ name: 'a', unit: 's' });
  for (let n = 0; n < 5; n++) for (let i = 0; i <= n; i++) family.with({ n }).record(1);
  const table = new LiveTable({ mostShown: 2 });
  await table.update(await registry.gather());
  const ids = (seen: number): number[] =>
    (JSON.parse(table.changesSince(seen).series) as { id: number }[]).map(({ id }) => id);
  expect([ids(0), table.leftOut]).toEqual([[3, 4], 3]);

  const seen = table.updates;
  table.show([0]);
  wait(1000);
  await table.update(await registry.gather());
  expect([ids(seen), table.leftOut]).toEqual([[0], 2]);
  const rows: Row[] = JSON.parse(table.changesSince(seen).rows);
  expect(rows.map(([id, count]) => [id, count])).toEqual([[0, 1]]);
});
