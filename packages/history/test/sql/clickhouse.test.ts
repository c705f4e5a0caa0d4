import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describeWithPeers, programOf } from '@hdrscope/testing';
import { type HistoryQuestion, historySql, historyTableSql, uniqueRowsSql } from '../../src/index.ts';
import { expectAnyTexts } from '../support/any-texts.ts';
import { writeRows } from '../support/folder.ts';
import { expectRefusedFiles } from '../support/lacking-files.ts';
import { expectMergedPercentiles, withNumbers } from '../support/merged-percentiles.ts';
import { newDirectory } from '../support/sandbox.ts';
import { expectAllShapes } from '../support/shaped-rows.ts';
import { expectZonedStretches } from '../support/zoned-stretches.ts';

interface Session {
  query(sql: string, format?: string): string;
  cleanup(): void;
}

describeWithPeers(['chdb'])('ClickHouse that reads files', () => {
  let session: Session;
  beforeAll(() => {
    const load = createRequire(join(programOf('chdb'), 'tests.js'));
    const { Session } = load('chdb') as { Session: new (path: string) => Session };
    session = new Session(newDirectory());
  });
  afterAll(() => session.cleanup());

  const answerOf = (sql: string): Record<string, unknown>[] =>
    withNumbers(
      session
        .query(sql, 'JSONEachRow')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    );
  const ask = (question: HistoryQuestion, folder: string): Record<string, unknown>[] =>
    answerOf(historySql(question, 'clickhouse', { folder }));

  test('gives the percentiles of merged rows, by group and time', async () => {
    await expectMergedPercentiles(15, async (lists) => {
      const folder = newDirectory();
      for (const rows of lists) await writeRows(folder, rows);
      return [(question) => ask(question, folder)];
    });
  });

  test('gives stretches of time zones, as clocks show them', async () => {
    await expectZonedStretches(3, async (lists) => {
      const folder = newDirectory();
      for (const rows of lists) await writeRows(folder, rows);
      return [(question) => ask(question, folder)];
    });
  });

  test('reads files of all encodings, also into a table', async () => {
    await expectAllShapes(ask);
    await expectAllShapes((question, folder) => {
      session.query('CREATE DATABASE IF NOT EXISTS tests');
      session.query('DROP TABLE IF EXISTS tests.history');
      session.query(historyTableSql('clickhouse', ['tests', 'history']));
      session.query(`INSERT INTO tests.history SELECT * FROM file('${folder}/*/*.parquet', 'Parquet')`);
      return answerOf(historySql(question, 'clickhouse', { table: ['tests', 'history'] }));
    });
  });

  test('refuses a folder in which a file lacks a column that all files have', async () => {
    await expectRefusedFiles(async (folder) => ask({ metric: 'lat', where: { route: '/a' } }, folder));
    await expectRefusedFiles(
      async (folder) => answerOf(uniqueRowsSql({ metric: 'lat' }, 'clickhouse', { folder })),
      ['producer', 'k'],
    );
  });

  test('finds a metric and its attributes whatever their characters are', async () => {
    await expectAnyTexts(40, ask);
  });
});
