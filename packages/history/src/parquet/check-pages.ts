import { type AsyncBuffer, type FileMetaData, parquetSchema, type SchemaTree } from 'hyparquet';
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js';
import { END_BYTES } from './seal.ts';

/** A deflated byte becomes 1032 bytes at most. */
const MOST_PER_BYTE = 1032;
const MOST_PAGE_BYTES = 2 ** 27;
const MOST_VALUES = 2 ** 24;
const MOST_HEADER_BYTES = 2 ** 16;

/**
 * Asserts that the pages of a file are where its footer says, and are no larger than their bytes can be. hyparquet takes these numbers as they
 * are: it would allocate what they say, and not wait for the failure of a column that its schema does not have.
 */
export async function assertPages(file: AsyncBuffer, { schema, row_groups }: FileMetaData): Promise<void> {
  const leaves = listLeaves(parquetSchema({ schema } as FileMetaData));
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
      const values = await countValues(file, start, end);
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
async function countValues(file: AsyncBuffer, start: number, end: number): Promise<number> {
  let count = 0;
  for (let at = start; at < end; ) {
    const bytes = await file.slice(at, Math.min(end, at + MOST_HEADER_BYTES));
    const reader = { view: new DataView(bytes), offset: 0 };
    const header = deserializeTCompactProtocol(reader);
    const [uncompressed, compressed] = [Number(header.field_2), Number(header.field_3)];
    at += reader.offset + compressed;
    const isPossible =
      // A header of nothing is a byte, and a file of zeros would have millions.
      header.field_1 !== undefined &&
      compressed >= 0 &&
      at <= end &&
      uncompressed >= 0 &&
      uncompressed <= Math.min(MOST_PAGE_BYTES, MOST_PER_BYTE * (compressed + 1));
    if (!isPossible) throw new Error('a page must be as large as its bytes can be');
    const inDictionary = Number(header.field_7?.field_1 ?? 0);
    const inPage = Number((header.field_5 ?? header.field_8)?.field_1 ?? 0);
    count += inPage;
    if (!(inDictionary >= 0 && inDictionary <= MOST_VALUES && inPage >= 0 && count <= MOST_VALUES)) {
      throw new Error(`a column of a row group must have ${MOST_VALUES} values at most`);
    }
  }
  return count;
}
