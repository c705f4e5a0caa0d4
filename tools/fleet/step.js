/**
 * What a fleet's history goes through, each step in a process of its own: so its time and its peak of memory are its own. Prints the facts of
 * the step as one line of JSON.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { compactHistory, folderRollupSql, queryHistory, rollUpHistory } from '@hdrscope/history';
import { questionOf } from './questions.js';

/** @import { Line } from './questions.js' */

/** @typedef {{ name: string, folder: string, into?: string, by?: readonly string[] }} Step */
/** @typedef {{ rows?: number, bytes?: number, files?: number, lines?: Line[] }} StepFacts */

// All days have ended then.
const nowMs = Date.now() + 10 * 86_400_000;

/** @param {string} folder */
async function countRows(folder) {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const answer = await connection.runAndReadAll(
    `SELECT count(*) AS n FROM read_parquet('${folder}/*/*.parquet')`,
  );
  return Number(answer.getRowObjectsJS()[0]?.n);
}

/** @type {Record<string, (step: Step) => Promise<StepFacts>>} */
const STEPS = {
  async weigh({ folder }) {
    const names = /** @type {string[]} */ (readdirSync(folder, { recursive: true }));
    const files = names.filter((name) => name.endsWith('.parquet'));
    const rows = await countRows(folder);
    return {
      ...{ files: files.length, rows },
      bytes: files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0),
    };
  },
  async compact({ folder }) {
    await compactHistory(folder, { olderThanMs: 0, nowMs });
    return {};
  },
  async rollup({ folder, into = '' }) {
    await rollUpHistory(folder, into, { nowMs });
    return {};
  },
  async drop({ folder, into = '' }) {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    for (const sql of folderRollupSql('duckdb', folder, into, { drop: ['host.name'] }))
      await connection.run(sql);
    return {};
  },
  async ask({ folder, by = [] }) {
    const groups = await queryHistory(folder, questionOf(by));
    const lines = groups.map(({ attributes, count, mean, max, percentiles }) => ({
      route: attributes['http.route'],
      count,
      mean,
      max,
      percentiles: percentiles.map(({ lower, upper }) => ({ lower, upper })),
    }));
    return { lines };
  },
};

/** @type {Step} */
const step = JSON.parse(process.argv[2] ?? '');
const startMs = performance.now();
const facts = await STEPS[step.name]?.(step);
const seconds = (performance.now() - startMs) / 1000;
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
console.log(JSON.stringify({ ...facts, seconds, cpuSeconds, peakBytes: maxRSS * 1024 }));
