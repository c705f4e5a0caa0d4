import { DIALECTS } from '../sql/dialects.ts';
import type { RowSource } from '../sql/row-source.ts';
import { askFolder, type QueryOptions } from './query-history.ts';

/** A metric of a history, with all its rows. */
export interface HistoryMetric {
  /** Name of the family. */
  readonly metric: string;
  /** UCUM code of the unit of all values. */
  readonly unit: string;
  /** The value of one tick, in the unit. */
  readonly scale: number;
  /** The keys of the attributes of its series, ascending. */
  readonly keys: readonly string[];
  /** How many series there are. */
  readonly series: number;
  /** How many rows its series have. */
  readonly rows: number;
  /** How many values there are. */
  readonly count: number;
  /** Begin of the first interval, in milliseconds since 1970. */
  readonly startMs: number;
  /** End of the last interval, in milliseconds since 1970. */
  readonly endMs: number;
}

/**
 * The metrics of a history, as DuckDB finds them in the files of a folder. Each combination of metric, unit and scale is one. Needs the
 * package `@duckdb/node-api`.
 *
 * @param folder The folder that `openHistory` writes.
 * @returns Ordered by name, unit and scale.
 * @throws HdrscopeError as `queryHistory`.
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { historyMetrics, openHistory } from '@hdrscope/history';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * registry.histogram({ name: 'http.duration', unit: 's' }).with({ route: '/pay' }).record(0.25);
 * const folder = await mkdtemp(join(tmpdir(), 'history-'));
 * await (await openHistory(registry, { folder })).close();
 *
 * const [metric] = await historyMetrics(folder);
 * [metric!.metric, metric!.unit, metric!.keys, metric!.count]; //=> ['http.duration', 's', ['route'], 1]
 * ```
 */
export async function historyMetrics(folder: string, options: QueryOptions = {}): Promise<HistoryMetric[]> {
  const rows = await askFolder(folder, { sinceMs: undefined, untilMs: undefined }, options, statement);
  return rows.map((row) => ({
    metric: String(row.metric),
    unit: String(row.unit),
    scale: Number(row.scale),
    keys: row.attribute_keys as string[],
    series: Number(row.series_n),
    rows: Number(row.rows_n),
    count: Number(row.count_n),
    startMs: Number(row.start_ms),
    endMs: Number(row.end_ms),
  }));
}

function statement(source: RowSource): string {
  const { once, ms } = DIALECTS.duckdb;
  const columns = 'metric, unit, scale, attributes, "start", "end", "count" AS n';
  // Series first: there are few of them, and lists of their keys are short.
  return `WITH rows AS (
  ${once(columns, source, 'TRUE')}
), series AS (
  SELECT metric, unit, scale, attributes, count(*) AS rows_n, sum(n) AS count_n, min("start") AS first, max("end") AS last
  FROM rows GROUP BY metric, unit, scale, attributes
)
SELECT metric, unit, scale, count(*) AS series_n, sum(rows_n) AS rows_n, sum(count_n) AS count_n,
  ${ms('min(first)')} AS start_ms, ${ms('max(last)')} AS end_ms,
  list_sort(list_distinct(flatten(list(map_keys(attributes))))) AS attribute_keys
FROM series GROUP BY metric, unit, scale ORDER BY metric, unit, scale`;
}
