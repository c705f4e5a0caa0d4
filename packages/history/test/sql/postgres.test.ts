import { Postgres, whyNoPostgres } from '@hdrscope/testing/postgres';
import { testUnless } from '@hdrscope/testing/skips';
import fc from 'fast-check';
import { historySql, historyTableSql } from '../../src/index.ts';
import { insertSql } from '../support/inserted-rows.ts';
import { expectMergedPercentiles } from '../support/merged-percentiles.ts';
import { anyText, rowsOf } from '../support/recorded.ts';

const reason = whyNoPostgres();
const testPostgres = testUnless(reason);

let postgres: Postgres;
beforeAll(async () => {
  if (reason === undefined) postgres = await Postgres.start();
}, 90_000);
afterAll(async () => {
  await postgres?.stop();
});

testPostgres('PostgreSQL gives the percentiles of merged rows, by group and time', async () => {
  await expectMergedPercentiles(20, async (lists) => {
    postgres.run(`DROP TABLE IF EXISTS history; ${historyTableSql('postgres')}`);
    for (const rows of lists) postgres.run(insertSql(rows));
    return [(question) => postgres.ask(historySql(question, 'postgres'))];
  });
});

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
