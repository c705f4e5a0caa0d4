import type { PercentilePlot } from '@hdrscope/plot';
import { createRegistry, type Registry, valuesAtPercentiles } from '@hdrscope/registry';
import { endCounts } from '@hdrscope/registry/internal';
import { ROW_PERCENTILES, type Row, type TableMessage } from '../src/messages.ts';
import { valuesOf } from '../src/row-values.ts';
import { ask, EventReader, endAll, serve } from './support.ts';

afterEach(endAll);

function requests(registry: Registry) {
  return registry.histogram({ name: 'http.server.request.duration', unit: 's', significantDigits: 3 });
}

const LABEL = 'http.server.request.duration route=/a';

/** The rows of a page after some messages, each of which changes some rows. */
function rowsAfter(messages: readonly TableMessage[]): Map<number, Row> {
  const rows = new Map<number, Row>();
  for (const message of messages) {
    if (message.isWhole) rows.clear();
    for (const row of message.rows) rows.set(row[0], row);
  }
  return rows;
}

test('the first event has all series, with the values of the registry', async () => {
  const registry = createRegistry();
  for (let ms = 1; ms <= 1000; ms++)
    requests(registry)
      .with({ route: '/a', status: 200 })
      .record(ms / 1000);
  registry.histogram({ name: 'size', unit: 'By', description: 'of bodies' }).with({}).record(4096);
  const { port } = await serve(registry, { title: 'orders' });

  const { id, timeMs, epoch, history, ...table } = await (await EventReader.open({ port })).table();

  const { families } = await registry.gather();
  const all = families.map((family) => valuesOf(family, endCounts(family.series[0]!.counts, undefined)));
  expect(all[0]!.upper).toEqual(valuesAtPercentiles(families[0]!, families[0]!.series[0]!, ROW_PERCENTILES));
  expect(id).toBe(`${epoch}.1`);
  expect(history).toMatchObject({ intervals: 0, bytes: 0, mostBytes: 64 * 2 ** 20 });
  expect(table).toEqual({
    isWhole: true,
    isRecord: false,
    isReading: false,
    past: {
      ...{ isKept: false, everyMs: 0, writtenMs: null, bytes: 0 },
      ...{ problem: null, failingSinceMs: null, earlier: null },
    },
    leftOut: 0,
    removed: [],
    title: 'orders',
    opensFiles: false,
    everyMs: 1000,
    tabs: [],
    errors: [],
    exporters: [],
    refusals: [],
    families: [
      { id: 0, name: 'http.server.request.duration', unit: 's', counted: 's', digits: 3, description: '' },
      { id: 1, name: 'size', unit: 'By', counted: 'bytes', digits: 2, description: 'of bodies' },
    ],
    series: [
      { id: 0, family: 0, attributes: ['route=/a', 'status=200'] },
      { id: 1, family: 1, attributes: [] },
    ],
    rows: [
      [0, 1000, 0, null, all[0]],
      [1, 1, 0, null, all[1]],
    ],
  });
});

test('later events have only the changes, which add up to the values of the registry', async () => {
  const registry = createRegistry();
  const [a, b] = ['/a', '/b'].map((route) => requests(registry).with({ route }));
  a!.record(0.25);
  b!.record(1);
  const { port } = await serve(registry, { intervalMs: 100 });
  const events = await EventReader.open({ port });
  const messages = [await events.table()];

  a!.record(0.5);
  while (messages.at(-1)!.rows.length === 0 || messages.length === 1) messages.push(await events.table());

  const changed = messages.at(-1)!;
  expect(changed).toMatchObject({ isWhole: false, families: [], series: [] });
  const [[id, count, perSecond, last, all]] = changed.rows as [Row];
  expect([id, count]).toEqual([0, 2]);
  expect(perSecond).toBeGreaterThan(0);
  expect(last!.upper.map((value) => value.toPrecision(3))).toEqual(Array(5).fill('0.500'));
  expect(all!.upper.map((value) => value.toPrecision(3))).toEqual(['0.250', ...Array(4).fill('0.500')]);

  requests(registry).with({ route: '/c' }).record(2);
  while (rowsAfter(messages).size < 3) messages.push(await events.table());
  // A series that stops counting is sent once more, so that its rate falls to 0.
  while (rowsAfter(messages).get(0)![2] !== 0) messages.push(await events.table());
  while (rowsAfter(messages).get(2)![2] !== 0) messages.push(await events.table());
  messages.push(await events.table());
  expect(messages.at(-1)!.rows).toEqual([]);

  const { families } = await registry.gather();
  const held = families[0]!.series.map((series, at): Row => {
    const values = valuesOf(families[0]!, endCounts(series.counts, undefined));
    return [at, series.histogram.totalCount, 0, null, values];
  });
  expect([...rowsAfter(messages).values()]).toEqual(held);
});

test('a client that connects again gets what it has missed, by header or by address', async () => {
  const registry = createRegistry();
  const series = requests(registry).with({ route: '/a' });
  series.record(1);
  requests(registry).with({ route: '/b' }).record(1);
  const { port } = await serve(registry, { intervalMs: 100 });
  const events = await EventReader.open({ port });
  const { id } = await events.table();
  events.close();
  series.record(2);

  const byHeader = await EventReader.open({ port, headers: { 'last-event-id': id } });
  const byAddress = await EventReader.open({ port, path: `/events?last=${id}` });

  for (const one of [byHeader, byAddress]) {
    const messages = [await one.table()];
    while (messages.at(-1)!.rows.length === 0) messages.push(await one.table());
    expect(messages.map(({ isWhole }) => isWhole)).not.toContain(true);
    expect(messages.at(-1)!.rows.map(([row, count]) => [row, count])).toEqual([[0, 2]]);
  }
});

test.each(['other.1', 'x', '.', '1', ' '])(
  'a client with an id of another server (%j) gets the whole table',
  async (id) => {
    const registry = createRegistry();
    requests(registry).with({}).record(1);
    const { port } = await serve(registry);

    const events = await EventReader.open({ port, headers: { 'last-event-id': id } });

    expect(await events.table()).toMatchObject({ isWhole: true, rows: [expect.arrayContaining([0, 1])] });
  },
);

test('the detail of a series has the curve of its histogram in the registry', async () => {
  const registry = createRegistry();
  const series = requests(registry).with({ route: '/a' });
  for (let ms = 1; ms <= 100; ms++) series.record(ms / 1000);
  const { port } = await serve(registry);

  const { plots, facts, ...rest } = await (
    await EventReader.open({ port, path: `/events?${new URLSearchParams({ pick: LABEL })}` })
  ).detail();

  expect(rest).toMatchObject({ label: LABEL, objectives: [] });
  expect(plots.map(({ kind }) => kind)).toEqual(['percentiles', 'over-time']);
  const [{ unit, curves }] = plots as [PercentilePlot];
  expect(unit).toBe('s');
  expect(curves.map(({ name, totalCount }) => [name, totalCount])).toEqual([['since the start', 100]]);
  const { families } = await registry.gather();
  // A curve begins at the upper bound of its first slot.
  const points = curves[0]!.points.slice(1);
  const asked = points.map(({ percentile }) => percentile);
  const held = valuesAtPercentiles(families[0]!, families[0]!.series[0]!, asked);
  expect(points.map(({ value }) => value)).toEqual(held);
  expect(facts).toContainEqual({ name: 'largest recorded', text: '100 ms', lower: 0.1, upper: 0.1 });
});

test('why a metric changed comes as an event of its own, for the row that is picked', async () => {
  const registry = createRegistry();
  requests(registry).with({ route: '/a' }).record(0.1);
  const { port } = await serve(registry);
  const asked = new URLSearchParams({ pick: LABEL, why: '99' });
  const events = await EventReader.open({ port, path: `/events?${asked}` });
  expect(await events.why()).toMatchObject({
    ...{ question: asked.toString(), metric: 'http.server.request.duration', percentile: null, causes: [] },
    summary: 'The page remembers no time before, so it cannot say what changed.',
  });
});

test('an unknown series has no detail', async () => {
  const { port } = await serve(createRegistry(), { intervalMs: 100 });
  const events = await EventReader.open({ port, path: '/events?pick=other' });

  expect((await events.next()).event).toBe('table');
  expect((await events.next()).event).toBe('table');
});

test('a source that fails is named, and the other sources go on', async () => {
  const registry = createRegistry();
  requests(registry).with({}).record(1);
  registry.add({
    name: 'kernel',
    collect() {
      throw new Error('no\npermission');
    },
  });
  const { port } = await serve(registry);

  const table = await (await EventReader.open({ port })).table();

  expect(table).toMatchObject({ errors: ['kernel: no permission'], rows: [expect.arrayContaining([0, 1])] });
});

test('families with boundaries of the kernel and of Ceph have tabs, with a bar for each slot', async () => {
  const registry = createRegistry();
  const boundaries = [1, 2, 4, 8];
  for (const name of ['kernel.depth', 'ceph.depth', 'other.depth']) {
    registry.histogram({ name, boundaries, resolution: 1 }).with({ cpu: 1 }).record(3);
  }
  const { port } = await serve(registry);
  const events = await EventReader.open({ port, path: '/events?tab=Kernel' });

  expect((await events.table()).tabs).toEqual(['Kernel', 'Ceph']);
  expect(await events.tab()).toMatchObject({
    name: 'Kernel',
    plots: [{ kind: 'bars', title: 'kernel.depth (cpu=1)', slots: [{ lower: 3, upper: 4 }], counts: [1] }],
  });
});

test('given tabs are shown, and stay when new ones cannot be made', async () => {
  let fails = false;
  const plot = { kind: 'bars', unit: 'none', slots: [], counts: [] } as const;
  const tabs = async () => {
    if (fails) throw new Error('gone');
    return [{ name: 'service.hlog', plots: [plot] }];
  };
  const { port } = await serve(createRegistry(), { tabs, intervalMs: 100 });
  const events = await EventReader.open({ port, path: '/events?tab=service.hlog' });
  expect(await events.tab()).toEqual({ name: 'service.hlog', plots: [plot] });

  fails = true;
  let table = await events.table();
  while (table.errors.length === 0) table = await events.table();

  expect(table).toMatchObject({ errors: ['the tabs: gone'], tabs: ['service.hlog'] });
});

test('one gather serves all clients', async () => {
  const registry = createRegistry();
  let gathers = 0;
  registry.add({
    name: 'counted',
    collect() {
      gathers++;
    },
  });
  const { port } = await serve(registry, { intervalMs: 100 });
  const clients = await Promise.all(Array.from({ length: 8 }, () => EventReader.open({ port })));
  const firsts = await Promise.all(clients.map((client) => client.table()));
  const before = gathers;

  let last = firsts[0]!;
  // A slow client still gets updates that were gathered before.
  for (let n = 0; n < 3 || gathers === before; n++) last = await clients[0]!.table();

  // An update that is under way has gathered already.
  const updates = (message: { id: string }) => Number(message.id.split('.').at(-1));
  expect(gathers - before).toBeLessThanOrEqual(updates(last) - updates(firsts[0]!) + 1);
});

test('closing ends the events, and the port is free again', async () => {
  const dashboard = await serve(createRegistry());
  const events = await EventReader.open({ port: dashboard.port });
  await events.table();

  await dashboard.close();

  await expect(events.next()).rejects.toThrow('the events ended');
  await expect(ask({ port: dashboard.port })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await dashboard.close();
});

test('a client hears that a series is gone, at most five minutes after its end', async () => {
  let nowMs = 1_000_000;
  const registry = createRegistry({ clock: { nowMs: () => nowMs, monotonicMs: () => nowMs } });
  const family = registry.histogram({ name: 'jobs' });
  for (const n of [1, 2]) family.with({ n }).record(1);
  const { port } = await serve(registry, { intervalMs: 100, historyMs: 10_000 });
  const events = await EventReader.open({ port });
  expect((await events.table()).series.map(({ id }) => id)).toEqual([0, 1]);

  family.remove({ n: 1 });
  nowMs += 1000;
  const updates = [];
  do {
    updates.push(await events.table());
    nowMs += 2000;
  } while (updates.at(-1)!.removed.length === 0 && updates.length < 50);

  expect(updates.at(-1)!.removed).toEqual([0]);
  expect(updates.length).toBeGreaterThan(5);
  const later = await EventReader.open({ port });
  expect((await later.table()).series.map(({ id }) => id)).toEqual([1]);
});
