import { numberStates, serveOtlp } from '@hdrscope/otel/receiver';
import { convertResourceMetrics, type RunningPrometheus, servePrometheus } from '@hdrscope/prometheus';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers } from '@hdrscope/testing';
import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { stopPeers } from './support/peer-process.ts';
import { type Prometheus, startPrometheus } from './support/prometheus.ts';

const { DELTA, CUMULATIVE } = AggregationTemporality;

/** Services by name, each with an SDK of its own: how they send. */
const SERVICES = [
  ['protobuf-cumulative', ProtobufExporter, CUMULATIVE],
  ['protobuf-delta', ProtobufExporter, DELTA],
  ['json-cumulative', JsonExporter, CUMULATIVE],
  ['json-delta', JsonExporter, DELTA],
] as const;

describeWithPeers(['prometheus-3'])('sums and gauges that SDKs send to a receiver', () => {
  let served: RunningPrometheus;
  let prometheus: Prometheus;

  beforeAll(async () => {
    const registry = createRegistry();
    const numbers = numberStates();
    const otlp = await serveOtlp(registry, { host: '127.0.0.1', port: 0, numbers });
    const url = `http://127.0.0.1:${otlp.port}/v1/metrics`;
    for (const [name, Exporter, temporalityPreference] of SERVICES) {
      const exporter = new Exporter({ url, temporalityPreference });
      const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
      const resource = resourceFromAttributes({ 'service.name': name });
      const provider = new MeterProvider({ resource, readers: [reader] });
      const meter = provider.getMeter('shop');
      const orders = meter.createCounter('orders');
      const open = meter.createUpDownCounter('open');
      const level = meter.createGauge('level');
      for (const step of [1, 2, 3]) {
        orders.add(step * 10, { vip: true });
        orders.add(0.5, { vip: false });
        open.add(step % 2 === 0 ? -4 : 3);
        level.record(step / 7);
        await provider.forceFlush();
      }
      await provider.shutdown();
    }
    expect(otlp.health).toMatchObject({ failedRequests: 0, refused: { notHistogram: 0, malformed: 0 } });
    await otlp.close();
    const sources = [() => convertResourceMetrics(numbers.metrics(), { withoutTargetInfo: true })];
    served = await servePrometheus(registry, { host: '127.0.0.1', port: 0, sources });
    prometheus = await startPrometheus('prometheus-3', [`127.0.0.1:${served.port}`]);
  });
  afterAll(async () => {
    await stopPeers();
    await served?.close();
  });

  test.each(SERVICES.map(([name]) => name))('are in Prometheus as %s recorded them', async (name) => {
    const of = (metric: string, more = ''): Promise<number> =>
      prometheus.queryNumber(`${metric}{service_name="${name}"${more}}`);
    expect(await of('orders_total', ',vip="true"')).toBe(60);
    expect(await of('orders_total', ',vip="false"')).toBe(1.5);
    expect(await of('open')).toBe(2);
    expect(await of('level')).toBe(3 / 7);
  });
});
