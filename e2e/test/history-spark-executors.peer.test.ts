import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  folderCompactSql,
  folderRollupSql,
  type HistoryRow,
  queryHistory,
  uniqueRowsSql,
} from '@hdrscope/history';
import { describeWithPeers } from '@hdrscope/testing';
import { importHistorySupport } from './support/history-support.ts';
import { Spark } from './support/spark.ts';

/** A row of a rollup, as `mergedSeries` gives it. */
type MergedSeries = Readonly<Record<string, unknown>>;

const { rowsOf, mergedSeries, inOrder, readRolledRow, rowsIn, writeRows, newDirectory } =
  await importHistorySupport<{
    rowsOf(all: readonly object[]): Promise<HistoryRow[]>;
    mergedSeries(rows: readonly HistoryRow[], drop: readonly string[], everyMs: number): MergedSeries[];
    inOrder(rows: readonly MergedSeries[]): MergedSeries[];
    readRolledRow(row: HistoryRow): MergedSeries;
    rowsIn(folder: string): Promise<Map<string, HistoryRow[]>>;
    writeRows(folder: string, rows: readonly HistoryRow[]): Promise<string>;
    newDirectory(): string;
  }>('recorded', 'merged-series', 'folder', 'sandbox');

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const FIRST_MS = Date.parse('2026-08-01');
const DAYS = 2;
const DROP = ['host'];
const QUESTION = { metric: 'lat', percentiles: [50, 99, 99.9], by: ['route'], everyMs: 6 * HOUR_MS };

/** Rows of a series over all days. */
async function rowsOfSeries(attributes: HistoryRow['attributes'], rowsPerDay: number): Promise<HistoryRow[]> {
  const seed = Object.values(attributes).join('').length;
  const intervals = Array.from({ length: 20 }, (_, i) =>
    Array.from({ length: 12 }, (_, n) => 1000 * (seed + i * 37 + n * n * 11)),
  );
  const made = await rowsOf([{ significantDigits: 2, attributes, intervals }]);
  const everyMs = DAY_MS / rowsPerDay;
  return Array.from({ length: DAYS * rowsPerDay }, (_, sequence) => {
    const startMs = FIRST_MS + Math.floor(sequence * everyMs);
    const endMs = startMs + 1000;
    const producer = `shop ${attributes.host}${attributes.route}`;
    return { ...made[sequence % made.length]!, startMs, endMs, producer, sequence };
  });
}

/** Writes rows into several files of each day. */
async function writeDays(folder: string, rows: readonly HistoryRow[], fileRows = 1000): Promise<void> {
  for (let day = 0; day < DAYS; day++) {
    const ofDay = rows.filter(({ startMs }) => Math.floor((startMs - FIRST_MS) / DAY_MS) === day);
    for (let at = 0; at < ofDay.length; at += fileRows) {
      await writeRows(folder, ofDay.slice(at, at + fileRows));
    }
  }
}

async function readFolder(folder: string): Promise<HistoryRow[]> {
  return [...(await rowsIn(folder)).values()].flat();
}

/** Waits for a condition while work is under way. Returns whether it came true before the work ended. */
async function isTrueDuring(work: Promise<unknown>, condition: () => boolean): Promise<boolean> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  work.then(end, end);
  while (!hasEnded) {
    if (condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

describeWithPeers(['spark'])('Spark on three executors', () => {
  const work = newDirectory();
  const folder = join(work, 'history');
  let spark: Spark;
  let rows: HistoryRow[];
  beforeAll(async () => {
    spark = new Spark(work, {
      master: 'local-cluster[3,1,1024]',
      settings: [
        `--conf spark.local.dir=${work}/shuffles`,
        '--conf spark.executor.memory=640m',
        '--conf "spark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"',
      ],
    });
    // One series has nine rows of ten, so one executor has most of the work.
    const hosts = Array.from({ length: 6 }, (_, i) => `h${i}`);
    const series = hosts.flatMap((host) => ['/pay', '/search'].map((route) => ({ host, route })));
    const all = await Promise.all(series.map((attributes) => rowsOfSeries(attributes, 24)));
    rows = [...(await rowsOfSeries({ host: 'h0', route: '/busy' }, 2500)), ...all.flat()];
    await writeDays(folder, rows);
    // Some rows are in two files.
    await writeDays(folder, rows.slice(0, 40));
    // As Spark has them by itself: the peer has one partition, and no plans that adapt.
    for (const setting of [
      'spark.sql.shuffle.partitions = 3',
      'spark.sql.adaptive.enabled = true',
      'spark.sql.autoBroadcastJoinThreshold = -1',
    ]) {
      await spark.ask(`SET ${setting}`);
    }
  }, 300_000);
  afterAll(async () => {
    await spark?.stop();
  });

  const run = async (statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await spark.ask(statement);
  };
  const expectRollup = async (into: string): Promise<void> => {
    const found = (await readFolder(into)).map(readRolledRow);
    expect(inOrder(found)).toEqual(mergedSeries(rows, DROP, HOUR_MS));
    expect(await queryHistory(into, QUESTION)).toEqual(await queryHistory(folder, QUESTION));
  };
  /** Kills an executor when it, or another one, has written a part of the answer that others have to fetch. */
  const runAndKill = async (statements: readonly string[]): Promise<void> => {
    const before = new Set(listShuffles());
    const executors = spark.listExecutors();
    expect(executors).toHaveLength(3);
    const running = run(statements);
    expect(await isTrueDuring(running, () => listShuffles().some((name) => !before.has(name)))).toBe(true);
    process.kill(executors[1]!, 'SIGKILL');
    await running;
    expect(spark.listExecutors()).not.toContain(executors[1]);
  };
  const listShuffles = (): string[] =>
    (readdirSync(join(work, 'shuffles'), { recursive: true }) as string[]).filter((name) =>
      /^shuffle_.+\.data$/.test(basename(name)),
    );

  test('writes the rollup of the library, though an executor is killed and a series has most rows', async () => {
    const into = join(work, 'hourly');
    const statements = folderRollupSql('spark', folder, into, { drop: DROP });
    await runAndKill(statements);
    await expectRollup(into);
    const made = new Set(await readFolder(into));
    await run(statements);
    expect(new Set(await readFolder(into))).toEqual(made);

    // Rows that come late, to the second day only.
    const late = (await rowsOfSeries({ host: 'late', route: '/pay' }, 48)).slice(48);
    rows = [...rows, ...late];
    await writeDays(folder, late);
    const sinceMs = FIRST_MS + DAY_MS;
    await run(folderRollupSql('spark', folder, into, { drop: DROP, sinceMs }));
    await expectRollup(into);
  }, 300_000);

  test('writes each row once, and gives each once', async () => {
    const into = join(work, 'compacted');
    const statements = folderCompactSql('spark', folder, into);
    await run(statements);
    const found = await readFolder(into);
    const nameOf = ({ producer, sequence }: HistoryRow): string => `${producer} ${sequence}`;
    expect(found.map(nameOf).sort()).toEqual(rows.map(nameOf).sort());
    expect(await queryHistory(into, QUESTION)).toEqual(await queryHistory(folder, QUESTION));
    await run(statements);
    expect(await readFolder(into)).toEqual(found);

    const unique = uniqueRowsSql({ metric: 'lat' }, 'spark', { folder });
    const [sums] = await spark.ask(`SELECT count(*) AS rows, sum(count) AS values FROM (${unique})`);
    const values = rows.reduce((sum, { count }) => sum + count, 0);
    expect(sums).toEqual({ rows: rows.length, values });
  }, 300_000);
});
