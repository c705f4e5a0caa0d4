import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import {
  folderCompactSql,
  folderRollupSql,
  historySql,
  queryHistory,
  uniqueRowsSql,
} from '../../src/index.ts';
import { REQUIRED_COLUMNS } from '../../src/parquet/schema.ts';
import { withDuckDb } from '../../src/query/duckdb.ts';
import { runInDuckDb } from '../support/duckdb.ts';
import { minutes } from '../support/filled-folder.ts';
import { writeRows } from '../support/folder.ts';
import { expectRefusedFiles } from '../support/lacking-files.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

// Rows without one of these are of no metric and of no day.
const ASKED = ['metric', 'start'];
const OTHERS = REQUIRED_COLUMNS.filter((column) => !ASKED.includes(column));
const SPAN = { sinceMs: Date.parse('2023-11-14'), untilMs: Date.parse('2023-11-15') };
const QUESTION = { metric: 'lat', where: { route: '/a' }, ...SPAN };

const run = (statements: readonly string[]): Promise<void> =>
  withDuckDb({}, async (runOne) => {
    for (const sql of statements) await runOne(sql);
  });

describe('a file without a column that all files have is refused', () => {
  test.each<[string, (folder: string) => Promise<unknown>]>([
    ['a question', (folder) => runInDuckDb(historySql(QUESTION, 'duckdb', { folder }))],
    ['rows once each', (folder) => runInDuckDb(uniqueRowsSql(QUESTION, 'duckdb', { folder }))],
    ['a rollup', (folder) => run(folderRollupSql('duckdb', folder, newDirectory(), SPAN))],
    ['a compaction', (folder) => run(folderCompactSql('duckdb', folder, newDirectory(), SPAN))],
    ['queryHistory', (folder) => queryHistory(folder, QUESTION)],
  ])('by %s', async (_name, ask) => {
    await expectRefusedFiles(ask, OTHERS);
  });
});

test('a file without metrics or times is refused where all rows are read', async () => {
  await expectRefusedFiles((folder) => runInDuckDb(uniqueRowsSql({}, 'duckdb', { folder })), ASKED);
  await expectRefusedFiles((folder) => run(folderCompactSql('duckdb', folder, newDirectory())), ASKED);
  await expectRefusedFiles((folder) => run(folderRollupSql('duckdb', folder, newDirectory())), ASKED);
  await expectRefusedFiles((folder) => queryHistory(folder, QUESTION), ASKED);
});

test('an attribute that no series has is a group without a value, and no series where it is asked for', async () => {
  const folder = newDirectory();
  await writeRows(folder, await minutes(3));
  const ask = (question: object) =>
    runInDuckDb(historySql({ metric: 'lat', ...question }, 'duckdb', { folder }));
  expect(await ask({ by: ['absent'] })).toMatchObject([{ group1: null, count: 6n }]);
  expect(await ask({ where: { absent: '' } })).toEqual([]);
});
