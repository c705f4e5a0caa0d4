export type { RemotePort } from '@hdrscope/kit';
export type { GuardOptions, ServerLimits, ServerRefusals, TlsFiles } from '@hdrscope/kit/server';
export type { ListenOptions } from './address.ts';
export type { BodySink } from './body.ts';
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
export { familiesOfSnapshot, type SnapshotFamiliesOptions } from './from-registry.ts';
export { type PrometheusHandlerOptions, prometheusHandler } from './handler.ts';
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
export { type RunningPrometheus, type ServePrometheusOptions, servePrometheus } from './serve.ts';
export type { RangeBucket } from './vmrange.ts';
