import { createRegistry } from '@hdrscope/registry';
import fc from 'fast-check';
import {
  askAdminSocket,
  type PerfNumbers,
  registryReplies,
  snapshotLabelledNumbers,
  snapshotNumbers,
} from '../../src/index.ts';
import { exchange } from './support/raw-client.ts';
import { useSockets } from './support/sockets.ts';

const sockets = useSockets();

const NUMBERS: PerfNumbers = {
  shop: {
    orders: {
      kind: 'counter',
      value: 18446744073709551615n,
      description: 'taken',
      nick: 'ord',
      priority: 10,
    },
    queue: { kind: 'gauge', value: 3 },
    basket: { kind: 'average', count: 4, sum: 10, units: 'bytes' },
    latency: { kind: 'average', real: true, count: 3, sum: 0.001201605 },
    idle: { kind: 'average', real: true, count: 0, sum: 0 },
    latency_p99: { kind: 'gauge', real: true, value: 0.25 },
  },
  cct: {},
};

const serve = () => sockets.serve({ numbers: async () => NUMBERS });

test('writes numbers as daemons do', async () => {
  const { path } = await serve();

  expect(await askAdminSocket(path, 'perf dump')).toBe(`{
    "cct": {},
    "shop": {
        "orders": 18446744073709551615,
        "queue": 3,
        "basket": {
            "avgcount": 4,
            "sum": 10
        },
        "latency": {
            "avgcount": 3,
            "sum": 0.001201605,
            "avgtime": 0.000400535
        },
        "idle": {
            "avgcount": 0,
            "sum": 0.000000000,
            "avgtime": 0.000000000
        },
        "latency_p99": 0.250000000
    }
}
`);
});

test('describes numbers with the bits of their kinds', async () => {
  const { path } = await serve();
  const { shop } = JSON.parse(await askAdminSocket(path, 'perf schema'));

  expect(shop.orders).toEqual({
    type: 10,
    metric_type: 'counter',
    value_type: 'integer',
    description: 'taken',
    nick: 'ord',
    priority: 10,
    units: 'none',
  });
  const shown = (name: string) => [shop[name].type, shop[name].metric_type, shop[name].value_type];
  expect(shown('queue')).toEqual([2, 'gauge', 'integer']);
  expect(shown('basket')).toEqual([6, 'gauge', 'integer-integer-pair']);
  expect(shown('latency')).toEqual([5, 'gauge', 'real-integer-pair']);
  expect(shown('latency_p99')).toEqual([1, 'gauge', 'real']);
  expect(shop.basket.units).toBe('bytes');
});

test.each([
  [{ logger: 'cct' }, '{"cct":{}}'],
  [{ logger: 'none' }, '{}'],
  [{ counter: 'queue' }, '{"cct":{},"shop":{"queue":3}}'],
  [{ logger: 'shop', counter: 'none' }, '{"shop":{}}'],
])('shows only the numbers of %j', async (filter, body) => {
  const { path } = await serve();

  expect(await askAdminSocket(path, 'perf dump', { ...filter, format: 'json' })).toBe(body);
});

test('answers to the names of old clients', async () => {
  const { path } = await serve();
  const [dump, schema] = await Promise.all([
    askAdminSocket(path, 'perf dump'),
    askAdminSocket(path, 'perf schema'),
  ]);
  for (const name of ['1', 'perfcounters_dump']) expect(await askAdminSocket(path, name)).toBe(dump);
  for (const name of ['2', 'perfcounters_schema']) expect(await askAdminSocket(path, name)).toBe(schema);
  const old = async (number: number) =>
    (await exchange(path, Buffer.of(0, 0, 0, number))).reply.toString('utf8', 4);

  expect([await old(1), await old(2)]).toEqual([dump, schema]);
  expect(await old(3)).toBe('ERROR: (22) Invalid argument\nunknown command prefix foo\n');
});

test('answers {} without numbers and histograms', async () => {
  const { path } = await sockets.serve();
  for (const prefix of ['perf dump', 'perf schema', 'perf histogram dump', 'perf histogram schema']) {
    expect(await askAdminSocket(path, prefix)).toBe('{}\n');
  }
});

test.each([
  ['a fraction', 1.5],
  ['a negative number', -1],
  ['NaN', Number.NaN],
])('refuses %s as an integer', async (_, value) => {
  const { path } = await sockets.serve({ numbers: () => ({ a: { b: { kind: 'gauge', value } } }) });

  await expect(askAdminSocket(path, 'perf dump')).rejects.toThrow('a.b must be an integer of at least 0');
});

describe('perf reset', () => {
  test('exists only with the option `reset`', async () => {
    const { path } = await serve();

    await expect(askAdminSocket(path, 'perf reset', { var: 'all' })).rejects.toThrow(
      'unknown command prefix',
    );
  });

  test('answers with the name that was reset', async () => {
    const asked: string[] = [];
    const { path } = await sockets.serve({ reset: (name) => asked.push(name) === 1 });

    expect(await askAdminSocket(path, 'perf reset', { var: 'all', format: 'json' })).toBe(
      '{"success":"perf reset all"}',
    );
    expect(await askAdminSocket(path, 'perf reset', { var: 'nope', format: 'json' })).toBe(
      '{"error":"Not find: nope"}',
    );
    expect(asked).toEqual(['all', 'nope']);
  });
});

function recorded() {
  const registry = createRegistry();
  const durations = registry.histogram({ name: 'request.duration', unit: 'ms', description: 'of requests' });
  for (let ms = 1; ms <= 100; ms++) durations.with({ method: 'GET' }).record(ms);
  registry.histogram({ name: 'body.size', unit: 'By' }).with({}).record(512);
  return registry;
}

test('a registry is shown as numbers: times in seconds, sizes in bytes', async () => {
  const numbers = snapshotNumbers(await recorded().gather(), { logger: 'shop', percentiles: [50, 99.9] });

  expect(numbers).toEqual({
    'shop-method=GET': {
      'request.duration': expect.objectContaining({ kind: 'average', real: true, count: 100, sum: 5.05 }),
      'request.duration_p50': expect.objectContaining({
        kind: 'gauge',
        real: true,
        value: expect.any(Number),
      }),
      'request.duration_p99_9': expect.objectContaining({ kind: 'gauge', real: true }),
      'request.duration_max': expect.objectContaining({ value: 0.1, description: 'of requests' }),
    },
    shop: {
      'body.size': expect.objectContaining({
        kind: 'average',
        real: false,
        count: 1,
        sum: 512,
        units: 'bytes',
      }),
      'body.size_p50': expect.objectContaining({ value: 512 }),
      'body.size_p99_9': expect.objectContaining({ value: 512 }),
      'body.size_max': expect.objectContaining({ value: 512 }),
    },
  });
  const p50 = numbers['shop-method=GET']!['request.duration_p50'];
  expect(p50).toMatchObject({ value: expect.closeTo(0.05, 3) });
});

test('families of one name in different scopes keep their own numbers, also where the first one has no series', async () => {
  const registry = createRegistry();
  const [first, second] = ['a', 'b'].map((name) =>
    registry.histogram({ name: 'x', unit: 'By', scope: { name } }),
  );
  first!.with({}).record(1);
  second!.with({}).record(100);
  second!.with({ disk: 'sda' }).record(200);
  const snapshot = await registry.gather();

  const options = { percentiles: [] };
  const sums = Object.entries(snapshotNumbers(snapshot, options)).flatMap(([logger, numbers]) =>
    Object.entries(numbers).map(([name, one]) => [
      logger,
      name,
      one.kind === 'average' ? one.sum : one.value,
    ]),
  );
  expect(sums).toEqual([
    ['hdrscope', 'x', 1],
    ['hdrscope', 'x_max', 1],
    ['hdrscope', 'x-2', 100],
    ['hdrscope', 'x-2_max', 100],
    ['hdrscope-disk=sda', 'x-2', 200],
    ['hdrscope-disk=sda', 'x-2_max', 200],
  ]);
  const names = snapshotLabelledNumbers(snapshot, options).map(({ numbers }) => Object.keys(numbers));
  expect(names).toEqual([
    ['x', 'x_max', 'x-2', 'x-2_max'],
    ['x-2', 'x-2_max'],
  ]);
});

test('a family whose name is that of a gauge of another one keeps its numbers', async () => {
  const registry = createRegistry();
  registry.histogram({ name: 'x', unit: 'By' }).with({}).record(1);
  registry.histogram({ name: 'x_max', unit: 'By' }).with({}).record(100);

  const { hdrscope } = snapshotNumbers(await registry.gather(), { percentiles: [] });
  expect(hdrscope).toEqual({
    x: expect.objectContaining({ kind: 'average', sum: 1 }),
    x_max: expect.objectContaining({ kind: 'gauge', value: 1 }),
    'x_max-2': expect.objectContaining({ kind: 'average', sum: 100 }),
    'x_max-2_max': expect.objectContaining({ kind: 'gauge', value: 100 }),
  });
});

test('series whose attributes have one text, or equal labels, keep their own numbers', async () => {
  const registry = createRegistry();
  const family = registry.histogram({ name: 'x', unit: 'By' });
  family.with({ a: '1,b=2' }).record(1);
  family.with({ a: '1', b: '2' }).record(100);
  const dotted = registry.histogram({ name: 'y', unit: 'By' });
  dotted.with({ 'c.d': 'e' }).record(5);
  dotted.with({ c_d: 'e' }).record(7);
  const snapshot = await registry.gather();

  expect(snapshotNumbers(snapshot, { percentiles: [] })['hdrscope-a=1,b=2']).toMatchObject({
    x: { sum: 1 },
    'x-2': { sum: 100 },
  });
  const labelled = snapshotLabelledNumbers(snapshot, { percentiles: [] });
  expect(labelled.map(({ labels, numbers }) => [labels, Object.keys(numbers)])).toEqual([
    [{ a: '1,b=2' }, ['x', 'x_max']],
    [{ a: '1', b: '2' }, ['x', 'x_max']],
    [{ c_d: 'e' }, ['y', 'y_max', 'y-2', 'y-2_max']],
  ]);
});

test('no percentile is above the maximum', async () => {
  const value = fc.double({ min: 1e-6, max: 1e4, noNaN: true });
  await fc.assert(
    fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 20 }), async (values) => {
      const registry = createRegistry();
      const series = registry.histogram({ name: 'x', unit: 's' }).with({});
      for (const one of values) series.record(one);
      const { hdrscope } = snapshotNumbers(await registry.gather(), { percentiles: [0, 50, 99, 100] });
      const valueAt = (suffix: string): number => {
        const number = hdrscope![`x_${suffix}`]!;
        return number.kind === 'gauge' ? Number(number.value) : Number.NaN;
      };
      for (const suffix of ['p0', 'p50', 'p99', 'p100']) {
        expect(valueAt(suffix)).toBeLessThanOrEqual(valueAt('max'));
      }
      expect(valueAt('p100')).toBe(valueAt('max'));
    }),
    // Between two ticks of a nanosecond.
    { examples: [[[0.0000025110000000000006]]] },
  );
});

test('a registry is served as histograms and as numbers', async () => {
  const { path } = await sockets.serve({ ...registryReplies(recorded(), { logger: 'shop' }) });
  const ask = async (prefix: string) => JSON.parse(await askAdminSocket(path, prefix));

  const [schema, dump, numbers, described] = await Promise.all(
    ['perf histogram schema', 'perf histogram dump', 'perf dump', 'perf schema'].map(ask),
  );
  expect(Object.keys(schema)).toEqual(['shop', 'shop-method=GET']);
  expect(schema.shop['body.size'].type).toBe(26);
  expect(
    dump['shop-method=GET']['request.duration'].values.flat(2).reduce((a: number, b: number) => a + b),
  ).toBe(100);
  expect(numbers['shop-method=GET']['request.duration'].avgcount).toBe(100);
  expect(Object.keys(described)).toEqual(Object.keys(numbers));

  const xml = await askAdminSocket(path, 'perf histogram dump', { logger: 'none', format: 'xml' });
  expect(xml).toBe('<perfcounter_collection></perfcounter_collection>');
});

describe('counter dump and counter schema', () => {
  test('have the numbers of perf dump, without labels, by default', async () => {
    const { path } = await serve();

    expect(await askAdminSocket(path, 'counter dump', { counter: 'queue', format: 'json' })).toBe(
      '{"cct":[{"labels":{},"counters":{}}],"shop":[{"labels":{},"counters":{"queue":3}}]}',
    );
    const [labelled, plain] = await Promise.all([
      askAdminSocket(path, 'counter schema'),
      askAdminSocket(path, 'perf schema'),
    ]);
    expect(JSON.parse(labelled).shop).toEqual([{ labels: {}, counters: JSON.parse(plain).shop }]);
  });

  test('have the attributes of a registry as labels, both in the same order, by which ceph-exporter matches them', async () => {
    const registry = createRegistry();
    const family = registry.histogram({ name: 'http.duration', unit: 's' });
    family.with({ 'http.route': '/b', method: 'PUT' }).record(0.5);
    family.with({ 'http.route': '/a', method: 'GET' }).record(0.25);
    const { path } = await sockets.serve({ ...registryReplies(registry, { logger: 'shop' }) });
    const [dump, schema] = await Promise.all(
      ['counter dump', 'counter schema'].map(async (prefix) =>
        JSON.parse(await askAdminSocket(path, prefix)),
      ),
    );

    expect(dump.shop[0].labels).toEqual({ http_route: '/b', method: 'PUT' });
    expect(dump.shop.map(({ labels }: { labels: object }) => labels)).toEqual(
      schema.shop.map(({ labels }: { labels: object }) => labels),
    );
    expect(dump.shop[1].counters['http.duration']).toMatchObject({ avgcount: 1, sum: 0.25 });
    expect(schema.shop[1].counters['http.duration_p99']).toMatchObject({ priority: 5, metric_type: 'gauge' });
  });

  test.each([
    [
      'counter',
      (answer: string) => JSON.parse(answer).hdrscope.map(({ labels }: { labels: object }) => labels),
    ],
    ['perf', (answer: string) => Object.keys(JSON.parse(answer))],
  ])(
    'a %s schema describes the series of the dump before it, whatever has begun or ended since',
    async (group, series) => {
      const registry = createRegistry();
      const first = registry.histogram({ name: 'x', unit: 's' });
      const second = registry.histogram({ name: 'y', unit: 's' });
      for (const disk of ['sda', 'sdb']) second.with({ disk }).record(1);
      const { path } = await sockets.serve({ ...registryReplies(registry) });
      const dump = await askAdminSocket(path, `${group} dump`);
      first.with({ disk: 'sdc' }).record(1);
      second.remove({ disk: 'sda' });

      expect(series(await askAdminSocket(path, `${group} schema`))).toEqual(series(dump));
      expect(series(await askAdminSocket(path, `${group} schema`))).toHaveLength(2);
      expect(await askAdminSocket(path, `${group} schema`)).toContain('"x"');
    },
  );

  test('have no label that would break the text for Prometheus', async () => {
    const registry = createRegistry();
    registry.histogram({ name: 'x' }).with({ '1st "key"': 'a"b\\c\nd', ok: true }).record(1);

    expect(snapshotLabelledNumbers(await registry.gather())).toEqual([
      expect.objectContaining({ logger: 'hdrscope', labels: { _1st__key_: 'a_b_c_d', ok: 'true' } }),
    ]);
  });
});
