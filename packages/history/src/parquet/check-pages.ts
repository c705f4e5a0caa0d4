import {
  type AsyncBuffer,
  type FileMetaData,
  type PageHeader,
  parquetSchema,
  type SchemaTree,
} from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel, getTreePath } from 'hyparquet/src/schema.js';
import { readVarInt } from 'hyparquet/src/thrift.js';
import { COMPRESSORS } from './gzip.ts';
import { END_BYTES } from './seal.ts';

/** A deflated byte becomes 1032 bytes at most. */
const MOST_PER_BYTE = 1032;
const MOST_PAGE_BYTES = 2 ** 27;
const MOST_VALUES = 2 ** 24;
const MOST_HEADER_BYTES = 2 ** 16;

type Codec = Parameters<typeof decompressPage>[2];

/** A column of a row group. */
interface Column {
  readonly start: number;
  readonly end: number;
  readonly codec: Codec;
  /** From the root of the schema to the column. */
  readonly path: SchemaTree[];
}

/**
 * Asserts that the pages of a file are where its footer says, and that they and the runs in them are no longer than their bytes and
 * values can be. hyparquet takes these numbers as they are: it would allocate what they say, and not wait for the failure of a column that
 * its schema does not have.
 */
export async function assertPages(file: AsyncBuffer, { schema, row_groups }: FileMetaData): Promise<void> {
  const tree = parquetSchema({ schema } as FileMetaData);
  const leaves = listLeaves(tree);
  if (new Set(leaves).size !== leaves.length) throw new Error('it has two columns of one name');
  for (const { columns, num_rows } of row_groups) {
    const paths = columns.map(({ meta_data }) => meta_data?.path_in_schema.join('.'));
    if (JSON.stringify(paths) !== JSON.stringify(leaves)) {
      throw new Error('its row groups must have the columns of its schema');
    }
    for (const { meta_data } of columns) {
      const { data_page_offset, dictionary_page_offset, total_compressed_size, num_values } = meta_data!;
      const start = Math.min(Number(data_page_offset), Number(dictionary_page_offset ?? data_page_offset));
      const end = start + Number(total_compressed_size);
      if (!(start >= 4 && start < end && end <= file.byteLength - END_BYTES))
        throw new Error('it is cut off');
      const path = getTreePath(tree, meta_data!.path_in_schema);
      const values = await countValues(file, { start, end, codec: meta_data!.codec, path });
      if (values !== Number(num_values) || !(Number(num_rows) <= values)) {
        throw new Error('its pages must have the values that its footer counts');
      }
    }
  }
}

function listLeaves({ path, children }: SchemaTree): string[] {
  return children.length === 0 ? [path.join('.')] : children.flatMap(listLeaves);
}

/** Counts the values of the pages of a column. */
async function countValues(file: AsyncBuffer, column: Column): Promise<number> {
  const { start, end } = column;
  let count = 0;
  for (let at = start; at < end; ) {
    const bytes = await file.slice(at, Math.min(end, at + MOST_HEADER_BYTES));
    const reader = { view: new DataView(bytes), offset: 0 };
    const header = parquetHeader(reader);
    const from = at + reader.offset;
    at = from + header.compressed_page_size;
    assertSize(header, at <= end);
    const inPage = (header.data_page_header ?? header.data_page_header_v2)?.num_values ?? 0;
    const inDictionary = header.dictionary_page_header?.num_values ?? 0;
    count += inPage;
    if (!(inDictionary >= 0 && inDictionary <= MOST_VALUES && inPage >= 0 && count <= MOST_VALUES)) {
      throw new Error(`a column of a row group must have ${MOST_VALUES} values at most`);
    }
    if (inPage > 0) assertRunsOfPage(header, new Uint8Array(await file.slice(from, at)), column);
  }
  return count;
}

function assertSize({ type, compressed_page_size, uncompressed_page_size }: PageHeader, fits: boolean): void {
  const most = Math.min(MOST_PAGE_BYTES, MOST_PER_BYTE * (compressed_page_size + 1));
  const isPossible =
    compressed_page_size >= 0 && uncompressed_page_size >= 0 && uncompressed_page_size <= most;
  // A header of nothing is a byte, and a file of zeros would have millions.
  if (type === undefined || !fits || !isPossible) {
    throw new Error('a page must be as large as its bytes can be');
  }
}

/** Asserts that the runs of the levels and values of a page are no longer than the page. */
function assertRunsOfPage(header: PageHeader, bytes: Uint8Array, column: Column): void {
  if (header.data_page_header !== undefined) assertRunsOfV1(header, bytes, column);
  else assertRunsOfV2(header, bytes, column);
}

function assertRunsOfV1(header: PageHeader, bytes: Uint8Array, { codec, path }: Column): void {
  const { num_values, encoding } = header.data_page_header!;
  const [repetition, definition] = [getMaxRepetitionLevel(path), getMaxDefinitionLevel(path)];
  const page = openReader(decompressPage(bytes, header.uncompressed_page_size, codec, COMPRESSORS));
  if (repetition > 0) assertLevels(page, countBits(repetition), num_values);
  let values = num_values;
  if (definition > 0) {
    const levels = assertLevels(page, countBits(definition), num_values);
    values = levels.filter((level) => level === definition).length;
  }
  assertValues(page, encoding, values);
}

function assertRunsOfV2(header: PageHeader, bytes: Uint8Array, { codec, path }: Column): void {
  const { num_values, num_nulls, encoding, is_compressed, ...lengths } = header.data_page_header_v2!;
  const { repetition_levels_byte_length: repetitionBytes, definition_levels_byte_length: definitionBytes } =
    lengths;
  const first = repetitionBytes + definitionBytes;
  if (!(repetitionBytes >= 0 && definitionBytes >= 0 && first <= bytes.length && num_nulls >= 0)) {
    throw new Error('the levels of a page must lie in it');
  }
  const [repetition, definition] = [getMaxRepetitionLevel(path), getMaxDefinitionLevel(path)];
  const repetitions = openReader(bytes.subarray(0, repetitionBytes));
  if (repetition > 0) assertRuns(repetitions, countBits(repetition), num_values);
  const definitions = openReader(bytes.subarray(repetitionBytes, first));
  if (definition > 0) assertRuns(definitions, countBits(definition), num_values);
  const rest = bytes.subarray(first);
  const uncompressed = header.uncompressed_page_size - first;
  const page = is_compressed === false ? rest : decompressPage(rest, uncompressed, codec, COMPRESSORS);
  assertValues(openReader(page), encoding, num_values - num_nulls);
}

interface Reader {
  readonly view: DataView<ArrayBuffer>;
  offset: number;
}

function openReader({ buffer, byteOffset, byteLength }: Uint8Array): Reader {
  return { view: new DataView(buffer as ArrayBuffer, byteOffset, byteLength), offset: 0 };
}

/** The number of bits that a column takes for each level. */
function countBits(mostLevel: number): number {
  return 32 - Math.clz32(mostLevel);
}

/** Asserts the runs of levels that begin with their length, reads the levels, and goes behind them. */
function assertLevels(page: Reader, width: number, count: number): number[] {
  assertRuns({ view: page.view, offset: page.offset + 4 }, width, count);
  const levels = new Array<number>(count);
  readRleBitPackedHybrid(page, width, levels);
  return levels;
}

function assertValues(page: Reader, encoding: string, count: number): void {
  if (encoding === 'RLE') assertRuns({ view: page.view, offset: page.offset + 4 }, 1, count);
  else if (encoding === 'RLE_DICTIONARY' || encoding === 'PLAIN_DICTIONARY') {
    const width = page.view.getUint8(page.offset);
    if (width > 0) assertRuns({ view: page.view, offset: page.offset + 1 }, width, count);
  } else if (!BOUNDED_ENCODINGS.has(encoding)) {
    throw new Error(`without a seal, its pages must not have the encoding ${encoding}`);
  }
}

/** Encodings whose values take no more memory than their bytes and their count say. Values in `DELTA_BYTE_ARRAY` repeat each other. */
const BOUNDED_ENCODINGS: ReadonlySet<string> = new Set([
  'PLAIN',
  'DELTA_BINARY_PACKED',
  'DELTA_LENGTH_BYTE_ARRAY',
  'BYTE_STREAM_SPLIT',
]);

/**
 * Packed values are bounded by their bytes, and writers may pad them; a value that is repeated is not. hyparquet counts packed values
 * modulo 2^32: it would find other runs than we behind a run of more.
 * Source: https://parquet.apache.org/docs/file-format/data-pages/encodings/, run length encoding / bit-packing hybrid.
 */
function assertRuns(reader: Reader, width: number, count: number): void {
  for (let seen = 0; seen < count; ) {
    const header = readVarInt(reader);
    const half = header >>> 1;
    const isPacked = (header & 1) === 1;
    seen += isPacked ? half * 8 : half;
    reader.offset += isPacked ? half * width : (width + 7) >> 3;
    if (isPacked ? half > MOST_VALUES : seen > count) throw new Error('a run must be as long as its page');
  }
}
