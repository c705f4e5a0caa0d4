import { assertFollows, object } from '@hdrscope/core/internal';
import { COLUMNS } from '../parquet/schema.ts';
import { DIALECTS, type DialectName } from './dialects.ts';
import { dialectOf, type HistorySource, sourceOf } from './history-sql.ts';
import { checkedQuestion, type RowSelection } from './question.ts';
import { unknownSource } from './row-source.ts';
import { conditionOf } from './statement.ts';

/**
 * A statement that gives rows of a history as they are, each once: a row may be in several files, or in a table of ClickHouse twice. Of
 * several revisions, it gives the largest. Statements that people write by hand add up its rows; it may be the text of a view.
 *
 * @returns A statement whose rows have the columns of docs/formats/history.md.
 * @throws HdrscopeError `ERR_INVALID_OPTION` as `historySql`.
 * @example
 * ```ts
 * import { uniqueRowsSql } from '@hdrscope/history';
 *
 * const rows = uniqueRowsSql({ metric: 'rpc.duration' }, 'duckdb', { folder: 'history' });
 * `SELECT sum(count) FROM (${rows})`.includes('QUALIFY row_number() OVER (PARTITION BY producer, sequence'); //=> true
 * ```
 */
export function uniqueRowsSql(
  selection: RowSelection,
  dialect: DialectName,
  source: HistorySource = {},
): string {
  assertFollows('the selection', object<RowSelection>(), selection);
  const language = dialectOf(dialect);
  const { metric, ...rest } = selection;
  const checked = checkedQuestion({ metric: metric === undefined ? '' : metric, ...rest });
  const rows = unknownSource(sourceOf(source, dialect, language, checked), source.folder !== undefined);
  const columns = COLUMNS.map(DIALECTS[dialect].name).join(', ');
  const statement = language.once(columns, rows, conditionOf({ ...checked, metric }, language, rows));
  // Spark numbers the copies in a column.
  return dialect === 'spark' ? `SELECT ${columns} FROM (${statement})` : statement;
}
