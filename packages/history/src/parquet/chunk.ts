import type { ColumnChunk, Encoding, ParquetType, Statistics } from 'hyparquet';
import type { ByteWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { gzipped } from './gzip.ts';

/** Encoded values of some rows. */
export interface DataPage {
  /** How many values there are; an empty list counts as one. */
  readonly values: number;
  readonly encoding: Encoding;
  /** The values, and before them the levels of a column of lists. */
  readonly sections: readonly Uint8Array[];
}

/** A column of a row group, encoded. */
export interface EncodedColumn {
  readonly path: readonly string[];
  readonly type: ParquetType;
  readonly statistics?: Statistics | undefined;
  readonly dictionary?: { readonly size: number; readonly bytes: Uint8Array };
  /** Made one by one, when they are written. */
  readonly pages: Iterable<DataPage>;
}

/** Writes a column of a row group: compressed pages, one at each step. Returns what the end of the file says about it. */
export function* writeChunk(
  writer: ByteWriter,
  { path, type, statistics, dictionary, pages }: EncodedColumn,
): Generator<void, ColumnChunk> {
  const start = writer.offset;
  const encodings = new Set<Encoding>(['RLE']);
  const sizes = { values: 0, uncompressed: 0 };
  const writePage = (sections: readonly Uint8Array[], headerOf: (sizes: PageSizes) => PageHeader): void => {
    const page = gzipped(sections);
    const uncompressed_page_size = sections.reduce((sum, { length }) => sum + length, 0);
    const at = writer.offset;
    writePageHeader(writer, headerOf({ uncompressed_page_size, compressed_page_size: page.length }));
    sizes.uncompressed += writer.offset - at + uncompressed_page_size;
    writer.appendBytes(page);
  };
  if (dictionary !== undefined) {
    encodings.add('PLAIN');
    const dictionary_page_header = { num_values: dictionary.size, encoding: 'PLAIN' } as const;
    writePage([dictionary.bytes], (own) => ({ type: 'DICTIONARY_PAGE', ...own, dictionary_page_header }));
  }
  const dataStart = writer.offset;
  for (const { values, encoding, sections } of pages) {
    encodings.add(encoding);
    sizes.values += values;
    const data_page_header = {
      num_values: values,
      encoding,
      definition_level_encoding: 'RLE',
      repetition_level_encoding: 'RLE',
    } as const;
    writePage(sections, (own) => ({ type: 'DATA_PAGE', ...own, data_page_header }));
    yield;
  }
  return {
    file_offset: BigInt(start),
    meta_data: {
      type,
      encodings: [...encodings],
      path_in_schema: [...path],
      codec: 'GZIP',
      num_values: BigInt(sizes.values),
      total_uncompressed_size: BigInt(sizes.uncompressed),
      total_compressed_size: BigInt(writer.offset - start),
      data_page_offset: BigInt(dataStart),
      ...(dictionary !== undefined && { dictionary_page_offset: BigInt(start) }),
      ...(statistics !== undefined && { statistics }),
    },
  };
}

type PageHeader = Parameters<typeof writePageHeader>[1];
type PageSizes = Pick<PageHeader, 'uncompressed_page_size' | 'compressed_page_size'>;
