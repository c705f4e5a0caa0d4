import { type RunningOtlp, type ServeOtlpOptions, serveOtlp } from '@hdrscope/otel/receiver';
import { sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry, type Registry, valuesAtPercentiles } from '@hdrscope/registry';
import { describeWithPeers } from '@hdrscope/testing';
import { LOCALHOST } from '@hdrscope/testing/tls';
import { diag } from '@opentelemetry/api';
import { OTLPMetricExporter as GrpcExporter } from '@opentelemetry/exporter-metrics-otlp-grpc';
import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  AggregationType,
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import { startForwarder } from './support/collector.ts';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { relativeError, trueQuantile } from './support/quantiles.ts';
import { durations } from './support/sampling.ts';

const EXPORTERS = {
  'http/protobuf': (url: string, temporalityPreference: number, compression: 'gzip' | 'none') =>
    new ProtobufExporter({ url, temporalityPreference, compression: compression as never }),
  'http/json': (url: string, temporalityPreference: number, compression: 'gzip' | 'none') =>
    new JsonExporter({ url, temporalityPreference, compression: compression as never }),
  grpc: (url: string, temporalityPreference: number, compression: 'gzip' | 'none') =>
    new GrpcExporter({ url: new URL(url).origin, temporalityPreference, compression: compression as never }),
};

type Protocol = keyof typeof EXPORTERS;

const { DELTA, CUMULATIVE } = AggregationTemporality;
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** The values that are recorded in each of three intervals, by route. */
const RECORDED: readonly Readonly<Record<string, readonly number[]>>[] = [
  { '/cart': [0, 0, ...durations(500, 1)], '/pay': durations(50, 2, { median: 3 }) },
  { '/cart': durations(700, 3, { spread: 2 }) },
  { '/cart': [1e-9, ...durations(10, 4)], '/pay': [4, 8, 0.5] },
];

function recordedBy(route: string): number[] {
  return RECORDED.flatMap((interval) => interval[route] ?? []);
}

/** Records with the stock SDK, and exports after each interval. */
async function record(exporter: PushMetricExporter, type: 'explicit' | 'exponential'): Promise<void> {
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const aggregation =
    type === 'explicit'
      ? { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries: BOUNDARIES } }
      : { type: AggregationType.EXPONENTIAL_HISTOGRAM };
  const provider = new MeterProvider({
    readers: [reader],
    views: [{ instrumentName: 'rpc.*', aggregation: aggregation as never }],
    resource: resourceFromAttributes({ 'service.name': 'shop', 'host.name': 'a' }),
  });
  const meter = provider.getMeter('shop', '1.2.3');
  const instrument = meter.createHistogram('rpc.server.duration', { unit: 's', description: 'How long.' });
  try {
    for (const interval of RECORDED) {
      for (const [route, values] of Object.entries(interval)) {
        for (const value of values) instrument.record(value, { 'rpc.route': route, retries: 2 });
      }
      await reader.forceFlush();
    }
  } finally {
    await provider.shutdown();
  }
}

/** The bound on an error: half a bucket of the coarsest scale for these values, plus half a slot. */
const MOST_ERROR = 0.1;

/** The bucket of a value: the number of boundaries below it. */
function bucketOf(value: number): number {
  return BOUNDARIES.filter((boundary) => boundary < value).length;
}

async function expectRecorded(registry: Registry, type: 'explicit' | 'exponential'): Promise<void> {
  const { families } = await registry.gather();
  expect(families).toHaveLength(1);
  const [family] = families;
  expect(family).toMatchObject({
    name: 'rpc.server.duration',
    unit: 's',
    description: 'How long.',
    scope: { name: 'shop', version: '1.2.3' },
    boundaries: type === 'explicit' ? BOUNDARIES : undefined,
  });
  expect(family!.series.map(({ attributes }) => attributes)).toEqual(
    ['/cart', '/pay'].map((route) => ({ 'service.name': 'shop', 'rpc.route': route, retries: 2 })),
  );
  for (const series of family!.series) {
    const values = recordedBy(series.attributes['rpc.route'] as string);
    const sorted = values.toSorted((left, right) => left - right);
    expect(series.histogram.totalCount).toBe(values.length);
    expect(series.sum).toBeCloseTo(
      values.reduce((left, right) => left + right, 0),
      6,
    );
    expect([series.min, series.max]).toEqual([sorted[0], sorted.at(-1)]);
    const shown = valuesAtPercentiles(family!, series, [50, 90, 99]);
    for (const [i, quantile] of [0.5, 0.9, 0.99].entries()) {
      const recorded = trueQuantile(sorted, quantile);
      if (type === 'explicit') expect(bucketOf(shown[i]!)).toBe(bucketOf(recorded));
      else expect(relativeError(shown[i]!, recorded)).toBeLessThan(MOST_ERROR);
    }
  }
}

const running: RunningOtlp[] = [];

async function receiver(
  options: ServeOtlpOptions = {},
): Promise<{ registry: Registry; otlp: RunningOtlp; url: string }> {
  const registry = createRegistry();
  const otlp = await serveOtlp(registry, { host: '127.0.0.1', port: 0, ...options });
  running.push(otlp);
  return { registry, otlp, url: `http://127.0.0.1:${otlp.port}` };
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((otlp) => otlp.close()));
});

describe.each(Object.keys(EXPORTERS) as Protocol[])('the export of a stock SDK by %s', (protocol) => {
  test.each([
    ['delta', 'exponential', 'none', DELTA],
    ['cumulative', 'exponential', 'gzip', CUMULATIVE],
    ['delta', 'explicit', 'gzip', DELTA],
    ['cumulative', 'explicit', 'none', CUMULATIVE],
  ] as const)(
    'has the recorded values: %s, %s, compression %s',
    async (_, type, compression, temporality) => {
      const { registry, otlp, url } = await receiver({ protocol: protocol === 'grpc' ? 'grpc' : 'http' });
      await record(EXPORTERS[protocol](`${url}/v1/metrics`, temporality, compression), type);
      await expectRecorded(registry, type);
      expect(otlp.health).toMatchObject({ failedRequests: 0, resets: 0, late: 0 });
      expect(Object.values(otlp.health.refused)).toEqual([0, 0, 0, 0, 0]);
    },
  );
});

describe('a stock SDK that sends by gRPC', () => {
  test('trusts the certificate of the receiver, and sends its token', async () => {
    const token = 'a-token-of-24-characters';
    const { certFile, keyFile } = LOCALHOST;
    const { registry, otlp } = await receiver({ protocol: 'grpc', token, tls: { certFile, keyFile } });
    process.env.OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE = certFile;
    process.env.OTEL_EXPORTER_OTLP_METRICS_HEADERS = `authorization=Bearer%20${token}`;
    try {
      await record(EXPORTERS.grpc(`https://localhost:${otlp.port}`, CUMULATIVE, 'gzip'), 'exponential');
    } finally {
      delete process.env.OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE;
      delete process.env.OTEL_EXPORTER_OTLP_METRICS_HEADERS;
    }
    await expectRecorded(registry, 'exponential');
    expect(otlp.health).toMatchObject({ failedRequests: 0, resets: 0 });
    expect(new Set(Object.values(otlp.health.refusals))).toEqual(new Set([0]));
  });

  test('hears which points were left out, and the others count', async () => {
    const { registry, otlp, url } = await receiver({ protocol: 'grpc' });
    const reader = new PeriodicExportingMetricReader({
      exporter: EXPORTERS.grpc(url, CUMULATIVE, 'gzip'),
      exportIntervalMillis: 3_600_000,
    });
    const provider = new MeterProvider({ readers: [reader] });
    const meter = provider.getMeter('shop');
    meter.createHistogram('rpc.duration', { unit: 's' }).record(0.5);
    meter.createCounter('requests').add(3);
    meter.createGauge('depth').record(7);
    const warnings: string[] = [];
    const note = (...words: unknown[]): void => void warnings.push(words.join(' '));
    diag.setLogger({ error: note, warn: note, info: note, debug: note, verbose: note });
    try {
      await reader.forceFlush();
    } finally {
      diag.disable();
    }
    await provider.shutdown();
    expect(warnings.join('\n')).toMatch(/"requests\\?" is not a histogram.*"depth\\?" is not a histogram/);
    expect(otlp.health).toMatchObject({ failedRequests: 0, refused: { notHistogram: 4 } });
    const { families } = await registry.gather();
    expect(families.map(({ name, series }) => [name, series[0]!.histogram.totalCount])).toEqual([
      ['rpc.duration', 1],
    ]);
  });
});

test('sendOtlp over gRPC loses nothing when a receiver takes smaller requests than it sends', async () => {
  const central = await receiver({ protocol: 'grpc', maxBytes: 4000 });
  const registry = createRegistry();
  const histogram = registry.histogram({ name: 'job', unit: 's' });
  for (let i = 0; i < 100; i++) histogram.with({ route: `/${i}` }).record(i + 1);
  const sender = sendOtlp(registry, { url: central.url, protocol: 'grpc', intervalMs: 3_600_000 });
  await sender.close();
  const [family] = (await central.registry.gather()).families;
  expect(family!.series.map((series) => series.histogram.totalCount)).toEqual(new Array(100).fill(1));
  expect(central.otlp.health.refusals.body).toBeGreaterThan(0);
});

describe('a receiver of gRPC that restarts while clients send', () => {
  /** How many values a registry has of its one histogram. */
  const countValues = async (registry: Registry): Promise<number> => {
    const { families } = await registry.gather();
    return families[0]?.series[0]?.histogram.totalCount ?? 0;
  };
  /** Restarts in the middle of exports, and waits for all values. */
  const restartOften = async (
    start: (url: string) => { record(value: number): void; close(): Promise<void> },
  ): Promise<void> => {
    const registry = createRegistry();
    const options = { host: '127.0.0.1', protocol: 'grpc' } as const;
    let otlp = await serveOtlp(registry, { ...options, port: 0 });
    const client = start(`http://127.0.0.1:${otlp.port}`);
    try {
      for (let round = 1; round <= 5; round++) {
        for (let i = 0; i < 100; i++) client.record(i / 100);
        if (round % 2 === 0)
          await waitFor(async () => (await countValues(registry)) > 50 * round, { what: 'some values' });
        const { port, memory } = otlp;
        await otlp.close();
        otlp = await serveOtlp(registry, { ...options, port, memory });
      }
      await waitFor(async () => (await countValues(registry)) >= 500, { what: 'all values' });
      await client.close();
      expect([await countValues(registry), otlp.health.resets]).toEqual([500, 0]);
    } finally {
      await otlp.close();
    }
  };

  test('has all values of a stock SDK once', () =>
    restartOften((url) => {
      const exporter = EXPORTERS.grpc(url, CUMULATIVE, 'gzip');
      const reader = new PeriodicExportingMetricReader({
        ...{ exporter, exportIntervalMillis: 30, exportTimeoutMillis: 30 },
      });
      const provider = new MeterProvider({ readers: [reader] });
      const histogram = provider.getMeter('shop').createHistogram('rpc.duration', { unit: 's' });
      return { record: (value) => histogram.record(value), close: () => provider.shutdown() };
    }));

  test('has all values of sendOtlp once', () =>
    restartOften((url) => {
      const registry = createRegistry();
      const series = registry.histogram({ name: 'rpc.duration', unit: 's' }).with({});
      const sender = sendOtlp(registry, { url, protocol: 'grpc', intervalMs: 20, temporality: 'delta' });
      return { record: (value) => series.record(value), close: () => sender.close() };
    }));
});

describeWithPeers(['collector'])('an export that a Collector forwards in gzip', () => {
  afterAll(stopPeers);

  test.each([
    ['proto', 'exponential', CUMULATIVE],
    ['proto', 'explicit', DELTA],
    ['json', 'exponential', DELTA],
    ['json', 'explicit', CUMULATIVE],
  ] as const)('has the recorded values: %s, %s', async (encoding, type, temporality) => {
    const { registry, otlp, url } = await receiver();
    const collector = await startForwarder(url, encoding);
    try {
      await record(EXPORTERS['http/protobuf'](`${collector.httpUrl}/v1/metrics`, temporality, 'none'), type);
      // Every export has a cumulative series, including the one at shutdown.
      const points = temporality === DELTA ? 5 : 8;
      await waitFor(() => otlp.health.points >= points, { what: 'all points' });
      await expectRecorded(registry, type);
      expect(otlp.health).toMatchObject({ failedRequests: 0, resets: 0 });
    } finally {
      await collector.stop();
    }
  });
});
