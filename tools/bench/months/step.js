/**
 * One step of `history-months.js`, in a process of its own: so its peak of memory is that of the step alone. Prints the facts of the step as
 * one line of JSON.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { queryHistory, rollUpHistory, writeRows } from '@hdrscope/history';
import { rowsOfDay } from './series.js';

/** @import { Step } from '../history-months.js' */

const START_MS = Date.parse('2026-10-01');
const LATER_MS = Date.parse('2030-01-01');
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const SERIES_OF_FILE = 50;
const METRIC = 'http.server.request.duration';

/** @type {Record<string, (step: Step) => Promise<Record<string, number | string>>>} */
const STEPS = {
  async generate({ folder, series, days, part = 0, parts = 1 }) {
    let rows = 0;
    for (let day = part; day < days; day += parts) {
      const startMs = START_MS + day * DAY_MS;
      const name = new Date(startMs).toISOString().slice(0, 10);
      for (let first = 0; first < series; first += SERIES_OF_FILE) {
        const last = Math.min(first + SERIES_OF_FILE, series);
        const path = join(folder, 'minutes', `day=${name}`, `${startMs}-checkout-${first}.parquet`);
        rows += (last - first) * 1440;
        // An earlier run has written it.
        if (existsSync(path)) continue;
        await writeRows(path, await rowsOfDay({ first, last, startMs, day }));
      }
    }
    return { rows };
  },
  async rollup({ folder, from = 'minutes', of = 'hours' }) {
    const everyMs = of === 'days' ? DAY_MS : HOUR_MS;
    const made = await rollUpHistory(join(folder, from), join(folder, of), { everyMs, nowMs: LATER_MS });
    return { rows: made.reduce((sum, { rows }) => sum + rows, 0) };
  },
  ask: async ({ folder, of = 'hours' }) => {
    const groups = await queryHistory(join(folder, of), {
      metric: METRIC,
      percentiles: [99.9],
      by: ['http.route'],
    });
    const answer = groups.map(({ attributes, count, min, max, percentiles }) => [
      attributes,
      count,
      min,
      max,
      percentiles,
    ]);
    return {
      groups: groups.length,
      answer: createHash('sha256').update(JSON.stringify(answer)).digest('hex'),
    };
  },
  async weigh({ folder, of = 'hours' }) {
    const names = /** @type {string[]} */ (readdirSync(join(folder, of), { recursive: true }));
    const files = names.filter((name) => name.endsWith('.parquet'));
    return { bytes: files.reduce((sum, name) => sum + statSync(join(folder, of, name)).size, 0) };
  },
};

/** @type {Step} */
const step = JSON.parse(process.argv[2] ?? '');
const startMs = performance.now();
const facts = await STEPS[step.name]?.(step);
const ms = performance.now() - startMs;
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
const cpuMs = (userCPUTime + systemCPUTime) / 1000;
console.log(JSON.stringify({ ...facts, ms, cpuMs, peakBytes: maxRSS * 1024 }));
