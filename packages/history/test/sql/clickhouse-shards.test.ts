import { describeWithPeers } from '@hdrscope/testing';
import fc from 'fast-check';
import { type HistoryRow, mergeRows, percentilesOf } from '../../src/index.ts';
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
