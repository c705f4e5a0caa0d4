/** Engines that have a history and the functions of `historyFunctionsSql`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DuckDBInstance } from '@duckdb/node-api';
import { PEERS, programOf } from '../peers/peers.js';
import { ROWS, SERIES } from './history-peers.js';
import { DAY, fewValues, makeRows, newFolder } from './history-rows.js';

const installed = Object.fromEntries(PEERS.map((peer) => [peer.name, programOf(peer)]));
// Helpers of tests find peers by it.
process.env.HDRSCOPE_INSTALLED_PEERS = JSON.stringify(installed);

/**
 * @typedef {object} Engine
 * @property {string} rows A FROM clause of the history.
 * @property {{ readonly folder?: string }} source The same for `historySql`.
 * @property {(sql: string) => Promise<number>} ask Gives the column `value` of the only row of an answer.
 */

/** Batches of the rows of the question. */
async function* batches() {
  const rows = await makeRows(ROWS, SERIES, fewValues);
  for (let from = 0; from < ROWS; from += 10_000) yield rows.slice(from, from + 10_000);
}

async function filledFolder() {
  const { writeRows } = await import('@hdrscope/history');
  const folder = newFolder();
  for await (const rows of batches()) {
    await writeRows(join(folder, DAY, `${readdirSync(folder).length}-${rows[0]?.sequence}.parquet`), rows);
  }
  return folder;
}

/** Stops what the process of a case has started. @param {() => void} stop */
function atExit(stop) {
  process.on('exit', stop);
}

/** @type {Record<import('@hdrscope/history').DialectName, () => Promise<Engine>>} */
export const ENGINES = {
  async duckdb() {
    const folder = await filledFolder();
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    return {
      rows: `'${folder}/*/*.parquet'`,
      source: { folder },
      ask: async (sql) => Number((await connection.runAndReadAll(sql)).getRowObjectsJS()[0]?.value),
    };
  },
  async clickhouse() {
    const { historyTableSql } = await import('@hdrscope/history');
    const { ClickHouse } = await import('@hdrscope/testing/clickhouse');
    const server = await ClickHouse.start();
    atExit(() => void server.stop());
    await server.run(historyTableSql('clickhouse'));
    const files = `${await filledFolder()}/*/*.parquet`;
    await server.run(`INSERT INTO history SELECT * FROM file('${files}', 'Parquet')`);
    await server.run('OPTIMIZE TABLE history FINAL');
    return {
      rows: 'history',
      source: {},
      ask: async (sql) => {
        const isStatement = !sql.startsWith('SELECT');
        return isStatement ? Number(await server.run(sql)) : Number((await server.ask(sql))[0]?.value);
      },
    };
  },
  async postgres() {
    const { historyTableSql, postgresTable } = await import('@hdrscope/history');
    const { Postgres } = await import('@hdrscope/testing/postgres');
    const server = await Postgres.start();
    atExit(() => void server.stop());
    server.run(historyTableSql('postgres'));
    const target = await postgresTable({ url: server.url }).open();
    let number = 0;
    for await (const rows of batches()) await target.write({ producer: 'bench', number: number++, rows });
    await target.close();
    server.run('ANALYZE history');
    return {
      rows: 'history',
      source: {},
      ask: async (sql) => {
        if (sql.startsWith('SELECT')) return Number(server.ask(sql)[0]?.value);
        server.run(sql);
        return 0;
      },
    };
  },
  async spark() {
    const { 'spark-4': program } = installed;
    if (program === undefined)
      throw new Error('the peer spark-4 is not installed: node tools/peers/install.js spark-4');
    const folder = await filledFolder();
    const child = spawn(program, { cwd: newFolder(), stdio: ['pipe', 'pipe', 'ignore'] });
    atExit(() => void child.kill());
    const lines = createInterface({ input: child.stdout });
    return {
      rows: `parquet.\`${folder}\``,
      source: { folder },
      ask: async (sql) => {
        const answer = once(lines, 'line');
        child.stdin.write(`${JSON.stringify(sql)}\n`);
        const rows = JSON.parse((await answer)[0]);
        if (!Array.isArray(rows)) throw new Error(rows.error);
        return Number(rows[0]?.value);
      },
    };
  },
};
