import { ADDED_COLUMNS, COLUMNS, MORE_COLUMNS, SERIES_COLUMNS } from '../parquet/schema.ts';
import { DIALECTS, type Dialect } from './dialects.ts';

/** The engines that write the files of a history. */
export type FolderDialect = 'duckdb' | 'spark';

/** How an engine writes the files of a history. All members give SQL. */
export interface FolderWriter {
  /** A text by which rows are in the order of a file: that of `seriesKey`. */
  readonly seriesKey: (attributes: string) => string;
  /** 64 bits of a hash of a text, in hexadecimal digits. */
  readonly hash: (text: string) => string;
  /** A time from milliseconds since 1970, as files have it. */
  readonly timestamp: (ms: string) => string;
  /** The day of a time, as the folders of days have it. */
  readonly day: (ms: string) => string;
  /** Lists of the slots, the counts and the widths of rows with `slot`, `slot_to` and `n`. */
  readonly lists: readonly string[];
  /** A FROM clause whose rows have all columns of a file, where the rows of files lack some. */
  readonly withAdded: (files: string) => string;
  /** The values of columns that a row may lack. */
  readonly added: Readonly<Record<keyof typeof ADDED_COLUMNS, string>>;
  /**
   * Statements that write rows to a folder, a file for each day. Days without rows stay as they are.
   *
   * @param rows A statement whose rows have `FILE_COLUMNS`, `day` and `file_order`.
   * @param name Of the files: letters, digits and hyphens.
   */
  readonly write: (rows: string, into: string, name: string) => readonly string[];
}

/** The columns of the files that engines write. */
export const FILE_COLUMNS: readonly string[] = [...COLUMNS, ...MORE_COLUMNS];

function rowOrder({ name }: Dialect): string {
  return `day, file_order, ${name('start')}, producer, sequence`;
}

// A row group of so many rows takes little memory, and engines skip many of them.
const ROWS_OF_GROUP = 2048;

const duckdb: FolderWriter = {
  seriesKey: (attributes) =>
    `concat(to_json(metric), '[', array_to_string(list_transform(map_entries(${attributes}), lambda one: concat('[', to_json(one.key), ',', to_json(one.value), ']')), ','), ']')`,
  hash: (text) => `left(sha256(${text}), 16)`,
  timestamp: (ms) => DIALECTS.duckdb.time(ms),
  day: (ms) => `strftime(epoch_ms(${ms}), '%Y-%m-%d')`,
  lists: [
    'list(slot ORDER BY slot, slot_to) AS k',
    'list(n ORDER BY slot, slot_to) AS c',
    'CASE WHEN bool_and(slot = slot_to) THEN []::INTEGER[] ELSE list(slot_to - slot ORDER BY slot, slot_to) END AS w',
  ],
  withAdded: (files) => files,
  added: ADDED_COLUMNS,
  write(rows, into, name) {
    const { text } = DIALECTS.duckdb;
    const columns = FILE_COLUMNS.map(DIALECTS.duckdb.name).join(', ');
    return [
      // Several threads write the rows of a day in any order, and in several files.
      'SET threads = 1',
      `COPY (SELECT ${columns}, day FROM (
${rows}
) ORDER BY ${rowOrder(DIALECTS.duckdb)}) TO ${text(into)} (FORMAT parquet, PARTITION_BY (day), OVERWRITE_OR_IGNORE, FILENAME_PATTERN ${text(`${name}-{i}`)}, CODEC gzip, ROW_GROUP_SIZE ${ROWS_OF_GROUP})`,
      'RESET threads',
    ];
  },
};

const SPARK_TYPES: Readonly<Record<string, string>> = {
  attributes: 'MAP<STRING, STRING>',
  start: 'TIMESTAMP',
  end: 'TIMESTAMP',
  sequence: 'BIGINT',
  count: 'BIGINT',
  sum: 'DOUBLE',
  min: 'DOUBLE',
  max: 'DOUBLE',
  scale: 'DOUBLE',
  bits: 'INT',
  k: 'ARRAY<INT>',
  c: 'ARRAY<BIGINT>',
  version: 'INT',
  w: 'ARRAY<INT>',
  sum_below: 'DOUBLE',
  sum_above: 'DOUBLE',
  min_above: 'DOUBLE',
  max_below: 'DOUBLE',
  revision: 'BIGINT',
  series: 'BIGINT',
  series_above: 'BIGINT',
  weight: 'BIGINT',
};

function sparkType(column: string): string {
  return SPARK_TYPES[column] ?? 'STRING';
}

const spark: FolderWriter = {
  seriesKey: (attributes) =>
    `concat(substr(to_json(array(metric)), 2, length(to_json(array(metric))) - 2), to_json(transform(map_entries(${attributes}), one -> array(one.key, one.value))))`,
  hash: (text) => `left(sha2(${text}, 256), 16)`,
  timestamp: (ms) => DIALECTS.spark.time(ms),
  day: (ms) => `date_format(to_utc_timestamp(timestamp_millis(${ms}), current_timezone()), 'yyyy-MM-dd')`,
  lists: [
    'transform(array_sort(collect_list(struct(slot, slot_to, n))), one -> one.slot) AS k',
    'transform(array_sort(collect_list(struct(slot, slot_to, n))), one -> one.n) AS c',
    'CASE WHEN max(slot_to - slot) = 0 THEN CAST(array() AS ARRAY<INT>) ELSE transform(array_sort(collect_list(struct(slot, slot_to, n))), one -> one.slot_to - one.slot) END AS w',
  ],
  // A name that files have no column of is that of the outer row.
  withAdded(files) {
    const { name } = DIALECTS.spark;
    const absent = [...Object.keys(ADDED_COLUMNS), ...SERIES_COLUMNS].map(
      (column) => `CAST(NULL AS ${sparkType(column)}) AS ${column}`,
    );
    const columns = FILE_COLUMNS.map(name).join(', ');
    return `(SELECT found.* FROM (SELECT ${absent.join(', ')}) AS absent, LATERAL (SELECT ${columns} FROM ${files}) AS found)`;
  },
  added: {
    w: 'CAST(array() AS ARRAY<INT>)',
    sum_below: '0D',
    sum_above: '0D',
    min_above: '0D',
    max_below: '0D',
    revision: '0L',
    exemplars: "''",
    weight: '1L',
  },
  write(rows, into, fileName) {
    const { text, name } = DIALECTS.spark;
    const table = name(`hdrscope_${fileName.replaceAll('-', '_')}`);
    const types = FILE_COLUMNS.map((column) => `${name(column)} ${sparkType(column)}`);
    return [
      'SET spark.sql.sources.partitionOverwriteMode = dynamic',
      'SET spark.sql.parquet.outputTimestampType = TIMESTAMP_MICROS',
      // The table only names the folder: its files stay when it is dropped.
      `DROP TABLE IF EXISTS ${table}`,
      `CREATE TABLE ${table} (${types.join(', ')}, day STRING) USING parquet OPTIONS ('compression' 'gzip', 'parquet.block.size' '8388608') PARTITIONED BY (day) LOCATION ${text(into)}`,
      `INSERT OVERWRITE TABLE ${table} SELECT ${FILE_COLUMNS.map(name).join(', ')}, day FROM (
${rows}
) DISTRIBUTE BY day SORT BY ${rowOrder(DIALECTS.spark)}`,
      `DROP TABLE ${table}`,
    ];
  },
};

export const WRITERS: Readonly<Record<FolderDialect, FolderWriter>> = { duckdb, spark };
