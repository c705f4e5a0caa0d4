import { mustBe } from '@hdrscope/core';
import { DEFAULT_ADDRESS, type ListenOptions } from './address.ts';
import { assertTimeout } from './deadline.ts';
import type { FamilySource } from './family-source.ts';
import type { ResourceMetricsOptions } from './from-otel.ts';
import type { ScrapeOptions } from './scrape.ts';

/** Options of `HdrPrometheusExporter`: all that the stock exporter has, and those of formats and scrapes. */
export interface HdrPrometheusExporterOptions extends ListenOptions, ResourceMetricsOptions, ScrapeOptions {
  /**
   * `'native'` asks the SDK for exponential histograms, which text formats show as classic ones of
   * `classicBoundaries`; `'both'` does, and shows these beside the native ones; `'classic'` leaves the boundaries to
   * the SDK, as the stock exporter does. @default 'native'
   */
  readonly buckets?: 'native' | 'classic' | 'both' | undefined;
  /** Whether the server waits for `startServer`, or for ever where `getMetricsRequestHandler` is used. @default false */
  readonly preventServerStart?: boolean | undefined;
  /** More producers of metrics, whose resource is ignored. @default none */
  readonly metricProducers?: readonly MetricSource[] | undefined;
  /** Of what else is to be exposed, such as `families` of `collectDefaultMetrics`. @default none */
  readonly sources?: readonly FamilySource[] | undefined;
}

/** `MetricProducer` of any version of the SDK. */
export interface MetricSource {
  // biome-ignore lint/suspicious/noExplicitAny: each SDK copy has nominal types of its own here
  collect(options?: { timeoutMillis?: number }): Promise<any>;
}

/** What the options are where neither they nor the environment say. */
export interface DefaultOptions {
  readonly host: string;
  readonly port: number;
  readonly endpoint: string;
  readonly prefix: string;
  readonly appendTimestamp: boolean;
  readonly withResourceConstantLabels: undefined;
  readonly withoutScopeInfo: boolean;
  readonly withoutTargetInfo: boolean;
}

export const DEFAULT_OPTIONS: DefaultOptions = Object.freeze({
  ...DEFAULT_ADDRESS,
  prefix: '',
  appendTimestamp: false,
  withResourceConstantLabels: undefined,
  withoutScopeInfo: false,
  withoutTargetInfo: false,
});

/** @throws HdrscopeError `ERR_INVALID_OPTION`. */
export function assertOptions({ buckets, timeoutMs }: HdrPrometheusExporterOptions): void {
  assertTimeout(timeoutMs);
  if (buckets !== undefined && !['native', 'classic', 'both'].includes(buckets)) {
    throw mustBe('ERR_INVALID_OPTION', 'buckets', "'native', 'classic' or 'both'", buckets);
  }
}
