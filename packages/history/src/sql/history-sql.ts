import { HdrscopeError } from '@hdrscope/core';
import { assertOptions, mustBe, type OptionsOwner } from '@hdrscope/core/internal';
import { lastDayOf } from '../parquet/names.ts';
import { isEven, listStretches, type Stretches } from '../stretches.ts';
import { type DaySpan, DIALECTS, type Dialect, type DialectName } from './dialects.ts';
import { type CheckedQuestion, checkedQuestion, type HistoryQuestion } from './question.ts';
import { unknownSource } from './row-source.ts';
import { firstTick, lastTick } from './slot-sql.ts';
import { statementOf } from './statement.ts';

/** Where rows are: in a table, or in the files of a folder. */
export interface HistorySource {
  /** The name of a table or view with the columns of docs/formats/history.md; several texts are a qualified name. @default 'history' */
  readonly table?: string | readonly string[];
  /** A folder that `openHistory` writes. ClickHouse looks for it in its own folder of user files. @default a table is asked */
  readonly folder?: string;
}

const OWNER: OptionsOwner<HistorySource> = {
  name: 'historySql',
  names: { table: true, folder: true },
  call: "historySql(question, 'duckdb', { folder: 'history' })",
};

/**
 * A statement that answers a question about a history, in the language of an engine. It reads every row once, however often it was
 * written, and merges rows of different digits at the coarsest of each group. Rows of different units or scales are never added: each
 * combination has lines of its own in the answer.
 *
 * Each line of the answer has the columns `group1`, `group2`, … (the values of `by`; NULL for series without the key), `start_ms` (the
 * start of the stretch of time; NULL without `everyMs` and `every`), `unit`, `scale`, `bits`, `count`, `sum`, `min`, `max`, and for each percentile two
 * columns, such as `p99_9_lower` and `p99_9_upper`: the bounds of the slots that it may lie in, in the unit. The true value lies between them.
 *
 * The true sum lies between `sum_lower` and `sum_upper`, the smallest value between `min` and `min_upper`, and the largest one between
 * `max_lower` and `max`. An upper bound is infinite where a bucket has no end, and no maximum is known. ClickHouse writes infinity as null in
 * JSON, unless `output_format_json_quote_denormals` is 1.
 *
 * `crossing_count` is how many values are of intervals that reach over the end of the stretch in which they start: they may be of a later one.
 * The borders of months, and those of a time zone other than UTC, are in the statement, so all engines divide time alike.
 *
 * All texts of the question may have any characters. A file of a folder that lacks a column of every file is an error of the engine, except
 * that DuckDB and Spark take rows without `metric` or `start` for those of others.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the question, the dialect or the source is not a documented one, or the engine cannot
 *   hold a text: PostgreSQL has no U+0000; `ERR_INVALID_VALUE` when a percentile is not a number from 0 to 100.
 * @example
 * ```ts
 * import { historySql } from '@hdrscope/history';
 *
 * const sql = historySql({ metric: 'http.duration', percentiles: [99.9], by: ['route'] }, 'clickhouse', { table: 'history' });
 * sql.includes('p99_9_upper'); //=> true
 * ```
 */
export function historySql(
  question: HistoryQuestion,
  dialect: DialectName,
  source: HistorySource = {},
): string {
  const language = dialectOf(dialect);
  const checked = checkedQuestion(question);
  const rows = unknownSource(sourceOf(source, dialect, language, checked), source.folder !== undefined);
  return statementOf(checked, rows, language, {
    stretches: boundedStretches(checked),
    ofPercentile(percentile, first, last) {
      const name = percentileColumn(percentile);
      return [
        `${firstTick(first, 'bits', language)} / per_unit AS ${name}_lower`,
        `${lastTick(first, last, 'bits', language)} / per_unit AS ${name}_upper`,
      ];
    },
  });
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` when the statement has to list the borders of an unbounded time. */
function boundedStretches({ division, sinceMs, untilMs }: CheckedQuestion): Stretches | undefined {
  if (division === undefined) return undefined;
  if (isEven(division)) return listStretches(division, 0, 0);
  if (sinceMs !== undefined && untilMs !== undefined) return listStretches(division, sinceMs, untilMs);
  const message =
    'sinceMs and untilMs must bound the time: a statement lists the borders of months, and those of a time zone';
  throw new HdrscopeError('ERR_INVALID_OPTION', message);
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function dialectOf(name: string): Dialect {
  if (typeof name === 'string' && Object.hasOwn(DIALECTS, name)) return DIALECTS[name as DialectName];
  throw mustBe('ERR_INVALID_OPTION', 'the dialect', Object.keys(DIALECTS).join(', '), name);
}

/**
 * The rows of a source.
 *
 * @param span In a folder, only the files of the days of this time are read.
 * @throws HdrscopeError `ERR_INVALID_OPTION`
 */
export function sourceOf(
  source: HistorySource,
  dialectName: DialectName,
  dialect: Dialect,
  span: Span = { sinceMs: undefined, untilMs: undefined },
): string {
  assertOptions(source, OWNER);
  const { table = 'history', folder } = source;
  if (folder === undefined) {
    const parts = typeof table === 'string' ? [table] : table;
    if (
      !Array.isArray(parts) ||
      parts.length === 0 ||
      !parts.every((part) => typeof part === 'string' && part !== '')
    ) {
      throw mustBe('ERR_INVALID_OPTION', 'table', 'a name, or the parts of a qualified name', table);
    }
    return parts.map(dialect.name).join('.');
  }
  if (source.table !== undefined) {
    throw new HdrscopeError('ERR_INVALID_OPTION', 'the rows are in a table or in a folder, got both');
  }
  if (typeof folder !== 'string' || folder === '') {
    throw mustBe('ERR_INVALID_OPTION', 'folder', 'the path of a folder', folder);
  }
  if (dialect.files === undefined) {
    throw mustBe(
      'ERR_INVALID_OPTION',
      'the source',
      `a table, because ${dialectName} reads no Parquet files`,
      folder,
    );
  }
  return dialect.files(folder, daysOf(span));
}

type Span = Pick<CheckedQuestion, 'sinceMs' | 'untilMs'>;

/** The days whose folders have rows that start in a span of time. */
function daysOf({ sinceMs, untilMs }: Span): DaySpan {
  return {
    first: sinceMs === undefined ? undefined : lastDayOf(sinceMs),
    // A row that starts at the end is not asked for.
    last: untilMs === undefined ? undefined : lastDayOf(Math.max(0, Math.ceil(untilMs) - 1)),
  };
}

/** How the columns of a percentile begin: `p99_9` for 99.9. */
function percentileColumn(percentile: number): string {
  return `p${String(percentile).replace(/[^0-9a-z]/g, '_')}`;
}
