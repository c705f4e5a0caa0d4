import { testUnless } from '@hdrscope/testing/skips';
import fc from 'fast-check';
import { historySql, historyTableSql, mergeRows, percentilesOf } from '../../src/index.ts';
import { insertSql, Postgres, whyNoPostgres } from '../support/postgres.ts';
import { anyText, groupedBy, INTERVAL_MS, recorded, rowsOf } from '../support/recorded.ts';

const reason = whyNoPostgres();
const testPostgres = testUnless(reason);

let postgres: Postgres;
beforeAll(async () => {
  if (reason === undefined) postgres = await Postgres.start();
}, 90_000);
afterAll(async () => {
  await postgres?.stop();
});

const PERCENTILES = [0, 50, 99.9, 100];

testPostgres(
  'PostgreSQL gives the percentiles of merged rows, by group and time, whatever the digits are',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(recorded, { minLength: 1, maxLength: 4 }),
        fc.constantFrom([], ['route'], ['method', 'absent']),
        fc.constantFrom(undefined, INTERVAL_MS),
        async (all, by, everyMs) => {
          const rows = await rowsOf(all);
          if (rows.length === 0) return;
          postgres.run(`DROP TABLE IF EXISTS history; ${historyTableSql('postgres')}`);
          postgres.run(insertSql(rows));
          postgres.run(insertSql(rows.slice(0, 2)));
          const question = { metric: 'lat', percentiles: PERCENTILES, by, ...(everyMs && { everyMs }) };
          const answer = postgres.ask(historySql(question, 'postgres'));
          const groups = groupedBy(rows, ({ attributes, startMs }) =>
            JSON.stringify([
              ...by.map((key) => attributes[key] ?? null),
              everyMs ? startMs - (startMs % everyMs) : null,
            ]),
          );
          expect(answer.length).toBe(groups.size);
          for (const group of answer) {
            const key = JSON.stringify([...by.map((_, i) => group[`group${i + 1}`]), group.start_ms]);
            const merged = mergeRows(groups.get(key)!);
            expect([group.count, group.min, group.max, group.bits]).toEqual([
              merged.count,
              merged.min,
              merged.max,
              merged.bits,
            ]);
            expect(
              PERCENTILES.map((one) => [
                group[`p${one}_lower`.replace('.', '_')],
                group[`p${one}_upper`.replace('.', '_')],
              ]),
            ).toEqual(percentilesOf(merged, PERCENTILES).map(({ lower, upper }) => [lower, upper]));
          }
        },
      ),
      { numRuns: 20 },
    );
  },
);

testPostgres('PostgreSQL finds a metric and its attributes whatever their characters are', async () => {
  const text = anyText.filter((one) => !one.includes('\0'));
  await fc.assert(
    fc.asyncProperty(text, text, text, fc.boolean(), async (metric, key, value, conforming) => {
      const [row] = await rowsOf([{ significantDigits: 2, attributes: {}, intervals: [[1, 2, 3]] }]);
      const attributes = Object.fromEntries([[key, value]]);
      postgres.run(`DROP TABLE IF EXISTS history; ${historyTableSql('postgres')}`);
      postgres.run(
        insertSql([
          { ...row!, metric, attributes },
          { ...row!, metric, producer: 'without' },
        ]),
      );
      const sql = historySql({ metric, by: [key], where: attributes }, 'postgres');
      postgres.run(`ALTER DATABASE postgres SET standard_conforming_strings = ${conforming ? 'on' : 'off'}`);
      expect(postgres.ask(sql)).toMatchObject([{ group1: value, count: 3 }]);
    }),
    { numRuns: 30 },
  );
});
