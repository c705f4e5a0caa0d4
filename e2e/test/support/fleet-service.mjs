/**
 * A service of a fleet, in its own process: `fleet-service.mjs URL INSTANCE`. It records the values that its parent sends,
 * exports deltas by OTLP on request, and reports each step.
 */
import { createHdr } from '@hdrscope/otel';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';

const [url, instance] = process.argv.slice(2);

const exporter = new OTLPMetricExporter({ url, temporalityPreference: AggregationTemporality.DELTA });
// The reader does not report the result of an export.
let exportCode;
const send = exporter.export.bind(exporter);
exporter.export = (metrics, done) =>
  send(metrics, (result) => {
    exportCode = result.code;
    done(result);
  });

const hdr = createHdr({ views: [{ instrumentName: 'rpc.*', significantDigits: 2 }] });
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
const provider = hdr.wrapProvider(
  new MeterProvider({
    readers: [hdr.wrapReader(reader)],
    resource: resourceFromAttributes({ 'service.name': 'shop', 'service.instance.id': instance }),
  }),
);
const duration = provider.getMeter('shop').createHistogram('rpc.server.duration', { unit: 's' });

process.on('message', async ({ values, isFlushed }) => {
  for (const value of values) duration.record(value, { 'rpc.method': 'Buy' });
  process.send({ type: 'recorded' });
  if (!isFlushed) return;
  exportCode = undefined;
  await reader.forceFlush();
  process.send({ type: 'flushed', isAcknowledged: exportCode === 0 });
});
process.on('disconnect', () => process.exit());
process.send({ type: 'ready' });
