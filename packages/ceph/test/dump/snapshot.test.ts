import { createRegistry } from '@hdrscope/registry';
import { expectRefused, refusalOf } from '@hdrscope/testing/refusals';
import { defaultAxis } from '../../src/dump/snapshot.ts';
import { type Axis, formatHistogramDump, type HistogramLogger, snapshotLoggers } from '../../src/index.ts';

const OSD: Axis = {
  name: 'Latency (nsec)',
  scale: 'log2',
  min: 0,
  quantSize: 100_000,
  buckets: 32,
  unit: 'ns',
};

const only = (loggers: readonly HistogramLogger[]) => loggers[0]!.counters[0]!;

async function recorded(unit: string, values: readonly number[], options = {}) {
  const registry = createRegistry();
  const family = registry.histogram({ name: 'x', unit, ...options });
  for (const value of values) family.with({}).record(value);
  return registry.gather();
}

test.each([
  ['s', 0.0015, 'Latency (nsec)', 1_500_000],
  ['ms', 1.5, 'Latency (nsec)', 1_500_000],
  ['By', 5000, 'Size (bytes)', 5000],
  ['{request}', 12, 'Value ({request})', 12],
  ['1', 0.25, 'Value (1/1000000 1)', 250_000],
  ['', 7, 'Value (1/1000)', 7000],
])('values in %p have the default axis of their unit', async (unit, value, name, shown) => {
  const { histogram, fit } = only(snapshotLoggers(await recorded(unit, [value])));
  expect(histogram.axes.map((axis) => axis.name)).toEqual([name, 'All']);
  const { lower, upper } = histogram.quantile(0, 0.5);
  expect(lower).toBeLessThanOrEqual(shown);
  expect(upper).toBeGreaterThan(shown);
  expect(fit).toEqual({ exact: true, maxMisplaced: 0 });
});

test('a dump has two axes, which the tools of all releases can read; the release to come has one, and a sum', async () => {
  const snapshot = await recorded('s', [0.001, 0.002]);
  const today = formatHistogramDump(snapshotLoggers(snapshot), { format: 'json' });
  expect(today).toContain(
    '"name":"All","min":0,"quant_size":1,"buckets":1,"scale_type":"linear","ranges":[{}]}]',
  );
  expect(today).toMatch(/"values":\[\[0\],\[0\],/);
  const next = formatHistogramDump(snapshotLoggers(snapshot, { release: 'next' }), {
    format: 'json',
    release: 'next',
  });
  expect(next).toMatch(/"sum":\[3000000\],"values":\[0,0,/);
});

test("an axis of Ceph's own quantum has edges within HDR slots, and fit states the error", async () => {
  const values = Array.from({ length: 1000 }, (_, i) => (90 + i / 50) * 1e-6);
  const coarse = await recorded('s', values, { significantDigits: 2 });
  const { fit, histogram } = only(snapshotLoggers(coarse, { axisOf: () => OSD }));
  expect(fit!.exact).toBe(false);
  expect(fit!.maxMisplaced).toBeGreaterThan(0);
  expect(fit!.maxMisplaced).toBeLessThan(40);
  expect(histogram.totalCount).toBe(1000);
  const below = Number(histogram.countAt([1, 0]));
  expect(Math.abs(below - values.filter((value) => value < 1e-4).length)).toBeLessThanOrEqual(
    fit!.maxMisplaced,
  );

  const fine = await recorded('s', values, { significantDigits: 4 });
  expect(only(snapshotLoggers(fine, { axisOf: () => OSD })).fit).toEqual({ exact: true, maxMisplaced: 0 });
});

test('each combination of attributes is a logger', async () => {
  const registry = createRegistry();
  const family = registry.histogram({ name: 'x', unit: 's' });
  family.with({}).record(1);
  family.with({ b: 'y', a: 1 }).record(1);
  registry
    .histogram({ name: 'x', unit: 's', scope: { name: 'other' } })
    .with({})
    .record(1);
  const loggers = snapshotLoggers(await registry.gather(), { logger: 'app' });
  expect(loggers.map(({ name, counters }) => [name, counters.map((one) => one.name)])).toEqual([
    ['app', ['x', 'x-2']],
    ['app-a=1,b=y', ['x']],
  ]);
});

test('a family keeps its number in loggers where the first family of its name has no series', async () => {
  const registry = createRegistry();
  registry
    .histogram({ name: 'x', scope: { name: 'a' } })
    .with({})
    .record(1);
  registry
    .histogram({ name: 'x', scope: { name: 'b' } })
    .with({ disk: 'sda' })
    .record(1);
  const loggers = snapshotLoggers(await registry.gather());
  expect(loggers.map(({ name, counters }) => [name, counters.map((one) => one.name)])).toEqual([
    ['hdrscope', ['x']],
    ['hdrscope-disk=sda', ['x-2']],
  ]);
});

test('series whose attributes have one text are different counters', async () => {
  const registry = createRegistry();
  const family = registry.histogram({ name: 'x' });
  family.with({ a: '1,b=2' }).record(1);
  family.with({ a: '1', b: '2' }).record(1);
  const [logger] = snapshotLoggers(await registry.gather());
  expect(logger!.counters.map(({ name }) => name)).toEqual(['x', 'x-2']);
});

test('refuses an axis in a unit that does not suit the family', async () => {
  const snapshot = await recorded('By', [1]);
  expect(
    refusalOf(() => snapshotLoggers(snapshot, { axisOf: () => OSD }), 'ERR_INVALID_OPTION').message,
  ).toMatch(/the unit of the axis of "x" must be one that suits values in "By", got "ns"/);
  expectRefused(() => snapshotLoggers(snapshot, { release: 'old' as 'reef' }), 'ERR_INVALID_OPTION');
});

test('the edges of default axes are edges of HDR slots', () => {
  const resolution = { ticksPerUnit: 1, unitsPerTick: 1 };
  for (const unit of ['s', 'By', '']) {
    const { quantSize } = defaultAxis({ unit, resolution });
    expect(Math.log2(quantSize) % 1).toBe(0);
  }
});
