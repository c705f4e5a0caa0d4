import { assertFollows, having } from '@hdrscope/core/internal';
import {
  isRegistryReader,
  type RegistrySource,
  readShown,
  SHARED_GATHER_MS,
} from '@hdrscope/registry/internal';
import { collectNow } from './collect-now.ts';
import { delegate } from './delegate.ts';
import { type EnvironmentVariables, variable } from './environment.ts';
import type { HistogramFormat } from './metric-settings.ts';
import { mergeScopes } from './metrics.ts';
import { type FormatOf, type HdrStore, hdrCollector } from './producer.ts';
import {
  AggregationType,
  HISTOGRAM_INSTRUMENT,
  type MetricCollection,
  type Producer,
  type Reader,
  type ScopeMetrics,
} from './sdk.ts';

/** How a wrapped reader collects HDR histograms. */
export interface ReaderOptions {
  /**
   * The kind of histogram. `'auto'` follows the aggregation that a view of the SDK states, else the one that the reader
   * selects. When both are the default, the reader gets the kind that
   * `OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION` names, else exponential histograms. The stock Prometheus
   * exporter gets explicit buckets, the only kind that it can show, unless it selects exponential ones. @default 'auto'
   */
  readonly format?: 'auto' | HistogramFormat;
}

const READER = having<Reader>('a metric reader', 'setMetricProducer');

/**
 * Wraps a reader: it also collects the store's histograms, and nothing else changes.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when it is no reader.
 */
export function wrapReader<Wrapped extends Reader>(
  reader: Wrapped,
  store: HdrStore,
  { format }: Required<ReaderOptions>,
  environment: EnvironmentVariables,
): Wrapped {
  assertFollows('the reader', READER, reader);
  const wanted =
    (aggregation: number): FormatOf =>
    (stated) =>
      format === 'auto' ? suitedFormat(reader, aggregation, stated, environment) : format;
  let flushes = 0;
  // Values from before a flush must be in it, from other threads too; so the sources are asked again.
  const maxAgeMs = (): number => (flushes === 0 ? SHARED_GATHER_MS : 0);
  const flushing =
    (work: (options: unknown) => Promise<void>) =>
    async (options: unknown): Promise<void> => {
      flushes++;
      try {
        await work(options);
      } finally {
        flushes--;
      }
    };
  return delegate<Reader>(reader, {
    forceFlush: flushing((options) => reader.forceFlush(options)),
    shutdown: flushing((options) => reader.shutdown(options)),
    setMetricProducer: (producer: Producer) => {
      reader.setMetricProducer(withHdr(producer, reader, store, wanted, maxAgeMs));
      if (format === 'auto' && isRegistryReader<Producer>(reader)) {
        const { registry, settingsOf } = store;
        const read: RegistrySource<Producer>['read'] = (limits, wantsStates) =>
          readShown(registry, limits, wantsStates);
        reader.setRegistrySource({ producer, read, settingsOf });
      }
    },
  }) as Wrapped;
}

/** Adds the store's histograms to the collections of the SDK's producer. */
function withHdr(
  sdk: Producer,
  reader: Reader,
  store: HdrStore,
  wanted: (aggregation: number) => FormatOf,
  maxAgeMs: () => number,
): FinalProducer {
  const collector = hdrCollector(store, reader.selectAggregationTemporality(HISTOGRAM_INSTRUMENT));
  return {
    async collect(options): Promise<MetricCollection> {
      // Runs first: if the SDK fails, no interval of a delta reader has been gathered and lost.
      const collection = await sdk.collect(options);
      const aggregation = reader.selectAggregation(HISTOGRAM_INSTRUMENT).type;
      if (aggregation === AggregationType.DROP) return collection;
      const temporality = reader.selectAggregationTemporality(HISTOGRAM_INSTRUMENT);
      const { scopeMetrics, errors } = await collector.collect(temporality, wanted(aggregation), {
        ...options,
        maxAgeMs: maxAgeMs(),
      });
      return {
        resourceMetrics: {
          ...collection.resourceMetrics,
          scopeMetrics: mergeScopes(collection.resourceMetrics.scopeMetrics, scopeMetrics),
        },
        errors: [...collection.errors, ...errors],
      };
    },
    collectNow() {
      const ofSdk = collectNow(sdk);
      const aggregation = reader.selectAggregation(HISTOGRAM_INSTRUMENT).type;
      if (ofSdk === undefined || aggregation === AggregationType.DROP) return ofSdk;
      const temporality = reader.selectAggregationTemporality(HISTOGRAM_INSTRUMENT);
      return mergeScopes(ofSdk, collector.collectNow(temporality, wanted(aggregation)));
    },
  };
}

/** A producer that can also collect when the process ends. */
export interface FinalProducer extends Producer {
  /** All metrics, at once: see `collectNow`. `undefined` when that is not possible. */
  collectNow(): ScopeMetrics[] | undefined;
}

/** The formats of the aggregations that a reader may select. */
const SELECTED: Readonly<Record<number, HistogramFormat>> = {
  [AggregationType.EXPLICIT_BUCKET_HISTOGRAM]: 'explicit',
  [AggregationType.EXPONENTIAL_HISTOGRAM]: 'exponential',
};

function suitedFormat(
  reader: Reader,
  aggregation: number,
  stated: HistogramFormat | undefined,
  environment: EnvironmentVariables,
): HistogramFormat {
  const selected = SELECTED[aggregation];
  // The stock Prometheus exporter drops exponential histograms. Its request handler gives it away.
  if ('getMetricsRequestHandler' in reader) return selected ?? 'explicit';
  const chosen = stated ?? selected;
  if (chosen !== undefined) return chosen;
  const preferred = variable(environment, 'OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION');
  return preferred?.toLowerCase() === 'explicit_bucket_histogram' ? 'explicit' : 'exponential';
}
