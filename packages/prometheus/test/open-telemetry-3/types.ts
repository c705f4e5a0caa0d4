import * as metrics from 'sdk-metrics-3';
import { HdrPrometheusExporter } from '../../src/index.ts';

/** Compiles only if the types of this version take the exporter as a reader and as a producer. */
export async function useExporter(): Promise<void> {
  const exporter = new HdrPrometheusExporter({ preventServerStart: true });
  const reader: metrics.IMetricReader = exporter;
  const provider = new metrics.MeterProvider({ readers: [reader] });
  const producer: metrics.MetricProducer = { collect: () => exporter.collect() };
  new HdrPrometheusExporter({ preventServerStart: true, metricProducers: [producer] });
  await provider.shutdown();
}
