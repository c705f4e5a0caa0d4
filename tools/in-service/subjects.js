/** What a service may count its requests with. */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadRelease, packagesOf } from '../bench/open-telemetry.js';

/** @typedef {import('../bench/instruments.js').Aggregation} Aggregation */

/**
 * @typedef {object} Counting
 * @property {(seconds: number, series: number) => void} record
 * @property {string} [url] Where the page of metrics is.
 */

/**
 * @typedef {object} Subject
 * @property {string} name
 * @property {'scrape' | 'OTLP' | undefined} way How its metrics leave the service, each five seconds.
 * @property {string} [peer] A peer that it needs.
 * @property {(otlpUrl: string) => Promise<Counting>} start
 */

const EXPORT_MS = 5000;
const NAME = 'http.server.request.duration';
/** The boundaries that the semantic conventions advise for durations in seconds. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const CARDINALITY = 1_000_000;

/** @type {readonly Subject[]} */
export const SUBJECTS = [
  { name: 'no metrics', way: undefined, start: async () => ({ record() {} }) },
  { name: 'hdrscope', way: 'scrape', start: hdrScraped },
  { name: 'SDK, explicit buckets', way: 'scrape', start: sdkScraped },
  { name: '@prometheus-io/client', way: 'scrape', peer: 'prometheus-client', start: promClient },
  { name: 'hdrscope', way: 'OTLP', start: hdrSent },
  { name: 'SDK, explicit buckets', way: 'OTLP', start: (url) => sdkSent(url, 'explicit') },
  { name: 'SDK, exponential', way: 'OTLP', start: (url) => sdkSent(url, 'exponential') },
];

async function hdrView() {
  const { createHdr } = await import('@hdrscope/otel');
  return createHdr({ views: [{ instrumentName: NAME, aggregationCardinalityLimit: CARDINALITY }] });
}

async function hdrScraped() {
  const { HdrPrometheusExporter } = await import('@hdrscope/prometheus');
  const { MeterProvider } = (await loadRelease()).metrics;
  const [hdr, exporter] = [await hdrView(), new HdrPrometheusExporter({ preventServerStart: true })];
  const provider = hdr.wrapProvider(new MeterProvider({ readers: [hdr.wrapReader(exporter)] }));
  const url = await serve((request, response) => exporter.getMetricsRequestHandler(request, response));
  return { record: makeRecorder(provider), url };
}

/** @param {string} url */
async function hdrSent(url) {
  const { sendOtlp } = await import('@hdrscope/otel/sender');
  const { MeterProvider } = (await loadRelease()).metrics;
  const hdr = await hdrView();
  sendOtlp(hdr.registry, { url, intervalMs: EXPORT_MS });
  return { record: makeRecorder(hdr.wrapProvider(new MeterProvider())) };
}

async function sdkScraped() {
  const { metrics, prometheus } = await loadRelease();
  const exporter = new prometheus.PrometheusExporter({ preventServerStart: true });
  const provider = new metrics.MeterProvider({ readers: [exporter], views: [await sdkView('explicit')] });
  const url = await serve((request, response) => exporter.getMetricsRequestHandler(request, response));
  return { record: makeRecorder(provider), url };
}

/**
 * @param {string} url
 * @param {Aggregation} aggregation
 */
async function sdkSent(url, aggregation) {
  const { MeterProvider, PeriodicExportingMetricReader } = fromServices('@opentelemetry/sdk-metrics');
  const { OTLPMetricExporter } = fromServices('@opentelemetry/exporter-metrics-otlp-proto');
  const exporter = new OTLPMetricExporter({ url });
  const times = { exportIntervalMillis: EXPORT_MS, exportTimeoutMillis: EXPORT_MS };
  const readers = [new PeriodicExportingMetricReader({ exporter, ...times })];
  return { record: makeRecorder(new MeterProvider({ readers, views: [await sdkView(aggregation)] })) };
}

/** @param {Aggregation} aggregation */
async function sdkView(aggregation) {
  const { AggregationType } = (await loadRelease()).metrics;
  /** @type {import('@opentelemetry/sdk-metrics').AggregationOption} */
  const option =
    aggregation === 'explicit'
      ? { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries: BOUNDARIES } }
      : { type: AggregationType.EXPONENTIAL_HISTOGRAM };
  return { instrumentName: NAME, aggregationCardinalityLimit: CARDINALITY, aggregation: option };
}

/**
 * A package of the services that are a peer.
 *
 * @param {string} name
 */
export function fromServices(name) {
  return createRequire(join(packagesOf('node-services') ?? '', 'index.js'))(name);
}

async function promClient() {
  const folder = packagesOf('prometheus-client') ?? '';
  const { default: client } = await import(
    pathToFileURL(join(folder, '@prometheus-io/client/index.js')).href
  );
  const labelNames = ['method', 'route', 'status'];
  const names = { name: 'http_server_request_duration_seconds', help: 'Durations' };
  const histogram = new client.Histogram({ ...names, labelNames, buckets: BOUNDARIES });
  const url = await serve(async (_request, response) => {
    response.setHeader('content-type', client.register.contentType);
    response.end(await client.register.metrics());
  });
  const labels = (/** @type {number} */ series) => ({
    method: 'GET',
    route: `/route/${series}`,
    status: 200,
  });
  return {
    record: (/** @type {number} */ seconds, /** @type {number} */ series) =>
      histogram.observe(labels(series), seconds),
    url,
  };
}

/**
 * Records as an instrumentation does, with new attributes for each request.
 *
 * @param {import('@opentelemetry/api').MeterProvider} provider
 */
function makeRecorder(provider) {
  const histogram = provider.getMeter('service').createHistogram(NAME, { unit: 's' });
  return (/** @type {number} */ seconds, /** @type {number} */ series) =>
    histogram.record(seconds, {
      'http.request.method': 'GET',
      'http.route': `/route/${series}`,
      'http.response.status_code': 200,
    });
}

/** @param {import('node:http').RequestListener} handler */
async function serve(handler) {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return `http://127.0.0.1:${port}/metrics`;
}
