import { type FileHandle, open } from 'node:fs/promises';
import type { Bounds } from '@hdrscope/core';
import { assertFollows, filledText } from '@hdrscope/core/internal';
import { codeOf, isMissing } from '@hdrscope/kit/files';
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { fileError } from '../errors.ts';
import { marginsProperty } from '../rows/margins.ts';
import { FORMAT_VERSION, type HistoryRow } from '../rows/row.ts';
import { exemplarsProperty, parseExemplars } from '../rows/row-exemplars.ts';
import { weightProperty } from '../rows/row-weight.ts';
import { assertPages } from './check-pages.ts';
import { COMPRESSORS } from './gzip.ts';
import { parsedRanges, ROWS_KEY, type RowRanges } from './row-ranges.ts';
import { ADDED_COLUMNS, COLUMNS, MORE_COLUMNS, WEIGHT } from './schema.ts';
import { checkSeal, readInto } from './seal.ts';
import { findTotals } from './totals.ts';

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
  assertFollows('the path', filledText('the path of a file'), path);
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    yield* decodeRows(await openFile(handle));
  } catch (error) {
    throw fileError('read', path, error);
  } finally {
    await handle?.close();
  }
}

/** A damaged file. */
export interface Damage {
  /** What is damaged, with the path. */
  readonly reason: string;
  /** How many rows the file had; from 0 to `Infinity` where nothing says so. */
  readonly rows: Bounds;
  /** How many values they had. */
  readonly values: Bounds;
  /** Which rows the file had; `undefined` where no intact byte says so. */
  readonly ranges?: RowRanges | undefined;
}

/**
 * Finds out whether each byte of a file is as it was written: by its seal, or by decoding all rows of a file that has none. Engines do not
 * look at checksums, so a damaged file must not come to them.
 *
 * @returns What is damaged; `undefined` when nothing is, or the file is missing.
 * @throws HdrscopeError `ERR_HISTORY_FILE` when the system does not let the file be read, or when the file has other content or a later
 *   version.
 */
export async function findDamage(path: string): Promise<Damage | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    const opened = await openFile(handle);
    assertRows(opened.metadata);
    if (!opened.isSealed) for await (const _ of decodeRows(opened));
    return undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    const { message } = fileError('read', path, error);
    if (isDamage(error)) return { reason: message, ...(await findContent(handle).catch(() => UNKNOWN)) };
    throw fileError('read', path, error);
  } finally {
    await handle?.close();
  }
}

type Content = Omit<Damage, 'reason'>;

const ANY: Bounds = { lower: 0, upper: Number.POSITIVE_INFINITY };
const UNKNOWN: Content = { rows: ANY, values: ANY };

/** Finds what a damaged file had. Only bytes with a checksum of their own are believed. */
async function findContent(handle: FileHandle | undefined): Promise<Content> {
  if (handle === undefined) return UNKNOWN;
  const { size } = await handle.stat();
  const totals = await findTotals(handle, size);
  if (totals === undefined) return UNKNOWN;
  const { rows, values, isLast, ranges } = totals;
  return {
    rows: { lower: rows, upper: isLast ? rows : Number.POSITIVE_INFINITY },
    values: { lower: values, upper: isLast && values < 2 ** 53 ? values : Number.POSITIVE_INFINITY },
    ranges: ranges === undefined ? undefined : parsedRanges(ranges, rows),
  };
}

/** Whether a file certainly has something else than rows of a history that this version can read. Only the footer is read. */
export async function hasOtherContent(path: string): Promise<boolean> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    assertRows(await parquetMetadataAsync(await bufferOf(handle), { geoparquet: false }));
    return false;
  } catch (error) {
    return error instanceof OtherContent;
  } finally {
    await handle?.close();
  }
}

/** Which rows a file has; `undefined` where it does not say so. Only the footer is read. */
export async function readRanges(path: string): Promise<RowRanges | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    return rangesIn(await parquetMetadataAsync(await bufferOf(handle), { geoparquet: false }));
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}

/** What a merge knows of a file before it reads the rows. */
export interface FileShape {
  /** Whether rows may have weights. */
  readonly hasWeights: boolean;
  /** How much memory the rows of its largest row group take, in bytes. */
  readonly groupBytes: number;
}

// Measured: three lists of numbers for slots, and all else of a row.
const SLOT_BYTES = 32;
const ROW_BYTES = 1000;

/** The shape of a file. Only the footer is read. One that cannot be read seems empty: whoever reads its rows hears of it. */
export async function readShape(path: string): Promise<FileShape> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    const { schema, row_groups } = await parquetMetadataAsync(await bufferOf(handle), { geoparquet: false });
    const groupBytes = row_groups.map(({ columns, num_rows }) => {
      const slots = columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === 'k')?.meta_data
        ?.num_values;
      return Number(slots ?? 0n) * SLOT_BYTES + Number(num_rows) * ROW_BYTES;
    });
    return {
      hasWeights: schema.some(({ name }) => name === WEIGHT),
      groupBytes: groupBytes.reduce((most, one) => Math.max(most, one), 0),
    };
  } catch {
    return { hasWeights: false, groupBytes: 0 };
  } finally {
    await handle?.close();
  }
}

function rangesIn(metadata: FileMetaData): RowRanges | undefined {
  const text = findMetadata(metadata, ROWS_KEY);
  return text === undefined ? undefined : parsedRanges(text, Number(metadata.num_rows));
}

/** The file is as it was written, but has no rows that this version can read. */
class OtherContent extends Error {}

/** Whether the bytes are the reason of an error: a disk that cannot read them is, a lack of permission is not. */
function isDamage(error: unknown): boolean {
  const isOfSystem = (error as NodeJS.ErrnoException).syscall !== undefined;
  return isOfSystem ? codeOf(error) === 'EIO' : !(error instanceof OtherContent);
}

/** A file whose bytes were compared with its seal. */
interface OpenFile {
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  readonly isSealed: boolean;
}

async function openFile(handle: FileHandle): Promise<OpenFile> {
  const file = await bufferOf(handle);
  const seal = await checkSeal(handle, file.byteLength);
  if (seal === 'damaged') throw new Error('it is damaged: its bytes are not those of its seal');
  // hyparquet's search for columns of geography does not end when a footer states a negative number of children.
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  const isSealed = seal === 'whole';
  if (!isSealed && versionOf(metadata) === String(FORMAT_VERSION)) {
    throw new Error('it is damaged: it has no seal, as files of version 2 have');
  }
  return { file, metadata, isSealed };
}

async function* decodeRows(opened: OpenFile): AsyncGenerator<HistoryRow, void> {
  const attributes = new AttributeReader();
  for await (const stored of readGroups(opened, assertRows(opened.metadata))) {
    const rows = stored.map((row) => rowFrom(row, attributes.of(row.attributes.key_value)));
    // What hyparquet made takes three times the memory, and a merge holds a group of each of its files.
    stored.length = 0;
    yield* rows;
  }
}

/** Times of all units in milliseconds. Other programs write microseconds, and statements take the millisecond in which a time is, too. */
const MILLISECONDS = {
  timestampFromMilliseconds: Number,
  timestampFromMicroseconds: (us: bigint): number => Number(us / 1000n),
  timestampFromNanoseconds: (ns: bigint): number => Number(ns / 1_000_000n),
};

/** Reads columns of all rows, one row group after the other. */
async function* readGroups(
  { file, metadata, isSealed }: OpenFile,
  columns: string[],
): AsyncGenerator<StoredRow[], void> {
  if (!isSealed) await assertPages(file, metadata);
  asPairs(metadata);
  const settings = {
    ...{ file, metadata, columns, compressors: COMPRESSORS },
    parsers: MILLISECONDS,
  };
  let rowStart = 0;
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(num_rows);
    yield (await parquetReadObjects({ ...settings, rowStart, rowEnd })) as StoredRow[];
    rowStart = rowEnd;
  }
}

/** What identifies a row, and its revision. */
export interface RowKey {
  readonly producer: string;
  readonly sequence: number;
  readonly revision: number;
}

/**
 * The keys of the rows of a file whose producers begin with one of some texts. A file is not decoded when its metadata name no such
 * producer.
 *
 * @throws HdrscopeError `ERR_HISTORY_FILE` when the file cannot be read, or is not a file of rows.
 */
export async function readRowKeys(path: string, prefixes: readonly string[]): Promise<RowKey[]> {
  const isAsked = ({ producer }: { readonly producer: string }): boolean =>
    prefixes.some((prefix) => producer.startsWith(prefix));
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    const opened = await openFile(handle);
    const { metadata } = opened;
    const columns = assertRows(metadata).filter((name) => KEY_COLUMNS.includes(name));
    if (rangesIn(metadata)?.ranges.some(isAsked) === false) return [];
    const keys: RowKey[] = [];
    for await (const rows of readGroups(opened, columns)) {
      for (const { producer, sequence, revision = 0n } of rows.filter(isAsked)) {
        keys.push({ producer, sequence: Number(sequence), revision: Number(revision) });
      }
    }
    return keys;
  } catch (error) {
    throw fileError('read', path, error);
  } finally {
    await handle?.close();
  }
}

const KEY_COLUMNS = ['producer', 'sequence', 'revision'];

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
    const { metadata } = await openFile(handle);
    return findMetadata(metadata, key);
  } catch (error) {
    if (isMissing(error)) return undefined;
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
  // A file may lack these.
  readonly w?: readonly number[];
  readonly sum_below?: number;
  readonly sum_above?: number;
  readonly min_above?: number;
  readonly max_below?: number;
  readonly revision?: bigint;
  readonly exemplars?: string;
  // Other programs write NULL where the values are of one series.
  readonly series?: bigint | null;
  readonly series_above?: bigint | null;
  readonly weight?: bigint | null;
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
  const {
    sum_below = 0,
    sum_above = 0,
    min_above = 0,
    max_below = 0,
    revision = 0n,
    exemplars = '',
    series,
    series_above: seriesAbove,
    weight,
  } = stored;
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
    ...exemplarsProperty(parseExemplars(exemplars)),
    ...(typeof series === 'bigint' && {
      series: { lower: Number(series), upper: Number(series + (seriesAbove ?? 0n)) },
    }),
    ...weightProperty(Number(weight ?? 1)),
    ...(revision > 0n && { revision: Number(revision) }),
    version: FORMAT_VERSION,
  };
}

/** Array.from is ten times as slow. */
function numbersOf(list: readonly (number | bigint)[]): number[] {
  const numbers = new Array<number>(list.length);
  for (let i = 0; i < list.length; i++) numbers[i] = Number(list[i]);
  return numbers;
}

/** Asserts that a file has rows. Returns the columns that are read: it may lack `ADDED_COLUMNS` and `MORE_COLUMNS`. */
function assertRows(metadata: FileMetaData): string[] {
  const version = versionOf(metadata);
  if (version !== undefined && !READABLE_VERSIONS.includes(version)) {
    throw new OtherContent(`its rows must have version ${READABLE_VERSIONS.join(' or ')}, got ${version}`);
  }
  const names = new Set(metadata.schema.map(({ name }) => name));
  const columns = COLUMNS.filter((name) => names.has(name) || !Object.hasOwn(ADDED_COLUMNS, name));
  const missing = columns.find((name) => !names.has(name));
  if (missing !== undefined) {
    throw new OtherContent(`it must have the columns of a history, and has no column ${missing}`);
  }
  return [...columns, ...MORE_COLUMNS.filter((name) => names.has(name))];
}

function versionOf(metadata: FileMetaData): string | undefined {
  return findMetadata(metadata, 'hdrscope.history.version');
}

function findMetadata({ key_value_metadata }: FileMetaData, key: string): string | undefined {
  return key_value_metadata?.find((entry) => entry.key === key)?.value;
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
