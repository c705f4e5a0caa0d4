/** The data of the benchmarks of histories. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../lib/random.js';

/** @import { HistoryRow } from '@hdrscope/history' */

const START_MS = Date.parse('2026-11-01');
const MINUTE_MS = 60_000;
export const DAY = 'day=2026-11-01';

/**
 * Latencies of a series in a minute: how many, and the standard deviation of their logarithm.
 *
 * @typedef {{ values: number, deviation: number }} Load
 */

/** About 40 slots of two digits. @type {Load} */
export const fewValues = { values: 50, deviation: 0.16 };
/** About 40 slots of two digits, with large counts. @type {Load} */
export const manyValues = { values: 2000, deviation: 0.035 };
/** About 150 slots of two digits. @type {Load} */
export const wide = { values: 280, deviation: 0.3 };

/**
 * A series in a minute: its row, and the values that it counts, in ticks.
 *
 * @typedef {{ row: HistoryRow, ticks: readonly number[] }} Minute
 */

/**
 * Minutes of a service, in the order of time: each series has its own median.
 *
 * @param {number} count
 * @param {number} seriesCount
 * @param {Load} load
 * @returns {AsyncGenerator<Minute, void>}
 */
export async function* minutesOf(count, seriesCount, { values, deviation }) {
  const { slotOfTick } = await import('@hdrscope/history');
  const random = new Random(1);
  const uniform = () => (random.next() + 0.5) / 2 ** 32;
  const series = Array.from({ length: seriesCount }, (_, i) => ({
    'http.request.method': i % 2 === 0 ? 'GET' : 'POST',
    'http.response.status_code': i % 7 === 0 ? '500' : '200',
    'http.route': `/api/v1/resource/${i}`,
  }));
  for (let sequence = 0; sequence < count; sequence++) {
    const place = sequence % seriesCount;
    const startMs = START_MS + Math.floor(sequence / seriesCount) * MINUTE_MS;
    const ticks = Array.from({ length: values }, () => {
      const normal = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
      return Math.round(2e6 * (1 + place / 20) * Math.exp(deviation * normal));
    });
    /** @type {Map<number, number>} */
    const counts = new Map();
    for (const tick of ticks) {
      const slot = slotOfTick(tick, 7);
      counts.set(slot, (counts.get(slot) ?? 0) + 1);
    }
    const k = [...counts.keys()].sort((a, b) => a - b);
    const row = {
      metric: 'http.server.request.duration',
      unit: 's',
      attributes: /** @type {Record<string, string>} */ (series[place]),
      startMs,
      endMs: startMs + MINUTE_MS,
      producer: 'checkout-7 3f2a1b9c3f2a1b9c',
      sequence,
      count: values,
      sum: ticks.reduce((sum, tick) => sum + tick),
      min: Math.min(...ticks),
      max: Math.max(...ticks),
      scale: 1e-9,
      bits: 7,
      k,
      c: k.map((slot) => counts.get(slot) ?? 0),
      w: [],
      version: /** @type {const} */ (2),
    };
    yield { row, ticks };
  }
}

/**
 * The rows of `minutesOf`.
 *
 * @param {number} count
 * @param {number} seriesCount
 * @param {Load} load
 */
export async function makeRows(count, seriesCount, load) {
  /** @type {HistoryRow[]} */
  const rows = [];
  for await (const { row } of minutesOf(count, seriesCount, load)) rows.push(row);
  return rows;
}

/** A folder that is removed when the process ends. */
export function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
