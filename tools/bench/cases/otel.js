/** Instruments of OpenTelemetry: the same calls on the SDK alone and on the SDK with an HDR view. */
import { hdrInstrument, manualReader, sdkInstrument } from '../instruments.js';
import { everything, hdrscope } from '../libraries.js';
import { feed } from '../loops.js';
import { latencies, seconds } from '../values.js';

/** @import { Histogram } from '@opentelemetry/api' */
/** @import { Aggregation } from '../instruments.js' */
/** @import { Major } from '../open-telemetry.js' */
/** @import { Group, Setup } from '../types.js' */

async function ours() {
  return hdrInstrument([await manualReader()], 3);
}

/** @type {(aggregation: Aggregation, major?: Major) => () => Promise<Histogram>} */
const sdk = (aggregation, major) => async () =>
  sdkInstrument([await manualReader('cumulative', major)], aggregation, major);

/**
 * One operation in hdrscope and in the releases of the SDK.
 *
 * @param {(make: () => Promise<Histogram>) => Setup} body
 */
function compared(body) {
  return {
    'hdrscope view': body(ours),
    'SDK explicit buckets': body(sdk('explicit')),
    'SDK exponential': body(sdk('exponential')),
    'SDK 2 explicit buckets': body(sdk('explicit', 2)),
    'SDK 2 exponential': body(sdk('exponential', 2)),
  };
}

/**
 * @param {(histogram: Histogram, value: number) => void} operation
 * @returns {(make: () => Promise<Histogram>) => Setup}
 */
const recording = (operation) => (make) => async () => {
  const histogram = await make();
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

/** @param {number} status */
function attributesOf(status) {
  return { 'http.request.method': 'GET', 'http.route': '/users/:id', 'http.response.status_code': status };
}

/** A hundred sets of attributes in random order, like those of a service with a few routes. */
const statuses = latencies().map((value) => 200 + (value % 100));
let turn = 0;
const nextStatus = () => /** @type {number} */ (statuses[turn++ & (statuses.length - 1)]);

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
        const [{ bind }, histogram] = await Promise.all([import('@hdrscope/otel'), ours()]);
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
];
