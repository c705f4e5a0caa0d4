/** How long a collection or a scrape keeps a request of the same process waiting. */
import { blockPercentile } from '../block.js';
import { hdrExporter, stockExporter } from '../exporters.js';
import { hdrInstrument, Load, manualReader, sdkInstrument, valuesPerSeries } from '../instruments.js';
import { scraperOf } from '../scraper.js';

/** @import { Histogram } from '@opentelemetry/api' */
/** @import { MetricReader } from '@opentelemetry/sdk-metrics' */
/** @import { Exporter } from '../exporters.js' */
/** @import { Aggregation } from '../instruments.js' */
/** @import { Major } from '../open-telemetry.js' */
/** @import { Case, Group, Setup } from '../types.js' */

/** Actions before the first measurement, so that the compiler is done. */
const warmUps = 2;
/** Before the first action. More would take minutes. */
const mostValues = 3e6;

/** @typedef {{ histogram: Pick<Histogram, 'record'>, action: () => Promise<unknown> }} Subject */

/**
 * @param {() => Promise<Subject>} make
 * @param {number} series
 * @param {number} times slow peers get fewer, as their names state
 * @returns {Setup}
 */
const blocking = (make, series, times) => async () => {
  const { histogram, action } = await make();
  const load = new Load(histogram, series);
  const change = () => load.change(series);
  load.fill(Math.min(valuesPerSeries, mostValues / series));
  await blockPercentile(warmUps, change, action);
  return { measure: () => blockPercentile(times, change, action) };
};

/** @type {(make: (readers: MetricReader[]) => Promise<Histogram>, major?: Major) => () => Promise<Subject>} */
const collecting = (make, major) => async () => {
  const reader = await manualReader('cumulative', major);
  return { histogram: await make([reader]), action: () => reader.collect() };
};

/** @type {(make: () => Promise<Exporter>) => () => Promise<Subject>} */
const scraping = (make) => async () => {
  const { histogram, handler } = await make();
  return { histogram, action: await scraperOf(handler) };
};

const view = collecting(hdrInstrument);
/** @type {(aggregation: Aggregation, major?: Major) => () => Promise<Subject>} */
const sdk = (aggregation, major) =>
  collecting((readers) => sdkInstrument(readers, aggregation, major), major);

/** @type {readonly Group[]} */
export default [
  {
    id: 'collect-block',
    title: 'longest block of the event loop by reader.collect(), p99 of 50: 10,000 series, all changed',
    rounds: 1,
    cases: {
      'hdrscope view': blocking(view, 10_000, 50),
      'SDK explicit buckets': blocking(sdk('explicit'), 10_000, 50),
      'SDK exponential': blocking(sdk('exponential'), 10_000, 50),
      'SDK 2 explicit buckets': blocking(sdk('explicit', 2), 10_000, 50),
      'SDK 2 exponential': blocking(sdk('exponential', 2), 10_000, 50),
    },
  },
  {
    id: 'collect-block-scrape',
    title: 'longest block of the event loop by a scrape, p99 of 50: 10,000 series, all changed',
    rounds: 1,
    cases: {
      'hdrscope exporter': blocking(scraping(hdrExporter), 10_000, 50),
      'exporter-prometheus, longest of 5': blocking(scraping(stockExporter), 10_000, 5),
    },
  },
  {
    id: 'collect-block-100k',
    title: 'longest block of the event loop by reader.collect(), longest of 10: 100,000 series, all changed',
    rounds: 1,
    cases: {
      'hdrscope view': blocking(view, 100_000, 10),
      'SDK exponential, longest of 5': blocking(sdk('exponential'), 100_000, 5),
    },
  },
  {
    id: 'collect-block-scrape-100k',
    title: 'longest block of the event loop by a scrape, longest of 10: 100,000 series, all changed',
    rounds: 1,
    cases: { 'hdrscope exporter': blocking(scraping(hdrExporter), 100_000, 10) },
  },
];
