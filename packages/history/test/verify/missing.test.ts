import { readFileSync, writeFileSync } from 'node:fs';
import type { Bounds } from '@hdrscope/core';
import { caseCount, someCells } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { type DamagedFile, type HistoryRow, verifyHistory } from '../../src/index.ts';
import { SEAL_BYTES } from '../../src/parquet/seal.ts';
import { TOTALS_BYTES } from '../../src/parquet/totals.ts';
import { writeRows } from '../support/folder.ts';
import { START_MS } from '../support/recorded.ts';
import { newDirectory } from '../support/sandbox.ts';

const ALL_DAYS = 86_400_000;
const UNKNOWN: Bounds = { lower: 0, upper: Number.POSITIVE_INFINITY };
const exactly = (value: number): Bounds => ({ lower: value, upper: value });

interface RowId {
  readonly producer: string;
  /** Rows of the second day have numbers from 1000 on. */
  readonly sequence: number;
  readonly revision: number;
}

/** Producer and sequence say all but the number of values, which grows with the revision. */
function rowOf({ producer, sequence, revision }: RowId): HistoryRow {
  const startMs = START_MS + sequence + (sequence >= 1000 ? ALL_DAYS : 0);
  const count = (1 + (sequence % 7)) * (1 + revision);
  return {
    ...{
      metric: 'lat',
      unit: 's',
      attributes: { host: `host ${sequence % 3}` },
      startMs,
      endMs: startMs + 1,
    },
    ...{ producer, sequence, count, sum: 1000 * count, min: 1000, max: 1000, scale: 1e-9, bits: 7 },
    ...{ k: [132_218], c: [count], w: [], version: 2 },
    ...(revision > 0 && { revision }),
  };
}

/** How many rows and values files have together. */
function totalsOf(files: readonly (readonly HistoryRow[])[]): { rows: number; values: number } {
  const best = new Map<string, number>();
  for (const { producer, sequence, count } of files.flat()) {
    const key = JSON.stringify([producer, sequence]);
    best.set(key, Math.max(count, best.get(key) ?? 0));
  }
  return { rows: best.size, values: [...best.values()].reduce((sum, count) => sum + count, 0) };
}

function sumOf(all: readonly Bounds[]): Bounds {
  return all.reduce(
    (sum, { lower, upper }) => ({ lower: sum.lower + lower, upper: sum.upper + upper }),
    exactly(0),
  );
}

const rowIds = (offset: number) =>
  fc.array(
    fc.record({
      producer: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom('shop 1', 'shop 2', 'pay 1') },
        fc.nat(200).map((n) => `job ${n}`),
      ),
      sequence: fc.nat(60).map((n) => n + offset),
      revision: fc.nat(2),
    }),
    { minLength: 1, maxLength: 100 },
  );

const file = fc.record({
  ids: fc.oneof(rowIds(0), rowIds(1000)),
  slots: fc.constantFrom(30, 200, 80_000),
  // As a compaction leaves it that was cut off, or an import of a file that has grown.
  hasCopy: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
  // Producers of its own share no row with other files.
  isOwn: fc.boolean(),
});

const harm = fc.record({
  kind: fc.constantFrom('flip', 'flip', 'cut', 'zeros', 'swap'),
  file: fc.nat(),
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  bit: fc.nat(7),
});

function damage(bytes: Buffer, { kind, at: share, bit }: { kind: string; at: number; bit: number }): Buffer {
  const at = Math.floor(share * bytes.length);
  if (kind === 'cut' || bytes.length === 0) return bytes.subarray(0, at);
  const changed = Buffer.from(bytes);
  if (kind === 'flip') changed[at]! ^= 1 << bit;
  else if (kind === 'zeros') changed.fill(0, at, Math.min(bytes.length, at + 512));
  else changed.copyWithin(at, 0, 300);
  return changed;
}

test('the rows and values that are stated as missing are missing: exactly, or between the bounds', async () => {
  const known = { exact: 0, bounded: 0, unknown: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(file, { minLength: 1, maxLength: 4 }),
      fc.array(harm, { minLength: 1, maxLength: 2 }),
      async (files, harms) => {
        const folder = newDirectory();
        const written: { path: string; rows: HistoryRow[] }[] = [];
        for (const [n, { ids, slots, hasCopy, isOwn }] of files.entries()) {
          const rows = ids.map((id) => rowOf(isOwn ? { ...id, producer: `${n} ${id.producer}` } : id));
          for (let copies = hasCopy ? 2 : 1; copies > 0; copies--) {
            written.push({ path: await writeRows(folder, rows, slots), rows });
          }
        }
        for (const one of harms) {
          const { path } = written[one.file % written.length]!;
          writeFileSync(path, damage(readFileSync(path), one));
        }
        const { damaged } = await verifyHistory(folder);
        const left = written.filter(({ path }) => !damaged.some((one) => one.path === path));
        const [before, after] = [written, left].map((some) => totalsOf(some.map(({ rows }) => rows)));
        for (const name of ['rows', 'values'] as const) {
          const { lower, upper } = sumOf(damaged.map((one) => one[name]));
          const missing = before![name] - after![name];
          expect(lower).toBeLessThanOrEqual(missing);
          expect(upper).toBeGreaterThanOrEqual(missing);
          if (lower === upper) known.exact++;
          else known[upper === Number.POSITIVE_INFINITY ? 'unknown' : 'bounded']++;
        }
      },
    ),
    { numRuns: caseCount(100, 600) },
  );
  // Not by saying nothing.
  expect(known.exact).toBeGreaterThan(30);
  expect(known.bounded).toBeGreaterThan(15);
  expect(known.unknown).toBeGreaterThan(10);
});

/** A folder with a file of 40 rows in several row groups, and one beside it. */
async function manyRows(): Promise<{ folder: string; path: string; bytes: Buffer }> {
  const folder = newDirectory();
  const rows = (producer: string) =>
    Array.from({ length: 40 }, (_, sequence) => rowOf({ producer, sequence, revision: 0 }));
  const path = await writeRows(folder, rows('shop 1'), 100);
  await writeRows(folder, rows('pay 1'));
  return { folder, path, bytes: readFileSync(path) };
}

const VALUES = Array.from({ length: 40 }, (_, n) => 1 + (n % 7)).reduce((sum, count) => sum + count, 0);

async function missingIn(folder: string): Promise<Pick<DamagedFile, 'rows' | 'values'>> {
  const [{ rows, values } = { rows: UNKNOWN, values: UNKNOWN }] = (await verifyHistory(folder)).damaged;
  return { rows, values };
}

test('what a flipped bit loses is known, but where it is in the record of the number or in that of the rows', async () => {
  const { folder, path, bytes } = await manyRows();
  const footerAt = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
  const recordAt = footerAt - SEAL_BYTES - TOTALS_BYTES;
  const found = new Set<string>();
  const places = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, n) => 7 * n);
  const inPages = places.filter((at) => at < recordAt);
  for (const at of [...someCells(inPages, 0), ...places.slice(inPages.length)]) {
    const flipped = Buffer.from(bytes);
    flipped[at]! ^= 1 << (at % 8);
    writeFileSync(path, flipped);
    const part =
      at < recordAt ? 'pages' : at < footerAt - SEAL_BYTES ? 'record' : at < footerAt ? 'seal' : 'footer';
    found.add(JSON.stringify([part, await missingIn(folder)]));
  }
  const exact = { rows: exactly(40), values: exactly(VALUES) };
  const atMost = { rows: { lower: 0, upper: 40 }, values: { lower: 0, upper: VALUES } };
  expect(found).toEqual(
    new Set([
      JSON.stringify(['pages', exact]),
      JSON.stringify(['record', { rows: UNKNOWN, values: UNKNOWN }]),
      JSON.stringify(['seal', exact]),
      JSON.stringify(['footer', exact]),
      // In the key that says which rows the file has: the other file may have the same.
      JSON.stringify(['footer', atMost]),
    ]),
  );
});

test('a file that is cut off and alone on its day has lost at least what its intact row groups count', async () => {
  const folder = newDirectory();
  const rows = Array.from({ length: 40 }, (_, sequence) =>
    rowOf({ producer: 'shop 1', sequence, revision: 0 }),
  );
  const path = await writeRows(folder, rows, 100);
  const bytes = readFileSync(path);
  const lower: number[] = [];
  for (let length = 0; length < bytes.length; length += 400) {
    writeFileSync(path, bytes.subarray(0, length));
    lower.push((await missingIn(folder)).rows.lower);
  }
  expect([lower[0], lower.at(-1)]).toEqual([0, 40]);
  expect([...lower].sort((a, b) => a - b)).toEqual(lower);
  expect(new Set(lower).size).toBeGreaterThan(3);
});

test('a file without an intact record has lost an unknown number, also beside others', async () => {
  const { folder, path, bytes } = await manyRows();
  for (const content of ['', 'no Parquet', bytes.subarray(0, 50), Buffer.alloc(5000)]) {
    writeFileSync(path, content);
    expect(await missingIn(folder)).toEqual({ rows: UNKNOWN, values: UNKNOWN });
  }
});

test('more values than a double counts are a lower bound', async () => {
  const folder = newDirectory();
  const rows = [0, 1].map((sequence) => {
    const count = Number.MAX_SAFE_INTEGER - 1;
    return { ...rowOf({ producer: 'shop 1', sequence, revision: 0 }), count, c: [count] };
  });
  const path = await writeRows(folder, rows);
  const bytes = readFileSync(path);
  bytes[20]! ^= 1;
  writeFileSync(path, bytes);
  expect(await missingIn(folder)).toEqual({
    rows: exactly(2),
    values: { lower: 2 ** 53, upper: Number.POSITIVE_INFINITY },
  });
});
