import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { lackOfPeer, programOf, testUnless } from '@hdrscope/testing';
import { caseCount } from '@hdrscope/testing/case-count';
import { lackOfPostgres, Postgres } from '@hdrscope/testing/postgres';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import fc from 'fast-check';
import {
  compactHistory,
  type HistoryRow,
  historyMetrics,
  historySql,
  historyTableSql,
  mergeRows,
  queryHistory,
  queryMergedRows,
  readRows,
  rollUpHistory,
} from '../../src/index.ts';
import { insertedArrays, insertSql } from '../../src/tables/postgres-rows.ts';
import { runInDuckDb } from '../support/duckdb.ts';
import { minutes } from '../support/filled-folder.ts';
import { writeRows } from '../support/folder.ts';
import { withNumbers } from '../support/merged-percentiles.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

const LATER_MS = Date.parse('2024-01-01');

/** A row as it was when it had so many values. */
function withCount(row: HistoryRow, count: number): HistoryRow {
  return { ...row, revision: count, count, k: [130_816], c: [count], sum: count, min: 1, max: 1 };
}

/** Some rows, and files that have them in some of their revisions, the newest in at least one. */
async function revisedRows(
  counts: readonly (readonly number[])[],
): Promise<{ readonly files: HistoryRow[][]; readonly total: number }> {
  const rows = await minutes(counts.length, 'import 7d1f a');
  const files: HistoryRow[][] = [];
  for (const [at, ofRow] of counts.entries()) {
    for (const [file, count] of ofRow.entries()) {
      const rowsOfFile = files[file] ?? [];
      files[file] = rowsOfFile;
      rowsOfFile.push(withCount(rows[at]!, count));
    }
  }
  return { files, total: counts.reduce((sum, ofRow) => sum + Math.max(...ofRow), 0) };
}

const countsOfRows = fc.array(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 5,
});

test('the largest revision of a row counts, in every function, before and after a compaction', async () => {
  await fc.assert(
    fc.asyncProperty(countsOfRows, async (counts) => {
      const { files, total } = await revisedRows(counts);
      expect(mergeRows(files.flat()).count).toBe(total);
      const folder = newDirectory();
      for (const rows of files) await writeRows(folder, rows);
      // A file that has a row twice.
      await writeRows(folder, files.flat());
      const expectTotal = async (from: string): Promise<void> => {
        expect((await queryHistory(from, { metric: 'lat' })).map(({ count }) => count)).toEqual([total]);
        expect((await historyMetrics(from)).map(({ count }) => count)).toEqual([total]);
        for await (const { count } of queryMergedRows(from, { metric: 'lat' })) expect(count).toBe(total);
        const sql = historySql({ metric: 'lat' }, 'duckdb', { folder: from });
        expect((await runInDuckDb(sql)).map(({ count }) => Number(count))).toEqual([total]);
      };
      await expectTotal(folder);
      const hours = newDirectory();
      await rollUpHistory(folder, hours, { nowMs: LATER_MS });
      await expectTotal(hours);
      await compactHistory(folder, { nowMs: LATER_MS });
      await expectTotal(folder);
    }),
    { numRuns: caseCount(4, 12) },
  );
});

test('a file has revisions, and one that lacks them has rows of revision 0', async () => {
  const [row] = await minutes(1);
  const folder = newDirectory();
  const path = await writeRows(folder, [withCount(row!, 7)]);
  const older = join(dirname(path), 'older.parquet');
  await runInDuckDb(
    `COPY (SELECT * EXCLUDE revision REPLACE (9::BIGINT AS count) FROM '${path}') TO '${older}' (CODEC gzip)`,
  );
  const revisions: unknown[] = [];
  for (const file of [path, older]) for await (const { revision } of readRows(file)) revisions.push(revision);
  expect(revisions).toEqual([7, undefined]);
  expect(await queryHistory(folder, { metric: 'lat' })).toMatchObject([{ count: 7 }]);
  const sql = historySql({ metric: 'lat' }, 'duckdb', { folder });
  expect((await runInDuckDb(sql)).map(({ count }) => Number(count))).toEqual([7]);
});

const ASKED = { metric: 'lat' };

testUnless(lackOfPeer('chdb'))(
  'ClickHouse counts the largest revision, of files and of a table',
  async () => {
    const load = createRequire(join(programOf('chdb'), 'tests.js'));
    const { Session } = load('chdb') as {
      Session: new (path: string) => { query(sql: string, format?: string): string; cleanup(): void };
    };
    const session = new Session(newDirectory());
    try {
      const { files, total } = await revisedRows([[3, 9, 4], [5], [8, 2]]);
      const folder = newDirectory();
      for (const rows of files) await writeRows(folder, rows);
      session.query('CREATE DATABASE tests');
      session.query(historyTableSql('clickhouse', ['tests', 'history']));
      session.query(`INSERT INTO tests.history SELECT * FROM file('${folder}/*/*.parquet', 'Parquet')`);
      const countOf = (source: Parameters<typeof historySql>[2]): unknown =>
        withNumbers([JSON.parse(session.query(historySql(ASKED, 'clickhouse', source), 'JSONEachRow'))])[0]
          ?.count;
      expect(countOf({ folder })).toBe(total);
      expect(countOf({ table: ['tests', 'history'] })).toBe(total);
      session.query('OPTIMIZE TABLE tests.history FINAL');
      expect(countOf({ table: ['tests', 'history'] })).toBe(total);
    } finally {
      session.cleanup();
    }
  },
  60_000,
);

testUnless(lackOfPostgres())(
  'PostgreSQL counts the largest revision of a table without a primary key',
  async () => {
    const server = await Postgres.start();
    try {
      const { files, total } = await revisedRows([[3, 9, 4], [5], [8, 2]]);
      server.run(historyTableSql('postgres', 'history'));
      server.run('ALTER TABLE history DROP CONSTRAINT history_pkey');
      for (const rows of files) {
        const values = (await insertedArrays(rows)).map((array) => `'${array.replaceAll("'", "''")}'`);
        server.run(insertSql('history').replace(/\$(\d+)/g, (_, at) => values[Number(at) - 1]!));
      }
      expect(withNumbers(server.ask(historySql(ASKED, 'postgres')))).toMatchObject([{ count: total }]);
    } finally {
      await server.stop();
    }
  },
  60_000,
);
