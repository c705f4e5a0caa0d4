import { copyFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  folderRollupSql,
  type HistoryQuestion,
  type HistoryRow,
  historyFunctionsSql,
  historySql,
} from '@hdrscope/history';
import { describeWithPeers } from '@hdrscope/testing';
import { importHistorySupport } from './support/history-support.ts';
import { Spark } from './support/spark.ts';

/** What the tests of the history expect of every engine that reads its files. The package exports none of it. */
interface Expectations {
  expectMergedPercentiles(
    numRuns: number,
    store: (
      lists: readonly (readonly HistoryRow[])[],
    ) => Promise<readonly ((question: HistoryQuestion) => Answer)[]>,
  ): Promise<void>;
  expectZonedStretches: Expectations['expectMergedPercentiles'];
  expectAllShapes(ask: (question: HistoryQuestion, folder: string) => Answer): Promise<void>;
  expectAnyTexts(
    numRuns: number,
    ask: (question: HistoryQuestion, folder: string) => Answer,
    more: readonly string[],
  ): Promise<void>;
  expectFolderRollups(numRuns: number, dialect: 'spark', run: Run): Promise<void>;
  expectFolderCompaction(numRuns: number, dialect: 'spark', run: Run): Promise<void>;
  expectLaterRollups(dialect: 'spark', run: Run): Promise<void>;
  expectOverlappingRollups(dialect: 'spark', run: Run): Promise<void>;
  writeRows(folder: string, rows: readonly HistoryRow[]): Promise<string>;
  minutes(count: number): Promise<HistoryRow[]>;
  expectFunctions(
    numRuns: number,
    engine: {
      readonly dialect: 'spark';
      store(rows: readonly HistoryRow[]): Promise<string>;
      ask(sql: string): Answer;
    },
  ): Promise<void>;
  expectRefusals(engine: { readonly dialect: 'spark'; ask(sql: string): Answer }): Promise<void>;
  documentedSql(section: '### Functions', engine: 'spark'): string;
  fillDays(days: number): Promise<{ readonly folder: string; readonly startMs: number }>;
  expectRefusedFiles(ask: (folder: string) => Promise<unknown>, columns?: readonly string[]): Promise<void>;
  destroyOthers(folder: string, metric: string, sinceMs: number, untilMs: number): number;
  /** Removed after the tests of the file. */
  newDirectory(): string;
}
type Answer = Promise<Record<string, unknown>[]>;
type Run = (statements: readonly string[]) => Promise<void>;

const {
  expectMergedPercentiles,
  expectZonedStretches,
  expectAllShapes,
  expectAnyTexts,
  expectFolderRollups,
  expectFolderCompaction,
  expectLaterRollups,
  expectOverlappingRollups,
  writeRows,
  minutes,
  expectFunctions,
  expectRefusals,
  documentedSql,
  fillDays,
  expectRefusedFiles,
  destroyOthers,
  newDirectory,
} = await importHistorySupport<Expectations>(
  'merged-percentiles',
  'zoned-stretches',
  'shaped-rows',
  'any-texts',
  'folder',
  'filled-folder',
  'sandbox',
  'documented-sql',
  'folder-of-days',
  'folder-statements',
  'sql-functions',
  'lacking-files',
);

/** Starts Spark for the tests of a block. Returns how statements run in it. */
function useSpark(peer: 'spark' | 'spark-4'): (sql: string) => Answer {
  let spark: Spark;
  beforeAll(() => {
    spark = new Spark(newDirectory(), { peer });
  });
  afterAll(() => spark.stop());
  return (sql) => spark.ask(sql);
}

describeWithPeers(['spark-4'])('functions of Spark 4', () => {
  const ask = useSpark('spark-4');
  beforeAll(async () => {
    for (const statement of historyFunctionsSql('spark')) await ask(statement);
  }, 300_000);
  const store = async (rows: readonly HistoryRow[]): Promise<string> => {
    const folder = newDirectory();
    await writeRows(folder, rows);
    return `parquet.\`${folder}\``;
  };

  test('give what the library gives', async () => {
    await expectFunctions(3, { dialect: 'spark', store, ask });
  }, 300_000);

  test('refuse what has no answer', async () => {
    await expectRefusals({ dialect: 'spark', ask });
  }, 300_000);

  test('answer the documented question', async () => {
    const question = documentedSql('### Functions', 'spark')
      .replace('http.server.request.duration', 'lat')
      .replace('parquet.`history`', await store(await minutes(3)));
    expect(await ask(question)).toEqual([{ route: null, p999: expect.any(Number) }]);
  }, 300_000);
});

describeWithPeers(['spark'])('Spark, asked for the history in a folder,', () => {
  const answerOf = useSpark('spark');
  const ask = (question: HistoryQuestion, folder: string): Answer =>
    answerOf(historySql(question, 'spark', { folder }));
  const run: Run = async (statements) => {
    for (const statement of statements) await answerOf(statement);
  };

  test('gives the percentiles of merged rows, by group and time', async () => {
    await expectMergedPercentiles(6, async (lists) => {
      const folder = newDirectory();
      for (const rows of lists) await writeRows(folder, rows);
      return [(question) => ask(question, folder)];
    });
  }, 300_000);

  test('gives stretches of time zones, as clocks show them', async () => {
    await expectZonedStretches(3, async (lists) => {
      const folder = newDirectory();
      for (const rows of lists) await writeRows(folder, rows);
      return [(question) => ask(question, folder)];
    });
  }, 300_000);

  test('reads files of all encodings', async () => {
    await expectAllShapes(ask);
  }, 300_000);

  test('leaves out files that are being written, wait for a larger one, or were set aside', async () => {
    const folder = newDirectory();
    const rows = await minutes(3);
    const path = await writeRows(folder, rows);
    const beside = (ending: string) => join(dirname(path), `_${basename(path)}.${ending}`);
    copyFileSync(path, beside('waiting'));
    writeFileSync(beside('partial'), 'PAR1');
    writeFileSync(beside('damaged'), 'PAR1');
    expect(await ask({ metric: 'lat', percentiles: [] }, folder)).toMatchObject([{ count: 6 }]);
  }, 300_000);

  test('finds a metric and its attributes whatever their characters are', async () => {
    const special = ['$' + '{x}', '$' + '{spark.app.name}', '\\$', '\\u0041', '\\%', '\\_'];
    await expectAnyTexts(10, ask, special);
  }, 300_000);

  test('refuses a folder in which a file lacks a column that all files have', async () => {
    const columns = ['metric', 'start', 'attributes', 'count', 'k'];
    const sinceMs = Date.parse('2023-11-14');
    await expectRefusedFiles(
      (folder) => ask({ metric: 'lat', where: { route: '/a' }, sinceMs }, folder),
      columns.slice(2),
    );
    await expectRefusedFiles((folder) => run(folderRollupSql('spark', folder, newDirectory())), columns);
  }, 300_000);

  test('writes rollups that mergeRows would give, also over attributes, again and again', async () => {
    await expectFolderRollups(3, 'spark', run);
  }, 300_000);

  test('writes each row of a folder once, in its largest revision', async () => {
    await expectFolderCompaction(2, 'spark', run);
  }, 300_000);

  test('counts late rows in its rollups, and gives bounds to series that are merged again', async () => {
    await expectLaterRollups('spark', run);
  }, 300_000);

  test('has each value once in rollups of days that were rolled up before, also by another length', async () => {
    await expectOverlappingRollups('spark', run);
  }, 300_000);

  test('of 30 days, reads less than 2 % of all row groups for one hour of a metric', async () => {
    const { folder, startMs } = await fillDays(30);
    const sinceMs = startMs + (17 * 24 + 7) * 3_600_000;
    const question = { metric: 'lat2', where: { route: '/1' }, sinceMs, untilMs: sinceMs + 3_600_000 };
    const [plan] = await answerOf(`EXPLAIN FORMATTED ${historySql(question, 'spark', { folder })}`);
    const text = String(Object.values(plan!)[0]);
    // One day is listed, and its row groups are compared with the metric and the time.
    expect(text).toMatch(/PartitionFilters: \[.*day.* >= .*day.* <= /);
    expect(text).toMatch(
      /PushedFilters: \[.*EqualTo\(metric,lat2\).*GreaterThanOrEqual\(start,.*LessThan\(start,/,
    );
    const answer = await ask(question, folder);
    expect(answer).toMatchObject([{ count: 8 }]);
    expect(destroyOthers(folder, 'lat2', sinceMs, sinceMs + 3_600_000)).toBeLessThan(0.02);
    expect(await ask(question, folder)).toEqual(answer);
    await expect(ask({ metric: 'lat2' }, folder)).rejects.toThrow();
  }, 300_000);
});
