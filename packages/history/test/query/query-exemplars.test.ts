import { join } from 'node:path';
import { createRegistry } from '@hdrscope/registry';
import { FakeClock } from '@hdrscope/testing/fake-clock';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import {
  compactHistory,
  type HistoryRow,
  mergeRows,
  queryExemplars,
  rollUpHistory,
  rowsBetween,
  writeRows as writeFile,
} from '../../src/index.ts';
import { withDuckDb } from '../../src/query/duckdb.ts';
import { parseExemplars } from '../../src/rows/row-exemplars.ts';
import { documentedSql } from '../support/documented-sql.ts';
import { rowsIn, writeRows } from '../support/folder.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

/** Identifiers as long as those of OpenTelemetry. */
const traceOf = (n: number): string => n.toString(16).padStart(32, '0');
const LATER_MS = Date.parse('2024-01-01');

/** A row for each list of values of a route: a value is recorded with a trace of its own. */
async function rowsOf(...intervals: readonly (readonly number[])[]): Promise<HistoryRow[]> {
  const clock = new FakeClock();
  const registry = createRegistry({ clock });
  const family = registry.histogram({ name: 'http.duration', unit: 's' });
  const rows: HistoryRow[] = [];
  let before = registry.emptySnapshot();
  let trace = 0;
  for (const values of intervals) {
    clock.advance(60_000);
    for (const value of values) {
      const series = family.with({ route: value < 1 ? '/fast' : '/slow' });
      series.record(value);
      const attributes = { trace_id: traceOf(++trace), span_id: `span ${trace}`, user: 'not kept' };
      series.offerExemplar({ value, timeMs: clock.nowMs(), attributes });
    }
    clock.advance(1);
    const snapshot = await registry.gather();
    rows.push(...rowsBetween(before, snapshot, { producer: 'shop 1', sequence: rows.length }));
    before = snapshot;
  }
  return rows;
}

const valuesIn = ({ exemplars = [], scale }: Pick<HistoryRow, 'exemplars' | 'scale'>): number[] =>
  exemplars.map(({ value }) => Number((value * scale).toPrecision(9)));

test('a row has the largest values of its interval with their traces, and not those of earlier intervals', async () => {
  const [first, second, third] = await rowsOf([1, 2, 4, 8, 16, 32], [3], []);
  expect(valuesIn(first!)).toEqual([32, 16, 8, 4]);
  expect(first!.exemplars![0]).toEqual({
    value: 32e9,
    timeMs: expect.any(Number),
    traceId: traceOf(6),
    spanId: 'span 6',
  });
  expect(valuesIn(second!)).toEqual([3]);
  expect(third).toBeUndefined();
});

test('an exemplar that two rows have is found once', async () => {
  const [row] = await rowsOf([2]);
  const folder = newDirectory();
  await writeRows(folder, [row!, { ...row!, sequence: 7, startMs: row!.endMs }]);
  expect(await queryExemplars(folder, { metric: 'http.duration' })).toHaveLength(1);
});

test('the statement of the documents for DuckDB finds them', async () => {
  const folder = newDirectory();
  await writeRows(folder, await rowsOf([0.25, 2, 8]));
  const files = join(folder, '*', '*.parquet');
  const sql = documentedSql('## Exemplars', 'duckdb').replace('history/day=2026-11-22/*.parquet', files);
  const rows = await withDuckDb({}, (run) => run(sql));
  expect(rows.map(({ seconds, trace }) => [seconds, trace])).toEqual([
    [8, traceOf(3)],
    [2, traceOf(2)],
    [0.25, traceOf(1)],
  ]);
});

test('exemplars without a trace, or with one that is too long, are in no row', async () => {
  const registry = createRegistry();
  const series = registry.histogram({ name: 'x' }).with({});
  for (const attributes of [{}, { trace_id: '' }, { trace_id: 7 }, { trace_id: 'a'.repeat(65) }]) {
    series.record(1);
    series.offerExemplar({ value: 1, timeMs: 1, attributes });
  }
  const [row] = rowsBetween(undefined, await registry.gather(), { producer: 'p' });
  expect(row).not.toHaveProperty('exemplars');
});

test('files, compacted files and rollups keep them, and a sum of rows has the largest of all', async () => {
  const rows = await rowsOf([0.25, 2, 8], [0.5, 64]);
  const [folder, into] = [newDirectory(), newDirectory()];
  for (const row of rows) await writeRows(folder, [row]);
  expect([...(await rowsIn(folder)).values()].flat()).toEqual(expect.arrayContaining(rows));
  await compactHistory(folder, { nowMs: LATER_MS });
  const compacted = [...(await rowsIn(folder)).values()].flat();
  expect(compacted).toHaveLength(rows.length);
  expect(compacted).toEqual(expect.arrayContaining(rows));
  await rollUpHistory(folder, into, { nowMs: LATER_MS });
  const rolled = [...(await rowsIn(into)).values()].flat();
  expect(rolled.map(valuesIn).sort()).toEqual([
    [0.5, 0.25],
    [64, 8, 2],
  ]);
  expect(valuesIn(mergeRows([...rows, ...rows]))).toEqual([64, 8, 2, 0.5]);
});

test('the largest values of a metric are found, by series and time, each row once', async () => {
  const rows = await rowsOf([0.25, 2, 8], [0.5, 64]);
  const folder = newDirectory();
  await writeRows(folder, rows);
  await writeRows(folder, rows.slice(0, 1));
  const found = await queryExemplars(folder, { metric: 'http.duration', limit: 3 });
  expect(found.map(({ value, traceId }) => [value, traceId])).toEqual([
    [64, traceOf(5)],
    [8, traceOf(3)],
    [2, traceOf(2)],
  ]);
  expect(found[0]).toEqual({
    attributes: { route: '/slow' },
    unit: 's',
    value: 64,
    timeMs: rows.at(-1)!.endMs - 1,
    traceId: traceOf(5),
    spanId: 'span 5',
  });
  const [fast] = await queryExemplars(folder, { metric: 'http.duration', where: { route: '/fast' } });
  expect(fast!.value).toBe(0.5);
  const early = await queryExemplars(folder, { metric: 'http.duration', untilMs: rows[0]!.startMs + 1 });
  expect(early.map(({ value }) => value)).not.toContain(64);
  expect(await queryExemplars(folder, { metric: 'other' })).toEqual([]);
});

test('files without the column, and columns of foreign texts, have none', async () => {
  const [row] = await rowsOf([2]);
  const folder = newDirectory();
  await writeFile(join(folder, 'day=2023-11-14', 'none.parquet'), [{ ...row!, exemplars: undefined }]);
  expect(await queryExemplars(folder, { metric: 'http.duration' })).toEqual([]);
  for (const text of ['', '{', '7', 'null', '[7, null, {}]', '[{"value":"2","time":1,"trace_id":"a"}]']) {
    expect(parseExemplars(text)).toEqual([]);
  }
});

test.each([0, 1.5, '3'])('a limit of %j is refused', async (limit) => {
  await expect(queryExemplars('x', { metric: 'm', limit: limit as number })).rejects.toThrow(
    'limit must be an integer of at least 1',
  );
});
