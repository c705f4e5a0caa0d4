import { describeWithPeers } from '@hdrscope/testing';
import fc from 'fast-check';
import {
  type HistoryRow,
  historyFunctionsSql,
  historySql,
  historyTableSql,
  mergeRows,
  percentilesOf,
  uniqueRowsSql,
} from '../../src/index.ts';
import { ClickHouseShards } from '../support/clickhouse-shards.ts';
import { groupedBy, recorded, rowsOf } from '../support/recorded.ts';

// This version has neither maps nor windows, so the table is one by hand, and statements of historySql cannot run.
const COLUMNS = `metric String, unit String, keys Array(String), values Array(String), startMs Int64, producer String, sequence Int64,
  count Int64, sum Float64, min Float64, max Float64, scale Float64, bits Int32, k Array(Int32), c Array(Int64)`;

const MERGED = `SELECT values[indexOf(keys, 'route')] AS route, any(unit) AS unit, any(scale) AS scale, bits, sum(count) AS count, sum(sum) AS sum,
  min(min) AS min, max(max) AS max, sumMap(k, c) AS slots
FROM (SELECT * FROM history WHERE metric = 'lat' LIMIT 1 BY producer, sequence)
GROUP BY route, bits FORMAT JSONEachRow`;

interface MergedLine {
  readonly route: string;
  readonly unit: string;
  readonly scale: number;
  readonly bits: number;
  readonly count: string;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  readonly slots: readonly [k: number[], c: string[]];
}

describeWithPeers(['clickhouse-18'])('two shards of ClickHouse 18', () => {
  let shards: ClickHouseShards;
  beforeAll(async () => {
    shards = await ClickHouseShards.start();
    for (const shard of [0, 1]) {
      await shards.run(
        shard,
        `CREATE TABLE shard_rows (${COLUMNS}) ENGINE = MergeTree ORDER BY (metric, startMs) PARTITION BY tuple()`,
      );
      await shards.run(
        shard,
        `CREATE TABLE history (${COLUMNS}) ENGINE = Distributed(fleet, default, shard_rows, cityHash64(producer))`,
      );
    }
  }, 90_000);
  afterAll(async () => {
    await shards?.stop();
  });

  test('give the percentiles of merged rows through a distributed table, whoever is asked', async () => {
    let areBothUsed = false;
    await fc.assert(
      fc.asyncProperty(fc.array(recorded, { minLength: 1, maxLength: 6 }), async (all) => {
        const rows = await rowsOf(all);
        if (rows.length === 0) return;
        for (const shard of [0, 1]) {
          await shards.run(shard, 'TRUNCATE TABLE shard_rows');
        }
        // Some rows twice, as after a retry by way of the other shard.
        for (const [shard, part] of [rows, rows.slice(0, 2)].entries()) {
          await shards.run(shard, 'INSERT INTO history FORMAT JSONEachRow', part.map(lineOf).join('\n'));
        }
        const sizes = await Promise.all(
          [0, 1].map((shard) => shards.run(shard, 'SELECT count() FROM shard_rows')),
        );
        areBothUsed ||= sizes.every((size) => Number(size) > 0);
        for (const shard of [0, 1]) expectMerged(await shards.run(shard, MERGED), rows);
      }),
      { numRuns: 25 },
    );
    expect(areBothUsed).toBe(true);
  }, 120_000);
});

// The columns of a history, with texts and integers in place of the types that this version lacks.
const OWN_COLUMNS = `metric String, unit String, attributes String, start Int64, \`end\` Int64, producer String, sequence Int64, count Int64,
  sum Float64, min Float64, max Float64, scale Float64, bits Int32, k Array(Int32), c Array(Int64), version Int32, w Array(Int32),
  sum_below Float64, sum_above Float64, min_above Float64, max_below Float64, revision UInt64, exemplars String`;
const TABLE = ['metrics', 'history'];
const UNIQUE = uniqueRowsSql({ metric: 'lat' }, 'clickhouse', { table: TABLE });

const MERGED_UNIQUE = `SELECT visitParamExtractString(attributes, 'route') AS route, any(unit) AS unit, any(scale) AS scale, bits, sum(count) AS count,
  sum(sum) AS sum, min(min) AS min, max(max) AS max, sumMap(k, c) AS slots
FROM (${UNIQUE}) GROUP BY route, bits FORMAT JSONEachRow`;

describeWithPeers(['clickhouse-18', 'zookeeper'])('four servers of ClickHouse 18, two for each shard', () => {
  let servers: ClickHouseShards;
  beforeAll(async () => {
    servers = await ClickHouseShards.start({ replicas: 2, hasZooKeeper: true });
    await servers.run(0, 'CREATE DATABASE metrics ON CLUSTER fleet');
    await servers.run(
      0,
      `CREATE TABLE metrics.history_shard ON CLUSTER fleet (${OWN_COLUMNS})
        ENGINE = ReplicatedReplacingMergeTree('/tables/{shard}/history', '{replica}', revision)
        PARTITION BY tuple() ORDER BY (metric, attributes, start, producer, sequence)`,
    );
    const [, distributed] = historyTableSql('clickhouse', TABLE, { cluster: 'fleet' }).split(';\n');
    await servers.run(0, distributed!);
  }, 90_000);
  afterAll(async () => {
    await servers?.stop();
  });

  const all = [0, 1, 2, 3];
  const countIn = async (server: number, table: string): Promise<number> =>
    Number(await servers.run(server, `SELECT count() FROM metrics.${table}`));
  /** Inserts rows by way of a server, and again by way of the next one until one has taken them. Returns how often that failed. */
  const insert = async (rows: readonly HistoryRow[], first: number): Promise<number> => {
    const body = rows.map(formatOwnLine).join('\n');
    for (let failures = 0; ; failures++) {
      try {
        await servers.run((first + failures) % 4, 'INSERT INTO metrics.history FORMAT JSONEachRow', body);
        return failures;
      } catch (error) {
        if (failures === 20) throw error;
      }
    }
  };

  test('have each row once, though one is killed between and during inserts, which come again', async () => {
    const routes = Array.from({ length: 12 }, (_, i) => `/${i}`);
    const rows = await rowsOf(
      routes.map((route, i) => ({
        significantDigits: 2 + (i % 2),
        attributes: { route },
        intervals: Array.from({ length: 30 }, (_, at) => [at * 1000, i * at, i + at]),
      })),
    );
    // Each insert has the rows of several series, so of both shards.
    const batches = Array.from({ length: 30 }, (_, at) => rows.filter(({ sequence }) => sequence === at));
    let failures = 0;
    for (const [at, batch] of batches.entries()) {
      const killed = at === 8 ? servers.kill(3) : undefined;
      failures += await insert(batch, at);
      await killed;
      if (at === 20) await servers.restart(3);
    }
    // Those by way of the killed server.
    expect(failures).toBeGreaterThan(0);
    for (const server of all) await servers.run(server, 'SYSTEM SYNC REPLICA metrics.history_shard');
    const sizes = await Promise.all(all.map((server) => countIn(server, 'history_shard')));
    expect(sizes[0]).toBeGreaterThan(0);
    expect(sizes[2]).toBeGreaterThan(0);
    expect(sizes).toEqual([sizes[0], sizes[0], sizes[2], sizes[2]]);
    for (const server of all) {
      expect(await countIn(server, 'history')).toBe(rows.length);
      expect(await servers.run(server, `SELECT count() FROM (${UNIQUE})`)).toBe(`${rows.length}\n`);
      expectMerged(await servers.run(server, MERGED_UNIQUE), rows);
    }
  }, 120_000);

  test('refuse statements that need a later version, on all of them', async () => {
    const [shard] = historyTableSql('clickhouse', ['metrics', 'other'], { cluster: 'fleet' }).split(';\n');
    await expect(servers.run(0, shard!)).rejects.toThrow('Syntax error');
    for (const sql of historyFunctionsSql('clickhouse')) {
      await expect(servers.run(0, sql)).rejects.toThrow('Syntax error');
    }
    const question = { metric: 'lat', percentiles: [99] };
    await expect(servers.run(0, historySql(question, 'clickhouse', { table: TABLE }))).rejects.toThrow(
      'Syntax error',
    );
    for (const server of all) {
      expect(await servers.run(server, 'SHOW TABLES FROM metrics')).toBe('history\nhistory_shard\n');
    }
  });
});

/** A row for `OWN_COLUMNS`. */
function formatOwnLine({ attributes, startMs, endMs, margins, exemplars, ...row }: HistoryRow): string {
  return JSON.stringify({ ...row, attributes: JSON.stringify(attributes), start: startMs, end: endMs });
}

function lineOf({ attributes, endMs, version, w, margins, ...row }: HistoryRow): string {
  return JSON.stringify({ ...row, keys: Object.keys(attributes), values: Object.values(attributes) });
}

function expectMerged(answer: string, rows: readonly HistoryRow[]): void {
  const lines = answer
    .split('\n')
    .filter(Boolean)
    .map((line): MergedLine => JSON.parse(line));
  const groups = groupedBy(rows, ({ attributes }) => attributes.route ?? '');
  const found = groupedBy(lines, ({ route }) => route);
  expect([...found.keys()].sort()).toEqual([...groups.keys()].sort());
  for (const [route, own] of found) {
    const [first] = groups.get(route)!;
    // One line for each number of digits.
    const merged = mergeRows(
      own.map(({ slots: [k, c], count, ...line }, sequence) => ({
        ...first!,
        ...line,
        sequence,
        count: Number(count),
        k,
        c: c.map(Number),
      })),
    );
    const expected = mergeRows(groups.get(route)!);
    expect([merged.count, merged.min, merged.max, merged.k, merged.c]).toEqual([
      expected.count,
      expected.min,
      expected.max,
      expected.k,
      expected.c,
    ]);
    expect(percentilesOf(merged, [50, 99.9])).toEqual(percentilesOf(expected, [50, 99.9]));
  }
}
