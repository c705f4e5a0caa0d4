/** What others keep of the same values, and how they find a percentile of each group. */
import { createWriteStream, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { peersFolder } from '../peers/cache.js';
import { PEERS } from '../peers/peers.js';
import { fewValues, minutesOf, newFolder } from './history-rows.js';

/** @typedef {{ bytes: number, ask: () => number | Promise<number> }} Kept `ask` gives the mean over all groups, in seconds. */

/** Rows and series of the question. */
export const [ROWS, SERIES] = [100_000, 500];

/** The values of the question, as lines of a route, a time, all values and the buckets of them. */
async function valuesFile() {
  const path = join(newFolder(), 'values.csv');
  await pipeline(async function* () {
    for await (const { row, ticks } of minutesOf(ROWS, SERIES, fewValues)) {
      const { attributes, startMs, k, c } = row;
      const buckets = JSON.stringify(Object.fromEntries(k.map((slot, i) => [slot, c[i]])));
      yield `${attributes['http.route']}\t${startMs}\t${ticks.join(';')}\t${buckets}\n`;
    }
  }, createWriteStream(path));
  return path;
}

/**
 * A Parquet file of DuckDB, and a question to it.
 *
 * @param {string} columns Of the table `lines`.
 * @param {(file: string) => string} question Its column `value` is the percentile of a group.
 * @returns {Promise<Kept>}
 */
async function inDuckDb(columns, question) {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const path = join(newFolder(), 'kept.parquet');
  await connection.run(`COPY (
    WITH lines AS (SELECT * FROM read_csv('${await valuesFile()}', delim = '\\t', header = false, quote = '', escape = '',
      columns = { route: 'VARCHAR', start: 'BIGINT', ticks: 'VARCHAR', buckets: 'VARCHAR' }))
    SELECT ${columns} FROM lines ORDER BY route, start
  ) TO '${path}' (FORMAT parquet, COMPRESSION zstd)`);
  return {
    bytes: statSync(path).size,
    ask: async () => {
      const answer = await connection.runAndReadAll(
        `SELECT avg(value) AS mean FROM (${question(`'${path}'`)})`,
      );
      return Number(answer.getRowObjectsJS()[0]?.mean);
    },
  };
}

/** Every value in a row of its own. */
const VALUES =
  "route, to_timestamp(start / 1000) AS start, unnest(string_split(ticks, ';'))::DOUBLE / 1e9 AS value";

/** All values, in DuckDB: the exact percentile. */
export function rawValues() {
  return inDuckDb(
    VALUES,
    (file) => `SELECT route, quantile_disc(value, 0.999) AS value FROM ${file} GROUP BY route`,
  );
}

/** All values, in DuckDB: a t-digest is made for each question. */
export function rawDigests() {
  return inDuckDb(
    VALUES,
    (file) => `SELECT route, approx_quantile(value, 0.999) AS value FROM ${file} GROUP BY route`,
  );
}

/** Our slots as a text of JSON, as people keep buckets in a column. */
export function jsonBuckets() {
  const value = 'pow(2, (slot >> 7) - 1023) * (1 + (slot & 127) / 128) / 1e9';
  return inDuckDb(
    'route, to_timestamp(start / 1000) AS start, buckets',
    (file) => `WITH used AS (
      SELECT route, unnest(map_entries(CAST(CAST(buckets AS JSON) AS MAP(INTEGER, BIGINT)))) AS entry FROM ${file}
    ), merged AS (
      SELECT route, entry.key AS slot, sum(entry.value) AS n FROM used GROUP BY ALL
    ), ranked AS (
      SELECT route, slot, sum(n) OVER (PARTITION BY route ORDER BY slot) AS upto, sum(n) OVER (PARTITION BY route) AS total FROM merged
    )
    SELECT route, min(${value}) FILTER (upto >= ceil(0.999 * total)) AS value FROM ranked GROUP BY route`,
  );
}

/**
 * A table of ClickHouse with a sketch for each series and minute.
 *
 * @param {string} sketch The name of the aggregate function, such as `quantileTDigest`.
 * @param {string} parameters Of the function.
 * @returns {Promise<Kept>}
 */
export async function sketches(sketch, parameters) {
  const session = clickHouse();
  const state = `AggregateFunction(${sketch}(${parameters}), Float64)`;
  session.query('CREATE DATABASE bench');
  session.query(
    `CREATE TABLE bench.sketches (route LowCardinality(String), start DateTime64(3, 'UTC') CODEC(Delta, ZSTD), sketch ${state} CODEC(ZSTD))
     ENGINE = MergeTree ORDER BY (route, start)`,
  );
  session.query(`INSERT INTO bench.sketches
    SELECT route, start, ${sketch}State(${parameters})(toFloat64(tick) / 1e9)
    FROM file('${await valuesFile()}', 'TSV', 'route String, start DateTime64(3), ticks String, buckets String')
    ARRAY JOIN splitByChar(';', ticks) AS tick GROUP BY route, start`);
  session.query('OPTIMIZE TABLE bench.sketches FINAL');
  const parts = "FROM system.parts WHERE database = 'bench' AND table = 'sketches' AND active";
  return {
    bytes: Number(session.query(`SELECT sum(bytes_on_disk) ${parts}`, 'TSV')),
    ask: () =>
      Number(
        session.query(
          `SELECT avg(value) FROM (SELECT route, ${sketch}Merge(${parameters})(sketch) AS value FROM bench.sketches GROUP BY route)`,
          'TSV',
        ),
      ),
  };
}

/**
 * ClickHouse in this process.
 *
 * @returns {{ query(sql: string, format?: string): string }}
 */
function clickHouse() {
  const peer = PEERS.find(({ name }) => name === 'chdb');
  if (peer === undefined) throw new Error('there is no peer chdb');
  const program = join(peersFolder(), peer.folder, peer.program);
  let Session;
  try {
    ({ Session } = createRequire(join(program, 'bench.js'))('chdb'));
  } catch {
    throw new Error('the peer chdb is not installed: node tools/peers/install.js chdb');
  }
  return new Session(newFolder());
}
