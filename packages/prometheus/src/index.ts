export type { ClassicBoundaries } from './boundaries.ts';
export { collectDefaultMetrics, type DefaultMetrics, type DefaultMetricsOptions } from './default-metrics.ts';
export type { EscapingScheme } from './escaping.ts';
export { HdrPrometheusExporter } from './exporter.ts';
export type { DefaultOptions, HdrPrometheusExporterOptions, MetricSource } from './exporter-options.ts';
export type {
  ClassicBuckets,
  HistogramValue,
  Labels,
  Metric,
  MetricFamily,
  MetricType,
  NativeBuckets,
  NumberValue,
  SummaryValue,
  Warn,
} from './families.ts';
export type { FamilySource } from './family-source.ts';
export { familiesOfResourceMetrics, type ResourceMetricsOptions } from './from-otel.ts';
export { familiesOfSnapshot, type SnapshotOptions } from './from-registry.ts';
export { type HandlerOptions, prometheusHandler } from './handler.ts';
export type { NamingOptions, TranslationStrategy } from './names.ts';
export { type NegotiatedFormat, negotiate } from './negotiation.ts';
export {
  type CollectPromClientOptions,
  collectPromClient,
  type PromClientCollection,
} from './prom-client/collect-prom-client.ts';
export { fromPromClient } from './prom-client/from-prom-client.ts';
export type { PromClientRegistry } from './prom-client/metrics.ts';
export { servePromClient } from './prom-client/serve-prom-client.ts';
export { contentTypeOf, type ExpositionFormat, render } from './render.ts';
export type {
  DataPointLike,
  ExplicitValue,
  ExponentialValue,
  MetricDataLike,
  ResourceMetricsLike,
  ScopeMetricsLike,
} from './resource-metrics.ts';
export type { ScrapeOptions, ScrapeRequest, ScrapeResponse } from './scrape.ts';
export { type RunningServer, type ServeOptions, servePrometheus } from './serve.ts';
export type { RangeBucket } from './vmrange.ts';
