import { flag, having, listOf, type OptionTable, type RulesFor, withDefault } from '@hdrscope/core/internal';
import { GUARD_RULES, type GuardOptions } from '@hdrscope/kit/server';
import { DEFAULT_ADDRESS, LISTEN_RULES, type ListenOptions } from './address.ts';
import type { FamilySource } from './family-source.ts';
import { RESOURCE_METRICS_RULES, type ResourceMetricsOptions } from './from-otel.ts';
import { HANDLER_RULES } from './handler.ts';
import { DEFAULT_STRATEGY, type TranslationStrategy } from './names.ts';
import type { ScrapeOptions } from './scrape.ts';

/** Options of `HdrPrometheusExporter`: those of the stock exporter, and more for formats, scrapes and the server. */
export interface HdrPrometheusExporterOptions
  extends ListenOptions,
    ResourceMetricsOptions,
    ScrapeOptions,
    GuardOptions {
  /**
   * `'native'` requests exponential histograms from the SDK; text formats show them with `classicBoundaries`. `'both'` does
   * the same and adds the classic buckets beside the native ones. `'classic'` leaves the boundaries to the SDK, as the
   * stock exporter does. @default 'native'
   */
  readonly buckets?: 'native' | 'classic' | 'both' | undefined;
  /** Whether no server starts until `startServer` is called. Set it to use `getMetricsRequestHandler` alone. @default false */
  readonly preventServerStart?: boolean | undefined;
  /** Additional producers of metrics. Their resources are ignored. @default no producers */
  readonly metricProducers?: readonly MetricSource[] | undefined;
  /** Sources of more families, such as `families` of `collectDefaultMetrics`. @default no other families */
  readonly sources?: readonly FamilySource[] | undefined;
}

/** `MetricProducer` of any version of the SDK. */
export interface MetricSource {
  /** Collects the metrics, within the given milliseconds where the source can be cut off. */
  // biome-ignore lint/suspicious/noExplicitAny: each SDK copy has nominal types of its own here
  collect(options?: { timeoutMillis?: number }): Promise<any>;
}

/** The options that apply when neither the caller nor the environment sets them. */
export interface DefaultOptions {
  /** The address that the server listens on. */
  readonly host: string;
  /** The TCP port that the server listens on. */
  readonly port: number;
  /** The path of scrapes, with a slash in front. */
  readonly endpoint: string;
  /** Text in front of every metric name, with an underscore between; `''` adds nothing. */
  readonly prefix: string;
  /** How the names of metrics and labels are made. */
  readonly translationStrategy: TranslationStrategy;
  /** Whether samples carry the time of the collection. */
  readonly appendTimestamp: boolean;
  /** Which resource attributes become labels of every series. `undefined`: the attributes only appear on `target_info`. */
  readonly withResourceConstantLabels: undefined;
  /** Whether the labels `otel_scope_*` are left out. */
  readonly withoutScopeInfo: boolean;
  /** Whether the metric `target_info` is left out. */
  readonly withoutTargetInfo: boolean;
}

export const DEFAULT_OPTIONS: DefaultOptions = /* @__PURE__ */ Object.freeze({
  ...DEFAULT_ADDRESS,
  prefix: '',
  translationStrategy: DEFAULT_STRATEGY,
  appendTimestamp: false,
  withResourceConstantLabels: undefined,
  withoutScopeInfo: false,
  withoutTargetInfo: false,
});

const RULES: RulesFor<
  HdrPrometheusExporterOptions,
  Exclude<keyof HdrPrometheusExporterOptions, 'preventServerStart' | 'metricProducers' | 'sources'>
> = {
  ...LISTEN_RULES,
  ...RESOURCE_METRICS_RULES,
  ...GUARD_RULES,
  timeoutMs: HANDLER_RULES.timeoutMs,
  buckets: HANDLER_RULES.buckets,
  preventServerStart: withDefault(flag, false),
  metricProducers: withDefault(
    listOf(having<MetricSource>('a producer of metrics', 'collect'), 'producers of metrics'),
    [],
  ),
  sources: HANDLER_RULES.sources,
};

export const EXPORTER: OptionTable<typeof RULES> = {
  name: 'HdrPrometheusExporter',
  rules: RULES,
  call: 'new HdrPrometheusExporter({ port: 9464 })',
};
