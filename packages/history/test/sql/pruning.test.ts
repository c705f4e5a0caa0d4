import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import { parquetMetadata } from 'hyparquet';
import { folderRollupSql, type HistoryRow, historySql } from '../../src/index.ts';
import { runInDuckDb } from '../support/duckdb.ts';
import { minutes } from '../support/filled-folder.ts';
import { writeRows } from '../support/folder.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const [DAYS, METRICS, ROUTES] = [30, 4, 2];
const DAY_OF_QUESTION = 17;

let folder = '';
let startMs = 0;

beforeAll(async () => {
  folder = newDirectory();
  const [row] = (await minutes(1)) as [HistoryRow];
  startMs = row.startMs;
  for (let day = 0; day < DAYS; day++) {
    const rows: HistoryRow[] = [];
    for (let series = 0; series < METRICS * ROUTES; series++) {
      const identity = {
        metric: `lat${series % METRICS}`,
        attributes: { route: `/${Math.floor(series / METRICS)}` },
        producer: `shop ${series}`,
      };
      for (let at = 0; at < DAY_MS; at += 900_000) {
        const beginMs = startMs + day * DAY_MS + at;
        rows.push({
          ...row,
          ...identity,
          startMs: beginMs,
          endMs: beginMs + 900_000,
          sequence: beginMs,
        });
      }
    }
    await writeRows(folder, rows, 192);
  }
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

/** Overwrites the pages of the row groups that a question need not read, in all files. Returns the share of those that stay. */
async function destroyOthers(metric: string, sinceMs: number, untilMs: number): Promise<number> {
  let [all, kept] = [0, 0];
  for (const path of readdirSync(folder, { recursive: true }) as string[]) {
    if (!path.endsWith('.parquet')) continue;
    const bytes = readFileSync(join(folder, path));
    const { row_groups: groups } = parquetMetadata(new Uint8Array(bytes).buffer);
    for (const { columns } of groups) {
      const statistics = (name: string): { min: unknown; max: unknown } => {
        const { meta_data: found } = columns.find((one) => one.meta_data!.path_in_schema[0] === name)!;
        return { min: found!.statistics!.min_value, max: found!.statistics!.max_value };
      };
      const [names, starts] = [statistics('metric'), statistics('start')];
      const hasMetric = String(names.min) <= metric && metric <= String(names.max);
      all++;
      if (hasMetric && Number(starts.min) < untilMs && Number(starts.max) >= sinceMs) kept++;
      else {
        for (const {
          meta_data: {
            data_page_offset: data,
            dictionary_page_offset: dictionary,
            total_compressed_size: size,
          } = {} as never,
        } of columns as {
          meta_data?: {
            data_page_offset: bigint;
            dictionary_page_offset?: bigint;
            total_compressed_size: bigint;
          };
        }[]) {
          const at = Number(dictionary ?? data);
          bytes.fill(0, at, at + Number(size));
        }
      }
    }
    writeFileSync(join(folder, path), bytes);
  }
  return kept / all;
}

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
  expect(await destroyOthers('lat2', sinceMs, sinceMs + HOUR_MS)).toBeLessThan(0.02);
  expect(await runInDuckDb(sql)).toEqual(answer);
  await expect(runInDuckDb(historySql({ metric: 'lat2' }, 'duckdb', { folder }))).rejects.toThrow();
});
