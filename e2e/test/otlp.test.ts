import { createHdr, type HistogramFormat } from '@hdrscope/otel';
import { describeWithPeers } from '@hdrscope/testing';
import { OTLPMetricExporter as GrpcExporter } from '@opentelemetry/exporter-metrics-otlp-grpc';
import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { type Collector, startCollector } from './support/collector.ts';
import { type HistogramPoint, pointsReceived, pointsSent } from './support/otlp-json.ts';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { durations } from './support/sampling.ts';

const { DELTA, CUMULATIVE } = AggregationTemporality;

/** The stock exporters, by their protocol. */
const PROTOCOLS = {
  'http/protobuf': ({ httpUrl }: Collector, temporalityPreference: number) =>
    new ProtobufExporter({ url: `${httpUrl}/v1/metrics`, temporalityPreference }),
  'http/json': ({ httpUrl }: Collector, temporalityPreference: number) =>
    new JsonExporter({ url: `${httpUrl}/v1/metrics`, temporalityPreference }),
  grpc: ({ grpcUrl }: Collector, temporalityPreference: number) =>
    new GrpcExporter({ url: grpcUrl, temporalityPreference }),
};

type Protocol = keyof typeof PROTOCOLS;

/** The exporter, which also notes its input. */
function noting(exporter: PushMetricExporter, notes: ResourceMetrics[]): PushMetricExporter {
  const noted: PushMetricExporter = Object.create(exporter);
  noted.export = (metrics, done) => {
    notes.push(
      structuredClone({ ...metrics, resource: { attributes: metrics.resource.attributes } }) as never,
    );
    exporter.export(metrics, done);
  };
  return noted;
}

interface Run {
  /** The points in the Collector. */
  readonly received: readonly HistogramPoint[];
  /** The points that the exporter got. */
  readonly sent: readonly HistogramPoint[];
  /** The values that were recorded in each interval, by route. */
  readonly recorded: readonly Readonly<Record<string, readonly number[]>>[];
}

let runs = 0;

/** Records over three intervals, one of which is empty for one route, and exports each. */
async function exportTo(
  collector: Collector,
  { protocol, temporality, format }: { protocol: Protocol; temporality: number; format: HistogramFormat },
): Promise<Run> {
  const service = `shop-${++runs}`;
  const notes: ResourceMetrics[] = [];
  const exporter = noting(PROTOCOLS[protocol](collector, temporality), notes);
  const hdr = createHdr({ views: [{ instrumentName: 'rpc.*', significantDigits: 3 }] });
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = hdr.wrapProvider(
    new MeterProvider({
      readers: [hdr.wrapReader(reader, { format })],
      resource: resourceFromAttributes({ 'service.name': service }),
    }),
  );
  const instrument = provider
    .getMeter('shop', '1.2.3')
    .createHistogram('rpc.server.duration', { unit: 's', description: 'How long calls take.' });
  const recorded = [
    { '/cart': [0, 0, ...durations(500, 1)], '/pay': durations(50, 2, { median: 3 }) },
    { '/cart': durations(700, 3, { spread: 2 }) },
    { '/cart': [1e-9, ...durations(10, 4)], '/pay': [4, 8, 0.5] },
  ];
  try {
    for (const interval of recorded) {
      for (const [route, values] of Object.entries(interval)) {
        for (const value of values)
          instrument.record(value, { 'rpc.route': route, retries: 2, cached: false });
      }
      await reader.forceFlush();
    }
  } finally {
    await provider.shutdown();
  }
  const sent = notes.flatMap(pointsSent);
  const received = await waitFor(
    () => {
      const points = pointsReceived(collector.received()).filter(
        ({ resource }) => resource['service.name'] === service,
      );
      return points.length >= sent.length && points;
    },
    { what: 'all points in the file of the Collector' },
  );
  return { received, sent, recorded };
}

describeWithPeers(['collector'])('the points that the stock OTLP exporters send to a Collector', () => {
  let collector: Collector;

  beforeAll(async () => {
    collector = await startCollector();
  });

  afterAll(stopPeers);

  describe.each(Object.keys(PROTOCOLS) as Protocol[])('by %s', (protocol) => {
    test.each([
      ['delta', 'exponential', DELTA],
      ['cumulative', 'exponential', CUMULATIVE],
      ['delta', 'explicit', DELTA],
      ['cumulative', 'explicit', CUMULATIVE],
    ] as const)('has the values that were sent: %s, %s', async (_, format, temporality) => {
      const { received, sent } = await exportTo(collector, { protocol, temporality, format });

      // Every export has a cumulative series, including the one at shutdown.
      expect(sent.length).toBe(temporality === DELTA ? 5 : 8);
      expect(received).toEqual(sent);
    });

    test('count each value once, in the interval in which it was recorded', async () => {
      const { received, recorded } = await exportTo(collector, {
        protocol,
        temporality: DELTA,
        format: 'exponential',
      });

      const expected = recorded.flatMap((interval) =>
        Object.entries(interval).map(([route, values]) => ({
          route,
          count: values.length,
          zeros: values.filter((value) => value === 0).length,
          min: Math.min(...values),
          max: Math.max(...values),
        })),
      );
      const observed = received.map(({ attributes, count, min, max, buckets }) => ({
        route: attributes['rpc.route'],
        count,
        zeros: 'zeroCount' in buckets ? buckets.zeroCount : undefined,
        min,
        max,
      }));
      expect(observed).toEqual(expected);
      for (const { count, buckets } of received) {
        const zeros = 'zeroCount' in buckets ? buckets.zeroCount : 0;
        expect(zeros + buckets.counts.reduce((total, one) => total + one, 0)).toBe(count);
      }
    });

    test('have adjacent intervals: each delta starts where the previous one ended', async () => {
      const { received } = await exportTo(collector, { protocol, temporality: DELTA, format: 'exponential' });

      const [first, second, third] = received.filter(({ attributes }) => attributes['rpc.route'] === '/cart');
      expect([second!.startNs, third!.startNs]).toEqual([first!.endNs, second!.endNs]);
    });
  });
});
