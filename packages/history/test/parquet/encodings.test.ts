import { isDeepStrictEqual } from 'node:util';
import { createRegistry } from '@hdrscope/registry';
import { FakeClock } from '@hdrscope/testing/fake-clock';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import fc from 'fast-check';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { ByteWriter } from 'hyparquet-writer';
import {
  type HistoryRow,
  historySql,
  readRows,
  rowsBetween,
  writeRows as writeFile,
} from '../../src/index.ts';
import { basesFor, writeDeltas } from '../../src/parquet/delta.ts';
import { ParquetEncoder } from '../../src/parquet/encode.ts';
import { compareRows } from '../../src/parquet/order.ts';
import { runInDuckDb } from '../support/duckdb.ts';
import { writeRows } from '../support/folder.ts';
import { newDirectory } from '../support/sandbox.ts';
import { expectAllShapes, rowsOfShape, shapeNames } from '../support/shaped-rows.ts';

shareDuckDb();

function unpacked<T extends Int32Array | BigInt64Array>(writer: ByteWriter, output: T): T {
  const view = new DataView(writer.getBytes().slice().buffer);
  deltaBinaryUnpack({ view, offset: 0 }, output.length, output);
  return output;
}

test('integers of 32 bits come back from their differences, whichever difference is 0', () => {
  const value = fc.oneof(fc.nat({ max: 2 ** 31 - 1 }), fc.nat({ max: 300 }));
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 3000 }),
      fc.integer({ min: 0, max: 300 }),
      (values, base) => {
        for (const one of [...basesFor(values), base]) {
          const writer = new ByteWriter();
          writeDeltas(writer, values, one);
          expect(isDeepStrictEqual([...unpacked(writer, new Int32Array(values.length))], values)).toBe(true);
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('differences of one byte take one byte each, and the head of a block little more', () => {
  // Rows of 40 slots: small steps, and one back.
  const values = Array.from({ length: 40_000 }, (_, i) => 130_000 + 3 * (i % 40) + (i % 3));
  const writer = new ByteWriter();
  writeDeltas(writer, values, basesFor(values)[0]!);
  expect(writer.index).toBeLessThan(1.04 * values.length);
});

test.each(shapeNames)('rows with %s come back from a file', async (shape) => {
  const rows = rowsOfShape(shape);
  // Five row groups, and one.
  const all = rows.reduce((sum, { k }) => sum + k.length, 0);
  for (const slots of [Math.ceil(all / 5), 80_000]) {
    const read = [];
    for await (const row of readRows(await writeRows(newDirectory(), rows, slots))) read.push(row);
    // Jest takes seconds to compare as many numbers.
    expect(isDeepStrictEqual(read, [...rows].sort(compareRows))).toBe(true);
  }
});

test('DuckDB reads all encodings', async () => {
  await expectAllShapes(async (question, folder) => {
    const rows = await runInDuckDb(historySql(question, 'duckdb', { folder }), {});
    return rows.map((row) => ({ ...row, count: Number(row.count) }));
  });
});

/** What a registry counts for some hours: 20 series, and in each minute 50 latencies of each, in some 40 slots. */
async function hoursOfRows(): Promise<HistoryRow[]> {
  const clock = new FakeClock(1_700_000_000_000);
  const registry = createRegistry({ clock });
  const family = registry.histogram({ name: 'http.server.request.duration', unit: 's' });
  const rows: HistoryRow[] = [];
  let state = 1;
  const uniform = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  let before = await registry.gather({ maxAgeMs: 0 });
  for (let minute = 0; minute < 150; minute++) {
    for (let route = 0; route < 20; route++) {
      const series = family.with({ 'http.route': `/api/v1/resource/${route}`, 'http.request.method': 'GET' });
      for (let i = 0; i < 50; i++) {
        const normal = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
        series.record(Math.round(2e6 * (1 + route / 4) * Math.exp(0.16 * normal)) / 1e9);
      }
    }
    clock.advance(60_000);
    const now = await registry.gather({ maxAgeMs: 0 });
    rows.push(...rowsBetween(before, now, { producer: 'shop 7d1f', sequence: rows.length }));
    before = now;
  }
  return rows;
}

test('a row of 40 slots takes forty bytes at most', async () => {
  const rows = await hoursOfRows();
  const slots = rows.reduce((sum, { k }) => sum + k.length, 0) / rows.length;
  expect(slots).toBeGreaterThan(39);
  const { bytes } = await writeFile(`${newDirectory()}/hours.parquet`, rows);
  expect(bytes / rows.length).toBeLessThan(40);
});

test('a row group of any size is encoded in parts, between which other work can run', () => {
  const rows = rowsOfShape('differences of one byte, and a wide step back');
  const encoder = new ParquetEncoder();
  const many: HistoryRow[] = [];
  for (let i = 0; i < 10; i++)
    many.push(...rows.map((row) => ({ ...row, sequence: row.sequence + 1000 * i })));
  const slots = many.reduce((sum, { k }) => sum + k.length, 0);
  expect(slots).toBeGreaterThan(150_000);
  expect([...encoder.add(many)].length).toBeGreaterThan((2 * slots) / 20_000 - 2);
});

test('rows with no slots at all come back from a file, and DuckDB reads them', async () => {
  const rows = rowsOfShape('one count, one slot').map((row) => ({ ...row, count: 0, k: [], c: [] }));
  const path = await writeRows(newDirectory(), rows);
  const read = [];
  for await (const row of readRows(path)) read.push(row);
  expect(read).toEqual([...rows].sort(compareRows));
  const [sums] = await runInDuckDb(
    `SELECT count(*)::INTEGER AS n, sum(len(k) + len(c))::INTEGER AS slots FROM '${path}'`,
    {},
  );
  expect(sums).toEqual({ n: rows.length, slots: 0 });
});

test.each([
  [{ k: [1.5] }, 'its rows must have integers from 0 to 2147483647, got 1.5'],
  [{ k: [2 ** 31] }, 'got 2147483648'],
  [{ c: [-1] }, 'its rows must have integers from 0 to 9007199254740991, got -1'],
  [{ c: [2 ** 53] }, 'got 9007199254740992'],
  [{ startMs: Number.NaN }, 'got NaN'],
  [{ sequence: 0.5 }, 'got 0.5'],
])('rows with %j are refused', async (wrong, message) => {
  const row = { ...rowsOfShape('one count, one slot')[0]!, k: [1], c: [1] };
  const writing = writeFile(`${newDirectory()}/wrong.parquet`, [{ ...row, ...wrong }]);
  await expect(writing).rejects.toMatchObject({
    code: 'ERR_HISTORY_FILE',
    message: expect.stringContaining(message),
  });
});
