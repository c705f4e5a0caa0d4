import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { caseCount } from '@hdrscope/testing/case-count';
import { refusalOf } from '@hdrscope/testing/refusals';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import { folderCompactSql, folderRollupSql, readRows } from '../../src/index.ts';
import { withDuckDb } from '../../src/query/duckdb.ts';
import { minutes } from '../support/filled-folder.ts';
import { writeRows } from '../support/folder.ts';
import {
  expectFolderCompaction,
  expectFolderRollups,
  expectLaterRollups,
  expectOverlappingRollups,
  type Run,
} from '../support/folder-statements.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

const run: Run = (statements) =>
  withDuckDb({ threads: '2' }, async (runSql) => {
    for (const statement of statements) await runSql(statement);
  });

test('DuckDB writes rollups that mergeRows would give, also over attributes, again and again', async () => {
  await expectFolderRollups(caseCount(4, 100), 'duckdb', run);
});

test('DuckDB writes each row of a folder once, in its largest revision', async () => {
  await expectFolderCompaction(caseCount(4, 100), 'duckdb', run);
});

test('rollups of DuckDB count late rows, and merged series have bounds when they are merged again', async () => {
  await expectLaterRollups('duckdb', run);
});

test('rollups of DuckDB over days that were rolled up before, also by another length, have each value once', async () => {
  await expectOverlappingRollups('duckdb', run);
});

test('DuckDB writes the same bytes again, in one file for each of 200 days', async () => {
  const folder = newDirectory();
  const [row] = await minutes(1);
  for (let day = 0; day < 200; day++) {
    const startMs = row!.startMs + day * 86_400_000;
    await writeRows(folder, [{ ...row!, startMs, endMs: startMs + 60_000, sequence: day }]);
  }
  const into = newDirectory();
  const bytes = (): string[][] =>
    (readdirSync(into, { recursive: true }) as string[])
      .filter((name) => name.endsWith('.parquet'))
      .sort()
      .map((name) => [name, readFileSync(join(into, name)).toString('hex')]);
  await run(folderCompactSql('duckdb', folder, into));
  const before = bytes();
  expect(before.length).toBe(200);
  await run(folderCompactSql('duckdb', folder, into));
  expect(bytes()).toEqual(before);
});

// Without a zone, DuckDB shows a time as UTC.
const UTC = { start: 'epoch_ms(epoch_ms("start"))', end: 'epoch_ms(epoch_ms("end"))' };

test.each([
  ['milliseconds', `CAST(${UTC.start} AS TIMESTAMP_MS)`, `CAST(${UTC.end} AS TIMESTAMP_MS)`],
  ['microseconds', UTC.start, UTC.end],
  ['microseconds of UTC', '"start" + INTERVAL 999 MICROSECONDS', '"end"'],
  ['nanoseconds', `CAST(${UTC.start} AS TIMESTAMP_NS)`, `CAST(${UTC.end} AS TIMESTAMP_NS)`],
])('a file that DuckDB rewrote with times in %s is read', async (_, start, end) => {
  const [row] = await minutes(1);
  const folder = newDirectory();
  const path = await writeRows(folder, [row!]);
  const copy = join(folder, 'copy.parquet');
  await run([
    `COPY (SELECT * REPLACE (${start} AS "start", ${end} AS "end") FROM '${path}') TO '${copy}' (FORMAT parquet)`,
  ]);
  const found = [];
  for await (const one of readRows(copy)) found.push(one);
  expect(found).toEqual([row]);
});

test.each([
  [() => folderCompactSql('clickhouse' as never, 'a', 'b'), "the dialect must be 'duckdb' or 'spark'"],
  [() => folderCompactSql('duckdb', '', 'b'), 'folder must be the path of a folder, got ""'],
  [() => folderCompactSql('duckdb', 'a', 'a/'), 'into must be another folder than that of the history'],
  [() => folderCompactSql('duckdb', 'a', 'b', { since: 1 } as never), 'did you mean sinceMs?'],
  [
    () => folderCompactSql('spark', 'a', 'b', { untilMs: 7 }),
    'untilMs must be the start of a day in UTC, because files of whole days are written, got 7',
  ],
  [
    () => folderRollupSql('spark', 'a', 'b', { everyMs: 7_000_000 }),
    'everyMs must be an integer of milliseconds that divides a day, got 7000000',
  ],
  [
    () => folderRollupSql('duckdb', 'a', 'b', { drop: 'host' as never }),
    'drop must be an array of keys of attributes, got "host"',
  ],
])('%s is refused', (make, message) => {
  expect(refusalOf(make, 'ERR_INVALID_OPTION').message).toContain(message);
});
