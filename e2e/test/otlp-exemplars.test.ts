import { createHdr } from '@hdrscope/otel';
import { serveOtlp } from '@hdrscope/otel/receiver';
import { otlpOptionsFromEnvironment, sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers } from '@hdrscope/testing';
import { ROOT_CONTEXT, TraceFlags, trace } from '@opentelemetry/api';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { startCollector, startForwarder } from './support/collector.ts';
import { stopPeers, waitFor } from './support/peer-process.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';
const SPAN = trace.setSpanContext(ROOT_CONTEXT, {
  traceId: TRACE_ID,
  spanId: SPAN_ID,
  traceFlags: TraceFlags.SAMPLED,
});

/** A registry in which an instrument has recorded within a span. The view drops an attribute, which the exemplar keeps. */
function recordedInSpan() {
  const hdr = createHdr({
    views: [{ instrumentName: 'rpc.*', allowAttributes: ['rpc.method'] }],
    exemplarFilter: 'trace_based',
  });
  const meter = hdr.wrapProvider(new MeterProvider()).getMeter('shop', '1.2');
  const duration = meter.createHistogram('rpc.server.duration', { unit: 's' });
  duration.record(0.25, { 'rpc.method': 'Pay', 'user.id': 17 }, SPAN);
  duration.record(3, { 'rpc.method': 'Pay', 'user.id': 18 });
  return hdr.registry;
}

describeWithPeers(['collector'])('a sender without a limit of time', () => {
  afterEach(stopPeers);

  test('is understood by a Collector over gRPC', async () => {
    const collector = await startCollector();
    const { options } = otlpOptionsFromEnvironment({
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.grpcUrl,
      OTEL_EXPORTER_OTLP_TIMEOUT: '0',
    });
    const registry = createRegistry();
    registry.histogram({ name: 'job.duration', unit: 's' }).with({}).record(0.25);
    const sender = sendOtlp(registry, options);
    await sender.close();
    expect(sender.health).toMatchObject({ requests: 1, failedRequests: 0 });
  });
});

describeWithPeers(['collector'])('exemplars over OTLP', () => {
  afterEach(stopPeers);

  test.each([
    ['grpc', 'exponential'],
    ['http/protobuf', 'exponential'],
    ['http/protobuf', 'explicit'],
    ['http/json', 'exponential'],
    ['http/json', 'explicit'],
  ] as const)(
    'a Collector receives them with trace, span and filtered attributes: %s, %s',
    async (protocol, histograms) => {
      const collector = await startCollector();
      const url = protocol === 'grpc' ? collector.grpcUrl : `${collector.httpUrl}/v1/metrics`;
      const before = Date.now();
      await sendOtlp(recordedInSpan(), { url, protocol, histograms, temporality: 'delta' }).close();
      const [request] = await waitFor(
        () => {
          const received = collector.received();
          return received.length > 0 && received;
        },
        { what: 'a request in the file' },
      );
      const [metric] = request!.resourceMetrics[0]!.scopeMetrics[0]!.metrics;
      const { exemplars } = (metric!.exponentialHistogram ?? metric!.histogram)!.dataPoints[0]!;
      expect(exemplars).toEqual([
        {
          filteredAttributes: [{ key: 'user.id', value: { intValue: '17' } }],
          timeUnixNano: expect.stringMatching(/^\d{19}$/),
          asDouble: 0.25,
          traceId: TRACE_ID,
          spanId: SPAN_ID,
        },
      ]);
      const timeMs = Number(BigInt(exemplars![0]!.timeUnixNano) / 1_000_000n);
      expect(timeMs).toBeGreaterThanOrEqual(before);
      expect(timeMs).toBeLessThanOrEqual(Date.now());
    },
  );

  test.each(['proto', 'json'] as const)(
    'our receiver keeps those that a Collector forwards: %s',
    async (encoding) => {
      const central = createRegistry();
      const receiver = await serveOtlp(central, { host: '127.0.0.1', port: 0 });
      const forwarder = await startForwarder(`http://127.0.0.1:${receiver.port}`, encoding);
      await sendOtlp(recordedInSpan(), { url: `${forwarder.httpUrl}/v1/metrics` }).close();
      const series = await waitFor(async () => (await central.gather()).families[0]?.series[0], {
        what: 'a series',
      });
      await receiver.close();
      expect(series.exemplars).toEqual([
        {
          value: 0.25,
          timeMs: expect.any(Number),
          attributes: { trace_id: TRACE_ID, span_id: SPAN_ID, 'user.id': 17 },
        },
      ]);
    },
  );
});
