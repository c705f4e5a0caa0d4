import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import { folderRollupSql, historySql } from '../../src/index.ts';
import { runInDuckDb } from '../support/duckdb.ts';
import { destroyOthers, fillDays } from '../support/folder-of-days.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 30;
const DAY_OF_QUESTION = 17;

let folder = '';
let startMs = 0;

beforeAll(async () => {
  ({ folder, startMs } = await fillDays(DAYS));
});

/** How many files DuckDB reads for a statement, each time that it reads the folder. */
async function filesOf(sql: string): Promise<number[]> {
  const [row] = await runInDuckDb(`EXPLAIN (ANALYZE, FORMAT json) ${sql}`);
  return [...String(row!.explain_value).matchAll(/"Total Files Read": "(\d+)"/g)].map(([, files]) =>
    Number(files),
  );
}

test('a rollup of two days reads their files only', async () => {
  const sinceMs = startMs + DAY_OF_QUESTION * DAY_MS;
  const [, copy] = folderRollupSql('duckdb', folder, newDirectory(), {
    sinceMs,
    untilMs: sinceMs + 2 * DAY_MS,
  });
  expect(new Set(await filesOf(copy!))).toEqual(new Set([2]));
});

test('of 30 days, one hour of a route is read from one file, and from less than 2 % of all row groups', async () => {
  const sinceMs = startMs + DAY_OF_QUESTION * DAY_MS + 7 * HOUR_MS;
  const question = { metric: 'lat2', where: { route: '/1' }, sinceMs, untilMs: sinceMs + HOUR_MS };
  const sql = historySql(question, 'duckdb', { folder });
  const answer = await runInDuckDb(sql);
  expect(answer).toMatchObject([{ count: 8n }]);
  expect((await filesOf(sql)).every((files) => files === 1)).toBe(true);
  expect(new Set(await filesOf(historySql({ metric: 'lat2' }, 'duckdb', { folder })))).toEqual(
    new Set([DAYS]),
  );
  expect(destroyOthers(folder, 'lat2', sinceMs, sinceMs + HOUR_MS)).toBeLessThan(0.02);
  expect(await runInDuckDb(sql)).toEqual(answer);
  await expect(runInDuckDb(historySql({ metric: 'lat2' }, 'duckdb', { folder }))).rejects.toThrow();
});
