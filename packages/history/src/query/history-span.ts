import { assertFollows, object } from '@hdrscope/core/internal';
import { DIALECTS } from '../sql/dialects.ts';
import { type CheckedQuestion, checkedQuestion, type RowSelection } from '../sql/question.ts';
import type { RowSource } from '../sql/row-source.ts';
import { conditionOf } from '../sql/statement.ts';
import { DAY_MS } from '../times.ts';
import { askFolder, type QueryOptions } from './query-history.ts';

/** The time that rows cover. */
export interface HistorySpan {
  /** Begin of the first interval, in milliseconds since 1970. */
  readonly startMs: number;
  /** End of the last interval, in milliseconds since 1970. */
  readonly endMs: number;
  /** Begin of the last interval, in milliseconds since 1970. */
  readonly lastStartMs: number;
  /** Nine of ten intervals are so long at most, in milliseconds: shorter stretches of time would have gaps. */
  readonly intervalMs: number;
}

/**
 * The time that the rows of a history cover, and how long their intervals are: what a picture needs to choose its stretches of time.
 * It reads no slots. Needs the package `@duckdb/node-api`.
 *
 * @returns `undefined` when no row has values.
 * @throws HdrscopeError as `queryHistory`.
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { historySpan } from '@hdrscope/history';
 *
 * await historySpan(await mkdtemp(join(tmpdir(), 'history-'))); //=> undefined
 * ```
 */
export async function historySpan(
  folder: string,
  question: RowSelection = {},
  options: QueryOptions = {},
): Promise<HistorySpan | undefined> {
  assertFollows('the question', object<RowSelection>(), question);
  const { metric, ...rest } = question;
  const asked = { ...checkedQuestion({ metric: metric === undefined ? '' : metric, ...rest }), metric };
  const found = await spanOf(folder, asked, options);
  if (found === undefined) return undefined;
  const { rowsOfDays: _, ...span } = found;
  return span;
}

/** The time that rows cover, and how many there are. */
export interface CountedSpan extends HistorySpan {
  /** The number of rows by the day of UTC on which they start, in days since 1970. A row that is there twice counts twice. */
  readonly rowsOfDays: ReadonlyMap<number, number>;
}

/** See `historySpan`. */
export async function spanOf(
  folder: string,
  asked: OpenQuestion,
  options: QueryOptions,
): Promise<CountedSpan | undefined> {
  const [found] = await askFolder(folder, asked, options, (source) => statement(asked, source));
  if (found === undefined || found.start_ms === null) return undefined;
  return {
    startMs: Number(found.start_ms),
    endMs: Number(found.end_ms),
    lastStartMs: Number(found.last_start_ms),
    intervalMs: Number(found.interval_ms),
    rowsOfDays: new Map(
      (found.days as bigint[]).map((day, i) => [Number(day), Number((found.rows as bigint[])[i])]),
    ),
  };
}

/** A checked question that may leave the metric open. */
export type OpenQuestion = Pick<CheckedQuestion, 'where' | 'sinceMs' | 'untilMs'> & {
  readonly metric: string | undefined;
};

const { duckdb } = DIALECTS;

/** The condition of the rows with values. */
export function withValues(asked: OpenQuestion): string {
  return `${conditionOf(asked, duckdb)} AND "count" > 0`;
}

// A row that was written twice changes nothing.
function statement(asked: OpenQuestion, source: RowSource): string {
  const { ms } = duckdb;
  return `SELECT * EXCLUDE of_days, map_keys(of_days) AS days, map_values(of_days) AS rows
FROM (SELECT ${ms('min("start")')} AS start_ms, ${ms('max("end")')} AS end_ms, ${ms('max("start")')} AS last_start_ms,
  quantile_disc(${ms('"end"')} - ${ms('"start"')}, 0.9) AS interval_ms,
  histogram(${ms('"start"')} // ${DAY_MS}) AS of_days
FROM ${source.all} WHERE ${withValues(asked)})`;
}
