import * as prometheus from 'exporter-prometheus-2.0';
import * as metrics from 'sdk-metrics-2.0';
import { HdrPrometheusExporter } from '../src/index.ts';
import { type Sdk, testExporter } from './support/exporter-suite.ts';

testExporter({
  metrics,
  PrometheusExporter: prometheus.PrometheusExporter,
  hasScopeLabels: false,
} as unknown as Sdk);

test('the types of this version accept the exporter', async () => {
  const exporter = new HdrPrometheusExporter({ preventServerStart: true });
  const reader: metrics.IMetricReader = exporter;
  const provider = new metrics.MeterProvider({ readers: [reader] });
  const producer: metrics.MetricProducer = { collect: () => exporter.collect() };
  new HdrPrometheusExporter({ preventServerStart: true, metricProducers: [producer] });
  await provider.shutdown();
});
