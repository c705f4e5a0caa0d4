/** The memory of a series of an instrument, with what its readers keep of it. */
import { liveBytes } from '../heap.js';
import { hdrInstrument, Load, manualReader, sdkInstrument } from '../instruments.js';

/** @import { Histogram } from '@opentelemetry/api' */
/** @import { MetricReader } from '@opentelemetry/sdk-metrics' */
/** @import { Aggregation, Temporality } from '../instruments.js' */
/** @import { Major } from '../open-telemetry.js' */
/** @import { Case, Group, Setup } from '../types.js' */

const seriesCount = 10_000;
const firstValues = 200;
const laterValues = 100;
/** Most series of a service have so few values. */
const fewValues = 3;

/**
 * Bytes per series: the growth of the memory by an instrument and its readers, divided by the number of series.
 *
 * @param {(readers: MetricReader[]) => Promise<Histogram>} make
 * @param {readonly Temporality[]} temporalities of the readers
 * @param {boolean} collected whether each reader has collected twice, the second time after the last value
 * @param {Major} [major] of the SDK of the readers
 * @param {readonly number[]} [values] of each series, before each collection
 * @returns {Setup}
 */
const seriesOf =
  (make, temporalities, collected, major, values = [firstValues, laterValues]) =>
  async () => {
    const measure = async () => {
      const before = await liveBytes();
      const kept = await filledInstrument();
      const grown = (await liveBytes()) - before;
      return grown / kept.seriesCount;
    };
    const filledInstrument = async () => {
      const readers = await Promise.all(temporalities.map((one) => manualReader(one, major)));
      const histogram = await make(readers);
      for (const count of values) await record(histogram, count, readers);
      return { seriesCount, histogram, readers };
    };
    /** @type {(histogram: Histogram, values: number, readers: MetricReader[]) => Promise<void>} */
    const record = async (histogram, values, readers) => {
      // The attributes of the load are garbage afterwards, as those of requests are.
      new Load(histogram, seriesCount).fill(values);
      if (!collected) return;
      for (const reader of readers) await reader.collect();
    };
    // The first time, the heap also grows by compiled code, hidden classes and the values.
    await measure();
    return { measure };
  };

/**
 * @param {readonly Temporality[]} temporalities
 * @param {boolean} collected
 * @returns {Record<string, Case>}
 */
function compared(temporalities, collected) {
  /** @type {(aggregation: Aggregation, major?: Major) => Setup} */
  const ofSdk = (aggregation, major) =>
    seriesOf((readers) => sdkInstrument(readers, aggregation, major), temporalities, collected, major);
  return {
    'hdrscope view': seriesOf(hdrInstrument, temporalities, collected),
    'SDK explicit buckets': ofSdk('explicit'),
    'SDK exponential': ofSdk('exponential'),
    'SDK 2 explicit buckets': ofSdk('explicit', 2),
    'SDK 2 exponential': ofSdk('exponential', 2),
  };
}

/** @type {(aggregation: Aggregation) => Setup} */
const fewOfSdk = (aggregation) =>
  seriesOf((readers) => sdkInstrument(readers, aggregation), ['cumulative'], false, undefined, [fewValues]);

/** @type {readonly Group[]} */
export default [
  {
    id: 'collect-memory',
    title: 'memory of a series of 300 latencies, 10,000 of them, before the first collection',
    unit: 'bytes',
    rounds: 1,
    cases: compared(['cumulative'], false),
  },
  {
    id: 'collect-memory-readers',
    title:
      'memory of a series of 300 latencies, 10,000 of them, with a cumulative and a delta reader that have collected',
    unit: 'bytes',
    rounds: 1,
    cases: compared(['cumulative', 'delta'], true),
  },
  {
    id: 'collect-memory-few',
    title: `memory of a series of ${fewValues} latencies, 10,000 of them, before the first collection`,
    unit: 'bytes',
    rounds: 1,
    cases: {
      'hdrscope view': seriesOf(hdrInstrument, ['cumulative'], false, undefined, [fewValues]),
      'SDK explicit buckets': fewOfSdk('explicit'),
      'SDK exponential': fewOfSdk('exponential'),
    },
  },
];
