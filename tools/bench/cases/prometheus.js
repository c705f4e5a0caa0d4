/** The cost of a scrape without the collection: a thousand series become the bytes of a response. */
import { loadRelease } from '../open-telemetry.js';
import { latencies } from '../values.js';

/** @import { Major } from '../open-telemetry.js' */
/** @import { Group, Setup } from '../types.js' */

const instrumentName = 'http.server.request.duration';
const seriesCount = 1000;
const recordsPerSeries = 200;

/** @param {number} i */
const attributesOf = (i) => ({
  'http.request.method': 'GET',
  'http.route': `/route/${i}`,
  'http.response.status_code': 200,
});

/** @param {(value: number, i: number) => void} record */
function recordEverywhere(record) {
  const values = latencies(seriesCount * recordsPerSeries);
  for (const [i, value] of values.entries()) record(value / 1e9, i % seriesCount);
}

/** Adds up lengths, so that the compiler cannot remove a rendering. @param {() => number} render @returns {import('../types.js').Timed} */
function rendering(render) {
  let length = 0;
  return {
    run(iterations) {
      for (let i = 0; i < iterations; i++) length = render();
    },
    answer: () => length,
  };
}

/** A family with the same series and values. */
async function fullSnapshot() {
  const { createRegistry } = await import('@hdrscope/registry');
  const registry = createRegistry();
  const family = registry.histogram({ name: instrumentName, unit: 's', significantDigits: 2 });
  recordEverywhere((value, i) => family.with(attributesOf(i)).record(value));
  return registry.gather();
}

/** @param {'protobuf' | 'text'} format @returns {Setup} */
const ours = (format) => async () => {
  const { convertSnapshot, render } = await import('@hdrscope/prometheus');
  const snapshot = await fullSnapshot();
  return rendering(() => render(convertSnapshot(snapshot), format).length);
};

/** The stock exporter, whose histograms have fifteen explicit buckets. @type {(major?: Major) => Setup} */
const stock = (major) => async () => {
  const { metrics, prometheus } = await loadRelease(major);
  const { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } =
    metrics;
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1e8 });
  const provider = new MeterProvider({ readers: [reader] });
  const histogram = provider.getMeter('bench').createHistogram(instrumentName, {
    unit: 's',
    advice: {
      explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
    },
  });
  recordEverywhere((value, i) => histogram.record(value, attributesOf(i)));
  await reader.forceFlush();
  const resourceMetrics = /** @type {import('@opentelemetry/sdk-metrics').ResourceMetrics} */ (
    exporter.getMetrics()[0]
  );
  const serializer = new prometheus.PrometheusSerializer();
  return rendering(() => Buffer.byteLength(serializer.serialize(resourceMetrics)));
};

/** The bytes of one rendering. @param {Setup} setup @returns {Setup} */
const bytesOf = (setup) => async () => {
  const { run, answer } = /** @type {import('../types.js').Timed} */ (await setup());
  return {
    measure() {
      run(1);
      return answer?.() ?? 0;
    },
  };
};

/** @type {readonly Group[]} */
export default [
  {
    id: 'prometheus-render',
    title: 'a scrape of 1,000 histogram series, rendered',
    // Other formats have other lengths.
    agree: null,
    cases: {
      'hdrscope protobuf, native buckets': ours('protobuf'),
      'hdrscope text, classic buckets': ours('text'),
      'exporter-prometheus text, 15 buckets': stock(),
      'exporter-prometheus of SDK 2, text, 15 buckets': stock(2),
    },
  },
  {
    id: 'prometheus-bytes',
    title: 'bytes of a scrape of 1,000 histogram series',
    unit: 'bytes',
    cases: {
      'hdrscope protobuf, native buckets': bytesOf(ours('protobuf')),
      'exporter-prometheus text, 15 buckets': bytesOf(stock()),
    },
  },
];
