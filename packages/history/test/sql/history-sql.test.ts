import { refusalOf } from '@hdrscope/testing/refusals';
import { historyRollupSql, historySql, historyTableSql, mergeRows, percentilesOf } from '../../src/index.ts';
import { runInDuckDb } from '../support/duckdb.ts';
import { writeRows } from '../support/folder.ts';
import { rowsOf } from '../support/recorded.ts';
import { newDirectory } from '../support/sandbox.ts';

const TICKS = [0, 1, 7, 300, 12_345, 1_000_000, 2 ** 40 + 3, Number.MAX_SAFE_INTEGER];

test.each([1e-9, 1e-6, 0.001, 1, 1024, 0.3])(
  'a statement computes the bounds of slots in the unit, in steps of %d',
  async (scale) => {
    const rows = await rowsOf([{ significantDigits: 2, attributes: {}, intervals: [TICKS] }], { scale });
    const folder = newDirectory();
    await writeRows(folder, rows);
    const percentiles = [0, 12.5, 25, 37.5, 50, 62.5, 75, 87.5, 100];
    const [answer] = await runInDuckDb(historySql({ metric: 'lat', percentiles }, 'duckdb', { folder }), {});
    for (const { percentile, lower, upper } of percentilesOf(mergeRows(rows), percentiles)) {
      const name = `p${String(percentile).replace('.', '_')}`;
      expect(Number(answer![`${name}_lower`]) / (lower || 1)).toBeCloseTo(lower === 0 ? 0 : 1, 14);
      expect(Number(answer![`${name}_upper`]) / (upper || 1)).toBeCloseTo(upper === 0 ? 0 : 1, 14);
    }
    expect(answer).toMatchObject({ start_ms: null, unit: 's', scale, bits: 7, count: 8n });
  },
);

test('units and scales of one metric are never added', async () => {
  const one = { significantDigits: 2, attributes: {}, intervals: [[5]] };
  const folder = newDirectory();
  const [a] = await rowsOf([one], { scale: 1e-9 });
  await writeRows(folder, [
    a!,
    { ...a!, scale: 1e-6, producer: 'micro' },
    { ...a!, unit: 'ms', producer: 'another unit' },
  ]);
  const answer = await runInDuckDb(historySql({ metric: 'lat' }, 'duckdb', { folder }), {});
  expect(answer.map(({ unit, scale, count }) => [unit, scale, count])).toEqual([
    ['ms', 1e-9, 1n],
    ['s', 1e-9, 1n],
    ['s', 1e-6, 1n],
  ]);
});

test('a question is limited to the intervals that start in a span of time', async () => {
  const rows = await rowsOf([{ significantDigits: 2, attributes: {}, intervals: [[1], [2, 2], [3, 3, 3]] }]);
  const folder = newDirectory();
  await writeRows(folder, rows);
  const counts = async (span: object) =>
    (await runInDuckDb(historySql({ metric: 'lat', ...span }, 'duckdb', { folder }), {})).map(({ count }) =>
      Number(count),
    );
  const [, second, third] = rows.map(({ startMs }) => startMs);
  expect(await counts({ sinceMs: second })).toEqual([5]);
  expect(await counts({ sinceMs: second! + 0.5 })).toEqual([3]);
  expect(await counts({ untilMs: third })).toEqual([3]);
  expect(await counts({ sinceMs: second, untilMs: third })).toEqual([2]);
  expect(await counts({ everyMs: 60_000 })).toEqual([1, 2, 3]);
});

test.each([
  [{ metric: 7 }, 'metric must be a text, got 7'],
  [{ metric: 'a', percentiles: 99 }, 'percentiles must be an array of numbers from 0 to 100, got 99'],
  [{ metric: 'a', by: 'route' }, 'by must be an array of texts, got "route"'],
  [{ metric: 'a', by: [7] }, 'a key of by must be a text, got 7'],
  [{ metric: 'a', where: { route: 7 } }, 'where["route"] must be a text, got 7'],
  [{ metric: 'a', where: null }, 'where must be an object of texts, got null'],
  [{ metric: 'a', everyMs: 0 }, 'everyMs must be an integer of at least 1, got 0'],
  [
    { metric: 'a', sinceMs: Number.NaN },
    'sinceMs must be a number of milliseconds from 0 to 8640000000000000, got NaN',
  ],
  [{ metric: 'a', percentile: [50] }, 'did you mean percentiles?'],
])('the question %j is refused', (question, message) => {
  expect(refusalOf(() => historySql(question as never, 'duckdb'), 'ERR_INVALID_OPTION').message).toContain(
    message,
  );
});

test('percentiles outside 0 to 100 are refused', () => {
  expect(
    refusalOf(() => historySql({ metric: 'a', percentiles: [101] }, 'duckdb'), 'ERR_INVALID_VALUE').message,
  ).toBe('percentile must be a number from 0 to 100, got 101');
});

test.each([
  ['mysql', {}, 'the dialect must be duckdb, clickhouse, postgres, spark, got "mysql"'],
  ['duckdb', { table: 'a', folder: 'b' }, 'the rows are in a table or in a folder, got both'],
  ['duckdb', { table: '' }, 'table must be a name, or the parts of a qualified name, got ""'],
  ['duckdb', { folder: '' }, 'folder must be the path of a folder, got ""'],
  [
    'postgres',
    { folder: 'b' },
    'the source must be a table, because postgres reads no Parquet files, got "b"',
  ],
])('the source %s %j is refused', (dialect, source, message) => {
  const refusal = refusalOf(
    () => historySql({ metric: 'a' }, dialect as never, source),
    'ERR_INVALID_OPTION',
  );
  expect(refusal.message).toContain(message);
});

test('tables have quoted names', () => {
  expect(historyTableSql('postgres', ['my schema', 'hi"story'])).toContain(
    'EXISTS "my schema"."hi""story" (',
  );
  expect(historyTableSql('clickhouse', 'hi`story')).toContain('EXISTS `hi\\`story` (');
  expect(refusalOf(() => historyTableSql('duckdb' as never), 'ERR_INVALID_OPTION').message).toBe(
    "the dialect must be 'postgres' or 'clickhouse', got \"duckdb\"",
  );
});

test.each([
  [
    () => historyTableSql('clickhouse', 'a', { ttlDays: 0 }),
    'ttlDays must be an integer of at least 1, got 0',
  ],
  [() => historyTableSql('postgres', 'a', { ttlDays: 3 }), 'ttlDays is for ClickHouse'],
  [
    () => historyTableSql('clickhouse', ['a', 'b'], { cluster: '' }),
    'cluster must be the name of a cluster, got ""',
  ],
  [
    () => historyTableSql('clickhouse', 'a', { cluster: 'c' }),
    'the table of a cluster must be the names of its database and of itself',
  ],
  [() => historyRollupSql('postgres', ['a', 'b'], { cluster: 'c' }), 'cluster is for ClickHouse'],
  [
    () => historyRollupSql('duckdb' as never),
    "the dialect must be 'postgres' or 'clickhouse', got \"duckdb\"",
  ],
  [() => historyRollupSql('postgres', 'a', { into: '' }), 'into must be a name, got ""'],
  [
    () => historyRollupSql('postgres', 'a', { everyMs: 0.5 }),
    'everyMs must be an integer of at least 1, got 0.5',
  ],
  [() => historyRollupSql('postgres', 'a', { every: 1 } as never), 'did you mean everyMs?'],
])('%s is refused', (make, message) => {
  expect(refusalOf(make, 'ERR_INVALID_OPTION').message).toContain(message);
});

test('a rollup lies beside its table, and has quoted names', () => {
  const [, insert, view] = historyRollupSql('clickhouse', ['my db', 'hi`story']);
  expect(insert).toContain('`my db`.`hi\\`story_rollup_insert` TO `my db`.`hi\\`story_rollup_states`');
  expect(view).toContain('CREATE VIEW IF NOT EXISTS `my db`.`hi\\`story_rollup`');
  expect(historyRollupSql('postgres', 'hi"story', { into: 'hourly"' })[1]).toBe(
    'CREATE UNIQUE INDEX IF NOT EXISTS "hourly""_key" ON "hourly""" (producer, sequence)',
  );
});
