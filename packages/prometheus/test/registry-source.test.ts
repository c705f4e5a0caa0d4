import { explicitCounts, exponentialBuckets } from '@hdrscope/core/internal';
import { EMPTY_SNAPSHOT, type FamilySnapshot, type Registry, type Snapshot } from '@hdrscope/registry';
import {
  isRegistryReader,
  type RegistryReader,
  type RegistrySource,
  readShown,
  showSnapshot,
} from '@hdrscope/registry/internal';
import { collectDiagnostics } from '@hdrscope/testing/diagnostics';
import { HdrPrometheusExporter, type HdrPrometheusExporterOptions } from '../src/index.ts';
import type { MetricDataLike, ScopeMetricsLike } from '../src/resource-metrics.ts';
import { decodeFamilies } from './support/decode.ts';
import { OPENMETRICS, PROTOBUF } from './support/http.ts';
import { START_MS, testRegistry } from './support/registry.ts';
import { respond } from './support/respond.ts';

const log = collectDiagnostics();

const CUMULATIVE = 1;
const TIME: [number, number] = [Math.floor(START_MS / 1000), (START_MS % 1000) * 1e6];
const RESOURCE = { attributes: { 'service.name': 'shop', 'host.name': 'a', region: 'eu' } };

/** Metrics of the SDK: a scope that families of the registry have too, and one of its own. */
const SDK_SCOPES: ScopeMetricsLike[] = [
  { scope: { name: 'shop', version: '1' }, metrics: [sum('orders', 3), sum('job.duration.sum', 1)] },
  { scope: { name: 'other' }, metrics: [sum('carts', 1)] },
];

function sum(name: string, value: number): MetricDataLike {
  return {
    descriptor: { name, description: '', unit: '' },
    aggregationTemporality: CUMULATIVE,
    dataPointType: 3,
    isMonotonic: true,
    dataPoints: [{ startTime: TIME, endTime: TIME, attributes: { vip: true }, value }],
  };
}

/** Families in several scopes, with names and labels that collide, exemplars, and series and families without values. */
function shop(): Registry {
  const registry = testRegistry();
  const durations = registry.histogram({
    name: 'job.duration',
    unit: 's',
    description: 'How long',
    scope: { name: 'shop', version: '1' },
    boundaries: [0.1, 1],
  });
  for (const value of [0, 1e-9, 0.004, 0.25, 0.25, 3, 1e6])
    durations.with({ queue: 'mail', le: 'x' }).record(value);
  durations.with({ queue: 'print', region: 'us' }).record(0.1);
  durations.with({ queue: 'none' });
  const sizes = registry.histogram({ name: 'job_duration', significantDigits: 3, scope: { name: 'late' } });
  for (let value = 1; value < 1e12; value *= 7) sizes.with({ a: 1 }).record(value);
  registry.histogram({ name: 'empty' }).with({});
  const traced = registry.histogram({ name: 'traced', unit: 'By' }).with({});
  traced.record(900);
  traced.offerExemplar({ value: 900, timeMs: START_MS, attributes: { trace_id: 'abc' } });
  registry.histogram({ name: 'carts_total', unit: 's' }).with({}).record(1);
  return registry;
}

const SETTINGS = new Map<string, Partial<ReturnType<RegistrySource<unknown>['settingsOf']>>>([
  ['job_duration', { maxSize: 20, maxScale: 4 }],
  ['traced', { boundaries: [] }],
]);

const settingsOf: RegistrySource<unknown>['settingsOf'] = ({ name }) => ({
  maxSize: 160,
  boundaries: [0, 5, 10],
  ...SETTINGS.get(name),
});

/** Converts a snapshot to points as `@hdrscope/otel` does, and adds them to the scopes of the SDK. */
function withPoints(
  sdk: readonly ScopeMetricsLike[],
  snapshot: Snapshot,
  isNative: boolean,
): ScopeMetricsLike[] {
  const scopes = [...sdk];
  const added = new Map<ScopeMetricsLike, MetricDataLike[]>();
  for (const family of snapshot.families) {
    const metric = metricOf(family, snapshot, isNative);
    if (metric.dataPoints.length === 0) continue;
    const scope = family.scope ?? { name: '@hdrscope/registry' };
    let into = scopes.find((one) => one.scope.name === scope.name);
    if (into === undefined) {
      into = { scope, metrics: [] };
      scopes.push(into);
    }
    const ofRegistry = added.get(into) ?? [];
    added.set(into, ofRegistry);
    ofRegistry.push(metric);
  }
  return scopes.map((one) => ({ ...one, metrics: [...(added.get(one) ?? []), ...one.metrics] }));
}

function metricOf(family: FamilySnapshot, { timeMs }: Snapshot, isNative: boolean): MetricDataLike {
  const { name, description, unit } = family;
  const { maxSize, maxScale, boundaries } = settingsOf(family);
  const points = family.series
    .filter(({ counts }) => counts.total > 0)
    .map(({ attributes, counts, sum: total, exemplars }) => {
      const {
        scale,
        zeroCount,
        offset,
        counts: bucketCounts,
      } = exponentialBuckets(counts, family, { maxSize, maxScale });
      const exponential = {
        scale,
        zeroCount,
        positive: { offset, bucketCounts },
        negative: { offset: 0, bucketCounts: [] },
      };
      const explicit = { buckets: { boundaries, counts: explicitCounts(counts, family, boundaries) } };
      return {
        startTime: TIME,
        endTime: [Math.floor(timeMs / 1000), (timeMs % 1000) * 1e6] as const,
        attributes,
        value: { count: counts.total, sum: total, ...(isNative ? exponential : explicit) },
        ...(exemplars.length > 0 && { exemplars }),
      };
    });
  return {
    descriptor: { name, description, unit },
    aggregationTemporality: CUMULATIVE,
    dataPointType: isNative ? 1 : 0,
    dataPoints: points,
  };
}

/** An exporter as `hdr.wrapReader` sets it up. */
function exporterOf(
  registry: Registry,
  options: HdrPrometheusExporterOptions,
  hasSource: boolean,
): HdrPrometheusExporter {
  const exporter = new HdrPrometheusExporter({
    ...options,
    preventServerStart: true,
    metricProducers: [
      {
        collect: async () => ({
          resourceMetrics: {
            resource: {},
            scopeMetrics: [{ scope: { name: 'late' }, metrics: [sum('extra', 1)] }],
          },
          errors: [],
        }),
      },
    ],
  });
  const collection = (scopeMetrics: readonly ScopeMetricsLike[]) => ({
    resourceMetrics: { resource: RESOURCE, scopeMetrics },
    errors: [],
  });
  const producer = { collect: async () => collection(SDK_SCOPES) };
  exporter.setMetricProducer({
    collect: async () =>
      collection(withPoints(SDK_SCOPES, await registry.gather(), options.buckets !== 'classic')),
  });
  if (hasSource) {
    exporter.setRegistrySource({ producer, read: readerOf(registry), settingsOf });
  }
  return exporter;
}

const readerOf =
  (registry: Registry): RegistrySource<unknown>['read'] =>
  (limits, wantsStates) =>
    readShown(registry, limits, wantsStates);

const scrape = async (exporter: HdrPrometheusExporter, accept = 'text/plain') =>
  Buffer.from((await respond(exporter.getMetricsRequestHandler, { accept })).body);

describe('an exporter with the source of a registry', () => {
  const variants: HdrPrometheusExporterOptions[] = [
    {},
    { appendTimestamp: true },
    { prefix: 'app' },
    { withResourceConstantLabels: /service|region/ },
    { withoutScopeInfo: true },
    { withoutScopeInfo: true, withoutTargetInfo: true, withResourceConstantLabels: /./ },
    { classicBoundaries: [0.3, 2, 1e3] },
    { classicBoundaries: ({ name }) => (name === 'traced' ? [1000] : undefined) },
  ];
  const cases = (['native', 'classic', 'both'] as const).flatMap((buckets) =>
    variants.map((options) => [{ buckets, ...options }] as const),
  );

  // Classic buckets beside native ones are made from native buckets where there are points only.
  const withoutBuckets = (body: Buffer): string =>
    body.toString('latin1').replaceAll(/^.*_bucket\{.*\n/gm, '');

  test.each(cases)('has the bytes that points give, with the options %p', async (options) => {
    const registry = shop();
    const [direct, byPoints] = [exporterOf(registry, options, true), exporterOf(registry, options, false)];
    // The second round shows series that have changed and others that have not.
    for (let round = 0; round < 2; round++) {
      for (const accept of ['text/plain', OPENMETRICS, PROTOBUF]) {
        const expected = await scrape(byPoints, accept);
        expect(expected.toString('latin1')).toContain('traced');
        const isText = accept !== PROTOBUF;
        if (options.buckets === 'classic' || (options.buckets === 'native' && !isText)) {
          expect(await scrape(direct, accept)).toEqual(expected);
        } else if (isText) {
          expect(withoutBuckets(await scrape(direct, accept))).toBe(withoutBuckets(expected));
        }
      }
      registry.family({ name: 'traced' })!.with({}).record(1);
    }
  });

  test('has classic buckets that are exact at the boundaries of a family, beside native ones', async () => {
    const registry = testRegistry();
    const family = registry.histogram({ name: 'exact', unit: 's', boundaries: [0.25, 0.3] });
    for (const value of [0.25, 0.250_000_001, 0.3, 0.3, 0.300_001]) family.with({}).record(value);
    const text = (await scrape(exporterOf(registry, {}, true))).toString();
    const counts = [...text.matchAll(/^exact_seconds_bucket\{.*le="(.*?)".*\} (\d+)$/gm)].map(
      ([, le, count]) => [le, count],
    );
    expect(counts).toEqual([
      ['0.25', '1'],
      ['0.3', '4'],
      ['+Inf', '5'],
    ]);
  });

  test('returns points by collect, as without it', async () => {
    const registry = shop();
    const [direct, byPoints] = [exporterOf(registry, {}, true), exporterOf(registry, {}, false)];
    expect(await direct.collect()).toEqual(await byPoints.collect());
  });

  test('shows rejected values and failed sources, with the labels of the resource', async () => {
    const registry = testRegistry();
    registry.add({ name: 'kernel', collect: () => Promise.reject(new Error('no map')) });
    registry.histogram({ name: 'job.duration' }).with({ queue: 'mail' }).record(-1);
    const options = { prefix: 'app', withResourceConstantLabels: /service/ };
    const text = (await scrape(exporterOf(registry, options, true))).toString();
    const labels = 'family="app_job_duration",reason="negative",service_name="shop"';
    expect(text).toContain(`hdrscope_rejected_values_total{${labels}} 1\n`);
    expect(text).toContain('hdrscope_source_errors{source="kernel",service_name="shop"} 1\n');
    expect(text).toContain('app_orders_total{vip="true",otel_scope_name="shop"');
    expect(log.warnings).toEqual(['the source "kernel" failed: no map']);
  });

  test('precedes a metric of the SDK with the same name, such as that of an instrument that the registry refused', async () => {
    const registry = testRegistry();
    const scope = { name: 'shop', version: '1' };
    registry.histogram({ name: 'orders.total', scope }).with({ vip: true }).record(0.25);
    const text = (await scrape(exporterOf(registry, {}, true))).toString();
    expect(text).toContain('# TYPE orders_total histogram\n');
    expect(text).toMatch(/^orders_total_count\{vip="true",.*\} 1$/m);
    expect(text).not.toMatch(/^orders_total\{/m);
    expect(log.warnings).toEqual([
      '"orders_total" is already a histogram: the counter of this name is left out',
    ]);
  });

  test('shows a range that needs more buckets than allowed at the coarsest schema', async () => {
    const registry = testRegistry();
    SETTINGS.set('wide', { maxSize: 2 });
    const wide = registry.histogram({ name: 'wide', resolution: 1 }).with({});
    for (const value of [1, 2 ** 20, 2 ** 50]) wide.record(value);
    const bytes = await scrape(exporterOf(registry, {}, true), PROTOBUF);
    const { histogram } = decodeFamilies(bytes).find(({ name }) => name === 'wide')!.metrics[0]!;
    expect(histogram!.schema).toBe(-4);
    expect(histogram!.count).toBe(3n);
  });

  test('the exporter is a reader of registries, and other readers are not', () => {
    const exporter: RegistryReader<Parameters<HdrPrometheusExporter['setMetricProducer']>[0]> =
      new HdrPrometheusExporter({ preventServerStart: true });
    expect(isRegistryReader(exporter)).toBe(true);
    expect(isRegistryReader({ setMetricProducer() {} })).toBe(false);
  });

  test('gathers within the time limit of the scrape, and after the SDK', async () => {
    const calls: unknown[] = [];
    const exporter = new HdrPrometheusExporter({ preventServerStart: true });
    exporter.setMetricProducer({ collect: () => Promise.reject(new Error('not by points')) });
    exporter.setRegistrySource({
      producer: {
        async collect() {
          calls.push('sdk');
          return { resourceMetrics: { resource: RESOURCE, scopeMetrics: [] }, errors: [] };
        },
      },
      async read(limits) {
        calls.push(limits);
        return showSnapshot(EMPTY_SNAPSHOT);
      },
      settingsOf,
    });
    const { status } = await respond(exporter.getMetricsRequestHandler, {
      'x-prometheus-scrape-timeout-seconds': '1',
    });
    expect(status).toBe(200);
    expect(calls).toEqual(['sdk', { timeoutMs: 800, maxAgeMs: 100 }]);
  });
});
