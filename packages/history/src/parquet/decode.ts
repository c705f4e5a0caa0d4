import { type FileHandle, open } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { fileError } from '../errors.ts';
import { FORMAT_VERSION, type HistoryRow } from '../rows/row.ts';
import { COLUMNS } from './schema.ts';

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
    const file = await bufferOf(handle);
    const metadata = await parquetMetadataAsync(file);
    assertRows(metadata);
    asPairs(metadata);
    let rowStart = 0;
    for (const { num_rows } of metadata.row_groups) {
      const rowEnd = rowStart + Number(num_rows);
      const options = {
        file,
        metadata,
        rowStart,
        rowEnd,
        columns: [...COLUMNS],
        compressors: { GZIP: inflate },
      };
      const parsers = { timestampFromMilliseconds: Number };
      for (const row of await parquetReadObjects({ ...options, parsers })) yield rowFrom(row as StoredRow);
      rowStart = rowEnd;
    }
  } catch (error) {
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
}

function rowFrom(stored: StoredRow): HistoryRow {
  const { metric, unit, attributes, start, end, producer, sequence, count, sum, min, max, scale, bits } =
    stored;
  return {
    metric,
    unit,
    attributes: Object.fromEntries(attributes.key_value.map(({ key, value }) => [key, value])),
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
    k: Array.from(stored.k),
    c: Array.from(stored.c, Number),
    version: FORMAT_VERSION,
  };
}

function assertRows({ schema, key_value_metadata }: FileMetaData): void {
  const names = new Set(schema.map(({ name }) => name));
  const missing = COLUMNS.find((name) => !names.has(name));
  if (missing !== undefined)
    throw new Error(`it must have the columns of a history, and has no column ${missing}`);
  const version = key_value_metadata?.find(({ key }) => key === 'hdrscope.history.version')?.value;
  if (version !== undefined && version !== String(FORMAT_VERSION)) {
    throw new Error(`its rows must have version ${FORMAT_VERSION}, got ${version}`);
  }
}

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
      const bytes = new Uint8Array(end - start);
      for (let filled = 0; filled < bytes.length; ) {
        const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled);
        if (bytesRead === 0) throw new Error('it is cut off');
        filled += bytesRead;
      }
      return bytes.buffer;
    },
  };
}

function inflate(page: Uint8Array, length: number): Uint8Array {
  return gunzipSync(page, { maxOutputLength: Math.max(length, 1) });
}
