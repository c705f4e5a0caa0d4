import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describeUnless, describeWithPeers, programOf } from '@hdrscope/testing';
import { caseCount } from '@hdrscope/testing/case-count';
import { lackOfPostgres, Postgres } from '@hdrscope/testing/postgres';
import { refusalOf } from '@hdrscope/testing/refusals';
import { runStatements } from '@hdrscope/testing/shared-duckdb';
import {
  historyFunctionsSql,
  historyTableSql,
  mergeRows,
  percentilesOf,
  postgresTable,
} from '../../src/index.ts';
import { documentedSql } from '../support/documented-sql.ts';
import { minutes } from '../support/filled-folder.ts';
import { writeRows } from '../support/folder.ts';
import { newDirectory } from '../support/sandbox.ts';
import { expectFunctions, expectRefusals, type FunctionsEngine } from '../support/sql-functions.ts';

interface Session {
  query(sql: string, format?: string): string;
  cleanup(): void;
}

/** Asks the documented question of rows that have no route. */
async function expectDocumented({ dialect, store, ask }: FunctionsEngine, source: string): Promise<void> {
  const rows = await minutes(3);
  const question = documentedSql('### Functions', dialect)
    .replace('http.server.request.duration', 'lat')
    .replace(source, await store(rows));
  const [percentile] = percentilesOf(mergeRows(rows), [99.9]);
  const answer = await ask(question);
  expect(answer.map(({ route, p999 }) => [route || null, p999])).toEqual([[null, percentile?.upper]]);
}

const FUNCTIONS = historyFunctionsSql().join(';\n');
const duckdb: FunctionsEngine = {
  dialect: 'duckdb',
  async store(rows) {
    const folder = newDirectory();
    await writeRows(folder, rows);
    return `'${folder}/*/*.parquet'`;
  },
  ask: (sql) => runStatements(`${FUNCTIONS};\n${sql}`),
};

test('functions of DuckDB give what the library gives', async () => {
  await expectFunctions(caseCount(4, 60), duckdb);
}, 300_000);

test('functions of DuckDB refuse what has no answer', async () => {
  await expectRefusals(duckdb);
});

test('the documented question to functions of DuckDB has an answer', async () => {
  await expectDocumented(duckdb, "'history/*/*.parquet'");
});

describeWithPeers(['chdb'])('functions of ClickHouse', () => {
  let session: Session;
  beforeAll(() => {
    const load = createRequire(join(programOf('chdb'), 'tests.js'));
    const { Session } = load('chdb') as { Session: new (path: string) => Session };
    session = new Session(newDirectory());
    for (const statement of historyFunctionsSql('clickhouse')) session.query(statement);
    session.query('CREATE DATABASE tests');
  });
  afterAll(() => session.cleanup());

  const clickhouse: FunctionsEngine = {
    dialect: 'clickhouse',
    async store(rows) {
      const folder = newDirectory();
      await writeRows(folder, rows);
      session.query('DROP TABLE IF EXISTS tests.history');
      session.query(historyTableSql('clickhouse', ['tests', 'history']));
      session.query(`INSERT INTO tests.history SELECT * FROM file('${folder}/*/*.parquet', 'Parquet')`);
      return 'tests.history';
    },
    ask: async (sql) =>
      session
        .query(sql, 'JSONEachRow')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  };

  test('give what the library gives', async () => {
    await expectFunctions(caseCount(6, 100), clickhouse);
  }, 60_000);

  test('refuse what has no answer', async () => {
    await expectRefusals(clickhouse);
  });

  test('answer the documented question', async () => {
    await expectDocumented(clickhouse, 'history');
  });
});

describeUnless(lackOfPostgres())('functions of PostgreSQL', () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await Postgres.start();
    // A second time, they are replaced.
    for (let i = 0; i < 2; i++) server.run(historyFunctionsSql('postgres').join(';\n'));
  }, 60_000);
  afterAll(() => server.stop());

  let tables = 0;
  const postgres: FunctionsEngine = {
    dialect: 'postgres',
    async store(rows) {
      const table = `history_${tables++}`;
      server.run(historyTableSql('postgres', table));
      const target = await postgresTable({ url: server.url, table }).open();
      await target.write({ producer: 'tests', number: 0, rows });
      await target.close();
      server.run(`ANALYZE ${table}`);
      return table;
    },
    ask: async (sql) => server.ask(sql),
  };

  test('give what the library gives', async () => {
    await expectFunctions(caseCount(6, 100), postgres);
  }, 60_000);

  test('give the same when workers add up parts of a group', async () => {
    const settings = [
      ...['parallel_setup_cost', 'parallel_tuple_cost', 'min_parallel_table_scan_size'].map(
        (name) => `${name} = 0`,
      ),
      // So that a plan with workers wins for a few rows, too.
      'cpu_operator_cost = 1',
    ];
    for (const setting of settings) server.run(`ALTER DATABASE postgres SET ${setting}`);
    server.run(`CREATE FUNCTION explain(question text) RETURNS SETOF text LANGUAGE plpgsql
      AS $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN ' || question; END $$`);
    const table = await postgres.store(await minutes(60));
    const question = `SELECT hdr_percentile(k, c, w, bits, scale, 50) FROM ${table} GROUP BY scale`;
    const plan = JSON.stringify(server.ask(`SELECT explain('${question}')`));
    expect(plan).toMatch(/Finalize \w*Aggregate.*Gather.*Partial \w*Aggregate/);
    await expectFunctions(caseCount(6, 100), postgres);
  }, 60_000);

  test('refuse what has no answer', async () => {
    await expectRefusals(postgres);
  });

  test('answer the documented question', async () => {
    await expectDocumented(postgres, 'history');
  });
});

test('each file begins with how to call its functions', () => {
  for (const dialect of ['duckdb', 'clickhouse', 'postgres', 'spark'] as const) {
    expect(historyFunctionsSql(dialect)[0]).toMatch(
      /^-- Functions of hdrscope for .+, for histories of version 2\.\n-- SELECT hdr_percentile\(/,
    );
  }
  expect(refusalOf(() => historyFunctionsSql('mysql' as never), 'ERR_INVALID_OPTION').message).toContain(
    'the dialect must be duckdb, clickhouse, postgres, spark, got "mysql"',
  );
});
