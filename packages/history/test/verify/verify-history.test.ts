import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { someCells } from '@hdrscope/testing/case-count';
import { expectMisspelt } from '@hdrscope/testing/refusals';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import { type DamagedFile, queryHistory, readRows, verifyHistory } from '../../src/index.ts';
import { SEAL_BYTES, seal } from '../../src/parquet/seal.ts';
import { TOTALS_BYTES } from '../../src/parquet/totals.ts';
import { runInDuckDb } from '../support/duckdb.ts';
import { writeRows } from '../support/folder.ts';
import { rowsOf } from '../support/recorded.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

/** A folder with two files of a row each, with one and with two values. Returns the path of the second file. */
async function twoFiles(): Promise<{ folder: string; path: string; bytes: Buffer }> {
  const folder = newDirectory();
  const [one, two] = await rowsOf([{ significantDigits: 2, attributes: {}, intervals: [[7], [8, 9]] }]);
  await writeRows(folder, [one!]);
  const path = await writeRows(folder, [two!]);
  return { folder, path, bytes: readFileSync(path) };
}

const QUESTION = { metric: 'lat' };

const countIn = async (folder: string, options = {}): Promise<number[]> =>
  (await queryHistory(folder, QUESTION, options)).map(({ count }) => count);

async function readAll(path: string): Promise<number> {
  let rows = 0;
  for await (const _ of readRows(path)) rows++;
  return rows;
}

/** Where the seal of a file begins. */
function sealOf(bytes: Buffer): number {
  return bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8) - SEAL_BYTES;
}

/** The bytes of a file whose metadata state another version of its rows. */
function ofVersion(bytes: Buffer, version: number): Buffer {
  const key = 'hdrscope.history.version';
  const changed = Buffer.from(bytes);
  const at = changed.indexOf('2', changed.indexOf(key) + key.length);
  changed.write(String(version), at);
  return changed;
}

test('a flipped bit anywhere in a file is found, and no question is answered with it', async () => {
  const { folder, path, bytes } = await twoFiles();
  expect(await countIn(folder)).toEqual([3]);
  const found: string[] = [];
  for (const at of someCells([...bytes.keys()], 0)) {
    const flipped = Buffer.from(bytes);
    flipped[at]! ^= 1 << (at % 8);
    writeFileSync(path, flipped);
    found.push(await readAll(path).then(String, ({ code }) => code));
    if (at % 51 === 0) await expect(countIn(folder)).rejects.toMatchObject({ code: 'ERR_HISTORY_FILE' });
  }
  expect(new Set(found)).toEqual(new Set(['ERR_HISTORY_FILE']));
  writeFileSync(path, bytes);
  expect(await countIn(folder)).toEqual([3]);
});

test('a file that is cut off anywhere is found', async () => {
  const { folder, path, bytes } = await twoFiles();
  const lengths = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, n) => 7 * n);
  for (const length of someCells(lengths, 0)) {
    writeFileSync(path, bytes.subarray(0, length));
    const [damaged] = (await verifyHistory(folder)).damaged;
    expect(damaged?.path).toBe(path);
    if (length < 8) expect(damaged?.reason).toBe(`cannot read ${path}: it is cut off`);
  }
});

test('damaged files are named, and set aside, so that questions are answered with the others', async () => {
  const { folder, path, bytes } = await twoFiles();
  expect(await verifyHistory(folder)).toEqual({ files: 2, damaged: [] });
  bytes[20]! ^= 1;
  writeFileSync(path, bytes);
  const damaged = [
    {
      path,
      reason: `cannot read ${path}: it is damaged: its bytes are not those of its seal`,
      rows: { lower: 1, upper: 1 },
      values: { lower: 2, upper: 2 },
    },
  ];
  await expect(countIn(folder)).rejects.toMatchObject({
    message: `${damaged[0]!.reason}: verifyHistory('${folder}', { repair: true }) sets such files aside`,
    details: { operation: 'read', path, damaged },
  });
  expect(await verifyHistory(folder)).toEqual({ files: 2, damaged });
  expect(await verifyHistory(folder, { repair: true })).toEqual({ files: 2, damaged });
  expect(await verifyHistory(folder)).toEqual({ files: 1, damaged: [] });
  expect(readdirSync(dirname(path)).filter((name) => name.endsWith('.damaged'))).toHaveLength(1);
  expect(readFileSync(join(dirname(path), `_${basename(path)}.damaged`))).toEqual(bytes);
  expect(await countIn(folder)).toEqual([1]);
});

test('a question leaves damaged files out when somebody wants to know them', async () => {
  const { folder, path, bytes } = await twoFiles();
  writeFileSync(path, bytes.subarray(0, 50));
  writeFileSync(join(dirname(path), 'text.parquet'), 'no Parquet');
  const damaged: DamagedFile[] = [];
  expect(await countIn(folder, { onDamaged: (file: DamagedFile) => damaged.push(file) })).toEqual([1]);
  expect(damaged.map((file) => file.path)).toEqual([path, join(dirname(path), 'text.parquet')]);
  await expect(countIn(folder)).rejects.toThrow(`(2 damaged files in ${folder})`);
});

describe('a file', () => {
  test('of version 1 has no seal, and is read', async () => {
    const { folder, path, bytes } = await twoFiles();
    const at = sealOf(bytes);
    const unsealed = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + SEAL_BYTES)]);
    writeFileSync(path, ofVersion(unsealed, 1));
    expect([await readAll(path), await countIn(folder)]).toEqual([1, [3]]);
    // Its pages have checksums of their own.
    const flipped = ofVersion(unsealed, 1);
    flipped[at - 2 * TOTALS_BYTES - 2]! ^= 1;
    writeFileSync(path, flipped);
    await expect(countIn(folder)).rejects.toMatchObject({ code: 'ERR_HISTORY_FILE' });
    writeFileSync(path, unsealed);
    await expect(countIn(folder)).rejects.toThrow('it has no seal, as files of version 2 have');
  });

  test('whose footer states a negative number of children is found, and does not hang', async () => {
    const { folder, path, bytes } = await twoFiles();
    const at = sealOf(bytes);
    const unsealed = ofVersion(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + SEAL_BYTES)]), 1);
    const element = unsealed.indexOf('attributes', at) + 'attributes'.length;
    // The field behind the name, and 1 as thrift writes it.
    expect([...unsealed.subarray(element, element + 2)]).toEqual([0x15, 0x02]);
    unsealed[element + 1] = 0x01;
    writeFileSync(path, unsealed);
    expect((await verifyHistory(folder)).damaged.map((file) => file.path)).toEqual([path]);
  });

  test('whose pages have runs that never end is found before its runs take memory', async () => {
    const { path } = await twoFiles();
    const copy = join(newDirectory(), 'copy.parquet');
    // Without compression, which finds most of what is changed, and without a seal.
    await runInDuckDb(`COPY (FROM '${path}') TO '${copy}' (FORMAT parquet, COMPRESSION uncompressed)`);
    const bytes = readFileSync(copy);
    expect(await readAll(copy)).toBe(1);
    const endless = [
      // 2^26 times the same value.
      [0x80, 0x80, 0x80, 0x40],
      // 2^32 packed values, a byte, and 2^30 times the same value: hyparquet takes the first number for 0.
      [0x81, 0x80, 0x80, 0x80, 0x04, 0, 0x80, 0x80, 0x80, 0x80, 0x08],
    ];
    for (const run of endless) {
      const reasons = new Set<string>();
      for (const at of someCells([...new Array(1200).keys()], 1)) {
        const changed = Buffer.from(bytes);
        changed.set(run, at);
        writeFileSync(copy, changed);
        await readAll(copy).catch(({ code, message }) =>
          reasons.add(`${code} ${message.split(': ').at(-1)}`),
        );
      }
      expect(reasons).toContain('ERR_HISTORY_FILE a run must be as long as its page');
    }
  });

  test('of a later version is refused by questions, too', async () => {
    const { folder, path, bytes } = await twoFiles();
    const later = ofVersion(bytes, 3);
    const at = sealOf(later);
    seal(later.subarray(at), crc32(later.subarray(0, at)));
    writeFileSync(path, later);
    const reason = 'its rows must have version 1 or 2, got 3';
    await expect(countIn(folder)).rejects.toThrow(reason);
    // It is whole, so it must not be set aside.
    await expect(countIn(folder, { onDamaged: () => {} })).rejects.toThrow(reason);
    await expect(verifyHistory(folder, { repair: true })).rejects.toThrow(reason);
    expect(existsSync(path)).toBe(true);
  });

  test('that the system does not let us read is an error, and not set aside', async () => {
    const { folder, path } = await twoFiles();
    const unreadable = join(dirname(path), 'unreadable.parquet');
    // Root may read any file, but no directory.
    mkdirSync(unreadable);
    const error = { code: 'ERR_HISTORY_FILE', message: expect.stringContaining('EISDIR') };
    await expect(countIn(folder, { onDamaged: () => {} })).rejects.toMatchObject(error);
    await expect(verifyHistory(folder, { repair: true })).rejects.toMatchObject(error);
    expect(existsSync(unreadable)).toBe(true);
  });
});

test('options that do not exist, or are outside their ranges, are refused', async () => {
  await expectMisspelt(() => verifyHistory('history', { repairs: true } as never), 'repair');
  await expect(verifyHistory('history', { repair: 1 as never })).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
  });
  await expect(queryHistory('history', QUESTION, { onDamaged: 1 as never })).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
  });
});
