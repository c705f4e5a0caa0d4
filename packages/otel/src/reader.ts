import { mustBe } from '@hdrscope/core';
import { delegate } from './delegate.ts';
import { type Environment, variable } from './environment.ts';
import { type Format, mergeScopes } from './metrics.ts';
import { type HdrStore, hdrCollector } from './producer.ts';
import { AggregationType, type Collection, HISTOGRAM_INSTRUMENT, type Producer, type Reader } from './sdk.ts';

/** How one reader is served. */
export interface ReaderOptions {
  /**
   * `'auto'` takes what the reader asks for; else explicit buckets for the stock Prometheus exporter, which cannot show
   * others, and for the rest what `OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION` says, or else exponential
   * histograms. @default 'auto'
   */
  readonly format?: 'auto' | Format;
}

/** A reader that also collects what the store holds. It is `reader` in every other respect. */
export function wrapReader<Wrapped extends Reader>(
  reader: Wrapped,
  store: HdrStore,
  options: ReaderOptions,
  environment: Environment,
): Wrapped {
  const { format = 'auto' } = options;
  if (format !== 'auto' && format !== 'exponential' && format !== 'explicit') {
    throw mustBe('ERR_INVALID_OPTION', 'format', "'auto', 'exponential' or 'explicit'", format);
  }
  const wanted = (aggregation: number): Format =>
    format === 'auto' ? suitedFormat(reader, aggregation, environment) : format;
  return delegate<Reader>(reader, {
    setMetricProducer: (producer: Producer) => {
      reader.setMetricProducer(withHdr(producer, reader, store, wanted));
    },
  }) as Wrapped;
}

/** The SDK's producer, with the store's histograms added to what it collects. */
function withHdr(
  sdk: Producer,
  reader: Reader,
  store: HdrStore,
  wanted: (aggregation: number) => Format,
): Producer {
  const collect = hdrCollector(store);
  return {
    async collect(options): Promise<Collection> {
      // First, as an interval that has been gathered is gone if this fails.
      const collection = await sdk.collect(options);
      const aggregation = reader.selectAggregation(HISTOGRAM_INSTRUMENT).type;
      if (aggregation === AggregationType.DROP) return collection;
      const temporality = reader.selectAggregationTemporality(HISTOGRAM_INSTRUMENT);
      const { scopeMetrics, errors } = await collect(temporality, wanted(aggregation), options);
      return {
        resourceMetrics: {
          ...collection.resourceMetrics,
          scopeMetrics: mergeScopes(collection.resourceMetrics.scopeMetrics, scopeMetrics),
        },
        errors: [...collection.errors, ...errors],
      };
    },
  };
}

function suitedFormat(reader: Reader, aggregation: number, environment: Environment): Format {
  if (aggregation === AggregationType.EXPONENTIAL_HISTOGRAM) return 'exponential';
  if (aggregation === AggregationType.EXPLICIT_BUCKET_HISTOGRAM) return 'explicit';
  // The stock Prometheus exporter drops exponential histograms; it is told by its request handler.
  if ('getMetricsRequestHandler' in reader) return 'explicit';
  const preferred = variable(environment, 'OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION');
  return preferred?.toLowerCase() === 'explicit_bucket_histogram' ? 'explicit' : 'exponential';
}
