/** A question to a history, beside those who keep other things of the same values. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { jsonBuckets, ROWS, rawDigests, rawValues, SERIES, sketches } from '../history-peers.js';
import { DAY, fewValues, makeRows, newFolder } from '../history-rows.js';

/** @import { Kept } from '../history-peers.js' */
/** @import { Group, Setup } from '../types.js' */

const LATER_MS = Date.parse('2027-01-01');

/**
 * A history of all rows.
 *
 * @param {'written' | 'compacted' | 'rolled up'} form
 * @returns {Promise<Kept>}
 */
async function history(form) {
  const { compactHistory, queryHistory, rollUpHistory, writeRows } = await import('@hdrscope/history');
  const folder = newFolder();
  const rows = await makeRows(ROWS, SERIES, fewValues);
  for (let from = 0; from < ROWS; from += 10_000) {
    await writeRows(join(folder, DAY, `${from}.parquet`), rows.slice(from, from + 10_000));
  }
  if (form === 'compacted') await compactHistory(folder, { nowMs: LATER_MS });
  const asked = form === 'rolled up' ? newFolder() : folder;
  if (form === 'rolled up') await rollUpHistory(folder, asked, { nowMs: LATER_MS });
  const question = { metric: 'http.server.request.duration', percentiles: [99.9], by: ['http.route'] };
  return {
    bytes: sizeOf(join(asked, DAY)),
    ask: async () => {
      const groups = await queryHistory(asked, question);
      return groups.reduce((sum, { percentiles }) => sum + (percentiles[0]?.lower ?? 0), 0) / groups.length;
    },
  };
}

/** @param {string} folder */
function sizeOf(folder) {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** @type {Record<string, () => Promise<Kept>>} */
const WAYS = {
  'hdrscope, as written': () => history('written'),
  'hdrscope, compacted': () => history('compacted'),
  'hdrscope, hourly rollups': () => history('rolled up'),
  'DuckDB, all values, quantile_disc': rawValues,
  'DuckDB, all values, approx_quantile': rawDigests,
  'DuckDB, buckets as JSON': jsonBuckets,
  'ClickHouse, quantileTDigestState': () => sketches('quantileTDigest', '0.999'),
  'ClickHouse, quantileDDState': () => sketches('quantileDD', '0.004, 0.999'),
};

/**
 * @param {() => Promise<Kept>} keep
 * @returns {Setup}
 */
function asking(keep) {
  return async () => {
    const { ask } = await keep();
    let answer = 0;
    return {
      async run(iterations) {
        for (let i = 0; i < iterations; i++) answer = await ask();
      },
      answer: () => answer,
    };
  };
}

/**
 * @param {() => Promise<Kept>} keep
 * @returns {Setup}
 */
function weighing(keep) {
  return async () => ({ measure: async () => (await keep()).bytes / ROWS });
}

/**
 * @param {(keep: () => Promise<Kept>) => Setup} setup
 * @returns {Record<string, Setup>}
 */
function each(setup) {
  return Object.fromEntries(Object.entries(WAYS).map(([name, keep]) => [name, setup(keep)]));
}

/** @type {Group[]} */
export default [
  {
    id: 'history-ask',
    title: 'p99.9 of 500 groups, of 100,000 rows with 50 values each',
    rounds: 5,
    // Sketches and slots do not know every digit.
    agree: 0.03,
    cases: each(asking),
  },
  {
    id: 'history-ask-bytes',
    title: 'bytes that are kept of 50 values',
    unit: 'bytes',
    rounds: 1,
    cases: each(weighing),
  },
];
