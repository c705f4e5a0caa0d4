import type { HrTime } from '@opentelemetry/api';
import type { PrometheusExporter } from 'exporter-prometheus-2';
import type {
  AggregationOption,
  CollectionResult,
  DataPoint,
  ExponentialHistogram,
  Histogram,
  MetricData,
  MetricReader,
} from 'sdk-metrics-2';

/** A copy of the SDK and its Prometheus exporter. The types of one version stand for all: these parts are alike. */
export interface Sdk {
  readonly metrics: typeof import('sdk-metrics-2');
  readonly PrometheusExporter: typeof PrometheusExporter;
}

/** A reader that tests collect from. It records the calls that it gets. */
export interface TestReader extends MetricReader {
  readonly calls: readonly string[];
}

export interface TestReaderOptions {
  readonly temporality?: 'cumulative' | 'delta';
  readonly aggregation?: AggregationOption;
}

export function testReader({ metrics }: Sdk, options: TestReaderOptions = {}): TestReader {
  class ManualReader extends metrics.MetricReader implements TestReader {
    readonly calls: string[] = [];

    protected override async onForceFlush(): Promise<void> {
      this.calls.push('forceFlush');
    }

    protected override async onShutdown(): Promise<void> {
      this.calls.push('shutdown');
    }
  }
  const { temporality, aggregation } = options;
  return new ManualReader({
    ...(temporality === 'delta' && {
      aggregationTemporalitySelector: () => metrics.AggregationTemporality.DELTA,
    }),
    ...(aggregation && { aggregationSelector: () => aggregation }),
  });
}

/** A metric with its scope. */
export type ScopedMetric = MetricData & { readonly scope: string };

/** All metrics of a collection. */
export function metricsIn({ resourceMetrics }: CollectionResult): ScopedMetric[] {
  return resourceMetrics.scopeMetrics.flatMap(({ scope, metrics }) =>
    metrics.map((metric) => ({ ...metric, scope: scope.name })),
  );
}

/** The metrics that a reader collects now. A collection with errors fails the test. */
export async function collect(reader: MetricReader): Promise<ScopedMetric[]> {
  const collection = await reader.collect();
  if (collection.errors.length > 0)
    throw new Error('must collect without errors', { cause: collection.errors });
  return metricsIn(collection);
}

/** The only metric of this name. */
export function metricNamed(metrics: readonly ScopedMetric[], name: string): ScopedMetric {
  const found = metrics.filter(({ descriptor }) => descriptor.name === name);
  if (found.length !== 1) throw new Error(`must find ${name} once, found it ${found.length} times`);
  return found[0]!;
}

/** The points of a metric whose values are histograms. */
export function points(metric: MetricData): DataPoint<ExponentialHistogram | Histogram>[] {
  return metric.dataPoints as DataPoint<ExponentialHistogram | Histogram>[];
}

/** Attributes and counts of the points of a metric, or nothing when there is no such metric. */
export function countsOf(
  metrics: readonly ScopedMetric[],
  name: string,
): [attributes: object, count: number][] {
  const named = metrics.find(({ descriptor }) => descriptor.name === name);
  return named === undefined ? [] : points(named).map(({ attributes, value }) => [attributes, value.count]);
}

export function toMs([seconds, nanoseconds]: HrTime): number {
  return seconds * 1000 + nanoseconds / 1e6;
}

/** The text that a Prometheus server would get. */
export function scrape(exporter: PrometheusExporter): Promise<string> {
  return new Promise((resolve) => {
    const response = { statusCode: 200, setHeader: () => {}, end: resolve };
    exporter.getMetricsRequestHandler({} as never, response as never);
  });
}

/** The samples of a text exposition, by name and, in buckets, `le`. */
export function samplesOf(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, name, labels, value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const le = /\ble="([^"]*)"/.exec(labels ?? '')?.[1];
    samples.set(le === undefined ? name : `${name} ${le}`, Number(value));
  }
  return samples;
}
