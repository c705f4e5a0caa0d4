import { mustBe } from '@hdrscope/core';
import { EMPTY_SNAPSHOT, type FamilySnapshot, type Registry } from '@hdrscope/registry';
import { delegate } from './delegate.ts';
import { type Format, mergeScopes, toScopeMetrics } from './metrics.ts';
import {
  AggregationType,
  type Collection,
  HISTOGRAM_INSTRUMENT,
  type Producer,
  type Reader,
  Temporality,
} from './sdk.ts';
import type { StreamSettings } from './stream.ts';

/** How one reader is served. */
export interface ReaderOptions {
  /**
   * `'auto'` takes exponential histograms, except for what cannot show them: a reader that asks for explicit buckets,
   * and the stock Prometheus exporter. @default 'auto'
   */
  readonly format?: 'auto' | Format;
}

/** Where a reader's HDR histograms come from. */
export interface HdrStore {
  readonly registry: Registry;
  settingsOf(family: FamilySnapshot): StreamSettings;
}

/** A reader that also collects what the store holds. It is `reader` in every other respect. */
export function wrapReader<Wrapped extends Reader>(
  reader: Wrapped,
  store: HdrStore,
  options: ReaderOptions,
): Wrapped {
  const { format = 'auto' } = options;
  if (format !== 'auto' && format !== 'exponential' && format !== 'explicit') {
    throw mustBe('ERR_INVALID_OPTION', 'format', "'auto', 'exponential' or 'explicit'", format);
  }
  return delegate<Reader>(reader, {
    setMetricProducer: (producer: Producer) => {
      reader.setMetricProducer(withHdr(producer, reader, store, format));
    },
  }) as Wrapped;
}

/** The SDK's producer, with the store's histograms added to what it collects. */
function withHdr(
  sdk: Producer,
  reader: Reader,
  { registry, settingsOf }: HdrStore,
  wanted: 'auto' | Format,
): Producer {
  // The only thing that differs from reader to reader: what a delta reader has seen.
  let seen = EMPTY_SNAPSHOT;
  return {
    async collect(options): Promise<Collection> {
      // First, as an interval that has been gathered is gone if this fails.
      const collection = await sdk.collect(options);
      const aggregation = reader.selectAggregation(HISTOGRAM_INSTRUMENT).type;
      if (aggregation === AggregationType.DROP) return collection;
      const temporality = reader.selectAggregationTemporality(HISTOGRAM_INSTRUMENT);
      const snapshot = await registry.gather();
      let shown = snapshot;
      if (temporality === Temporality.DELTA) {
        // Nothing is awaited since the snapshot was taken: collections that overlap come here in the order of their
        // snapshots, and share out the counts among them.
        shown = snapshot.since(seen);
        seen = snapshot;
      }
      const format = wanted === 'auto' ? suitedFormat(reader, aggregation) : wanted;
      const scopes = toScopeMetrics(shown, format, temporality, settingsOf);
      return {
        resourceMetrics: {
          ...collection.resourceMetrics,
          scopeMetrics: mergeScopes(collection.resourceMetrics.scopeMetrics, scopes),
        },
        errors: [...collection.errors, ...snapshot.errors.map(({ error }) => error)],
      };
    },
  };
}

function suitedFormat(reader: Reader, aggregation: number): Format {
  if (aggregation === AggregationType.EXPONENTIAL_HISTOGRAM) return 'exponential';
  // The stock Prometheus exporter drops exponential histograms; it is told by its request handler.
  const isPrometheusExporter = 'getMetricsRequestHandler' in reader;
  return isPrometheusExporter || aggregation === AggregationType.EXPLICIT_BUCKET_HISTOGRAM
    ? 'explicit'
    : 'exponential';
}
