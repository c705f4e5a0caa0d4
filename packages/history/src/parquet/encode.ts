import { gzipSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { FORMAT_VERSION, type HistoryRow } from '../rows/row.ts';
import { COLUMNS, type ColumnName, SCHEMA } from './schema.ts';

type Column = Parameters<ParquetWriter['write']>[0]['columnData'][number];

// `k` ascends within a row, and rows of one series have about the same slots. Dictionaries are better for all other columns, and a
// codec of Spark, ClickHouse and DuckDB alike for all: see docs/formats/history.md.
const DELTA: ReadonlySet<ColumnName> = new Set(['start', 'end', 'sequence', 'count', 'k']);
// Engines skip row groups by these. Each statistic takes some 20 bytes of the footer.
const WITH_STATISTICS: ReadonlySet<ColumnName> = new Set(['metric', 'start']);

/** Makes the bytes of a Parquet file, row group by row group. */
export class ParquetEncoder {
  readonly #bytes = new ByteWriter(2 ** 16);
  readonly #writer = new ParquetWriter({
    writer: this.#bytes,
    schema: SCHEMA,
    codec: 'GZIP',
    compressors: { GZIP: compress },
    createdBy: 'hdrscope',
    kvMetadata: [{ key: 'hdrscope.history.version', value: String(FORMAT_VERSION) }],
  });

  /** Adds a row group. Returns the bytes that the file goes on with; they are valid until the next call. */
  add(rows: readonly HistoryRow[]): Uint8Array {
    if (rows.length > 0) {
      const columnData = COLUMNS.map((name) => columnOf(name, rows));
      this.#writer.write({ columnData, rowGroupSize: rows.length });
    }
    return this.#take();
  }

  /** Returns the end of the file. */
  finish(): Uint8Array {
    this.#writer.finish();
    return this.#take();
  }

  #take(): Uint8Array {
    const bytes = this.#bytes.getBytes();
    // `offset` stays: it is the position in the file.
    this.#bytes.index = 0;
    return bytes;
  }
}

function columnOf(name: ColumnName, rows: readonly HistoryRow[]): Column {
  return {
    name,
    data: DATA[name](rows),
    statistics: WITH_STATISTICS.has(name),
    offsetIndex: false,
    ...(DELTA.has(name) && { encoding: 'DELTA_BINARY_PACKED' as const }),
  };
}

type Data = (rows: readonly HistoryRow[]) => unknown[];

// 64-bit integers are bigints, except in the delta encoding.
const DATA: Readonly<Record<ColumnName, Data>> = {
  metric: (rows) => rows.map(({ metric }) => metric),
  unit: (rows) => rows.map(({ unit }) => unit),
  attributes: (rows) => rows.map(({ attributes }) => Object.entries(attributes)),
  start: (rows) => rows.map(({ startMs }) => startMs),
  end: (rows) => rows.map(({ endMs }) => endMs),
  producer: (rows) => rows.map(({ producer }) => producer),
  sequence: (rows) => rows.map(({ sequence }) => sequence),
  count: (rows) => rows.map(({ count }) => count),
  sum: (rows) => rows.map(({ sum }) => sum),
  min: (rows) => rows.map(({ min }) => min),
  max: (rows) => rows.map(({ max }) => max),
  scale: (rows) => rows.map(({ scale }) => scale),
  bits: (rows) => rows.map(({ bits }) => bits),
  k: (rows) => rows.map(({ k }) => k),
  c: (rows) => rows.map(({ c }) => c.map(bigIntOf)),
  version: (rows) => rows.map(({ version }) => version),
};

// Most counts are small, and making a bigint takes longer than all else that happens to a count.
const SMALL = /* @__PURE__ */ Array.from({ length: 4096 }, (_, count) => BigInt(count));

function bigIntOf(count: number): bigint {
  return SMALL[count] ?? BigInt(count);
}

function compress(page: Uint8Array): Uint8Array {
  return gzipSync(page);
}
