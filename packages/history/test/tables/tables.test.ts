import { testUnless } from '@hdrscope/testing/skips';
import fc from 'fast-check';
import { type HistoryRow, historyRollupSql, historySql } from '../../src/index.ts';
import { ENGINES, type Engine } from '../support/engines.ts';
import { type Ask, expectMergedPercentiles, withNumbers } from '../support/merged-percentiles.ts';
import { anyText, INTERVAL_MS, rowsOf } from '../support/recorded.ts';

describe.each(ENGINES)('a table of $name', ({ reason, start }) => {
  const testEngine = testUnless(reason);
  let engine: Engine;
  let tables = 0;
  beforeAll(async () => {
    if (reason === undefined) engine = await start();
  }, 90_000);
  afterAll(async () => {
    await engine?.stop();
  });

  /** Writes rows into a new table that has a rollup, and returns its name. Each list is inserted twice, as after a lost answer. */
  async function written(lists: readonly (readonly HistoryRow[])[]): Promise<string> {
    const table = `history ${tables++}`;
    const target = await engine.table(table).open();
    await target.prepare!();
    for (const sql of historyRollupSql(engine.dialect, table, { everyMs: INTERVAL_MS }))
      await engine.run(sql);
    for (const [number, rows] of lists.entries()) {
      for (let times = 0; times < 2; times++) await target.write({ producer: 'shop 1', number, rows });
    }
    if (engine.dialect === 'postgres') {
      await engine.run(`REFRESH MATERIALIZED VIEW CONCURRENTLY "${table}_rollup"`);
    }
    await target.close();
    return table;
  }

  const asked =
    (table: string): Ask =>
    async (question) =>
      withNumbers(await engine.ask(historySql(question, engine.dialect, { table })));

  testEngine(
    'and its rollup give the percentiles of merged rows, by group and time',
    async () => {
      await expectMergedPercentiles(8, async ([rows]) => {
        const half = Math.ceil(rows!.length / 2);
        const table = await written(
          [rows!.slice(0, half), rows!.slice(half)].filter(({ length }) => length > 0),
        );
        return [asked(table), asked(`${table}_rollup`)];
      });
    },
    120_000,
  );

  testEngine('has the rows themselves', async () => {
    const ticks = [0, 1, 2, 3, 1e6, Number.MAX_SAFE_INTEGER];
    const rows = await rowsOf([
      { significantDigits: 5, attributes: { route: '/' }, intervals: [ticks, [7]] },
    ]);
    const table = await written([rows]);
    const ms =
      engine.dialect === 'postgres' ? 'extract(epoch FROM "end") * 1000' : 'toUnixTimestamp64Milli(`end`)';
    const [first, second] = await engine.ask(
      `SELECT metric, unit, ${ms} AS ended, producer, sequence, count, sum, min, max, scale, bits, k, c, version FROM ${engine.dialect === 'postgres' ? `"${table}"` : `\`${table}\``} ORDER BY sequence`,
    );
    const numbers = ({ ended, sequence, count, k, c, ...rest }: Record<string, unknown>) => ({
      ...rest,
      ended: Number(ended),
      sequence: Number(sequence),
      count: Number(count),
      k: (k as number[]).map(Number),
      c: (c as number[]).map(Number),
    });
    const expected = rows.map(({ attributes, startMs, endMs, ...row }) => ({ ...row, ended: endMs }));
    expect([numbers(first!), numbers(second!)]).toEqual(expected);
  });

  testEngine(
    'holds any texts',
    async () => {
      await fc.assert(
        fc.asyncProperty(anyText, anyText, anyText, async (metric, key, value) => {
          const [row] = await rowsOf([{ significantDigits: 2, attributes: {}, intervals: [[1, 2, 3]] }]);
          const attributes = Object.fromEntries([[key, value]]);
          const table = await written([
            [
              { ...row!, metric, attributes },
              { ...row!, metric, producer: 'without' },
            ],
          ]);
          // PostgreSQL has no U+0000, and a history shows another character instead.
          const held = (text: string): string =>
            engine.dialect === 'postgres' ? text.replaceAll('\0', '\ufffd') : text;
          for (const name of [table, `${table}_rollup`]) {
            const question = { metric: held(metric), by: [held(key)], where: { [held(key)]: held(value) } };
            // A computed key may be __proto__.
            Object.defineProperty(question.where, held(key), { value: held(value), enumerable: true });
            expect(await asked(name)(question)).toMatchObject([{ group1: held(value), count: 3 }]);
          }
        }),
        { numRuns: 10 },
      );
    },
    120_000,
  );
});
