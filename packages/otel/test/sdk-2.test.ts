import { collectDiagnostics } from '@hdrscope/testing/diagnostics';
import * as prometheus from 'exporter-prometheus-2';
import * as metrics from 'sdk-metrics-2';
import { createHdr } from '../src/index.ts';
import { testDropIn } from './support/drop-in-suite.ts';
import { testPipeline } from './support/pipeline-suite.ts';
import { testSdkViews } from './support/sdk-views-suite.ts';

const sdk = {
  metrics: metrics as unknown as typeof import('sdk-metrics-2'),
  PrometheusExporter:
    prometheus.PrometheusExporter as unknown as typeof import('exporter-prometheus-2').PrometheusExporter,
};

const log = collectDiagnostics();
testPipeline(sdk, log);
testDropIn(sdk, log);
testSdkViews(sdk, log);

test('wrappers accept and return the types of this version', async () => {
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
  expect(exporter.getMetrics()[0]!.scopeMetrics[0]!.metrics[0]!.dataPoints).toMatchObject([
    { attributes: { method: 'GET' }, value: { count: 1 } },
  ]);
  await provider.shutdown();
});
