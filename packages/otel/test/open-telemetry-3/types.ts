import * as prometheus from 'exporter-prometheus-3';
import * as metrics from 'sdk-metrics-3';
import { createHdr } from '../../src/index.ts';

/** Compiles only if the types of this version are taken and given back. Returns the data points of one recorded value. */
export async function recordOnce(): Promise<metrics.MetricData['dataPoints']> {
  const { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } =
    metrics;
  const exporter = new InMemoryMetricExporter(AggregationTemporality.DELTA);
  const hdr = createHdr({
    views: [
      {
        instrumentName: 'x',
        instrumentType: metrics.InstrumentType.HISTOGRAM,
        attributesProcessors: [metrics.createAllowListAttributesProcessor(['method'])],
      },
    ],
  });
  const reader: metrics.PeriodicExportingMetricReader = hdr.wrapReader(
    new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1e6 }),
  );
  const scraped: prometheus.PrometheusExporter = hdr.wrapReader(
    new prometheus.PrometheusExporter({ preventServerStart: true }),
  );
  const provider: metrics.MeterProvider = hdr.wrapProvider(new MeterProvider({ readers: [reader, scraped] }));
  provider.getMeter('m').createHistogram('x').record(1, { method: 'GET', user: 1 });
  await provider.forceFlush();
  const [exported] = exporter.getMetrics();
  await provider.shutdown();
  return exported!.scopeMetrics[0]!.metrics[0]!.dataPoints;
}
