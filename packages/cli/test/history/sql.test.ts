import { queryHistory } from '@hdrscope/history';
import { runStatements } from '@hdrscope/testing/shared-duckdb';
import { hdrscope } from '../support/fake-io.ts';
import { evenly, logText, useFolder, type Written } from '../support/logs.ts';

const folder = useFolder();

const INTERVALS: readonly Written[] = Array.from(
  { length: 12 },
  (_, at): Written => ({ tag: at % 2 === 0 ? 'get' : 'put', at: at * 600, length: 600, ms: evenly(10) }),
);

let history: string;
beforeAll(async () => {
  history = folder.pathOf('history');
  await hdrscope(['history', 'import', folder.write('hours.hlog', logText(INTERVALS)), '-o', history]);
});

/** Runs the statements that a command prints, in one session of DuckDB. Returns the rows of the last one. */
async function run(...args: readonly string[]): Promise<Record<string, unknown>[]> {
  const { exitCode, stdout, stderr } = await hdrscope(['history', 'sql', ...args]);
  expect([exitCode, stderr]).toEqual([0, '']);
  return await runStatements(stdout);
}

test('rollup prints statements by which DuckDB makes a history that query answers from', async () => {
  const into = folder.pathOf('fleet');
  await run('rollup', history, into, '--drop', 'tag', '--since', '2017-07-14T12:00');
  const question = { metric: 'values', percentiles: [50, 99], everyMs: 3_600_000 };
  expect(await queryHistory(into, question)).toEqual(await queryHistory(history, question));
  const { stdout } = await hdrscope(['query', into]);
  expect(stdout).toMatch(/^values +\w+ +1 +3 /m);
  expect((await hdrscope(['history', 'verify', into])).stdout).toBe('1 file: none is damaged.\n');
});

test('compact and unique print statements that have each row once', async () => {
  const [again, into] = [folder.pathOf('again'), folder.pathOf('compacted')];
  await run('compact', history, again);
  await run('compact', again, into);
  const count = (await run('unique', into, '--metric', 'values')).length;
  expect(count).toBe((await run('unique', history)).length);
  expect((await run('unique', history, '--where', 'tag=get')).length).toBe(count / 2);
});

test('functions prints functions of DuckDB that give bounds of percentiles', async () => {
  const { stdout } = await hdrscope(['history', 'sql', 'functions']);
  const [row] = await runStatements(
    `${stdout}SELECT hdr_percentile(k, c, w, bits, scale, 99) AS p99 FROM '${history}/*/*.parquet'`,
  );
  const [group] = await queryHistory(history, { metric: 'values', percentiles: [99] });
  const { lower, upper } = group!.percentiles[0]!;
  expect(row).toEqual({ p99: { lower, upper } });
});

test.each([
  ['clickhouse', 'CREATE OR REPLACE FUNCTION hdr_percentile AS (k, c, w, bits, scale, p) ->'],
  ['postgres', 'CREATE OR REPLACE AGGREGATE hdr_percentile('],
  ['spark', 'CREATE OR REPLACE TEMPORARY FUNCTION hdr_percentile('],
])('functions prints those of %s', async (dialect, statement) => {
  const { stdout } = await hdrscope(['history', 'sql', 'functions', '--dialect', dialect]);
  expect(stdout).toMatch(/^-- Functions of hdrscope for .+, for histories of version 2\.\n/);
  expect(stdout).toContain(statement);
});

test('statements for tables and for Spark name them as their engines do', async () => {
  const printed = async (...args: readonly string[]) => (await hdrscope(['history', 'sql', ...args])).stdout;
  expect(
    await printed('rollup', 'metrics.history', 'fleet', '--dialect', 'clickhouse', '--drop', 'host'),
  ).toMatch(
    /^CREATE TABLE IF NOT EXISTS `metrics`\.`fleet_states`[\s\S]+;\nCREATE VIEW[^;]+;\nSELECT throwIf[^;]+;\n$/,
  );
  expect(await printed('table', 'history', '--dialect', 'postgres')).toMatch(
    /^CREATE TABLE IF NOT EXISTS "history" \([\s\S]+;\nCREATE INDEX [^;]+;\n$/,
  );
  const onCluster = ['--cluster', 'fleet'];
  expect(await printed('table', 'metrics.history', ...onCluster)).toMatch(
    /^CREATE TABLE IF NOT EXISTS `metrics`\.`history_shard` ON CLUSTER `fleet` [^;]+;\n[^;]+Distributed\([^;]+;\n$/,
  );
  const hosts = await printed('rollup', 'metrics.history', 'hosts', '--dialect', 'clickhouse', ...onCluster);
  expect(hosts.match(/^CREATE .+ ON CLUSTER `fleet`/gm)).toHaveLength(4);
  expect(await printed('unique', 'history', '--dialect', 'postgres')).toContain('FROM "history" WHERE');
  expect(await printed('compact', 'a', 'b', '--dialect', 'spark')).toContain('parquet.`a`');
});

test.each([
  [
    ['rollup', 'history', 'fleet', '--dialect', 'postgres', '--since', '7d'],
    '--since and --until go with duckdb and spark: a rollup of postgres is a view of all rows',
  ],
  [['rollup', 'a', 'b', '--cluster', 'fleet'], '--cluster goes with clickhouse, got --dialect duckdb'],
  [
    ['table', 'history', '--dialect', 'postgres', '--cluster', 'fleet'],
    'cluster is for ClickHouse, got cluster for postgres',
  ],
  [
    ['table', 'history', '--cluster', 'fleet'],
    'the table of a cluster must be the names of its database and of itself',
  ],
  [['compact', 'a', 'a'], 'into must be another folder than that of the history, got "a"'],
  [['compact', 'a', 'b', '--dialect', 'postgres'], "--dialect must be duckdb, spark, got 'postgres'"],
])('%j is refused', async (args, message) => {
  const { exitCode, stderr } = await hdrscope(['history', 'sql', ...args]);
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain(message);
});
