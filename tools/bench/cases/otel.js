/** Instruments of OpenTelemetry: the same calls on the SDK alone and on the SDK with an HDR view. */
import { everything, hdrscope } from '../libraries.js';
import { feed } from '../loops.js';
import { latencies, seconds } from '../values.js';

/** @import { Attributes, Histogram } from '@opentelemetry/api' */
/** @import { CollectionResult } from '@opentelemetry/sdk-metrics' */
/** @import { Group, Setup } from '../types.js' */

const instrumentName = 'http.server.request.duration';

/**
 * @typedef {object} Instrument
 * @property {Histogram} histogram
 * @property {() => Promise<CollectionResult>} collect
 */

/** A reader that collects on request. */
async function manualReader({ exponential = false } = {}) {
  const { AggregationType, MetricReader } = await import('@opentelemetry/sdk-metrics');
  return new (class extends MetricReader {
    constructor() {
      const type = exponential ? AggregationType.EXPONENTIAL_HISTOGRAM : AggregationType.DEFAULT;
      super({ aggregationSelector: () => ({ type }) });
    }
    async onShutdown() {}
    async onForceFlush() {}
  })();
}

/** @param {number} [significantDigits] @returns {Promise<Instrument>} */
async function ours(significantDigits = 3) {
  const [{ MeterProvider }, { createHdr }] = await Promise.all([
    import('@opentelemetry/sdk-metrics'),
    import('@hdrscope/otel'),
  ]);
  const reader = await manualReader({ exponential: true });
  const hdr = createHdr({ views: [{ instrumentName: 'http.*.duration', significantDigits }] });
  const provider = hdr.wrapProvider(new MeterProvider({ readers: [hdr.wrapReader(reader)] }));
  return instrument(provider, reader);
}

/**
 * @param {'EXPLICIT_BUCKET_HISTOGRAM' | 'EXPONENTIAL_HISTOGRAM'} aggregation
 * @returns {() => Promise<Instrument>}
 */
function sdk(aggregation) {
  return async () => {
    const { AggregationType, MeterProvider } = await import('@opentelemetry/sdk-metrics');
    const reader = await manualReader();
    const type = AggregationType[aggregation];
    return instrument(
      new MeterProvider({ readers: [reader], views: [{ instrumentName, aggregation: { type } }] }),
      reader,
    );
  };
}

/**
 * @param {import('@opentelemetry/api').MeterProvider} provider
 * @param {{ collect(): Promise<CollectionResult> }} reader
 * @returns {Instrument}
 */
function instrument(provider, reader) {
  const histogram = provider.getMeter('bench').createHistogram(instrumentName, { unit: 's' });
  return { histogram, collect: () => reader.collect() };
}

/**
 * One operation in the three libraries.
 *
 * @param {(make: () => Promise<Instrument>) => Setup} body
 */
function compared(body) {
  return {
    'hdrscope view': body(() => ours()),
    'SDK explicit buckets': body(sdk('EXPLICIT_BUCKET_HISTOGRAM')),
    'SDK exponential': body(sdk('EXPONENTIAL_HISTOGRAM')),
  };
}

/**
 * @param {(histogram: Histogram, value: number) => void} operation
 * @returns {(make: () => Promise<Instrument>) => Setup}
 */
const recording = (operation) => (make) => async () => {
  const { histogram } = await make();
  const { run } = feed(
    seconds(),
    (value) => operation(histogram, value),
    () => 0,
  );
  return { run };
};

/**
 * The same latencies, as nanoseconds, in a histogram with the layout of a series of seconds.
 *
 * @param {'dense' | 'sparse'} storage
 * @returns {Setup}
 */
const bare = (storage) => async () => {
  const histogram = await hdrscope(everything, storage);
  const { run } = feed(
    latencies(),
    (value) => histogram.record(value),
    () => 0,
  );
  return { run };
};

const shared = attributesOf(200);

/** @param {number} status @returns {Attributes} */
function attributesOf(status) {
  return { 'http.request.method': 'GET', 'http.route': '/users/:id', 'http.response.status_code': status };
}

/** A hundred sets of attributes in random order, like those of a service with a few routes. */
const statuses = latencies().map((value) => 200 + (value % 100));
let turn = 0;
const nextStatus = () => /** @type {number} */ (statuses[turn++ & (statuses.length - 1)]);

const seriesCount = 1000;

/**
 * Collects a thousand series, all of which have changed since the last collection.
 *
 * @type {(make: () => Promise<Instrument>) => Setup}
 */
const collecting = (make) => async () => {
  const { histogram, collect } = await make();
  const values = seconds();
  const sets = Array.from({ length: seriesCount }, (_, i) => ({ ...shared, 'http.route': `/route/${i}` }));
  let next = 0;
  const recordEverywhere = () => {
    for (const set of sets)
      histogram.record(/** @type {number} */ (values[next++ & (values.length - 1)]), set);
  };
  for (let i = 0; i < 100; i++) recordEverywhere();
  let dataPoints = 0;
  return {
    before: recordEverywhere,
    async run() {
      const { resourceMetrics } = await collect();
      dataPoints = resourceMetrics.scopeMetrics[0]?.metrics[0]?.dataPoints.length ?? 0;
    },
    answer: () => dataPoints,
  };
};

/** @type {readonly Group[]} */
export default [
  {
    id: 'otel-plain',
    title: 'instrument.record(value)',
    cases: compared(recording((histogram, value) => histogram.record(value))),
  },
  {
    id: 'otel-shared',
    title: 'instrument.record(value, attributes): 3 attributes, always the same object',
    cases: compared(recording((histogram, value) => histogram.record(value, shared))),
  },
  {
    id: 'otel-fresh',
    title: 'instrument.record(value, attributes): 3 attributes, a fresh object per call',
    cases: compared(recording((histogram, value) => histogram.record(value, attributesOf(200)))),
  },
  {
    id: 'otel-bind',
    title: 'bind(instrument, attributes).record(value)',
    agree: null,
    cases: {
      'hdrscope bound': async () => {
        const [{ bind }, { histogram }] = await Promise.all([import('@hdrscope/otel'), ours()]);
        const bound = bind(histogram, shared);
        const { run } = feed(
          seconds(),
          (value) => bound.record(value),
          () => 0,
        );
        return { run };
      },
      'a bare sparse histogram': bare('sparse'),
      'a bare dense histogram': bare('dense'),
    },
  },
  {
    id: 'otel-series',
    title: 'instrument.record(value, attributes): 3 attributes, fresh objects for 100 series in random order',
    cases: compared(recording((histogram, value) => histogram.record(value, attributesOf(nextStatus())))),
  },
  {
    id: 'otel-collect',
    title: 'reader.collect(): 1,000 cumulative series, exponential data points',
    cases: {
      'hdrscope view, 2 digits': collecting(() => ours(2)),
      'hdrscope view, 3 digits': collecting(() => ours(3)),
      'SDK exponential': collecting(sdk('EXPONENTIAL_HISTOGRAM')),
    },
  },
];
