import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  compactHistory,
  type HistoryQuestion,
  type HistoryRow,
  historySql,
  queryHistory,
  rowsBetween,
  writeRows,
} from '@hdrscope/history';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers, programOf } from '@hdrscope/testing';
import { Spark } from './support/spark.ts';

const DAY_MS = 86_400_000;
const FIRST_MS = Date.parse('2026-08-01');
const SCRIPT = join(import.meta.dirname, '../../examples/iceberg/iceberg_days.py');
const ASK = join(import.meta.dirname, 'support/ask_iceberg.py');

/** Rows of two routes, one for each hour of a day. */
async function rowsOfDay(day: number, producer: string): Promise<HistoryRow[]> {
  const registry = createRegistry();
  const durations = registry.histogram({ name: 'lat', unit: 's', significantDigits: day % 2 === 0 ? 2 : 3 });
  for (const [i, route] of ['/pay', '/search'].entries()) {
    for (let n = 1; n <= 40; n++) durations.with({ 'http.route': route }).record((n * (i + day + 1)) / 1000);
  }
  const made = [...rowsBetween(undefined, await registry.gather(), { producer })];
  return Array.from({ length: 24 }, (_, hour) => FIRST_MS + day * DAY_MS + hour * 3_600_000).flatMap(
    (startMs, h) =>
      made.map((row, i) => ({ ...row, startMs, endMs: startMs + 60_000, sequence: (day * 24 + h) * 2 + i })),
  );
}

const QUESTIONS: readonly HistoryQuestion[] = [
  { metric: 'lat', by: ['http.route'] },
  { metric: 'lat', percentiles: [50, 99.9], every: { days: 1 } },
  // One hour, of which statistics tell row groups apart.
  {
    metric: 'lat',
    where: { 'http.route': '/pay' },
    sinceMs: FIRST_MS + DAY_MS + 3_600_000,
    untilMs: FIRST_MS + DAY_MS + 7_200_000,
  },
];

describeWithPeers(['iceberg', 'spark'])('a history as a table of Iceberg', () => {
  const work = mkdtempSync(join(tmpdir(), 'hdrscope-iceberg-'));
  const folder = join(work, 'history');
  const tables = join(work, 'tables');
  const env = {
    ...process.env,
    PYICEBERG_CATALOG__DEFAULT__TYPE: 'sql',
    PYICEBERG_CATALOG__DEFAULT__URI: `sqlite:///${tables}/catalog.db`,
    PYICEBERG_CATALOG__DEFAULT__WAREHOUSE: `file://${tables}`,
  };
  let spark: Spark;
  beforeAll(() => {
    mkdirSync(tables);
    const jars = join(dirname(programOf('iceberg')), '../jars/iceberg-spark-runtime-3.5_2.12.jar');
    spark = new Spark(work, { settings: [`--jars ${jars}`] });
  });
  afterAll(async () => {
    await spark.stop();
    rmSync(work, { recursive: true });
  });

  const write = async (day: number, producer: string): Promise<void> => {
    const name = new Date(FIRST_MS + day * DAY_MS).toISOString().slice(0, 10);
    await writeRows(
      join(folder, `day=${name}`, `${producer.replace(' ', '-')}.parquet`),
      await rowsOfDay(day, producer),
    );
  };
  const update = (...more: string[]) =>
    spawnSync(programOf('iceberg'), [SCRIPT, folder, 'metrics.history', ...more], { env, encoding: 'utf8' });
  /** The file that says what the table is: each commit writes one. */
  const findMetadata = (): string => {
    const path = join(tables, 'metrics/history/metadata');
    return join(
      path,
      readdirSync(path)
        .filter((name) => name.endsWith('.metadata.json'))
        .sort()
        .at(-1)!,
    );
  };
  const askDuckDb = (question: HistoryQuestion): Record<string, unknown>[] => {
    const input = historySql(question, 'duckdb', { table: 'history' });
    const { stdout, stderr } = spawnSync(programOf('iceberg'), [ASK, findMetadata()], {
      input,
      encoding: 'utf8',
    });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout);
  };
  const askSpark = async (question: HistoryQuestion): Promise<Record<string, unknown>[]> => {
    await spark.ask(
      `CREATE OR REPLACE TEMPORARY VIEW history USING iceberg OPTIONS (path '${findMetadata()}')`,
    );
    return await spark.ask(historySql(question, 'spark', { table: 'history' }));
  };
  const expectEqualAnswers = async (): Promise<void> => {
    for (const question of QUESTIONS) {
      const groups = await queryHistory(folder, question);
      const expected = groups.map(({ startMs, count, percentiles, max }) => ({
        start_ms: startMs ?? null,
        count,
        max: expect.closeTo(max.upper, 12),
        p99_9_lower: percentiles.find(({ percentile }) => percentile === 99.9)!.lower,
      }));
      for (const answer of [askDuckDb(question), await askSpark(question)]) {
        expect(answer).toEqual(expected.map((one) => expect.objectContaining(one)));
      }
    }
  };

  test('gives DuckDB and Spark the answers of the folder, at every change of it', async () => {
    for (const day of [0, 1, 2]) await write(day, 'shop 1');
    await write(1, 'shop 2');
    await compactHistory(folder);
    expect(update()).toMatchObject({
      status: 0,
      stdout: '2026-08-01  1 files\n2026-08-02  1 files\n2026-08-03  1 files\n',
    });
    await expectEqualAnswers();

    const before = findMetadata();
    expect(update()).toMatchObject({ status: 0, stdout: '' });
    expect(findMetadata()).toBe(before);

    // Late rows, in a second file and then in the one that compaction makes of both.
    await write(0, 'shop 2');
    expect(update()).toMatchObject({ status: 0, stdout: '2026-08-01  2 files\n' });
    await expectEqualAnswers();
    await compactHistory(folder);
    expect(update('--expire-days', '0')).toMatchObject({ status: 0, stdout: '2026-08-01  1 files\n' });
    await expectEqualAnswers();

    rmSync(join(folder, 'day=2026-08-03'), { recursive: true });
    expect(update()).toMatchObject({ status: 0, stdout: '2026-08-03  removed\n' });
    await expectEqualAnswers();

    expect(update('--older-than-days', '100000')).toMatchObject({ status: 1, stdout: '' });
    renameSync(folder, `${folder}-away`);
    mkdirSync(folder);
    expect(update()).toMatchObject({
      status: 1,
      stderr: `metrics.history has 2 days, and ${folder} has none that ended so long ago: nothing was changed\n`,
    });
    rmSync(folder, { recursive: true });
    renameSync(`${folder}-away`, folder);
    await expectEqualAnswers();
  }, 600_000);
});
