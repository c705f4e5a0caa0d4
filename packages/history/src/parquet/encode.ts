import { crc32 } from 'node:zlib';
import type { RowGroup } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import { FORMAT_VERSION, type HistoryRow } from '../rows/row.ts';
import { formatExemplars } from '../rows/row-exemplars.ts';
import { type EncodedColumn, writeChunk } from './chunk.ts';
import { attributeColumn, doubles, integers, texts } from './flat-columns.ts';
import { ROWS_KEY, RowRangesFinder } from './row-ranges.ts';
import { SERIES_COLUMNS, schemaWith, WEIGHT } from './schema.ts';
import { SEAL_BYTES, seal } from './seal.ts';
import { counts, slots, widths } from './slot-columns.ts';
import { boundsOfIntegers, boundsOfTexts } from './statistics.ts';
import { encodeTotals } from './totals.ts';

const MAGIC = 0x31524150; // PAR1
const MIXED_SERIES =
  'rows of one series and rows that state a number of series must be in different folders: the latter are a rollup';
// Fewer bytes are kept for the next write.
const LEAST_BYTES = 4096;

/** Makes the bytes of a Parquet file, page by page. */
export class ParquetEncoder {
  readonly #writer = new ByteWriter(2 ** 16);
  readonly #groups: RowGroup[] = [];
  readonly #ranges = new RowRangesFinder();
  #rows = 0;
  /** Whether the file has the columns of `SERIES_COLUMNS`: its first row decides. */
  #hasSeries: boolean | undefined;
  readonly #hasWeights: boolean;
  /** The CRC-32 of all bytes that were taken. */
  #crc = 0;

  /** @param hasWeights Whether the file has the column `weight`. Without it, weights of rows are lost. */
  constructor(hasWeights = false) {
    this.#hasWeights = hasWeights;
    this.#writer.appendUint32(MAGIC);
  }

  /** Adds a row group. Yields the bytes that the file goes on with: they are valid until the next step, which is one page or a few. */
  *add(rows: readonly HistoryRow[]): Generator<Uint8Array, void> {
    if (rows.length === 0) return;
    this.#hasSeries ??= rows[0]!.series !== undefined;
    if (!this.#hasSeries && rows.some(({ series }) => series !== undefined)) throw new Error(MIXED_SERIES);
    const writer = this.#writer;
    const start = writer.offset;
    const columns = [];
    for (const column of encodedColumns(rows, { hasSeries: this.#hasSeries, hasWeights: this.#hasWeights })) {
      const chunk = writeChunk(writer, column);
      let step = chunk.next();
      for (; step.done !== true; step = chunk.next()) {
        if (writer.index >= LEAST_BYTES) yield this.#take();
      }
      columns.push(step.value);
    }
    this.#groups.push({
      columns,
      total_byte_size: columns.reduce((sum, { meta_data }) => sum + meta_data!.total_uncompressed_size, 0n),
      num_rows: BigInt(rows.length),
      total_compressed_size: BigInt(writer.offset - start),
    });
    this.#rows += rows.length;
    this.#ranges.add(rows);
    this.#appendTotals();
  }

  /**
   * Returns the end of the file.
   *
   * @param metadata More keys and values of the file.
   */
  finish(metadata: Readonly<Record<string, string>> = {}): Uint8Array {
    const ranges = this.#ranges.text;
    const entries = {
      'hdrscope.history.version': String(FORMAT_VERSION),
      ...(ranges !== undefined && { [ROWS_KEY]: ranges }),
      ...metadata,
    };
    const writer = this.#writer;
    this.#appendTotals(ranges ?? '');
    const sealAt = writer.index;
    writer.appendBytes(new Uint8Array(SEAL_BYTES));
    writeMetadata(writer, {
      version: 2,
      created_by: 'hdrscope',
      schema: schemaWith([
        ...(this.#hasSeries === true ? SERIES_COLUMNS : []),
        ...(this.#hasWeights ? [WEIGHT] : []),
      ]),
      num_rows: BigInt(this.#rows),
      row_groups: this.#groups,
      key_value_metadata: Object.entries(entries).map(([key, value]) => ({ key, value })),
      metadata_length: 0,
    });
    writer.appendUint32(MAGIC);
    const bytes = writer.getBytes();
    seal(bytes.subarray(sealAt), crc32(bytes.subarray(0, sealAt), this.#crc));
    return bytes;
  }

  #appendTotals(ranges?: string): void {
    const { totals } = this.#ranges;
    if (totals !== undefined) this.#writer.appendBytes(encodeTotals(totals, this.#writer.offset, ranges));
  }

  #take(): Uint8Array {
    const bytes = this.#writer.getBytes();
    this.#crc = crc32(bytes, this.#crc);
    // `offset` stays: it is the position in the file.
    this.#writer.index = 0;
    return bytes;
  }
}

/** The columns in the order of the schema, each made when it is written. Engines skip row groups by the statistics. */
function* encodedColumns(
  rows: readonly HistoryRow[],
  { hasSeries, hasWeights }: { readonly hasSeries: boolean; readonly hasWeights: boolean },
): Generator<EncodedColumn> {
  yield texts('metric', rows, ({ metric }) => metric, boundsOfTexts(rows.map(({ metric }) => metric)));
  yield texts('unit', rows, ({ unit }) => unit);
  yield attributeColumn('key', rows, Object.keys);
  yield attributeColumn('value', rows, Object.values);
  const starts = boundsOfIntegers(rows.map(({ startMs }) => startMs * 1000));
  yield integers('start', 'INT64', rows, ({ startMs }) => startMs * 1000, starts);
  yield integers('end', 'INT64', rows, ({ endMs }) => endMs * 1000);
  yield texts('producer', rows, ({ producer }) => producer);
  yield integers('sequence', 'INT64', rows, ({ sequence }) => sequence);
  yield integers('count', 'INT64', rows, ({ count }) => count);
  yield doubles('sum', rows, ({ sum }) => sum);
  yield doubles('min', rows, ({ min }) => min);
  yield doubles('max', rows, ({ max }) => max);
  yield doubles('scale', rows, ({ scale }) => scale);
  yield integers('bits', 'INT32', rows, ({ bits }) => bits);
  yield slots(rows);
  yield counts(rows);
  yield integers('version', 'INT32', rows, ({ version }) => version);
  yield widths(rows);
  yield doubles('sum_below', rows, ({ margins }) => margins?.sumBelow ?? 0);
  yield doubles('sum_above', rows, ({ margins }) => margins?.sumAbove ?? 0);
  yield doubles('min_above', rows, ({ margins }) => margins?.minAbove ?? 0);
  yield doubles('max_below', rows, ({ margins }) => margins?.maxBelow ?? 0);
  yield integers('revision', 'INT64', rows, ({ revision = 0 }) => revision);
  yield texts('exemplars', rows, ({ exemplars }) => formatExemplars(exemplars));
  if (hasSeries) {
    yield integers('series', 'INT64', rows, ({ series }) => series?.lower ?? 1);
    yield integers('series_above', 'INT64', rows, ({ series }) => (series ? series.upper - series.lower : 0));
  }
  if (hasWeights) yield integers(WEIGHT, 'INT64', rows, ({ weight = 1 }) => weight);
}
