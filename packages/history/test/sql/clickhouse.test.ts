import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describeWithPeers, programOf } from '@hdrscope/testing';
import fc from 'fast-check';
import { type HistoryQuestion, type HistorySource, historySql, historyTableSql } from '../../src/index.ts';
import { writeRows } from '../support/folder.ts';
import { expectMergedPercentiles, withNumbers } from '../support/merged-percentiles.ts';
import { anyText, rowsOf } from '../support/recorded.ts';
import { newDirectory } from '../support/sandbox.ts';
import { expectAllShapes } from '../support/shaped-rows.ts';

interface Session {
  query(sql: string, format?: string): string;
  cleanup(): void;
}

describeWithPeers(['chdb'])('ClickHouse', () => {
  let session: Session;
  beforeAll(() => {
    const load = createRequire(join(programOf('chdb'), 'tests.js'));
    const { Session } = load('chdb') as { Session: new (path: string) => Session };
    session = new Session(newDirectory());
  });
  afterAll(() => session.cleanup());

  const ask = (question: HistoryQuestion, source: HistorySource): Record<string, unknown>[] =>
    withNumbers(
      session
        .query(historySql(question, 'clickhouse', source), 'JSONEachRow')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    );

  test('gives the percentiles of merged rows, by group and time, from files and from a table', async () => {
    await expectMergedPercentiles(15, async (lists) => {
      const folder = newDirectory();
      for (const rows of lists) await writeRows(folder, rows);
      session.query('CREATE DATABASE IF NOT EXISTS tests');
      session.query('DROP TABLE IF EXISTS tests.history');
      session.query(historyTableSql('clickhouse', ['tests', 'history']));
      session.query(`INSERT INTO tests.history SELECT * FROM file('${folder}/*/*.parquet', 'Parquet')`);
      const sources = [{ folder }, { table: ['tests', 'history'] }];
      return sources.map((source) => (question) => ask(question, source));
    });
  });

  test('reads files of all encodings', async () => {
    await expectAllShapes((question, folder) => ask(question, { folder }));
  });

  test('finds a metric and its attributes whatever their characters are', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyText, anyText, async (metric, key, value) => {
        const [row] = await rowsOf([{ significantDigits: 2, attributes: {}, intervals: [[1, 2, 3]] }]);
        const attributes = Object.fromEntries([[key, value]]);
        const folder = newDirectory();
        await writeRows(folder, [
          { ...row!, metric, attributes },
          { ...row!, metric: `${metric}x`, attributes, producer: 'another metric' },
          { ...row!, metric, producer: 'without' },
        ]);
        const answer = ask({ metric, by: [key], where: attributes }, { folder });
        expect(answer.map(({ group1, count }) => [group1, count])).toEqual([[value, 3]]);
        expect(ask({ metric }, { folder }).map(({ count }) => count)).toEqual([6]);
      }),
      { numRuns: 40 },
    );
  });
});
