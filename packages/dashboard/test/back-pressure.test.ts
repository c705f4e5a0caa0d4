import { createRegistry } from '@hdrscope/registry';
import { EventReader, endAll, open, serve } from './support.ts';

afterEach(endAll);

const UPDATES = 20;

test('a client that does not read gets no updates, and then all changes at once', async () => {
  const registry = createRegistry();
  const series = registry.histogram({ name: 'queue', unit: 's' }).with({});
  // A few updates of this size fill the buffers of the system.
  const counts = new Array<number>(500_000).fill(1_000_000);
  const tabs = async () => {
    counts[0]! += 1;
    return [{ name: 'large', plots: [{ kind: 'bars' as const, unit: 'none' as const, slots: [], counts }] }];
  };
  const { port } = await serve(registry, { intervalMs: 100, tabs });
  const response = await open({ port, path: '/events?tab=large' });
  const reading = await EventReader.open({ port });
  await reading.table();

  let recorded = 0;
  for (; recorded < UPDATES; recorded++) {
    series.record(1);
    while ((await reading.table()).rows[0]?.[1] !== recorded + 1);
  }
  const slow = new EventReader(response);
  let messages = 0;
  let count = 0;
  while (count !== recorded) {
    const { rows } = await slow.table();
    count = rows[0]?.[1] ?? count;
    messages++;
  }

  expect(messages).toBeLessThan(UPDATES / 2);
});

test('clients that do not read keep neither a page nor its updates from others', async () => {
  const registry = createRegistry();
  const counts = new Array<number>(500_000).fill(1_000_000);
  const tabs = async () => {
    counts[0]! += 1;
    return [{ name: 'large', plots: [{ kind: 'bars' as const, unit: 'none' as const, slots: [], counts }] }];
  };
  const limits = { pendingBytes: 6 * 2 ** 20 };
  const { port, refusals } = await serve(registry, { intervalMs: 100, tabs, limits });
  for (let n = 0; n < 6; n++) void open({ port, path: '/events?tab=large' }).catch(() => {});
  while (refusals.timeout === 0) {
    const reading = await EventReader.open({ port });
    for (let update = 0; update < 3; update++) await reading.table();
    reading.response.destroy();
  }
}, 30_000);

test('at most a hundred clients may watch: one more takes the place of the oldest', async () => {
  const { port } = await serve(createRegistry());
  const watching = await Promise.all(Array.from({ length: 100 }, () => open({ port, path: '/events' })));
  let ended = 0;
  for (const one of watching) one.on('close', () => ended++).resume();
  const one = await EventReader.open({ port });
  await one.table();
  while (ended === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect([one.response.statusCode, ended]).toEqual([200, 1]);
});
