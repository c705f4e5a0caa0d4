import { type FileHandle, open } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { HdrscopeError } from '@hdrscope/core';
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { fileError } from '../errors.ts';
import { marginsProperty } from '../rows/margins.ts';
import { FORMAT_VERSION, type HistoryRow } from '../rows/row.ts';
import { assertPages } from './check-pages.ts';
import { codeOf } from './files.ts';
import { ADDED_COLUMNS, COLUMNS } from './schema.ts';
import { checkSeal, readInto } from './seal.ts';

/**
 * Reads the rows of a Parquet file, row group by row group: memory holds one of them.
 *
 * @throws HdrscopeError `ERR_HISTORY_FILE` when the file cannot be read, is cut off or broken, or is not a file of rows.
 * @example
 * ```ts no-run there is no such file
 * import { readRows } from '@hdrscope/history';
 *
 * for await (const { metric, count } of readRows('history/day=2026-11-22/1795347600000-shop-0.parquet')) console.log(metric, count);
 * ```
 */
export async function* readRows(path: string): AsyncGenerator<HistoryRow, void, undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    const { file, metadata, columns } = await openRows(handle);
    const attributes = new AttributeReader();
    let rowStart = 0;
    for (const { num_rows } of metadata.row_groups) {
      const rowEnd = rowStart + Number(num_rows);
      const options = {
        file,
        metadata,
        rowStart,
        rowEnd,
        columns,
        compressors: { GZIP: inflate },
      };
      const parsers = { timestampFromMilliseconds: Number };
      for (const row of (await parquetReadObjects({ ...options, parsers })) as StoredRow[]) {
        yield rowFrom(row, attributes.of(row.attributes.key_value));
      }
      rowStart = rowEnd;
    }
  } catch (error) {
    throw fileError('read', path, error);
  } finally {
    await handle?.close();
  }
}

/**
 * Whether a file can be read, every byte of it: by its seal, or by reading all rows of a file that has none. Engines do not look
 * at checksums, so a damaged file must not come to them.
 *
 * @returns Why it cannot be read; `undefined` when it can be, or is missing.
 */
export async function findDamage(path: string): Promise<HdrscopeError | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    const { isSealed } = await openRows(handle);
    if (!isSealed) for await (const _ of readRows(path));
    return undefined;
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? undefined : fileError('read', path, error);
  } finally {
    await handle?.close();
  }
}

/** A file of rows, whose seal was compared with its bytes. */
async function openRows(handle: FileHandle): Promise<{
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  readonly columns: string[];
  readonly isSealed: boolean;
}> {
  const file = await bufferOf(handle);
  const seal = await checkSeal(handle, file.byteLength);
  if (seal === 'damaged') throw new Error('it is damaged: its bytes are not those of its seal');
  const metadata = await parquetMetadataAsync(file);
  const version = versionOf(metadata);
  if (seal === 'unsealed' && version === String(FORMAT_VERSION)) {
    throw new Error('it is damaged: it has no seal, as files of version 2 have');
  }
  if (seal === 'unsealed') await assertPages(file, metadata);
  const columns = columnsOf(metadata, version);
  asPairs(metadata);
  return { file, metadata, columns, isSealed: seal === 'whole' };
}

/**
 * The value of a key in the metadata of a file.
 *
 * @returns `undefined` when the file does not exist, or has no such key.
 * @throws HdrscopeError `ERR_HISTORY_FILE` when the file cannot be read.
 */
export async function readMetadata(path: string, key: string): Promise<string | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    const { metadata } = await openRows(handle);
    return metadata.key_value_metadata?.find((entry) => entry.key === key)?.value;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw fileError('read', path, error);
  } finally {
    await handle?.close();
  }
}

/** A row as hyparquet reads it. */
interface StoredRow {
  readonly metric: string;
  readonly unit: string;
  readonly attributes: { readonly key_value: readonly { readonly key: string; readonly value: string }[] };
  readonly start: number;
  readonly end: number;
  readonly producer: string;
  readonly sequence: bigint;
  readonly count: bigint;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  readonly scale: number;
  readonly bits: number;
  readonly k: readonly number[];
  readonly c: readonly bigint[];
  // Files of version 1 have none of these.
  readonly w?: readonly number[];
  readonly sum_below?: number;
  readonly sum_above?: number;
  readonly min_above?: number;
  readonly max_below?: number;
}

type Pairs = StoredRow['attributes']['key_value'];

/** The attributes of rows. Rows of a series are neighbours and share theirs, so comparing them is cheap. */
class AttributeReader {
  #pairs: Pairs = [];
  #attributes: HistoryRow['attributes'] = {};

  of(pairs: Pairs): HistoryRow['attributes'] {
    const known = this.#pairs;
    const isKnown =
      pairs.length === known.length &&
      pairs.every(({ key, value }, i) => key === known[i]!.key && value === known[i]!.value);
    if (!isKnown) this.#attributes = Object.fromEntries(pairs.map(({ key, value }) => [key, value]));
    this.#pairs = pairs;
    return this.#attributes;
  }
}

function rowFrom(stored: StoredRow, attributes: HistoryRow['attributes']): HistoryRow {
  const { metric, unit, start, end, producer, sequence, count, sum, min, max, scale, bits } = stored;
  const { sum_below = 0, sum_above = 0, min_above = 0, max_below = 0 } = stored;
  return {
    metric,
    unit,
    attributes,
    startMs: start,
    endMs: end,
    producer,
    sequence: Number(sequence),
    count: Number(count),
    sum,
    min,
    max,
    scale,
    bits,
    k: numbersOf(stored.k),
    c: numbersOf(stored.c),
    w: numbersOf(stored.w ?? []),
    ...marginsProperty({
      sumBelow: sum_below,
      sumAbove: sum_above,
      minAbove: min_above,
      maxBelow: max_below,
    }),
    version: FORMAT_VERSION,
  };
}

/** Array.from is ten times as slow. */
function numbersOf(list: readonly (number | bigint)[]): number[] {
  const numbers = new Array<number>(list.length);
  for (let i = 0; i < list.length; i++) numbers[i] = Number(list[i]);
  return numbers;
}

/** The columns that are read. Files of version 1 have neither widths nor margins. */
function columnsOf({ schema }: FileMetaData, version: string | undefined): string[] {
  const names = new Set(schema.map(({ name }) => name));
  if (version !== undefined && !READABLE_VERSIONS.includes(version)) {
    throw new Error(`its rows must have version ${READABLE_VERSIONS.join(' or ')}, got ${version}`);
  }
  const columns = COLUMNS.filter((name) => names.has(name) || !Object.hasOwn(ADDED_COLUMNS, name));
  const missing = columns.find((name) => !names.has(name));
  if (missing !== undefined)
    throw new Error(`it must have the columns of a history, and has no column ${missing}`);
  return columns;
}

function versionOf({ key_value_metadata }: FileMetaData): string | undefined {
  return key_value_metadata?.find(({ key }) => key === 'hdrscope.history.version')?.value;
}

const READABLE_VERSIONS = ['1', String(FORMAT_VERSION)];

/** Makes maps lists of pairs: hyparquet would make objects of them by assignment, which loses the key `__proto__`. */
function asPairs({ schema }: FileMetaData): void {
  for (const element of schema) {
    if (element.name !== 'attributes') continue;
    delete element.converted_type;
    delete element.logical_type;
  }
}

async function bufferOf(handle: FileHandle): Promise<AsyncBuffer> {
  const { size } = await handle.stat();
  return {
    byteLength: size,
    async slice(start, end = size) {
      if (!(start >= 0 && end <= size && start <= end)) throw new Error('it is cut off');
      const bytes = new Uint8Array(end - start);
      await readInto(handle, bytes, start);
      return bytes.buffer;
    },
  };
}

function inflate(page: Uint8Array, length: number): Uint8Array {
  return gunzipSync(page, { maxOutputLength: Math.max(length, 1) });
}
