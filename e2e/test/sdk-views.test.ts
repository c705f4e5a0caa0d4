import { createHdr } from '@hdrscope/otel';
import { describeWithPeers } from '@hdrscope/testing';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationType,
  createAllowListAttributesProcessor,
  createDenyListAttributesProcessor,
  MeterProvider,
  PeriodicExportingMetricReader,
  type ViewOptions,
} from '@opentelemetry/sdk-metrics';
import { type Collector, startCollector } from './support/collector.ts';
import { type HistogramPoint, pointsReceived } from './support/otlp-json.ts';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { durations } from './support/sampling.ts';

const explicit = (boundaries: number[], recordMinMax = true) => ({
  type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM as const,
  options: { boundaries, recordMinMax },
});

const VIEWS: ViewOptions[] = [
  { meterName: 'payments', aggregation: { type: AggregationType.DROP } },
  {
    instrumentName: 'rpc.server.duration',
    name: 'rpc.by-route',
    description: 'Without users.',
    aggregation: explicit([0.05, 0.1, 0.3, 1, 5]),
    attributesProcessors: [createDenyListAttributesProcessor(['user.id'])],
  },
  {
    instrumentName: 'rpc.server.duration',
    name: 'rpc.total',
    aggregation: explicit([0.25], false),
    attributesProcessors: [createAllowListAttributesProcessor([])],
  },
];

/** Exports the same records, as HDR histograms or by the SDK alone, and returns what the Collector has. */
async function exported(collector: Collector, service: string, isHdr: boolean): Promise<HistogramPoint[]> {
  const hdr = createHdr({ views: [{ instrumentName: '*' }] });
  const exporter = new OTLPMetricExporter({ url: `${collector.httpUrl}/v1/metrics` });
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const own = new MeterProvider({
    views: VIEWS,
    readers: [isHdr ? hdr.wrapReader(reader) : reader],
    resource: resourceFromAttributes({ 'service.name': service }),
  });
  const provider = isHdr ? hdr.wrapProvider(own) : own;
  const duration = provider.getMeter('shop').createHistogram('rpc.server.duration', { unit: 's' });
  const payment = provider.getMeter('payments').createHistogram('payment.amount');
  durations(2000, 7).forEach((value, i) => {
    duration.record(value, { 'rpc.route': i % 3 === 0 ? '/cart' : '/pay', 'user.id': `user-${i}` });
    payment.record(value, { 'user.id': `user-${i}` });
  });
  await provider.shutdown();
  const points = await waitFor(
    () => {
      const found = pointsReceived(collector.received()).filter(
        ({ resource }) => resource['service.name'] === service,
      );
      return found.length > 0 && found;
    },
    { what: 'points in the file of the Collector' },
  );
  return points.sort((a, b) =>
    `${a.name}${a.attributes['rpc.route']}`.localeCompare(`${b.name}${b.attributes['rpc.route']}`),
  );
}

describeWithPeers(['collector'])('views of the SDK', () => {
  let collector: Collector;

  beforeAll(async () => {
    collector = await startCollector();
  });

  afterAll(stopPeers);

  test('send a Collector the same points of HDR histograms as of histograms of the SDK', async () => {
    const [theirs, ours] = [
      await exported(collector, 'of-sdk', false),
      await exported(collector, 'of-hdr', true),
    ];
    expect(theirs.map(({ name, attributes, count }) => [name, attributes, count])).toEqual([
      ['rpc.by-route', { 'rpc.route': '/cart' }, 667],
      ['rpc.by-route', { 'rpc.route': '/pay' }, 1333],
      ['rpc.total', {}, 2000],
    ]);
    const comparable = (points: readonly HistogramPoint[]) =>
      points.map(({ resource: _, startNs, endNs, sum, ...point }) => ({ ...point, sum: sum?.toFixed(6) }));
    expect(comparable(ours)).toEqual(comparable(theirs));
    expect(ours[2]).toMatchObject({ min: undefined, max: undefined });
    expect(JSON.stringify(ours.map(({ attributes }) => attributes))).not.toContain('user');
  });
});
