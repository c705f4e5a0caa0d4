/** A history: the size of its files, and the time to write and to merge rows. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../../lib/random.js';

/** @import { HistoryRow } from '@hdrscope/history' */
/** @import { Group, Setup } from '../types.js' */

const START_MS = Date.parse('2026-11-01');
const MINUTE_MS = 60_000;
const DAY = 'day=2026-11-01';

/**
 * Latencies of a series in a minute: how many, and the standard deviation of their logarithm.
 *
 * @typedef {{ values: number, deviation: number }} Load
 */

/** About 40 slots of two digits. @type {Load} */
const fewValues = { values: 50, deviation: 0.16 };
/** About 40 slots of two digits, with large counts. @type {Load} */
const manyValues = { values: 2000, deviation: 0.035 };
/** About 150 slots of two digits. @type {Load} */
const wide = { values: 280, deviation: 0.3 };

/**
 * Rows of a service: each series has its own median.
 *
 * @param {number} count
 * @param {number} seriesCount
 * @param {Load} load
 * @returns {Promise<HistoryRow[]>}
 */
async function makeRows(count, seriesCount, { values, deviation }) {
  const { slotOfTick } = await import('@hdrscope/history');
  const random = new Random(1);
  const uniform = () => (random.next() + 0.5) / 2 ** 32;
  const series = Array.from({ length: seriesCount }, (_, i) => ({
    'http.request.method': i % 2 === 0 ? 'GET' : 'POST',
    'http.response.status_code': i % 7 === 0 ? '500' : '200',
    'http.route': `/api/v1/resource/${i}`,
  }));
  return Array.from({ length: count }, (_, sequence) => {
    const place = sequence % seriesCount;
    const startMs = START_MS + Math.floor(sequence / seriesCount) * MINUTE_MS;
    /** @type {Map<number, number>} */
    const counts = new Map();
    let [sum, min, max] = [0, Number.POSITIVE_INFINITY, 0];
    for (let i = 0; i < values; i++) {
      const normal = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
      const ticks = Math.round(2e6 * (1 + place / 20) * Math.exp(deviation * normal));
      const slot = slotOfTick(ticks, 7);
      counts.set(slot, (counts.get(slot) ?? 0) + 1);
      const value = ticks / 1e9;
      [sum, min, max] = [sum + value, Math.min(min, value), Math.max(max, value)];
    }
    const k = [...counts.keys()].sort((a, b) => a - b);
    return {
      metric: 'http.server.request.duration',
      unit: 's',
      attributes: /** @type {Record<string, string>} */ (series[place]),
      startMs,
      endMs: startMs + MINUTE_MS,
      producer: 'checkout-7 3f2a1b9c3f2a1b9c',
      sequence,
      count: values,
      sum,
      min,
      max,
      scale: 1e-9,
      bits: 7,
      k,
      c: k.map((slot) => counts.get(slot) ?? 0),
      version: 1,
    };
  });
}

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Bytes per row of 100 series: in files of 10,000 rows, as a busy process writes them, or in the file that they become.
 *
 * @param {Load} load
 * @param {boolean} isCompacted
 * @returns {Setup}
 */
function bytesPerRow(load, isCompacted) {
  return async () => {
    const { compact, writeRows } = await import('@hdrscope/history');
    const rows = await makeRows(20_000, 100, load);
    return {
      measure: async () => {
        const folder = newFolder();
        for (let from = 0; from < rows.length; from += 10_000) {
          await writeRows(join(folder, DAY, `${from}.parquet`), rows.slice(from, from + 10_000));
        }
        if (isCompacted) await compact(folder);
        const files = readdirSync(join(folder, DAY));
        return files.reduce((sum, name) => sum + statSync(join(folder, DAY, name)).size, 0) / rows.length;
      },
    };
  };
}

/** @type {Setup} */
async function writing() {
  const { writeRows } = await import('@hdrscope/history');
  const rows = await makeRows(10_000, 500, fewValues);
  const path = join(newFolder(), 'rows.parquet');
  let written = 0;
  return {
    async run(iterations) {
      for (let i = 0; i < iterations; i++) written = (await writeRows(path, rows)).rows;
    },
    answer: () => written,
  };
}

/** @type {Setup} */
async function merging() {
  const { queryHistory, writeRows } = await import('@hdrscope/history');
  const folder = newFolder();
  await writeRows(join(folder, DAY, 'rows.parquet'), await makeRows(100_000, 500, fewValues));
  const question = { metric: 'http.server.request.duration', percentiles: [99.9], by: ['http.route'] };
  let groups = 0;
  return {
    async run(iterations) {
      for (let i = 0; i < iterations; i++) groups = (await queryHistory(folder, question)).length;
    },
    answer: () => groups,
  };
}

/** @type {Group[]} */
export default [
  ...[
    { id: 'history-bytes-40', title: '40 slots of 50 values', load: fewValues },
    { id: 'history-bytes-40-counts', title: '40 slots of 2000 values', load: manyValues },
    { id: 'history-bytes-150', title: '150 slots of 280 values', load: wide },
  ].map(({ id, title, load }) => ({
    id,
    title: `bytes of a row of a history, ${title}`,
    unit: /** @type {const} */ ('bytes'),
    cases: {
      'hdrscope, as written': bytesPerRow(load, false),
      'hdrscope, compacted': bytesPerRow(load, true),
    },
  })),
  {
    id: 'history-write',
    title: 'write 10,000 rows of a history, 40 slots each',
    rounds: 5,
    cases: { hdrscope: writing },
  },
  {
    id: 'history-merge',
    title: 'p99.9 of 500 groups of a history of 100,000 rows, by DuckDB',
    rounds: 5,
    cases: { hdrscope: merging },
  },
];
