/** The ways in which values reach Prometheus: histograms of 1 to 3 digits, with limits of buckets, and that of the SDK. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import {
  convertResourceMetrics,
  convertSnapshot,
  HdrPrometheusExporter,
  prometheusHandler,
  render,
} from '@hdrscope/prometheus';
import { createRegistry } from '@hdrscope/registry';
import { AggregationType, MeterProvider } from '@opentelemetry/sdk-metrics';

/** @import { Metric, MetricFamily } from '@hdrscope/prometheus' */

/** The most series of a setting. */
const MOST_SERIES = 1100;
const METRIC = 'latency';

/** The name in Prometheus is that of the metric. */
const NAMES = /** @type {const} */ ({ translationStrategy: 'UnderscoreEscapingWithoutUnits' });
/** The default limit of the SDK, and of `@hdrscope/prometheus`. */
const DEFAULT_BUCKETS = 160;

/**
 * @typedef {object} Setting
 * @property {string} name
 * @property {number | undefined} digits `undefined` for the SDK.
 * @property {number} buckets The most buckets of a series.
 */

/** @type {readonly Setting[]} */
export const SETTINGS = [
  { digits: undefined, buckets: DEFAULT_BUCKETS },
  { digits: 1, buckets: DEFAULT_BUCKETS },
  ...[DEFAULT_BUCKETS, 320, 640, 1280].map((buckets) => ({ digits: 2, buckets })),
  ...[DEFAULT_BUCKETS, 640, 2000, 5120].map((buckets) => ({ digits: 3, buckets })),
].map(({ digits, buckets }) => ({ name: `${digits ?? 'sdk'}-${buckets}`, digits, buckets }));

/**
 * @typedef {object} Size What a scrape has of each series, on average.
 * @property {number} buckets Buckets with values.
 * @property {number} lowestSchema Of all series.
 * @property {number} protobufBytes
 * @property {number} protobufGzipBytes
 * @property {number} textBytes In OpenMetrics 2.0, the text with native histograms.
 */

/** Histograms of all settings over the same values, and an HTTP server with a path for each setting. */
export class Subjects {
  /** @type {Map<number, ReturnType<typeof createFamily>>} By digits. */
  #families = new Map();
  #exporter = new HdrPrometheusExporter({ ...NAMES, preventServerStart: true });
  #provider;
  #sdk;
  #server;

  /** @param {readonly Setting[]} settings */
  constructor(settings) {
    for (const { digits } of settings)
      if (digits !== undefined && !this.#families.has(digits))
        this.#families.set(digits, createFamily(digits));
    this.#provider = new MeterProvider({
      readers: [this.#exporter],
      views: [
        {
          instrumentName: '*',
          aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM, options: { maxSize: DEFAULT_BUCKETS } },
          aggregationCardinalityLimit: MOST_SERIES,
        },
      ],
    });
    this.#sdk = settings.some(({ digits }) => digits === undefined)
      ? this.#provider.getMeter('latency').createHistogram(METRIC, { unit: 's' })
      : undefined;
    const handlers = new Map(settings.map((setting) => [`/${setting.name}`, this.#createHandler(setting)]));
    this.#server = createServer((request, response) => {
      const handler = handlers.get(request.url ?? '');
      if (handler === undefined) response.writeHead(404).end();
      else handler(request, response);
    });
  }

  /** @returns {Promise<string>} The host and port of the server. */
  async listen() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (this.#server.address()).port}`;
  }

  async close() {
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#provider.shutdown();
  }

  /**
   * @param {string} id The label `id` of a series.
   * @param {Float64Array} values In seconds.
   */
  record(id, values) {
    for (const { family } of this.#families.values()) {
      const series = family.with({ id });
      for (const value of values) series.record(value);
    }
    for (const value of this.#sdk === undefined ? [] : values) this.#sdk?.record(value, { id });
  }

  /**
   * The size of a scrape of some series.
   *
   * @param {Setting} setting
   * @param {(id: string) => boolean} isMeant
   * @returns {Promise<Size>}
   */
  async measureSize({ digits, buckets }, isMeant) {
    const families = (await this.#convert(digits, buckets))
      .filter(({ name }) => name === METRIC)
      .map((family) => ({ ...family, metrics: family.metrics.filter((metric) => isMeant(idOf(metric))) }));
    const metrics = families.flatMap((family) => family.metrics);
    const natives = metrics.flatMap(({ value }) =>
      value.kind === 'histogram' && value.native !== undefined ? [value.native.positive] : [],
    );
    const protobuf = render(families, 'protobuf');
    const used = natives.map(({ counts }) => Array.from(counts).filter((count) => count > 0).length);
    return {
      buckets: used.reduce((sum, each) => sum + each, 0) / natives.length,
      lowestSchema: Math.min(...natives.map(({ scale }) => scale)),
      protobufBytes: protobuf.length / metrics.length,
      protobufGzipBytes: gzipSync(protobuf).length / metrics.length,
      textBytes: render(families, 'openmetrics2').length / metrics.length,
    };
  }

  /**
   * @param {number | undefined} digits
   * @param {number} maxBuckets
   * @returns {Promise<MetricFamily[]>}
   */
  async #convert(digits, maxBuckets) {
    if (digits === undefined)
      return convertResourceMetrics((await this.#exporter.collect()).resourceMetrics, {
        ...NAMES,
        withoutTargetInfo: true,
      });
    const { registry } = this.#familyOf(digits);
    return convertSnapshot(await registry.gather(), { ...NAMES, maxBuckets });
  }

  /** @param {number} digits */
  #familyOf(digits) {
    const found = this.#families.get(digits);
    if (found === undefined) throw new Error(`no histograms of ${digits} digits`);
    return found;
  }

  /**
   * @param {Setting} setting
   * @returns {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => unknown}
   */
  #createHandler({ digits, buckets }) {
    if (digits === undefined)
      return (request, response) => this.#exporter.getMetricsRequestHandler(request, response);
    return prometheusHandler(this.#familyOf(digits).registry, { ...NAMES, maxBuckets: buckets });
  }
}

/** @param {number} significantDigits */
function createFamily(significantDigits) {
  const registry = createRegistry();
  return {
    registry,
    family: registry.histogram({ name: METRIC, unit: 's', significantDigits, cardinalityLimit: MOST_SERIES }),
  };
}

/** @param {Metric} metric */
function idOf({ labels }) {
  return labels.find(([name]) => name === 'id')?.[1] ?? '';
}
