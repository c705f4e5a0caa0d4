import { existsSync } from 'node:fs';
import { caseCount } from '@hdrscope/testing/case-count';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import fc from 'fast-check';
import { type HistoryRow, readRows, writeRows as writeRowsTo } from '../../src/index.ts';
import { compareRows } from '../../src/parquet/order.ts';
import { runInDuckDb } from '../support/duckdb.ts';
import { writeRows } from '../support/folder.ts';
import { anyText, recorded, rowsOf } from '../support/recorded.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

async function listed(path: string): Promise<HistoryRow[]> {
  const rows: HistoryRow[] = [];
  for await (const row of readRows(path)) rows.push(row);
  return rows;
}

test('rows come back from a file as they were written, whatever their texts and numbers are', async () => {
  const texts = fc.record({
    metric: anyText,
    unit: anyText,
    producer: anyText.filter((text) => text !== ''),
    attributes: fc
      .dictionary(anyText, anyText, { maxKeys: 4 })
      .map((one) => Object.fromEntries(Object.entries(one))),
    sequence: fc.maxSafeNat(),
    startMs: fc.integer({ min: 0, max: 2 ** 42 }),
    sum: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(recorded, { minLength: 1, maxLength: 4 }),
      texts,
      fc.integer({ min: 1, max: 100 }),
      async (all, changed, slots) => {
        const rows = (await rowsOf(all)).map((row) => ({ ...row, ...changed }));
        if (rows.length === 0) return;
        const path = await writeRows(newDirectory(), rows, slots);
        expect(await listed(path)).toEqual([...rows].sort(compareRows));
      },
    ),
    { numRuns: caseCount(20, 50) },
  );
});

test('DuckDB reads every column with the type that the format promises', async () => {
  const rows = await rowsOf([
    { significantDigits: 2, attributes: { route: '/pay' }, intervals: [[0, 1, 250_000_000]] },
  ]);
  const path = await writeRows(newDirectory(), rows);
  const types = await runInDuckDb(
    `DESCRIBE SELECT * FROM read_parquet('${path}', hive_partitioning = false)`,
    {},
  );
  expect(Object.fromEntries(types.map(({ column_name, column_type }) => [column_name, column_type]))).toEqual(
    {
      metric: 'VARCHAR',
      unit: 'VARCHAR',
      attributes: 'MAP(VARCHAR, VARCHAR)',
      start: 'TIMESTAMP WITH TIME ZONE',
      end: 'TIMESTAMP WITH TIME ZONE',
      producer: 'VARCHAR',
      sequence: 'BIGINT',
      count: 'BIGINT',
      sum: 'DOUBLE',
      min: 'DOUBLE',
      max: 'DOUBLE',
      scale: 'DOUBLE',
      bits: 'INTEGER',
      k: 'INTEGER[]',
      c: 'BIGINT[]',
      version: 'INTEGER',
      w: 'INTEGER[]',
      sum_below: 'DOUBLE',
      sum_above: 'DOUBLE',
      min_above: 'DOUBLE',
      max_below: 'DOUBLE',
      revision: 'BIGINT',
      exemplars: 'VARCHAR',
    },
  );
  const [row] = await runInDuckDb(
    `SELECT epoch_ms("start") AS t, k::VARCHAR AS k, c::VARCHAR AS c, count, max FROM '${path}'`,
    {},
  );
  expect(row).toEqual({
    t: 1_700_000_000_000n,
    k: `[0, ${1023 << 7}, ${rows[0]!.k[2]}]`,
    c: '[1, 1, 1]',
    count: 3n,
    max: rows[0]!.max,
  });
});

test('a file that is cut off, or has no rows of a history, is refused with its path', async () => {
  const { truncateSync, writeFileSync, statSync } = await import('node:fs');
  const folder = newDirectory();
  const path = await writeRows(
    folder,
    await rowsOf([{ significantDigits: 2, attributes: {}, intervals: [[1]] }]),
  );
  truncateSync(path, statSync(path).size - 10);
  await expect(listed(path)).rejects.toMatchObject({ code: 'ERR_HISTORY_FILE', details: { path } });
  writeFileSync(path, 'no Parquet');
  await expect(listed(path)).rejects.toMatchObject({ code: 'ERR_HISTORY_FILE' });
  await expect(listed(`${folder}/absent`)).rejects.toMatchObject({ code: 'ERR_HISTORY_FILE' });
  await runInDuckDb(`COPY (SELECT 1 AS metric) TO '${path}' (FORMAT parquet)`, {});
  await expect(listed(path)).rejects.toThrow('has no column unit');
});

test('a file that cannot be written is refused with its path, and leaves nothing', async () => {
  const path = `${newDirectory()}/absent\0.parquet`;
  await expect(writeRowsTo(path, [])).rejects.toMatchObject({ code: 'ERR_HISTORY_FILE', details: { path } });
  await expect(writeRowsTo('', [])).rejects.toThrow('path must be the path of a file, got ""');
});

test('a file without rows is one', async () => {
  const path = `${newDirectory()}/empty.parquet`;
  expect(await writeRowsTo(path, [])).toMatchObject({ path, rows: 0 });
  expect(await listed(path)).toEqual([]);
  expect(await runInDuckDb(`SELECT count(*)::INTEGER AS n FROM '${path}'`, {})).toEqual([{ n: 0 }]);
});

test.each([
  ['w', undefined, 'rows[1].w must be a list of integers, got undefined'],
  ['c', null, 'rows[1].c must be a list of integers, got null'],
  ['w', [1], /^rows\[1\]\.w must be \d+ widths, one for each slot, or none, got 1$/],
  ['c', [1], /^rows\[1\]\.c must be \d+ counts, one for each slot, got 1$/],
])('a row whose %s is %p is refused before a file is written', async (name, list, message) => {
  const [row] = await rowsOf([{ significantDigits: 2, attributes: {}, intervals: [[1, 1000, 1_000_000]] }]);
  const path = `${newDirectory()}/rows.parquet`;
  const refused = writeRowsTo(path, [row!, { ...row!, [name]: list } as HistoryRow]);
  await expect(refused).rejects.toMatchObject({
    code: 'ERR_INVALID_COUNT',
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  });
  expect(existsSync(path)).toBe(false);
});
