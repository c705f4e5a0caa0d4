/** Collections and scrapes of many series: the SDK alone, the SDK with an HDR view, and the stock exporter for Prometheus. */
import { hdrExporter, stockExporter } from '../exporters.js';
import {
  completeSeries,
  hdrInstrument,
  Load,
  manualReader,
  sdkInstrument,
  tallyOfCollection,
} from '../instruments.js';
import { scraperOf } from '../scraper.js';

/** @import { Histogram } from '@opentelemetry/api' */
/** @import { CollectionResult, IMetricReader, MetricReader } from '@opentelemetry/sdk-metrics' */
/** @import { Exporter } from '../exporters.js' */
/** @import { Aggregation, Tally, Temporality } from '../instruments.js' */
/** @import { Major } from '../open-telemetry.js' */
/** @import { Case, Group, Setup } from '../types.js' */

/** A collection takes milliseconds, so a few samples are enough for a median. */
const rounds = 15;

/**
 * @typedef {object} Work
 * @property {number} series
 * @property {number} changed series that get one value each before a collection
 * @property {Temporality} [temporality] cumulative by default
 * @property {boolean} [read] whether the measured time includes reading the counts of all buckets
 */

/**
 * @typedef {object} Subject
 * @property {(reader: IMetricReader) => Promise<Histogram>} make Makes an instrument.
 * @property {Major} [major] of the SDK of the reader
 */

/** @type {(digits: number) => Subject} */
const hdr = (digits) => ({ make: (reader) => hdrInstrument([reader], digits) });

/** @type {(aggregation: Aggregation, major?: Major) => Subject} */
const sdk = (aggregation, major) => ({
  make: (reader) => sdkInstrument([reader], aggregation, major),
  ...(major && { major }),
});

/**
 * Collects repeatedly. A delta collection has the values since the one before, a cumulative one has all values.
 *
 * @param {Subject} subject
 * @param {Work} work
 * @returns {Setup}
 */
const collecting =
  ({ make, major }, work) =>
  async () => {
    const { temporality = 'cumulative', series, changed, read = false } = work;
    const reader = await manualReader(temporality, major);
    const load = new Load(await make(reader), series);
    load.fill();
    let before = 0;
    let expected = 0;
    /** @type {CollectionResult | undefined} */
    let collected;
    /** @type {Tally | undefined} */
    let tally;
    return {
      ...(changed > 0 && { before: () => load.change(changed) }),
      async run(iterations) {
        for (let i = 0; i < iterations; i++) {
          collected = await reader.collect();
          if (read) tally = tallyOfCollection(collected);
        }
        expected = temporality === 'delta' ? load.recorded - before : load.recorded;
        before = load.recorded;
      },
      answer: () =>
        completeSeries(tally ?? tallyOfCollection(/** @type {CollectionResult} */ (collected)), expected),
    };
  };

/**
 * The same work in hdrscope and in the releases of the SDK.
 *
 * @param {Work} work
 * @returns {Record<string, Case>}
 */
function compared(work) {
  return {
    'hdrscope view': collecting(hdr(2), work),
    'SDK explicit buckets': collecting(sdk('explicit'), work),
    'SDK exponential': collecting(sdk('exponential'), work),
    'SDK 2 explicit buckets': collecting(sdk('explicit', 2), work),
    'SDK 2 exponential': collecting(sdk('exponential', 2), work),
  };
}

/**
 * Scrapes repeatedly. A request and its answer are part of the measured time.
 *
 * @param {() => Promise<Exporter>} make
 * @param {Work} work
 * @returns {Setup}
 */
const scraping =
  (make, { series, changed }) =>
  async () => {
    const { histogram, handler, tallyOf } = await make();
    const load = new Load(histogram, series);
    load.fill();
    const scrape = await scraperOf(handler);
    /** @type {Uint8Array} */
    let body = new Uint8Array();
    return {
      before: () => load.change(changed),
      async run() {
        body = await scrape();
      },
      answer: () => completeSeries(tallyOf(body), load.recorded),
    };
  };

/** @param {Work} work @returns {Record<string, Case>} */
function comparedScrapes(work) {
  return {
    'hdrscope exporter, native buckets': scraping(hdrExporter, work),
    'exporter-prometheus, 15 buckets': scraping(stockExporter, work),
    'exporter-prometheus of SDK 2, 15 buckets': scraping(() => stockExporter(2), work),
  };
}

/**
 * The life of many series: each is made by its attributes, gets ten values, and is collected once. A new instrument each time.
 *
 * @param {Subject} subject
 * @param {number} series
 * @returns {Setup}
 */
const living =
  ({ make, major }, series) =>
  () => {
    /** @type {CollectionResult | undefined} */
    let collected;
    return {
      async run(iterations) {
        for (let i = 0; i < iterations; i++) {
          const reader = await manualReader('cumulative', major);
          new Load(await make(reader), series).fill(VALUES_OF_A_LIFE);
          collected = await reader.collect();
        }
      },
      answer: () =>
        completeSeries(
          tallyOfCollection(/** @type {CollectionResult} */ (collected)),
          series * VALUES_OF_A_LIFE,
        ),
    };
  };

const VALUES_OF_A_LIFE = 10;

/** @type {readonly Group[]} */
export default [
  {
    id: 'collect-unchanged',
    title: 'reader.collect(): 10,000 cumulative series, none of which has changed',
    agree: 0,
    rounds,
    cases: compared({ series: 10_000, changed: 0 }),
  },
  {
    id: 'collect-some',
    title: 'reader.collect(): 10,000 cumulative series, 1 % of which have changed',
    agree: 0,
    rounds,
    cases: compared({ series: 10_000, changed: 100 }),
  },
  {
    id: 'collect-all',
    title: 'reader.collect(): 10,000 cumulative series, all of which have changed',
    agree: 0,
    rounds,
    cases: compared({ series: 10_000, changed: 10_000 }),
  },
  {
    id: 'collect-read',
    title: 'reader.collect() and reading all buckets: 10,000 cumulative series, all of which have changed',
    agree: 0,
    rounds,
    cases: compared({ series: 10_000, changed: 10_000, read: true }),
  },
  {
    id: 'collect-thousand',
    title: 'reader.collect(): 1,000 cumulative series, all of which have changed',
    agree: 0,
    cases: {
      'hdrscope view, 3 digits': collecting(hdr(3), { series: 1000, changed: 1000 }),
      ...compared({ series: 1000, changed: 1000 }),
    },
  },
  {
    id: 'collect-delta',
    title: 'reader.collect(): 10,000 delta series, 1 % of which have changed',
    agree: 0,
    rounds,
    cases: compared({ series: 10_000, changed: 100, temporality: 'delta' }),
  },
  {
    id: 'collect-delta-all',
    title: 'reader.collect(): 10,000 delta series, all of which have changed',
    agree: 0,
    rounds,
    cases: compared({ series: 10_000, changed: 10_000, temporality: 'delta' }),
  },
  {
    id: 'collect-scrape',
    title: 'a scrape over HTTP on the loopback interface: 5,000 series, 1 % of which have changed',
    agree: 0,
    rounds,
    cases: comparedScrapes({ series: 5000, changed: 50 }),
  },
  {
    id: 'collect-scrape-all',
    title: 'a scrape over HTTP on the loopback interface: 5,000 series, all of which have changed',
    agree: 0,
    rounds,
    cases: comparedScrapes({ series: 5000, changed: 5000 }),
  },
  {
    id: 'collect-life',
    title: 'the life of 100,000 series: from their attributes over ten values to a cumulative collection',
    agree: 0,
    rounds: 5,
    cases: {
      'hdrscope view': living(hdr(2), 100_000),
      'SDK explicit buckets': living(sdk('explicit'), 100_000),
      'SDK exponential': living(sdk('exponential'), 100_000),
    },
  },
];
