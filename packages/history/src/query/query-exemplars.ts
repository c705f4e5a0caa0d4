import { assertOptions, fromTicks, integer, type OptionsOwner, resolutionOf } from '@hdrscope/core/internal';
import { parseExemplars } from '../rows/row-exemplars.ts';
import { DIALECTS } from '../sql/dialects.ts';
import { type CheckedQuestion, checkedQuestion, type HistoryQuestion } from '../sql/question.ts';
import type { RowSource } from '../sql/row-source.ts';
import { conditionOf } from '../sql/statement.ts';
import { askFolder, type QueryOptions } from './query-history.ts';

/** Which values with a trace are asked for. */
export interface ExemplarQuestion extends Pick<HistoryQuestion, 'metric' | 'where' | 'sinceMs' | 'untilMs'> {
  /** How many there may be: an integer of at least 1. @default 10 */
  readonly limit?: number;
}

/** A large value of a history, with the trace in which it was recorded. */
export interface HistoryExemplar {
  /** The attributes of the series, ascending by their keys. */
  readonly attributes: Readonly<Record<string, string>>;
  /** UCUM code of the unit of the value. */
  readonly unit: string;
  /** The value, in the unit. */
  readonly value: number;
  /** When it was recorded, in milliseconds since 1970. */
  readonly timeMs: number;
  /** The trace. */
  readonly traceId: string;
  /** The span; empty when it is not known. */
  readonly spanId: string;
}

const OWNER: OptionsOwner<ExemplarQuestion> = {
  name: 'the question',
  names: { metric: true, where: true, sinceMs: true, untilMs: true, limit: integer({ from: 1 }) },
  call: "{ metric: 'http.server.request.duration', limit: 10 }",
};

/**
 * The largest values of a metric that have a trace, from the files of a folder. A registry keeps the latest exemplar of each octave, so a
 * larger value of the same octave may have had none. A row has at most four of them. One that was recorded in
 * the millisecond between two intervals is in both of their rows, and comes once here. Needs the package `@duckdb/node-api`.
 *
 * @param folder The folder that `openHistory` writes. Only the days that the question asks for are read.
 * @returns The largest value first. There are none where nobody recorded exemplars.
 * @throws HdrscopeError as `queryHistory`; `ERR_INVALID_OPTION` when the limit is not an integer of at least 1.
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { openHistory, queryExemplars } from '@hdrscope/history';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * const durations = registry.histogram({ name: 'http.duration', unit: 's' });
 * const attributes = { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', span_id: '00f067aa0ba902b7' };
 * const series = durations.with({ route: '/pay' });
 * series.record(0.25);
 * series.offerExemplar({ value: 0.25, timeMs: Date.now(), attributes });
 * const folder = await mkdtemp(join(tmpdir(), 'history-'));
 * await (await openHistory(registry, { folder })).close();
 *
 * const [slowest] = await queryExemplars(folder, { metric: 'http.duration' });
 * [slowest!.value, slowest!.attributes.route, slowest!.traceId]; //=> [0.25, '/pay', '4bf92f3577b34da6a3ce929d0e0e4736']
 * ```
 */
export async function queryExemplars(
  folder: string,
  question: ExemplarQuestion,
  options: QueryOptions = {},
): Promise<HistoryExemplar[]> {
  assertOptions(question, OWNER);
  const { limit = 10, ...rest } = question;
  const checked = checkedQuestion(rest);
  const rows = await askFolder(folder, checked, options, (source) => statement(checked, limit, source));
  return rows.flatMap(exemplarsIn);
}

const { duckdb } = DIALECTS;

function statement(asked: CheckedQuestion, limit: number, source: RowSource): string {
  const columns = 'unit, scale, attributes, exemplars';
  return `WITH asked AS (
  ${duckdb.once(columns, source, `${conditionOf(asked, duckdb)} AND exemplars <> ''`)}
), found AS (
  SELECT unit, scale, attributes, unnest(TRY_CAST(exemplars AS JSON[])) AS one FROM asked
), distinct_ones AS (
  SELECT DISTINCT * FROM found
)
SELECT unit, scale, map_keys(attributes) AS attribute_keys, map_values(attributes) AS attribute_values, CAST(one AS VARCHAR) AS exemplar
FROM distinct_ones
ORDER BY TRY_CAST(json_extract(one, '$.value') AS DOUBLE) * scale DESC NULLS LAST, exemplar
LIMIT ${limit}`;
}

function exemplarsIn(row: Record<string, unknown>): HistoryExemplar[] {
  const values = row.attribute_values as string[];
  const attributes = Object.fromEntries((row.attribute_keys as string[]).map((key, i) => [key, values[i]!]));
  const resolution = resolutionOf(Number(row.scale));
  return parseExemplars(`[${row.exemplar}]`).map(({ value, ...facts }) => ({
    attributes,
    unit: String(row.unit),
    value: fromTicks(resolution, value),
    ...facts,
  }));
}
