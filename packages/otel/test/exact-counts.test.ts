import { createRegistry } from '@hdrscope/registry';
import { collectDiagnostics } from '@hdrscope/testing/diagnostics';
import { type MetricOptions, ValueType } from '@opentelemetry/api';
import * as prometheus from 'exporter-prometheus-2';
import fc from 'fast-check';
import * as metrics from 'sdk-metrics-2';
import { createHdr, type HdrView } from '../src/index.ts';
import { collect, metricNamed, points, type Sdk, testReader } from './support/sdk.ts';

const { AggregationType, MeterProvider } = metrics;
const sdk: Sdk = { metrics, PrometheusExporter: prometheus.PrometheusExporter };
collectDiagnostics();

interface Comparison {
  readonly view?: Omit<HdrView, 'instrumentName'>;
  readonly instrument?: MetricOptions;
  /** Boundaries of a view of the SDK. @default those of the instrument, else the SDK's */
  readonly sdkBoundaries?: readonly number[];
}

type BucketCounts = readonly (readonly number[])[];

/** Records the same values with the SDK and with hdrscope. Both collect after each batch: cumulative counts and deltas. */
async function collections(
  batches: readonly (readonly number[])[],
  { view = {}, instrument, sdkBoundaries }: Comparison,
): Promise<{ ours: BucketCounts; theirs: BucketCounts }> {
  const readersOf = () =>
    (['cumulative', 'delta'] as const).map((temporality) => testReader(sdk, { temporality }));
  const hdr = createHdr({ views: [{ instrumentName: 'x', ...view }] });
  const [ourReaders, theirReaders] = [readersOf(), readersOf()];
  const ourProvider = hdr.wrapProvider(
    new MeterProvider({
      readers: ourReaders.map((reader) => hdr.wrapReader(reader, { format: 'explicit' })),
    }),
  );
  const boundaries = sdkBoundaries && [...sdkBoundaries];
  const theirProvider = new MeterProvider({
    readers: theirReaders,
    ...(boundaries && {
      views: [
        {
          instrumentName: 'x',
          aggregation: { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries } },
        },
      ],
    }),
  });
  const [ours, theirs] = [ourProvider, theirProvider].map((provider) =>
    provider.getMeter('m').createHistogram('x', instrument),
  );
  const counts: { ours: (readonly number[])[]; theirs: (readonly number[])[] } = { ours: [], theirs: [] };
  for (const batch of batches) {
    for (const value of batch) {
      ours!.record(value);
      theirs!.record(value);
    }
    for (const [side, readers] of [
      ['ours', ourReaders],
      ['theirs', theirReaders],
    ] as const) {
      for (const reader of readers) {
        const [point] = points(metricNamed(await collect(reader), 'x'));
        counts[side].push((point!.value as metrics.Histogram).buckets.counts);
      }
    }
  }
  await Promise.all([ourProvider.shutdown(), theirProvider.shutdown()]);
  return counts;
}

const ROUND = [0, 0.3, 1, 2.5, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000];

test('counts equal those of the SDK at the boundaries of a view, whatever the values are', async () => {
  const boundary = fc.oneof(
    fc.constantFrom(...ROUND, -1, 1e-12, 1e18),
    fc.double({ min: 0, max: 2000, noNaN: true }).map((bound) => bound + 0),
    // Several in one slot.
    fc.integer({ min: 0, max: 8 }).map((step) => 500 + step / 8),
  );
  const boundaries = fc.uniqueArray(boundary, { maxLength: 12 }).map((list) => list.sort((a, b) => a - b));
  const cases = boundaries.chain((bounds) => {
    const at = fc.constantFrom(1, ...bounds.filter((bound) => bound >= 0 && bound < 1e6));
    const beside = fc.constantFrom(0, 0, 2 ** -52, -(2 ** -52), 2 ** -20, -(2 ** -20));
    const value = fc.oneof(
      { weight: 6, arbitrary: fc.tuple(at, beside).map(([base, share]) => base * (1 + share)) },
      { weight: 2, arbitrary: fc.tuple(at, fc.double({ min: 0, max: 0.002 })).map(([a, b]) => a + b) },
      { weight: 2, arbitrary: fc.double({ min: 0, max: 3000, noNaN: true }) },
      { weight: 1, arbitrary: fc.constantFrom(0, -0, Number.MIN_VALUE) },
    );
    // Neither side counts values that are negative or not a number.
    const batch = fc.array(value, { minLength: 1, maxLength: 20 }).map((list) => [...list, -1, Number.NaN]);
    return fc.record({
      bounds: fc.constant(bounds),
      batches: fc.array(batch, { minLength: 1, maxLength: 3 }),
      unit: fc.constantFrom('', 's', 'ms', 'By', '1'),
      valueType: fc.constantFrom(ValueType.DOUBLE, ValueType.INT),
      significantDigits: fc.constantFrom(1, 2, 3),
    });
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ bounds, batches, unit, valueType, significantDigits }) => {
      const { ours, theirs } = await collections(batches, {
        view: { boundaries: bounds, significantDigits },
        instrument: { unit, valueType },
        sdkBoundaries: bounds,
      });
      expect(ours).toEqual(theirs);
    }),
    { numRuns: 100 },
  );
});

const ROUND_VALUES = [5, 10, 25, 50, 75, 100, 250, 500, 750, 1000];

test.each<[what: string, instrument: MetricOptions, values: readonly number[]]>([
  ['without a unit', {}, ROUND_VALUES],
  ['without a unit, integers', { valueType: ValueType.INT }, [...ROUND_VALUES, 4.9, 5.1, 1000.9, 1001]],
  ['in ms', { unit: 'ms' }, ROUND_VALUES],
  ['in bytes', { unit: 'By' }, [...ROUND_VALUES, 4.6, 5.4]],
  [
    'in s',
    { unit: 's', advice: { explicitBucketBoundaries: [0.1, 0.3, 1] } },
    [0.1, 0.3, 0.3000000001, 1, 1.001],
  ],
])('round numbers %s are in the buckets of the SDK', async (_, instrument, values) => {
  const { ours, theirs } = await collections([values, values], { instrument });
  expect(ours).toEqual(theirs);
});

test('counts at the default boundaries of seconds are exact', async () => {
  const seconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
  const { ours } = await collections([seconds], { instrument: { unit: 's' } });
  expect(ours[0]).toEqual([...seconds.map(() => 1), 0]);
});

describe('integers without a unit', () => {
  async function resolutionOf(options: MetricOptions, view: Partial<HdrView> = {}): Promise<number> {
    const registry = createRegistry();
    const hdr = createHdr({ registry, views: [{ instrumentName: '*', ...view }] });
    hdr.wrapProvider(new MeterProvider()).getMeter('m').createHistogram('x', options);
    const [family] = (await registry.gather()).families;
    return family!.resolution.unitsPerTick / family!.resolution.ticksPerUnit;
  }

  test('are counted in steps of 1', async () => {
    expect(await resolutionOf({ valueType: ValueType.INT })).toBe(1);
  });

  test.each<[what: string, options: MetricOptions, view: Partial<HdrView>, resolution: number]>([
    ['a view names another resolution', { valueType: ValueType.INT }, { resolution: 0.5 }, 0.5],
    ['they have a unit', { valueType: ValueType.INT, unit: '1' }, {}, 1e-6],
    ['the values are doubles', {}, {}, 1e-3],
  ])('have other steps when %s', async (_, options, view, resolution) => {
    expect(await resolutionOf(options, view)).toBe(resolution);
  });

  test('share the family of an earlier instrument with finer steps', async () => {
    const registry = createRegistry();
    const hdr = createHdr({ registry, views: [{ instrumentName: '*' }] });
    const meter = hdr.wrapProvider(new MeterProvider()).getMeter('m');
    meter.createHistogram('x').record(0.5);
    meter.createHistogram('x', { valueType: ValueType.INT }).record(7);
    const { families } = await registry.gather();
    expect(families.map(({ series }) => series[0]!.histogram.totalCount)).toEqual([2]);
  });
});

test('an instrument whose family is registered already has the thresholds of the family', async () => {
  const registry = createRegistry();
  const scope = { name: 'm' };
  registry.histogram({ name: 'x', unit: 's', scope, boundaries: [0.3] });
  const hdr = createHdr({ registry, views: [{ instrumentName: '*', boundaries: [0.3, 0.7] }] });
  const provider = hdr.wrapProvider(new MeterProvider());
  const histogram = provider.getMeter('m').createHistogram('x', { unit: 's' });
  for (const value of [0.3, 0.3001, 7]) histogram.record(value);
  const { families } = await registry.gather();
  expect(families[0]!.thresholds).toEqual([0.3]);
  const { resourceMetrics } = await hdr.producer({ format: 'explicit' }).collect();
  expect(resourceMetrics.scopeMetrics).toMatchObject([
    { metrics: [{ dataPoints: [{ value: { buckets: { boundaries: [0.3, 0.7], counts: [1, 1, 1] } } }] }] },
  ]);
});
