/** Asks an engine about the history of a fleet: `engines.js NAME FOLDER BY`. Prints its answers as JSON. It needs the sources of packages. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DuckDBInstance } from '@duckdb/node-api';
import { historySql, historyTableSql, postgresTable, readRows } from '@hdrscope/history';
import { PEERS, programOf } from '../peers/peers.js';
import { questionOf, readLines } from './questions.js';

const installed = Object.fromEntries(PEERS.map((peer) => [peer.name, programOf(peer)]));
process.env.HDRSCOPE_INSTALLED_PEERS = JSON.stringify(installed);

/** @typedef {Record<string, unknown>[]} Answer */

/** Asks the questions, one by one. @typedef {(folder: string, questions: readonly (readonly string[])[]) => Promise<Answer[]>} Ask */

/** @type {Record<string, Ask>} */
const ENGINES = {
  async duckdb(folder, questions) {
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    return each(questions, async (by) => {
      const answer = await connection.runAndReadAll(historySql(questionOf(by), 'duckdb', { folder }));
      return answer.getRowObjectsJS();
    });
  },
  async clickhouse(folder, questions) {
    const { ClickHouse } = await import('@hdrscope/testing/clickhouse');
    const server = await ClickHouse.start();
    try {
      await server.run(historyTableSql('clickhouse', 'history'));
      await server.run(`INSERT INTO history SELECT * FROM file('${folder}/*/*.parquet', 'Parquet')`);
      return await each(questions, (by) => server.ask(historySql(questionOf(by), 'clickhouse')));
    } finally {
      await server.stop();
    }
  },
  async postgres(folder, questions) {
    const { Postgres } = await import('@hdrscope/testing/postgres');
    const server = await Postgres.start();
    try {
      const target = await postgresTable({ url: server.url, create: true }).open();
      await target.prepare?.();
      await insertAll(folder, target);
      return await each(questions, async (by) => server.ask(historySql(questionOf(by), 'postgres')));
    } finally {
      await server.stop();
    }
  },
  async spark(folder, questions) {
    const { spark: program } = installed;
    if (program === undefined) throw new Error('the peer spark is not installed');
    const child = spawn(program, { stdio: ['pipe', 'pipe', 'ignore'] });
    const lines = createInterface({ input: child.stdout });
    try {
      return await each(questions, async (by) => {
        const answer = once(lines, 'line');
        child.stdin.write(`${JSON.stringify(historySql(questionOf(by), 'spark', { folder }))}\n`);
        const rows = JSON.parse((await answer)[0]);
        if (!Array.isArray(rows)) throw new Error(rows.error);
        return rows;
      });
    } finally {
      child.stdin.end();
      await once(child, 'exit');
    }
  },
};

const BATCH_ROWS = 2000;

/** @param {string} folder @param {import('@hdrscope/history').HistoryTarget} target */
async function insertAll(folder, target) {
  const names = /** @type {string[]} */ (readdirSync(folder, { recursive: true }));
  let number = 0;
  for (const name of names.filter((name) => name.endsWith('.parquet'))) {
    /** @type {import('@hdrscope/history').HistoryRow[]} */
    let rows = [];
    const flush = async () => {
      if (rows.length > 0) await target.write({ producer: 'fleet', number: number++, rows });
      rows = [];
    };
    for await (const row of readRows(join(folder, name))) if (rows.push(row) === BATCH_ROWS) await flush();
    await flush();
  }
  await target.close();
}

/** @template Item, Result @param {readonly Item[]} items @param {(item: Item) => Promise<Result>} work */
async function each(items, work) {
  const results = [];
  for (const item of items) results.push(await work(item));
  return results;
}

const [name = '', folder = '', questions = '[]'] = process.argv.slice(2);
const ask = ENGINES[name];
if (ask === undefined)
  throw new Error(`an engine must be one of ${Object.keys(ENGINES).join(', ')}, got ${name}`);
const startMs = performance.now();
const answers = await ask(folder, JSON.parse(questions));
const seconds = (performance.now() - startMs) / 1000;
process.stdout.write(JSON.stringify({ answers: answers.map(readLines), seconds }));
