import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HdrscopeError } from '@hdrscope/core';
import { createRegistry, type Snapshot } from '@hdrscope/registry';

import {
  askHistograms,
  type CephDaemon,
  daemonAt,
  daemonsAt,
  ingestCeph,
  ingestCephDaemons,
  type RunningAdminSocket,
  serveAdminSocket,
} from '../../src/index.ts';
import { daemonName, socketsIn } from '../../src/internal.ts';
import { FakeOsd } from '../support/fake-osd.ts';

let folder: string;
const running: RunningAdminSocket[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hdrscope-daemons-'));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
  rmSync(folder, { recursive: true });
});

/** Serves an OSD on a socket in the folder. */
async function serve(name: string, osd: FakeOsd): Promise<RunningAdminSocket> {
  const server = await serveAdminSocket({
    path: join(folder, name),
    histograms: { dump: () => osd.ask('perf histogram dump', {}), schema: () => ({}) },
    numbers: async () => {
      const { osd: numbers } = JSON.parse(await osd.ask('perf dump', {}));
      const { op_w, op_w_in_bytes, op_w_latency } = numbers;
      return {
        osd: {
          op_w: { kind: 'counter', value: op_w },
          op_w_in_bytes: { kind: 'counter', value: op_w_in_bytes },
          op_w_latency: { kind: 'average', real: true, count: op_w_latency.avgcount, sum: op_w_latency.sum },
        },
      };
    },
  });
  running.push(server);
  return server;
}

const LATENCY = 'ceph.osd.op_w_latency_in_bytes.latency';
const MERGED = 'ceph.merged.osd.op_w_latency_in_bytes.latency';

/** By the name of a family: the counts and sums of its series, by daemon. */
function counted({ families }: Snapshot): Record<string, Record<string, [count: number, sum: number]>> {
  return Object.fromEntries(
    families.map(({ name, series }) => [
      name,
      Object.fromEntries(
        series.map(({ attributes, histogram, sum }) => [
          String(attributes.ceph_daemon ?? 'all'),
          [histogram.totalCount, Number(sum.toFixed(9))],
        ]),
      ),
    ]),
  );
}

test.each([
  ['/var/run/ceph/ceph-osd.12.asok', 'osd.12'],
  ['/var/run/ceph/2c5d/ceph-mon.host-1.asok', 'mon.host-1'],
  ['ceph-client.rgw.eu.2.94739968030880.asok', 'rgw.eu.2.94739968030880'],
  ['osd.3.asok', 'osd.3'],
  ['backup-osd.3.asok', 'backup-osd.3'],
  ['ceph-.asok', 'ceph-'],
])('the socket %s is that of %s', (path, name) => {
  expect(daemonName(path)).toBe(name);
});

test('finds the sockets in a folder and in the folders within it', async () => {
  mkdirSync(join(folder, 'fsid'));
  mkdirSync(join(folder, 'not.asok'));
  writeFileSync(join(folder, 'file.asok'), '');
  await serve('ceph-osd.1.asok', new FakeOsd());
  await serve('fsid/ceph-osd.0.asok', new FakeOsd());
  await serve('other.sock', new FakeOsd());
  expect(await socketsIn(folder)).toEqual([
    join(folder, 'ceph-osd.1.asok'),
    join(folder, 'fsid/ceph-osd.0.asok'),
  ]);
  await expect(socketsIn(join(folder, 'nope'))).rejects.toThrow('ENOENT');
});

test('many daemons have series of their own, and together those of all, with exact sums', async () => {
  const [one, two] = [new FakeOsd(), new FakeOsd()];
  one.write(5_000_000, 4096);
  two.write(9_000_001, 512);
  two.write(1_000_000, 512);
  await serve('ceph-osd.0.asok', one);
  await serve('ceph-osd.1.asok', two);
  const registry = createRegistry();
  ingestCephDaemons(registry, async () => (await socketsIn(folder)).map((path) => daemonAt(path)), {
    merged: true,
  });

  const first = await registry.gather();
  expect(first.errors).toEqual([]);
  expect(counted(first)).toMatchObject({
    [LATENCY]: { 'osd.0': [1, 0.005], 'osd.1': [2, 0.010000001] },
    [MERGED]: { all: [3, 0.015000001] },
  });
  expect(first.families.map(({ description }) => description)).toEqual([
    'Latency of osd.op_w_latency_in_bytes_histogram',
    'Latency of osd.op_w_latency_in_bytes_histogram of all daemons',
    'Request size of osd.op_w_latency_in_bytes_histogram',
    'Request size of osd.op_w_latency_in_bytes_histogram of all daemons',
  ]);
});

test('the pools of an OSD are those that it states, and no other daemon is asked for pools', async () => {
  const asked: string[] = [];
  const daemon = (name: string, pools: () => string): CephDaemon => {
    const osd = new FakeOsd();
    osd.write(5_000_000, 4096);
    return {
      name,
      async ask(prefix, args) {
        if (prefix !== 'get_mapped_pools') return osd.ask(prefix, args);
        asked.push(name);
        return pools();
      },
    };
  };
  const refuse = (): string => {
    throw new HdrscopeError('ERR_ADMIN_SOCKET', 'unknown command');
  };
  let pools = '[\n    1,\n    12\n]\n';
  const daemons = [
    daemon('osd.0', () => pools),
    daemon('osd.1', refuse),
    daemon('osd.2', () => '{"mapped_pools":"1"}'),
    daemon('osd.3', () => JSON.stringify(Array.from({ length: 1001 }, (_, id) => id))),
    daemon('mon.a', () => '[1]'),
  ];
  const registry = createRegistry();
  const ceph = ingestCephDaemons(registry, async () => daemons);
  expect((await registry.gather()).errors).toEqual([]);
  const poolsOf = () => ceph.answers.map(({ daemon, poolIds }) => [daemon, poolIds]);
  const others = ['osd.1', 'osd.2', 'osd.3', 'mon.a'].map((name) => [name, undefined]);
  expect(poolsOf()).toEqual([['osd.0', [1, 12]], ...others]);
  expect(asked.sort()).toEqual(['osd.0', 'osd.1', 'osd.2', 'osd.3']);
  pools = '[]';
  await registry.gather();
  expect(poolsOf()).toEqual([['osd.0', []], ...others]);
});

test('daemons come, go and restart: no count is lost or added twice', async () => {
  const osd = new FakeOsd();
  osd.write(5_000_000, 4096);
  const server = await serve('ceph-osd.0.asok', osd);
  const other = new FakeOsd();
  await serve('ceph-osd.1.asok', other);
  const registry = createRegistry();
  const ceph = ingestCephDaemons(
    registry,
    async () => (await socketsIn(folder)).map((path) => daemonAt(path)),
    {
      merged: true,
    },
  );
  expect(counted(await registry.gather())[MERGED]).toEqual({ all: [1, 0.005] });

  await server.close();
  other.write(1_000_000, 4096);
  const without = await registry.gather();
  expect([without.errors, counted(without)[LATENCY]]).toEqual([
    [],
    { 'osd.0': [1, 0.005], 'osd.1': [1, 0.001] },
  ]);
  expect(ceph.latest.map(({ daemon }) => daemon)).toEqual(['osd.1']);

  // The new life has counted the same: no cell is lower than before.
  await serve('ceph-osd.0.asok', osd);
  osd.write(5_000_000, 4096);
  const back = await registry.gather();
  expect(counted(back)[LATENCY]).toEqual({ 'osd.0': [3, 0.015], 'osd.1': [1, 0.001] });
  expect(counted(back)[MERGED]).toEqual({ all: [4, 0.016] });
  expect(ceph.health.resets).toBe(1);
});

test('a new socket is no restart where nothing shows that it is an OSD, nor is a changed mode', async () => {
  const osd = new FakeOsd();
  osd.write(5_000_000, 4096);
  const path = join(folder, 'shop.asok');
  const dump = () => osd.ask('perf histogram dump', {});
  const serveShop = () => serveAdminSocket({ path, histograms: { dump, schema: () => ({}) } });
  const registry = createRegistry();
  ingestCephDaemons(registry, () => daemonsAt(path));
  const first = await serveShop();
  await registry.gather();
  await first.close();
  running.push(await serveShop());
  expect(counted(await registry.gather())[LATENCY]!.shop![0]).toBe(1);

  await serve('osd.0.asok', osd);
  const { life } = daemonAt(join(folder, 'osd.0.asok'));
  const before = await life!();
  chmodSync(join(folder, 'osd.0.asok'), 0o660);
  expect(await life!()).toBe(before);
});

test('a daemon that is silent fails after the time that the options allow', async () => {
  const path = join(folder, 'osd.0.asok');
  const silent = createServer().listen(path);
  await once(silent, 'listening');
  try {
    for (const { ask } of [
      daemonAt(path, { timeoutMs: 30 }),
      ...(await daemonsAt(folder, { timeoutMs: 30 })),
    ]) {
      await expect(ask('perf dump', {})).rejects.toMatchObject({
        code: 'ERR_ADMIN_SOCKET',
        message: expect.stringContaining('has not answered within 30 ms'),
      });
    }
  } finally {
    silent.close();
  }
});

test('a daemon that does not answer is an error, and the others are read', async () => {
  const osd = new FakeOsd();
  osd.write(5_000_000, 4096);
  const silent: CephDaemon = { name: 'osd.7', ask: () => Promise.reject(new Error('no answer')) };
  const registry = createRegistry();
  const failed: unknown[] = [];
  const ceph = ingestCephDaemons(registry, async () => [silent, { name: 'osd.0', ask: osd.ask }], {
    sourceName: 'cluster',
    observer: { failed: (error) => failed.push(error) },
  });
  const snapshot = await registry.gather();
  expect(snapshot.errors).toEqual([
    { source: 'cluster', error: expect.objectContaining({ message: 'osd.7: no answer' }) },
  ]);
  expect(counted(snapshot)[LATENCY]).toEqual({ 'osd.0': [1, 0.005] });
  expect([ceph.health.readErrors, failed]).toEqual([1, [expect.any(Error)]]);
  await ceph.close();
  expect((await registry.gather()).errors).toEqual([]);
});

test('since now, a first answer is not counted, even when it comes late; a daemon that comes later is', async () => {
  const [one, two, three] = [new FakeOsd(), new FakeOsd(), new FakeOsd()];
  for (const osd of [one, two, three]) osd.write(5_000_000, 4096);
  const deaf = new Set(['osd.0', 'osd.1']);
  const daemon = (name: string, osd: FakeOsd): CephDaemon => ({
    name,
    ask: (prefix, args) => (deaf.has(name) ? Promise.reject(new Error('busy')) : osd.ask(prefix, args)),
  });
  const daemons = [daemon('osd.0', one), daemon('osd.1', two)];
  const registry = createRegistry();
  ingestCephDaemons(registry, async () => daemons, { since: 'now' });
  expect((await registry.gather()).families).toEqual([]);
  deaf.delete('osd.0');
  expect((await registry.gather()).families).toEqual([]);
  one.write(5_000_000, 4096);
  deaf.delete('osd.1');
  daemons.push(daemon('osd.2', three));
  expect(counted(await registry.gather())[LATENCY]).toEqual({ 'osd.0': [1, 0.005], 'osd.2': [1, 0.005] });
  two.write(5_000_000, 4096);
  expect(counted(await registry.gather())[LATENCY]).toMatchObject({ 'osd.1': [1, 0.005] });
});

test('sums that are missing once are an error, not an estimate, and the counts come later', async () => {
  const osd = new FakeOsd();
  osd.write(5_000_000, 4096);
  const registry = createRegistry();
  ingestCeph(registry, () => askHistograms(osd.ask));
  await registry.gather();
  osd.write(5_000_000, 4096);
  for (let i = 0; i < 3; i++) osd.countOnly(5_000_000, 4096);
  const broken = await registry.gather();
  expect(String((broken.errors[0]!.error as Error).message)).toMatch(
    /the sums of perf dump must belong to the histogram/,
  );
  expect(counted(broken)[LATENCY]).toEqual({ all: [1, 0.005] });
  for (let i = 0; i < 3; i++) osd.histogram.record(5_000_000, 4096);
  expect(counted(await registry.gather())[LATENCY]).toEqual({ all: [5, 0.025] });
});

test('sums that stay missing are estimates that the series counts, and the counts go on', async () => {
  const osd = new FakeOsd();
  for (let i = 0; i < 3; i++) osd.write(5_000_000, 4096);
  const registry = createRegistry();
  ingestCephDaemons(registry, async () => [{ name: 'osd.0', ask: osd.ask }]);
  await registry.gather();
  // A reset among operations: the counters have one that the histogram lacks, until the next reset.
  osd.reset();
  osd.countOnly(5_000_000, 4096);
  for (let i = 0; i < 2; i++) osd.write(5_000_000, 4096);
  expect((await registry.gather()).errors).toHaveLength(1);
  const since = await registry.gather();
  const [series] = since.families.find(({ name }) => name === LATENCY)!.series;
  expect([since.errors, series!.histogram.totalCount, series!.estimated?.sum]).toEqual([[], 5, 2]);

  osd.reset();
  osd.write(7_000_000, 4096);
  const after = await registry.gather();
  const [again] = after.families.find(({ name }) => name === LATENCY)!.series;
  expect([again!.histogram.totalCount, again!.estimated?.sum, again!.sum - series!.sum]).toEqual([
    6,
    2,
    expect.closeTo(0.007, 9),
  ]);
});

describe('a daemon that hangs among others', () => {
  /** Two OSDs, of which the second answers when it is let. */
  function hanging() {
    const [one, two] = [new FakeOsd(), new FakeOsd()];
    let held: Promise<void> | undefined;
    let release = (): void => {};
    const daemons: CephDaemon[] = [
      { name: 'osd.0', ask: one.ask },
      {
        name: 'osd.1',
        ask: async (prefix, args) => {
          await held;
          return two.ask(prefix, args);
        },
      },
    ];
    const registry = createRegistry();
    const ceph = ingestCephDaemons(registry, async () => daemons);
    const gather = async () => {
      const startMs = performance.now();
      const snapshot = await registry.gather();
      return { snapshot, counts: counted(snapshot)[LATENCY]!, tookMs: performance.now() - startMs };
    };
    const hold = (): void => {
      held = new Promise((resolve) => {
        release = () => {
          held = undefined;
          resolve();
        };
      });
    };
    return { one, two, ceph, gather, hold, release: () => release() };
  }

  test('delays one gather by a second, and the others are counted at once', async () => {
    const { one, two, ceph, gather, hold, release } = hanging();
    for (const osd of [one, two]) osd.write(5_000_000, 4096);
    await gather();
    hold();
    for (const osd of [one, two]) osd.write(5_000_000, 4096);
    const first = await gather();
    expect(first.counts).toEqual({ 'osd.0': [2, 0.01], 'osd.1': [1, 0.005] });
    expect(first.tookMs).toBeLessThan(3000);
    one.write(5_000_000, 4096);
    const second = await gather();
    expect(second.counts).toEqual({ 'osd.0': [3, 0.015], 'osd.1': [1, 0.005] });
    expect(second.tookMs).toBeLessThan(500);
    expect(second.snapshot.errors.map(({ error }) => (error as Error).message)).toEqual([
      expect.stringMatching(/^osd\.1: no answer for [12]\.\d s$/),
    ]);
    const ages = Object.fromEntries(ceph.answers.map(({ daemon, ageSeconds }) => [daemon, ageSeconds]));
    expect([ages['osd.0']! < 0.5, ages['osd.1']! > 0.9]).toEqual([true, true]);

    release();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const back = await gather();
    // Its answer is that to the question of then.
    expect([back.snapshot.errors, back.counts['osd.1']]).toEqual([[], [2, 0.01]]);
    two.write(5_000_000, 4096);
    expect((await gather()).counts['osd.1']).toEqual([3, 0.015]);
  });

  test('since now, its first answer is not counted, however late it comes', async () => {
    const osd = new FakeOsd();
    osd.write(5_000_000, 4096);
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    const late: CephDaemon = { name: 'osd.1', ask: (prefix, args) => held.then(() => osd.ask(prefix, args)) };
    const registry = createRegistry();
    ingestCephDaemons(registry, async () => [{ name: 'osd.0', ask: new FakeOsd().ask }, late], {
      since: 'now',
    });
    await registry.gather();
    answer();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(counted(await registry.gather())[LATENCY]?.['osd.1']).toBeUndefined();
    osd.write(5_000_000, 4096);
    expect(counted(await registry.gather())[LATENCY]!['osd.1']).toEqual([1, 0.005]);
  });

  test('an only daemon has all the time that it takes: nobody waits for others', async () => {
    const osd = new FakeOsd();
    osd.write(5_000_000, 4096);
    const slow: CephDaemon = {
      name: 'osd.0',
      ask: async (prefix, args) => {
        if (prefix !== 'perf dump') await new Promise((resolve) => setTimeout(resolve, 1200));
        return osd.ask(prefix, args);
      },
    };
    const registry = createRegistry();
    ingestCephDaemons(registry, async () => [slow]);
    for (const count of [1, 2]) {
      const snapshot = await registry.gather();
      expect([snapshot.errors, counted(snapshot)[LATENCY]!['osd.0']![0]]).toEqual([[], count]);
      osd.write(5_000_000, 4096);
    }
  });
});

test('a unit for an axis that no daemon has is an error, and nothing is counted in another unit', async () => {
  const osd = new FakeOsd();
  osd.write(5_000_000, 4096);
  const registry = createRegistry();
  ingestCephDaemons(registry, async () => [{ name: 'osd.0', ask: osd.ask }], { units: { Latency: 'us' } });
  const { errors, families } = await registry.gather();
  expect([(errors[0]!.error as Error).message, families]).toEqual([
    'units must be for one of the axes "Latency (usec)", "Request size (bytes)", got "Latency"',
    [],
  ]);
});

test('classes of sizes have estimated sums, and their families say so', async () => {
  const osd = new FakeOsd();
  osd.write(5_000_000, 4096);
  const registry = createRegistry();
  const classes = { axis: 'Request size (bytes)', bounds: [4096] };
  ingestCeph(registry, () => askHistograms(osd.ask), { classes });
  const { families } = await registry.gather();
  expect(families.map(({ description }) => description)).toEqual([
    'Latency of osd.op_w_latency_in_bytes_histogram; the sum is an estimate, from the middles of the buckets',
    'Request size of osd.op_w_latency_in_bytes_histogram',
  ]);
});
