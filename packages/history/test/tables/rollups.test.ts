import { testUnless } from '@hdrscope/testing';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { historyRollupSql, historySql, mergeRows, percentilesOf } from '../../src/index.ts';
import { ENGINES, type Engine } from '../support/engines.ts';
import { withNumbers } from '../support/merged-percentiles.ts';
import { droppedKeys, inOrder, mergedSeries, rolledRow, rowsOfHosts } from '../support/merged-series.ts';
import { INTERVAL_MS, rowsOf } from '../support/recorded.ts';

describe.each(ENGINES)('a rollup over attributes in $name', ({ missing, start }) => {
  const testEngine = testUnless(missing);
  let engine: Engine;
  beforeAll(async () => {
    if (missing === undefined) engine = await start();
  }, 90_000);
  afterAll(async () => {
    await engine?.stop();
  });

  let tables = 0;

  /** Makes a table and its rollup, and writes rows in two batches. Returns the name of the rollup. */
  async function written(
    rows: Awaited<ReturnType<typeof rowsOf>>,
    drop: readonly string[],
    everyMs: number,
  ): Promise<string> {
    const table = `merged ${tables++}`;
    const target = await engine.table(table).open();
    await target.prepare!();
    for (const sql of historyRollupSql(engine.dialect, table, { everyMs, drop })) await engine.run(sql);
    const half = Math.ceil(rows.length / 2);
    for (const [number, some] of [rows.slice(0, half), rows.slice(half)].entries()) {
      if (some.length > 0) await target.write({ producer: 'shop 1', number, rows: some });
    }
    await target.close();
    if (engine.dialect === 'postgres') {
      await engine.run(`REFRESH MATERIALIZED VIEW CONCURRENTLY "${table}_rollup"`);
    }
    return `${table}_rollup`;
  }

  testEngine(
    'has the sums of mergeRows, and counts the series of each',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          rowsOfHosts,
          droppedKeys,
          fc.constantFrom(INTERVAL_MS, 86_400_000),
          async (make, drop, everyMs) => {
            const rows = await make();
            if (rows.length === 0) return;
            const rollup = await written(rows, drop, everyMs);
            const isPostgres = engine.dialect === 'postgres';
            const ms = isPostgres
              ? 'extract(epoch FROM "start") * 1000'
              : 'toUnixTimestamp64Milli(toDateTime64(start, 3))';
            const name = isPostgres ? `"${rollup}"` : `\`${rollup}\``;
            const found = await engine.ask(`SELECT *, ${ms} AS start_ms FROM ${name}`);
            expect(inOrder(found.map(rolledRow))).toEqual(mergedSeries(rows, drop, everyMs));
            expect(new Set(found.map(({ producer, sequence }) => `${producer} ${sequence}`)).size).toBe(
              found.length,
            );
          },
        ),
        { numRuns: caseCount(4, 60) },
      );
    },
    120_000,
  );

  testEngine('answers with the percentiles of all hosts, where one has nearly all values', async () => {
    const busy = Array.from({ length: 3000 }, (_, i) => i * i);
    const hosts = Array.from({ length: 40 }, (_, i) => ({
      significantDigits: i % 2 === 0 ? 2 : 3,
      attributes: { host: `h${i}`, route: '/' },
      intervals: [i === 0 ? busy : [i]],
    }));
    const rows = await rowsOf(hosts);
    const rollup = await written(rows, ['host'], 86_400_000);
    const question = { metric: 'lat', percentiles: [50, 99.9], by: ['route', 'host'] };
    const [answer, ...others] = withNumbers(
      await engine.ask(historySql(question, engine.dialect, { table: rollup })),
    );
    expect(others).toEqual([]);
    const [p50, p999] = percentilesOf(mergeRows(rows), [50, 99.9]);
    expect(answer).toMatchObject({
      group1: '/',
      group2: null,
      count: 3039,
      p50_lower: p50!.lower,
      p50_upper: p50!.upper,
      p99_9_lower: p999!.lower,
      p99_9_upper: p999!.upper,
    });
  });

  testEngine('is made again as it is, and not with another length or other keys', async () => {
    const drop = ["it's", 'a "b" % \\ €', '\ud800'];
    await written([], drop, 60_000);
    const table = `merged ${tables - 1}`;
    const make = async (options: Parameters<typeof historyRollupSql>[2]): Promise<void> => {
      for (const sql of historyRollupSql(engine.dialect, table, options)) await engine.run(sql);
    };
    await make({ everyMs: 60_000, drop: drop.toReversed() });
    for (const other of [
      { everyMs: 60_001, drop },
      { everyMs: 60_000, drop: drop.slice(1) },
      { everyMs: 60_000, drop: [...drop, 'host'] },
    ]) {
      await expect(make(other)).rejects.toThrow(
        'the rollup is there already, with another length or without other keys: drop it, or choose another name',
      );
    }
    await make({ ...{ everyMs: 60_001, drop }, into: `${table} 2` });
  });
});
