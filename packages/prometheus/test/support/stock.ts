import { importOpenTelemetry3, isInstalled } from '@hdrscope/testing';
import * as stock2 from 'exporter-prometheus-2';
import * as metrics2 from 'sdk-metrics-2';

/** A copy of the SDK with its Prometheus exporter. */
export interface Stock {
  readonly metrics: typeof metrics2;
  readonly PrometheusSerializer: typeof stock2.PrometheusSerializer;
}

const metrics3 = await importOpenTelemetry3<typeof metrics2>('sdk-metrics-3');
const stock3 = await importOpenTelemetry3<typeof stock2>('exporter-prometheus-3');

/** The versions that are installed: 2.x always, 3.x with the peer `opentelemetry-3`. */
export const STOCK_VERSIONS: [version: string, stock: Stock][] = [
  ['2.x', { metrics: metrics2, PrometheusSerializer: stock2.PrometheusSerializer }],
];
if (isInstalled('opentelemetry-3')) {
  STOCK_VERSIONS.push(['3.x', { metrics: metrics3, PrometheusSerializer: stock3.PrometheusSerializer }]);
}

/** A reader that tests collect from. */
export function manualReader(
  { metrics }: Stock,
  options?: metrics2.MetricReaderOptions,
): metrics2.MetricReader {
  class ManualReader extends metrics.MetricReader {
    protected override async onForceFlush(): Promise<void> {}
    protected override async onShutdown(): Promise<void> {}
  }
  return new ManualReader(options);
}

/** Collects once. An error from the SDK fails the test. */
export async function collected(reader: metrics2.MetricReader): Promise<metrics2.ResourceMetrics> {
  const { resourceMetrics, errors } = await reader.collect();
  if (errors.length > 0) throw new Error('must collect without errors', { cause: errors });
  return resourceMetrics;
}
