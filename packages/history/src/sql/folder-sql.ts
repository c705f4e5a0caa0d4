import { assertFollows, assertOptions, mustBe, type OptionsOwner, oneOf } from '@hdrscope/core/internal';
import { ADDED_COLUMNS, SERIES_COLUMNS } from '../parquet/schema.ts';
import { FORMAT_VERSION } from '../rows/row.ts';
import { assertPartOfDay, DAY_MS, HOUR_MS } from '../times.ts';
import { DIALECTS } from './dialects.ts';
import { FILE_COLUMNS, type FolderDialect, WRITERS } from './folder-writers.ts';
import { sourceOf } from './history-sql.ts';
import { assertTime } from './question.ts';
import { assertKeys } from './rollup-sql.ts';
import { type RowSource, unknownSource } from './row-source.ts';
import {
  conditionOf,
  FIGURE_TOTALS,
  figureColumns,
  hasValues,
  PART_TOTALS,
  slotsOf,
  WEIGHT_COLUMN,
  WEIGHT_TOTAL,
} from './statement.ts';

/** Options of `folderCompactSql`. */
export interface FolderSqlOptions {
  /** Only intervals that start at this time or later: milliseconds since 1970. It is the start of a day, in UTC. @default all */
  readonly sinceMs?: number;
  /** Only intervals that start before this time: milliseconds since 1970. It is the start of a day, in UTC. @default all */
  readonly untilMs?: number;
}

/** Options of `folderRollupSql`. */
export interface FolderRollupSqlOptions extends FolderSqlOptions {
  /**
   * The length of a stretch of time in milliseconds: an integer of at least 1. Stretches start at multiples of it since 1970, in UTC.
   * @default 3_600_000, an hour
   */
  readonly everyMs?: number;
  /** Keys of attributes that the rows of the rollup lack: series that differ in nothing else become one. @default none */
  readonly drop?: readonly string[];
}

const SPAN = { sinceMs: true, untilMs: true } as const;
const OWNERS = {
  compact: {
    name: 'folderCompactSql',
    names: SPAN,
    call: "folderCompactSql('duckdb', 'history', 'compacted', { sinceMs: Date.parse('2026-11-01') })",
  } satisfies OptionsOwner<FolderSqlOptions>,
  rollup: {
    name: 'folderRollupSql',
    names: { ...SPAN, everyMs: true, drop: true },
    call: "folderRollupSql('duckdb', 'history', 'hourly', { everyMs: 3_600_000, drop: ['host.name'] })",
  } satisfies OptionsOwner<FolderRollupSqlOptions>,
};

/**
 * The statements that write the rows of a folder into another one, each row once, with one file for each day: what `compactHistory` does,
 * by DuckDB or Spark. Replace the folder by the new one afterwards, while nobody writes to it.
 *
 * Engines do not read the rows that wait in small files (`_….parquet.waiting`), such as those that a killed process has left. Copy these
 * files to the same days of the new folder: it lacks their rows otherwise, and a row that is there twice counts once.
 *
 * The statements may be run again: they replace the files of the days that they read. `queryHistory`, `compactHistory` and `rollUpHistory`
 * read these files, which have no seal: see docs/formats/history.md.
 *
 * @param folder The folder of a history, as the engine names it. Nothing in it is changed.
 * @param into The new folder.
 * @returns Statements that are run in this order.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the dialect, a folder or an option is not a documented one.
 * @example
 * ```ts
 * import { folderCompactSql } from '@hdrscope/history';
 *
 * const statements = folderCompactSql('duckdb', 'history', 'compacted', { untilMs: Date.parse('2026-11-22') });
 * statements.length; //=> 3
 * statements[1]!.includes("day <= '2026-11-21'"); //=> true
 * ```
 */
export function folderCompactSql(
  dialect: FolderDialect,
  folder: string,
  into: string,
  options: FolderSqlOptions = {},
): readonly string[] {
  assertOptions(options, OWNERS.compact);
  const source = checkedSource(dialect, folder, into, options);
  const { name } = DIALECTS[dialect];
  const { added, seriesKey, day, write } = WRITERS[dialect];
  const ms = DIALECTS[dialect].ms(name('start'));
  const columns = FILE_COLUMNS.map((column) => {
    if (column === 'version') return `${FORMAT_VERSION} AS version`;
    if (!isAdded(column)) return name(column);
    return `coalesce(${column}, ${added[column]}) AS ${column}`;
  });
  // NULL in these columns says that the values are of one series.
  const rows = DIALECTS[dialect].once(
    [...columns, `${day(ms)} AS day`, `${seriesKey('attributes')} AS file_order`].join(', '),
    source.rows,
    source.where,
  );
  return write(`  ${rows}`, into, 'compact');
}

/**
 * The statements that write a rollup of a folder into another one: one row for each series and stretch of time, as `rollUpHistory` makes
 * them, by DuckDB or Spark. With `drop`, series that differ in these attributes only are one series, and the column `series` counts them.
 * Rows of unlike units, scales or bits stay apart. The new rows have no exemplars. Rows that wait in small files are added by a later run,
 * when they are in a larger one.
 *
 * The statements may be run again, also when rows came late: they replace the files of the days that they read, and of two rows of a
 * stretch the one of more rows counts. Days that were removed from `folder` stay in `into`, which has the rollups of one history, engine and
 * list of attributes only. A file that lacks a column of every file is an error of the statements.
 *
 * @param folder The folder of a history, as the engine names it. Nothing in it is changed.
 * @param into The folder of the rollup.
 * @returns Statements that are run in this order.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the dialect, a folder or an option is not a documented one.
 * @example
 * ```ts
 * import { folderRollupSql } from '@hdrscope/history';
 *
 * folderRollupSql('duckdb', 'history', 'hourly', { drop: ['host.name'] })[1]!.includes("TO 'hourly' (FORMAT parquet"); //=> true
 * folderRollupSql('spark', 's3a://metrics/history', 's3a://metrics/hourly').at(-2)!.startsWith('INSERT OVERWRITE'); //=> true
 * ```
 */
export function folderRollupSql(
  dialect: FolderDialect,
  folder: string,
  into: string,
  options: FolderRollupSqlOptions = {},
): readonly string[] {
  assertOptions(options, OWNERS.rollup);
  const { everyMs = HOUR_MS, drop = [] } = options;
  assertPartOfDay(everyMs);
  assertKeys(drop);
  const { rows: source, where } = checkedSource(dialect, folder, into, options);
  const language = DIALECTS[dialect];
  const writer = WRITERS[dialect];
  const { name, once, without, readTwice } = language;
  const ms = language.ms(name('start'));
  const kept = without('attributes', drop);
  // Rows of different values in one of these are never added.
  const key = 'series_key, unit, scale, bits, t';
  const columns = [
    ...['metric', 'unit', 'scale', 'bits', 'k', 'c', 'w', ...SERIES_COLUMNS],
    `${kept} AS kept`,
    `${writer.seriesKey(kept)} AS series_key`,
    `${writer.seriesKey('attributes')} AS whole_key`,
    `${ms} - ${ms} % ${everyMs} AS t`,
    'coalesce(revision, 0) AS row_revision',
    ...figureColumns(language),
    WEIGHT_COLUMN,
  ];
  const whole = (sum: string): string => `CAST(${sum} AS BIGINT)`;
  const producer = `concat('rollup ${everyMs} ', ${writer.hash(`concat(series_key, '|', unit, '|', CAST(scale AS ${dialect === 'duckdb' ? 'VARCHAR' : 'STRING'}), '|', CAST(bits AS ${dialect === 'duckdb' ? 'VARCHAR' : 'STRING'}))`)})`;
  const values: Readonly<Record<string, string>> = {
    attributes: 'kept',
    start: writer.timestamp('t'),
    end: writer.timestamp(`(t + ${everyMs})`),
    producer,
    sequence: 't',
    count: whole('count_n'),
    sum: 'sum_n',
    min: 'min_n',
    max: 'max_n',
    version: String(FORMAT_VERSION),
    sum_below: 'below_n',
    sum_above: 'above_n',
    min_above: '(min_upper_n - min_n)',
    max_below: '(max_n - max_lower_n)',
    revision: whole('revision_n'),
    exemplars: "''",
    series: whole('least_n'),
    series_above: whole('(most_n - least_n)'),
    weight: whole('weight_n'),
  };
  const rows = `WITH asked AS ${readTwice}(
  ${once(columns.join(', '), source, `${hasValues(source, language)} AND ${where}`)}
), of_series AS (
  SELECT ${key}, whole_key, any_value(metric) AS metric, any_value(kept) AS kept, ${PART_TOTALS}, ${WEIGHT_TOTAL} AS row_weight, sum(1 + row_revision) AS revision_n,
    max(coalesce(series, 1)) AS least_n,
    max(CASE WHEN series IS NULL THEN 1 ELSE 0 END) + coalesce(sum(series + coalesce(series_above, 0)), 0) AS most_n
  FROM asked GROUP BY ${key}, whole_key
), totals AS (
  SELECT row_number() OVER (ORDER BY ${key}) AS id, ${key}, any_value(metric) AS metric, any_value(kept) AS kept, ${FIGURE_TOTALS}, ${WEIGHT_TOTAL} AS weight_n,
    sum(revision_n) AS revision_n, sum(least_n) AS least_n, sum(most_n) AS most_n
  FROM of_series GROUP BY ${key}
), numbered AS (
  SELECT totals.id AS id, k, c, w FROM asked JOIN totals ON ${key
    .split(', ')
    .map((one) => `asked.${one} = totals.${one}`)
    .join(' AND ')}
), merged AS (
  SELECT id, slot, slot_to, ${whole('sum(n)')} AS n FROM ${slotsOf('numbered', source, language)} GROUP BY id, slot, slot_to
), lists AS (
  SELECT id, ${writer.lists.join(', ')} FROM merged GROUP BY id
)
SELECT ${FILE_COLUMNS.map((column) => (values[column] === undefined ? column : `${values[column]} AS ${name(column)}`)).join(', ')},
  ${writer.day('t')} AS day, series_key AS file_order
FROM totals JOIN lists ON totals.id = lists.id`;
  // One name for all lengths: a file of another length would stay beside it, and count twice.
  return writer.write(rows, into, 'rollup');
}

interface Span {
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

const FOLDER_DIALECT = oneOf(Object.keys(WRITERS) as FolderDialect[]);

/** The rows that are read, and their condition. @throws HdrscopeError `ERR_INVALID_OPTION` */
function checkedSource(
  dialect: FolderDialect,
  folder: string,
  into: string,
  { sinceMs, untilMs }: Span,
): { readonly rows: RowSource; readonly where: string } {
  assertFollows('the dialect', FOLDER_DIALECT, dialect);
  for (const [name, path] of Object.entries({ folder, into })) {
    if (typeof path !== 'string' || path === '') {
      throw mustBe('ERR_INVALID_OPTION', name, 'the path of a folder', path);
    }
  }
  const withEnd = (path: string): string => (path.endsWith('/') ? path : `${path}/`);
  if (withEnd(folder) === withEnd(into)) {
    throw mustBe('ERR_INVALID_OPTION', 'into', 'another folder than that of the history', into);
  }
  for (const [name, timeMs] of Object.entries({ sinceMs, untilMs })) {
    assertTime(name, timeMs);
    if (timeMs === undefined || timeMs % DAY_MS === 0) continue;
    throw mustBe(
      'ERR_INVALID_OPTION',
      name,
      'the start of a day in UTC, because files of whole days are written',
      timeMs,
    );
  }
  const span = { sinceMs, untilMs };
  const files = sourceOf({ folder }, dialect, DIALECTS[dialect], span);
  const rows = unknownSource(WRITERS[dialect].withAdded(files), true);
  return { rows, where: conditionOf({ where: [], ...span }, DIALECTS[dialect], rows) };
}

function isAdded(column: string): column is keyof typeof ADDED_COLUMNS {
  return Object.hasOwn(ADDED_COLUMNS, column);
}
