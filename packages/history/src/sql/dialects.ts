import { ADDED_COLUMNS, REQUIRED_COLUMNS, SERIES_COLUMNS } from '../parquet/schema.ts';
import { wellFormed } from '../rows/attribute-texts.ts';
import { cannotHold } from './question.ts';
import type { RowSource } from './row-source.ts';

/** The languages that statements are written in. */
export type DialectName = 'duckdb' | 'clickhouse' | 'postgres' | 'spark';

/** A span of days: their first and their last one, such as `2026-11-22`. `undefined` where it has no end. */
export interface DaySpan {
  readonly first: string | undefined;
  readonly last: string | undefined;
}

/** What differs between the languages. All but `text` and `name` take and give SQL. */
export interface Dialect {
  /** A literal that is this text, whatever its characters are. */
  readonly text: (text: string) => string;
  /** A name that is this text, whatever its characters are. */
  readonly name: (text: string) => string;
  /**
   * The rows of the files of a folder; `undefined` when the engine reads no files.
   *
   * @param days Only these folders of days.
   */
  readonly files: ((folder: string, days?: DaySpan) => string) | undefined;
  /**
   * A condition that is an error of the engine where a column that every file has is NULL; `undefined` when `files` refuses a file that
   * lacks one.
   */
  readonly refuseNulls?: () => string;
  /** A time as the column `start` has it. */
  readonly time: (ms: string) => string;
  /** Milliseconds since 1970, as an integer. */
  readonly ms: (time: string) => string;
  /** The value of an attribute, or NULL. */
  readonly attribute: (key: string) => string;
  /** Attributes, without some keys. */
  readonly without: (attributes: string, keys: readonly string[]) => string;
  readonly double: (expression: string) => string;
  readonly shiftRight: (number: string, by: string) => string;
  /** The double whose leading bits are a slot number, where an engine reads bits as a double. @default powers of 2 are multiplied */
  readonly slotAsDouble?: (slot: string, bits: string) => string;
  /** Selects columns of rows, each producer and sequence once, in the largest revision. Files and tables may have NULL for revision 0. */
  readonly once: (columns: string, source: RowSource, where: string) => string;
  /**
   * Stands before a common table expression that is used twice. DuckDB then reads files twice; otherwise it would keep all lists in memory.
   */
  readonly readTwice: string;
  /**
   * A FROM clause: one row for each slot of a row of `rows`, with its count `n`, and the first and the last slot of its values, `slot` and
   * `slot_to`.
   */
  readonly slots: (rows: string) => string;
  /**
   * As `slots`, of rows without widths: `slot_to` is `slot`. It is faster where engines do not find that out themselves. A row with widths
   * is an error of the engine.
   */
  readonly narrowSlots?: (rows: string) => string;
}

const ALL_DAYS: DaySpan = { first: undefined, last: undefined };

function isAllDays({ first, last }: DaySpan): boolean {
  return first === undefined && last === undefined;
}

/** The condition of the folders of some days: `day` is the part of the path. */
function dayConditions({ first, last }: DaySpan, { text }: Dialect): string {
  return [
    ...(first === undefined ? [] : [`day >= ${text(first)}`]),
    ...(last === undefined ? [] : [`day <= ${text(last)}`]),
  ].join(' AND ');
}

/** The files of a folder, which may be a URL. */
const filesOf = (folder: string): string => `${folder}${folder.endsWith('/') ? '' : '/'}*/*.parquet`;

const doubled = (mark: string) => (text: string) =>
  `${mark}${wellFormed(text).replaceAll(mark, mark + mark)}${mark}`;

/** The order of the copies of a row: the one that counts comes first. */
const NEWEST_FIRST = 'coalesce(revision, 0) DESC';
/** The number of a row among its copies. */
const COPY = `row_number() OVER (PARTITION BY producer, sequence ORDER BY ${NEWEST_FIRST})`;

const DENIED_WIDTHS =
  'a file has rows with widths, and its key hdrscope.history.rows says isNarrow: write its rows again without this key, or with writeRows';

const DENIED_FILE = `a file of the folder lacks one of the columns ${REQUIRED_COLUMNS.join(', ')}: it is no file of a history, take it away`;

const hasNull = ({ name }: Dialect): string =>
  REQUIRED_COLUMNS.map((column) => `${name(column)} IS NULL`).join(' OR ');

const duckdb: Dialect = {
  // The parser ends at a NUL.
  text: (text) => text.split('\0').map(doubled("'")).join(' || chr(0) || '),
  name: (text) => withoutNul('duckdb', doubled('"'))(text),
  files: (folder, days = ALL_DAYS) => {
    // The name of a folder is a pattern too.
    const pattern = filesOf(folder.replace(/[[*?]/g, '[$&]'));
    // A file may lack these columns.
    const added = [
      ...Object.entries(ADDED_COLUMNS).map(([column, value]) => `${value} AS ${column}`),
      ...SERIES_COLUMNS.map((column) => `NULL::BIGINT AS ${column}`),
    ];
    // The folders of other days are not even opened.
    const some = isAllDays(days)
      ? { partitioning: 'hive_partitioning = false', where: '' }
      : {
          partitioning: "hive_partitioning = true, hive_types = {'day': VARCHAR}",
          where: ` WHERE ${dayConditions(days, duckdb)}`,
        };
    return `(SELECT * FROM read_parquet(${duckdb.text(pattern)}, ${some.partitioning}, union_by_name = true)${some.where} UNION ALL BY NAME SELECT ${added.join(', ')} WHERE FALSE)`;
  },
  refuseNulls: () => `CASE WHEN ${hasNull(duckdb)} THEN error(${duckdb.text(DENIED_FILE)}) ELSE TRUE END`,
  time: (ms) => `to_timestamp(${ms} / 1000.0)`,
  ms: (time) => `epoch_ms(${time})`,
  attribute: (key) => `attributes[${key}]`,
  without: (attributes, keys) =>
    keys.length === 0
      ? attributes
      : `map_from_entries(list_filter(map_entries(${attributes}), lambda one: NOT list_contains([${listTexts(keys, duckdb)}], one.key)))`,
  double: (expression) => `CAST(${expression} AS DOUBLE)`,
  shiftRight: (number, by) => `(${number} >> ${by})`,
  once: (columns, { distinct, repeated }, where) =>
    [
      ...(distinct === undefined ? [] : [`SELECT ${columns} FROM ${distinct} WHERE ${where}`]),
      ...(repeated === undefined
        ? []
        : [`SELECT ${columns} FROM ${repeated} WHERE ${where} QUALIFY ${COPY} = 1`]),
    ].join('\n  UNION ALL\n  '),
  readTwice: 'NOT MATERIALIZED ',
  slots: (rows) =>
    `(SELECT * EXCLUDE width, slot + coalesce(width, 0) AS slot_to FROM (SELECT * EXCLUDE (k, c, w), unnest(k) AS slot, unnest(c) AS n, unnest(w) AS width FROM ${rows}))`,
  // The check of `w` also keeps memory low: DuckDB builds the hash table of a join from the side whose columns seem to take less memory,
  // and without `w` that would be the side of all rows.
  narrowSlots: (rows) =>
    `(SELECT *, slot AS slot_to FROM (SELECT * EXCLUDE (k, c, w), unnest(CASE WHEN len(w) > 0 THEN error(${duckdb.text(DENIED_WIDTHS)}) ELSE k END) AS slot, unnest(c) AS n FROM ${rows}))`,
};

const postgres: Dialect = {
  // Right with and without standard_conforming_strings.
  text: withoutNul('postgres', (text) => {
    const quoted = doubled("'")(text);
    return text.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted;
  }),
  name: withoutNul('postgres', doubled('"')),
  files: undefined,
  time: (ms) => `to_timestamp(${ms} / 1000.0::double precision)`,
  ms: (time) => `CAST(floor(extract(epoch FROM ${time}) * 1000) AS bigint)`,
  attribute: (key) => `(attributes ->> ${key})`,
  without: (attributes, keys) =>
    keys.length === 0 ? attributes : `(${attributes} - ARRAY[${listTexts(keys, postgres)}])`,
  double: (expression) => `CAST(${expression} AS double precision)`,
  shiftRight: (number, by) => `(${number} >> ${by})`,
  once: (columns, { all }, where) =>
    `SELECT DISTINCT ON (producer, sequence) ${columns} FROM ${all} WHERE ${where} ORDER BY producer, sequence, ${NEWEST_FIRST}`,
  readTwice: '',
  slots: (rows) =>
    `${rows}, LATERAL (SELECT slot, n, slot + coalesce(width, 0) AS slot_to FROM unnest(k, c, w) AS used(slot, n, width)) AS slots`,
};

const FILE_COLUMNS =
  "metric String, unit String, attributes Map(String, String), start DateTime64(3, 'UTC'), `end` DateTime64(3, 'UTC'), producer String, sequence Int64, count Int64, sum Float64, min Float64, max Float64, scale Float64, bits Int32, k Array(Int32), c Array(Int64), version Int32, w Array(Int32), sum_below Float64, sum_above Float64, min_above Float64, max_below Float64, revision Int64, exemplars String";

const clickhouse: Dialect = {
  text: (text) => `'${wellFormed(text).replace(/['\\]/g, '\\$&').replaceAll('\0', '\\0')}'`,
  name: (text) => `\`${wellFormed(text).replace(/[`\\]/g, '\\$&').replaceAll('\0', '\\0')}\``,
  files: (folder) => {
    const { text } = clickhouse;
    const path = text(filesOf(folder));
    // A missing column is a list without elements, or 0, so the footers say whether one is missing that every file has.
    const found = "arrayMap(column -> splitByChar('.', column.path)[1], columns)";
    const isDenied = `max(NOT hasAll(${found}, [${listTexts(REQUIRED_COLUMNS, clickhouse)}]))`;
    const check = `(SELECT throwIf(${isDenied}, ${text(DENIED_FILE)}) FROM file(${path}, 'ParquetMetadata')) = 0`;
    return `(SELECT * FROM file(${path}, 'Parquet', ${text(FILE_COLUMNS)}) WHERE ${check})`;
  },
  time: (ms) => `fromUnixTimestamp64Milli(toInt64(${ms}), 'UTC')`,
  ms: (time) => `toUnixTimestamp64Milli(toDateTime64(${time}, 3, 'UTC'))`,
  attribute: (key) => `if(mapContains(attributes, ${key}), attributes[${key}], NULL)`,
  without: (attributes, keys) =>
    keys.length === 0
      ? attributes
      : `mapFilter((one, _) -> NOT has([${listTexts(keys, clickhouse)}], one), ${attributes})`,
  double: (expression) => `toFloat64(${expression})`,
  shiftRight: (number, by) => `bitShiftRight(${number}, ${by})`,
  slotAsDouble: (slot, bits) => `reinterpret(bitShiftLeft(toUInt64(${slot}), 52 - ${bits}), 'Float64')`,
  once: (columns, { all }, where) =>
    `SELECT ${columns} FROM ${all} WHERE ${where} ORDER BY ${NEWEST_FIRST} LIMIT 1 BY producer, sequence`,
  readTwice: '',
  slots: (rows) =>
    `${rows} ARRAY JOIN k AS slot, c AS n, arrayMap((a, b) -> a + b, k, arrayResize(w, length(k))) AS slot_to`,
};

const spark: Dialect = {
  // Spark puts its settings into a statement before it is parsed, also into literals: `${spark.app.name}`.
  text: (text) =>
    `'${wellFormed(text).replace(/['\\]/g, '\\$&').replaceAll('\0', '\\u0000').replaceAll('$', '\\u0024')}'`,
  name: (text) => {
    if (text.includes('${')) throw cannotHold('spark', 'the characters ${ in a name', text);
    return withoutNul('spark', doubled('`'))(text);
  },
  files: (folder, days = ALL_DAYS) => {
    const all = `parquet.${spark.name(folder)}`;
    return isAllDays(days) ? all : `(SELECT * FROM ${all} WHERE ${dayConditions(days, spark)})`;
  },
  refuseNulls: () => `CASE WHEN ${hasNull(spark)} THEN raise_error(${spark.text(DENIED_FILE)}) ELSE TRUE END`,
  time: (ms) => `timestamp_millis(${ms})`,
  ms: (time) => `unix_millis(${time})`,
  attribute: (key) => `try_element_at(attributes, ${key})`,
  without: (attributes, keys) =>
    keys.length === 0
      ? attributes
      : `map_filter(${attributes}, (one, _) -> NOT array_contains(array(${listTexts(keys, spark)}), one))`,
  double: (expression) => `CAST(${expression} AS DOUBLE)`,
  shiftRight: (number, by) => `shiftright(${number}, ${by})`,
  once: (columns, { all }, where) =>
    `SELECT * FROM (SELECT ${columns}, ${COPY} AS copy FROM ${all} WHERE ${where}) WHERE copy = 1`,
  readTwice: '',
  slots: (rows) =>
    `${rows} LATERAL VIEW inline(transform(arrays_zip(k, c, w), one -> struct(one.k, one.c, one.k + coalesce(one.w, 0)))) used AS slot, n, slot_to`,
};

/** Keys as literals. */
function listTexts(keys: readonly string[], { text }: Dialect): string {
  return keys.map((key) => text(wellFormed(key))).join(', ');
}

function withoutNul(dialect: DialectName, quote: (text: string) => string): (text: string) => string {
  return (text) => {
    if (text.includes('\0')) throw cannotHold(dialect, 'the character U+0000', text);
    return quote(text);
  };
}

export function infinity({ double }: Dialect): string {
  return double("'Infinity'");
}

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = { duckdb, clickhouse, postgres, spark };
