import { describeWithPeers } from '@hdrscope/testing';
import { ClickHouse } from '@hdrscope/testing/clickhouse';
import fc from 'fast-check';
import {
  clickHouseTable,
  type HistoryRow,
  historyFunctionsSql,
  historyRollupSql,
  historySql,
  historyTableSql,
  uniqueRowsSql,
} from '../../src/index.ts';
import { minutes } from '../support/filled-folder.ts';
import { expectMergedPercentiles, withNumbers } from '../support/merged-percentiles.ts';
import { droppedKeys, inOrder, mergedSeries, rolledRow, rowsOfHosts } from '../support/merged-series.ts';

const TABLE = ['metrics', 'history'];
const HOUR_MS = 3_600_000;

describeWithPeers(['chdb'])('statements for a cluster, in ClickHouse 26 that is all its shards', () => {
  let server: ClickHouse;
  beforeAll(async () => {
    server = await ClickHouse.start();
    await server.run('CREATE DATABASE metrics');
    await make(historyTableSql('clickhouse', TABLE, { cluster: 'alone' }).split(';\n'));
    // Two shards with the rows of other series each, and two that both have all rows.
    await server.run(`CREATE VIEW metrics.part_shard AS SELECT * FROM metrics.history_shard
      WHERE sipHash64(metric, toString(attributes)) % 2 = shardNum() - 1`);
    for (const name of ['part', 'history']) {
      await server.run(
        `CREATE TABLE metrics.${name}_pair AS metrics.history_shard ENGINE = Distributed('pair', 'metrics', '${name}_shard')`,
      );
    }
    // A merge would drop a repeated row too.
    await server.run('SYSTEM STOP MERGES metrics.history_shard');
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
  });

  /** Runs what each server of a cluster would run: this engine has no Keeper. */
  async function make(statements: readonly string[]): Promise<void> {
    const clause = ' ON CLUSTER `alone`';
    for (const sql of statements) {
      // A server that is asked answers for all.
      if (!sql.startsWith('SELECT ')) expect(sql).toContain(clause);
      // It knows the clause.
      await server.run(`EXPLAIN AST ${sql}`);
      await server.run(sql.replace(clause, ''));
    }
  }

  let batches = 0;

  /** Gives the table these lists of rows only. Each is written twice, as after an answer that was lost. */
  async function write(lists: readonly (readonly HistoryRow[])[]): Promise<void> {
    await server.run('TRUNCATE TABLE metrics.history_shard');
    const target = await clickHouseTable({ url: server.url, table: TABLE }).open();
    for (const rows of lists) {
      const number = batches++;
      for (const _ of [1, 2]) await target.write({ producer: 'shop 1', number, rows });
    }
    await target.close();
  }

  const ask = async (sql: string) => withNumbers(await server.ask(sql));

  test('fill and ask the shards through a distributed table, which counts repeated inserts once', async () => {
    await expectMergedPercentiles(6, async (lists) => {
      await write(lists);
      const [size] = await server.ask('SELECT count() AS rows FROM metrics.history_shard');
      expect(Number(size!.rows)).toBe(lists.flat().length);
      return [(question) => ask(historySql(question, 'clickhouse', { table: TABLE }))];
    });
  }, 120_000);

  test('keep a rollup on each shard, whose view has the sums of mergeRows', async () => {
    await fc.assert(
      fc.asyncProperty(rowsOfHosts, droppedKeys, async (makeRows, drop) => {
        const rows = await makeRows();
        if (rows.length === 0) return;
        const into = `rollup_${batches}`;
        await make(historyRollupSql('clickhouse', TABLE, { cluster: 'alone', into, drop }));
        await write([rows]);
        const found = await server.ask(
          `SELECT *, toUnixTimestamp64Milli(start) AS start_ms FROM metrics.${into}`,
        );
        expect(inOrder(found.map(rolledRow))).toEqual(mergedSeries(rows, drop, HOUR_MS));
      }),
      { numRuns: 4 },
    );
  }, 120_000);

  test('add what two shards have, and count a row once that both have', async () => {
    await expectMergedPercentiles(6, async (lists) => {
      await write(lists);
      const rows = lists[0]!;
      const values = rows.reduce((sum, { count }) => sum + count, 0);
      for (const name of ['part_pair', 'history_pair']) {
        const unique = uniqueRowsSql({}, 'clickhouse', { table: ['metrics', name] });
        const [sums] = await server.ask(`SELECT count() AS rows, sum(count) AS values FROM (${unique})`);
        expect([Number(sums!.rows), Number(sums!.values)]).toEqual([rows.length, values]);
      }
      return ['part_pair', 'history_pair'].map(
        (name) => (question) => ask(historySql(question, 'clickhouse', { table: ['metrics', name] })),
      );
    });
  }, 120_000);

  test('let functions ask all shards', async () => {
    for (const sql of historyFunctionsSql('clickhouse')) await server.run(sql);
    await write([await minutes(5)]);
    const select = (table: string): string =>
      `SELECT hdr_percentile(k, c, w, bits, scale, 99) AS p99, hdr_merge(k, c, w, bits, scale).k AS slots,
        hdr_count_within(k, c, w, bits, scale, 0, 1).lower AS values FROM metrics.${table}`;
    const [own] = await server.ask(select('history_shard'));
    expect(await server.ask(select('part_pair'))).toEqual([own]);
    // Each row counts as often as it is there.
    expect(await server.ask(select('history_pair'))).toEqual([{ ...own, values: 2 * Number(own!.values) }]);
  }, 120_000);
});
