/** Functions of engines, beside the statements of `historySql`. */
import { fileURLToPath } from 'node:url';
import { ENGINES } from '../history-engines.js';

/** @import { DialectName } from '@hdrscope/history' */
/** @import { Group, Tuned } from '../types.js' */

const ROW = 'k, c, w, bits, scale';
const SOURCES = fileURLToPath(new URL('../../lib/sources.js', import.meta.url));

/** The engines, with the route of a row and the arguments of functions. @type {Record<DialectName, readonly [route: string, row: string]>} */
const COLUMNS = {
  duckdb: ["attributes['http.route']", ROW],
  clickhouse: ["attributes['http.route']", ROW],
  postgres: ["attributes->>'http.route'", ROW],
  spark: ["attributes['http.route']", `collect_list(struct(${ROW}))`],
};

/**
 * @param {DialectName} dialect
 * @param {(rows: string, source: { readonly folder?: string }) => Promise<string>} write The statement, with a column `value`.
 * @returns {Tuned}
 */
function asking(dialect, write) {
  return {
    // Helpers of tests are there as sources only.
    nodeOptions: ['--conditions=@hdrscope/source', '--import', SOURCES],
    async setup() {
      const { historyFunctionsSql } = await import('@hdrscope/history');
      const { rows, source, ask } = await ENGINES[dialect]();
      for (const statement of historyFunctionsSql(dialect)) await ask(statement);
      const statement = await write(rows, source);
      let answer = 0;
      return {
        async run(iterations) {
          for (let i = 0; i < iterations; i++) answer = await ask(statement);
        },
        answer: () => answer,
      };
    },
  };
}

/** @param {DialectName} dialect */
function byStatement(dialect) {
  return asking(dialect, async (_, source) => {
    const { historySql } = await import('@hdrscope/history');
    const question = { metric: 'http.server.request.duration', percentiles: [99.9], by: ['http.route'] };
    return `SELECT avg(p99_9_upper) AS value FROM (${historySql(question, dialect, source)}) AS answer`;
  });
}

/** @param {DialectName} dialect */
function byFunction(dialect, row = COLUMNS[dialect][1]) {
  const [route] = COLUMNS[dialect];
  return asking(
    dialect,
    async (rows) =>
      `SELECT avg(p999) AS value FROM (SELECT (hdr_percentile(${row}, 99.9)).upper AS p999 FROM ${rows} GROUP BY ${route}) AS answer`,
  );
}

/** @type {Group[]} */
export default [
  {
    id: 'history-functions',
    title: 'p99.9 of 500 groups by an engine, of 100,000 rows with 50 values each',
    rounds: 5,
    cases: {
      'DuckDB, historySql': byStatement('duckdb'),
      'DuckDB, hdr_percentile': byFunction('duckdb'),
      'ClickHouse, historySql': byStatement('clickhouse'),
      'ClickHouse, hdr_percentile': byFunction('clickhouse'),
      'ClickHouse, hdr_percentile with [] for w': byFunction('clickhouse', 'k, c, [], bits, scale'),
      'PostgreSQL, historySql': byStatement('postgres'),
      'PostgreSQL, hdr_percentile': byFunction('postgres'),
      'Spark, historySql': byStatement('spark'),
      'Spark, hdr_percentile': byFunction('spark'),
    },
  },
];
