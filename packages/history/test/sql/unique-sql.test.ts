import { refusalOf } from '@hdrscope/testing/refusals';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import { uniqueRowsSql } from '../../src/index.ts';
import { runInDuckDb } from '../support/duckdb.ts';
import { minutes } from '../support/filled-folder.ts';
import { writeRows } from '../support/folder.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

test('rows are given once, in their largest revision, and only those that are selected', async () => {
  const folder = newDirectory();
  const rows = await minutes(4);
  await writeRows(folder, rows);
  await writeRows(folder, [{ ...rows[0]!, revision: 3, count: 9 }, rows[1]!]);
  await writeRows(folder, [{ ...rows[0]!, metric: 'other', producer: 'other' }]);
  const counts = async (selection: object) => {
    const sql = uniqueRowsSql(selection, 'duckdb', { folder });
    const found = await runInDuckDb(`SELECT count FROM (${sql}) ORDER BY metric, "start"`);
    return found.map(({ count }) => Number(count));
  };
  expect(await counts({ metric: 'lat' })).toEqual([9, 2, 2, 2]);
  expect(await counts({})).toEqual([9, 2, 2, 2, 2]);
  const [, second, , fourth] = rows.map(({ startMs }) => startMs);
  expect(await counts({ metric: 'lat', sinceMs: second, untilMs: fourth })).toEqual([2, 2]);
  expect(await counts({ where: { route: '/b' } })).toEqual([]);
});

test('a value that is no selection is refused', () => {
  expect(refusalOf(() => uniqueRowsSql({ metric: 7 } as never, 'spark'), 'ERR_INVALID_OPTION').message).toBe(
    'metric must be a text, got 7',
  );
  expect(refusalOf(() => uniqueRowsSql(undefined as never, 'spark'), 'ERR_INVALID_OPTION').message).toContain(
    'the selection must be',
  );
});
