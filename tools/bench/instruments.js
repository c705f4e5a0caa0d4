/** A histogram instrument of OpenTelemetry, by the SDK alone and with an HDR view, and the series that are recorded into it. */
import { loadRelease } from './open-telemetry.js';
import { seconds } from './values.js';

/** @import { Attributes, Histogram } from '@opentelemetry/api' */
/** @import { AggregationOption, CollectionResult, DataPoint, IMetricReader, MetricReader } from '@opentelemetry/sdk-metrics' */
/** @import { Major } from './open-telemetry.js' */

const instrumentName = 'http.server.request.duration';

/** The stock limit is 2000 series. */
const aggregationCardinalityLimit = 1e6;

/** The boundaries that the semantic conventions advise for durations in seconds. */
const explicitBucketBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** @typedef {'cumulative' | 'delta'} Temporality */

/**
 * A reader that collects on request.
 *
 * @param {Temporality} [temporality]
 * @param {Major} [major] of the SDK
 * @returns {Promise<MetricReader>}
 */
export async function manualReader(temporality = 'cumulative', major) {
  const { AggregationTemporality, MetricReader } = (await loadRelease(major)).metrics;
  const selected = AggregationTemporality[temporality === 'delta' ? 'DELTA' : 'CUMULATIVE'];
  return new (class extends MetricReader {
    constructor() {
      super({ aggregationTemporalitySelector: () => selected });
    }
    async onShutdown() {}
    async onForceFlush() {}
  })();
}

/**
 * An instrument with an HDR view. Its readers get exponential data points.
 *
 * @param {readonly IMetricReader[]} readers
 * @param {number} [significantDigits]
 * @returns {Promise<Histogram>}
 */
export async function hdrInstrument(readers, significantDigits = 2) {
  const [{ metrics }, { createHdr }] = await Promise.all([loadRelease(), import('@hdrscope/otel')]);
  const hdr = createHdr({
    views: [{ instrumentName: 'http.*.duration', significantDigits, aggregationCardinalityLimit }],
  });
  const wrapped = readers.map((reader) => hdr.wrapReader(reader));
  return instrumentOf(hdr.wrapProvider(new metrics.MeterProvider({ readers: wrapped })));
}

/** @typedef {'explicit' | 'exponential'} Aggregation */

/**
 * @param {readonly IMetricReader[]} readers
 * @param {Aggregation} aggregation
 * @param {Major} [major] of the SDK, and of the readers
 * @returns {Promise<Histogram>}
 */
export async function sdkInstrument(readers, aggregation, major) {
  const { AggregationType, MeterProvider } = (await loadRelease(major)).metrics;
  /** @type {AggregationOption} */
  const option =
    aggregation === 'explicit'
      ? { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries: explicitBucketBoundaries } }
      : { type: AggregationType.EXPONENTIAL_HISTOGRAM };
  const view = { instrumentName, aggregation: option, aggregationCardinalityLimit };
  return instrumentOf(new MeterProvider({ readers: [...readers], views: [view] }));
}

/** @param {import('@opentelemetry/api').MeterProvider} provider */
function instrumentOf(provider) {
  return provider.getMeter('bench').createHistogram(instrumentName, { unit: 's' });
}

/**
 * Three attributes, like those of a service with many routes.
 *
 * @param {number} series
 * @returns {Attributes}
 */
function attributesOf(series) {
  return {
    'http.request.method': 'GET',
    'http.route': `/route/${series}`,
    'http.response.status_code': 200,
  };
}

/** Values that each series has before the first collection. */
export const valuesPerSeries = 300;

/** Series that latencies in seconds are recorded into. Every instrument gets the same values. */
export class Load {
  /** Values recorded so far. */
  recorded = 0;
  #values = seconds();
  /** @type {Attributes[]} */ #sets;
  #turn = 0;

  /**
   * @param {Pick<Histogram, 'record'>} histogram
   * @param {number} seriesCount
   */
  constructor(histogram, seriesCount) {
    this.histogram = histogram;
    this.#sets = Array.from({ length: seriesCount }, (_, series) => attributesOf(series));
  }

  /** Gives every series its first values. */
  fill(values = valuesPerSeries) {
    for (let i = 0; i < values; i++) this.change(this.#sets.length);
  }

  /**
   * Records one value into each of `count` series. They are spread evenly, and are other ones each time.
   *
   * @param {number} count divides the number of series
   */
  change(count) {
    if (count === 0) return;
    const values = this.#values;
    const step = this.#sets.length / count;
    for (let series = this.#turn++ % step; series < this.#sets.length; series += step) {
      const value = /** @type {number} */ (values[this.recorded++ & (values.length - 1)]);
      this.histogram.record(value, /** @type {Attributes} */ (this.#sets[series]));
    }
  }
}

/**
 * Reads every bucket of a collection.
 *
 * @param {CollectionResult} collection
 * @returns {Tally}
 */
export function tallyOfCollection({ resourceMetrics }) {
  const tally = { series: 0, values: 0 };
  for (const { metrics } of resourceMetrics.scopeMetrics) {
    for (const { dataPoints } of metrics) {
      for (const point of dataPoints) {
        tally.series++;
        tally.values += valuesIn(point);
      }
    }
  }
  return tally;
}

/**
 * The series of an answer, and the counts of all their buckets together.
 *
 * @typedef {object} Tally
 * @property {number} series
 * @property {number} values
 */

/** @param {DataPoint<any>} point */
function valuesIn({ value }) {
  if ('buckets' in value) return sum(value.buckets.counts);
  return value.zeroCount + sum(value.positive.bucketCounts) + sum(value.negative.bucketCounts);
}

/** @param {readonly number[]} counts */
function sum(counts) {
  let total = 0;
  for (let i = 0; i < counts.length; i++) total += /** @type {number} */ (counts[i]);
  return total;
}

/**
 * The number of series, when every recorded value is in a bucket. It falls by the share of the values that are missing.
 *
 * @param {Tally} tally
 * @param {number} recorded
 */
export function completeSeries({ series, values }, recorded) {
  return (series * values) / recorded;
}
