import { assertFollows, object } from '@hdrscope/core/internal';
import { MOST_BITS_OF_HDR } from '../rows/counted-of-row.ts';
import type { Distribution } from '../rows/row.ts';
import { weightProperty } from '../rows/row-weight.ts';
import { DIALECTS, type Dialect } from '../sql/dialects.ts';
import { type CheckedQuestion, checkedQuestion, type HistoryQuestion } from '../sql/question.ts';
import type { RowSource } from '../sql/row-source.ts';
import {
  FIGURE_TOTALS,
  FIGURES,
  figureColumns,
  slotsOf,
  stretchColumns,
  WEIGHT_COLUMN,
  WEIGHT_TOTAL,
} from '../sql/statement.ts';
import { findStretch, listStretches, type Stretches } from '../stretches.ts';
import { DAY_MS } from '../times.ts';
import type { Span } from './folder-files.ts';
import { type CountedSpan, spanOf, withValues } from './history-span.ts';
import { askFolder, Engines, figuresOfTotals, type QueryOptions } from './query-history.ts';

/** Which rows are merged, and how far. */
export interface MergeQuestion extends Omit<HistoryQuestion, 'metric' | 'percentiles' | 'by'> {
  /** Name of the family. @default all metrics */
  readonly metric?: string;
  /** Keys of attributes; each combination of their values is a group. @default each series is a group */
  readonly by?: readonly string[];
}

/** The distribution of a group of series in a stretch of time, with all its slots. */
export interface MergedRow extends Distribution {
  /** The name of the family. */
  readonly metric: string;
  /** The attributes of the group, ascending by their keys; a key of `by` that the series do not have is absent. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Begin of the stretch of time, in milliseconds since 1970; without stretches that of the first interval. */
  readonly startMs: number;
  /** End of the stretch of time, in milliseconds since 1970; without stretches that of the last interval. */
  readonly endMs: number;
  /** How many values are of intervals that reach over the end of the stretch: some of them may be of a later one. 0 without stretches. */
  readonly crossingCount: number;
}

/**
 * Merges the rows of a history inside DuckDB, and yields the sums with their slots: what `countedOfRow` and `percentilesOf` take. Rows of
 * different digits are merged at the coarsest of a group and stretch of time, and at 17 bits at most. Rows of different units or scales
 * are never added. Needs the package `@duckdb/node-api`.
 *
 * With `everyMs` or `every` the folder is read in parts of about 2000 sums. They are of at most a day and 60 stretches, or of several days with
 * 50,000 rows at most, unless a stretch alone is more. So memory depends on the length of a part, and not on that of the history.
 *
 * @param folder The folder that `openHistory` writes.
 * @returns Ordered by time, metric, unit, scale and attributes. Groups without values are absent.
 * @throws HdrscopeError as `queryHistory`.
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { queryMergedRows, openHistory, percentilesOf } from '@hdrscope/history';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * const sizes = registry.histogram({ name: 'sizes', unit: 'By' });
 * for (let bytes = 1; bytes <= 100; bytes++) sizes.with({ parity: bytes % 2 }).record(bytes);
 * const folder = await mkdtemp(join(tmpdir(), 'history-'));
 * await (await openHistory(registry, { folder })).close();
 *
 * for await (const row of queryMergedRows(folder, { metric: 'sizes', by: [] })) {
 *   [row.count, row.k.length]; //=> [100, 100]
 *   percentilesOf(row, [99]); //=> [{ percentile: 99, value: 99, lower: 99, upper: 99 }]
 * }
 * ```
 */
export async function* queryMergedRows(
  folder: string,
  question: MergeQuestion = {},
  options: QueryOptions = {},
): AsyncGenerator<MergedRow, void> {
  assertFollows('the question', object<MergeQuestion>(), question);
  const { metric, by, ...rest } = question;
  const checked = checkedQuestion({
    metric: metric === undefined ? '' : metric,
    by: by === undefined ? [] : by,
    ...rest,
  });
  const asked = { ...checked, metric, by };
  const ask = (span: Span, stretches?: Stretches, engines?: Engines): Promise<EngineRow[]> =>
    askFolder(
      folder,
      span,
      options,
      (source) => statement({ ...asked, ...span }, source, stretches),
      engines,
    );
  const { division, sinceMs, untilMs } = checked;
  if (division === undefined) {
    for (const row of await ask({ sinceMs, untilMs })) yield mergedRow(row, undefined);
    return;
  }
  const whole = await spanOf(folder, asked, options);
  if (whole === undefined) return;
  const stretches = listStretches(division, whole.startMs, whole.lastStartMs + 1);
  const engines = new Engines(options);
  try {
    for await (const rows of inParts(whole, stretches, checked, (span) => ask(span, stretches, engines))) {
      for (const row of rows) yield mergedRow(row, stretches);
    }
  } finally {
    engines.close();
  }
}

type EngineRow = Record<string, unknown>;

/** A checked question that may leave the metric and the groups open. */
interface Asked extends Omit<CheckedQuestion, 'metric' | 'by'> {
  readonly metric: string | undefined;
  readonly by: readonly string[] | undefined;
}

const MOST_STRETCHES = 60;
const FIRST_STRETCHES = 4;
// The sums of a part become objects at once, while no other work runs. Their slots are texts until they are asked for.
const SUMS_OF_PART = 2000;
const MOST_GROWTH = 4;
/** A part has no more sums than rows. */
const MOST_ROWS = 50_000;

/** Asks for one part of the time after the other. A part is as long as the sums of the one before allow. */
export async function* inParts(
  whole: CountedSpan,
  stretches: Stretches,
  { sinceMs = 0, untilMs = Number.POSITIVE_INFINITY }: Span,
  ask: (span: Span) => Promise<EngineRow[]>,
): AsyncGenerator<EngineRow[], void> {
  const first = findStretch(stretches, whole.startMs);
  const most = Math.max(1, Math.min(Math.floor(DAY_MS / (first.endMs - first.startMs)), MOST_STRETCHES));
  let count = Math.min(FIRST_STRETCHES, most);
  let mostRows = SUMS_OF_PART;
  for (let fromMs = first.startMs; fromMs <= whole.lastStartMs; ) {
    let toMs = fromMs;
    for (let i = 0; i < count; i++) toMs = findStretch(stretches, toMs).endMs;
    const days = findEndOfDays(whole, stretches, fromMs, mostRows);
    toMs = Math.max(toMs, days.endMs);
    const sums = await ask({ sinceMs: Math.max(fromMs, sinceMs), untilMs: Math.min(toMs, untilMs) });
    yield sums;
    const fitting = SUMS_OF_PART / Math.max(1, sums.length);
    count = Math.max(1, Math.min(Math.floor(count * fitting), count * MOST_GROWTH, most));
    if (days.rows > 0) {
      mostRows = days.rows * Math.min(fitting, MOST_GROWTH);
      mostRows = Math.max(SUMS_OF_PART, Math.min(mostRows, MOST_ROWS));
    }
    fromMs = toMs;
  }
}

/** The end of the stretches from a time on that have whole days of so few rows, and how many rows these are. */
function findEndOfDays(
  { rowsOfDays, lastStartMs }: CountedSpan,
  stretches: Stretches,
  fromMs: number,
  mostRows: number,
): { readonly endMs: number; readonly rows: number } {
  let [endMs, rows] = [fromMs, 0];
  for (let day = Math.floor(fromMs / DAY_MS); endMs <= lastStartMs; ) {
    const next = findStretch(stretches, Math.max((day + 1) * DAY_MS, endMs) - 1).endMs;
    let added = 0;
    // A stretch may end on another day.
    for (; day * DAY_MS < next; day++) added += rowsOfDays.get(day) ?? 0;
    if (rows + added > mostRows) break;
    rows += added;
    endMs = next;
  }
  return { endMs, rows };
}

const { duckdb } = DIALECTS;

/** Each group and stretch of time has a number while slots are added up. Lists are JSON, which is read ten times as fast. */
function statement({ by, ...asked }: Asked, source: RowSource, stretches: Stretches | undefined): string {
  const { ms, once, readTwice, shiftRight } = duckdb;
  const start = ms('"start"');
  const columns = `metric, unit, scale, bits, ${groupAttributes(by, duckdb)} AS attributes, ${stretchColumns(stretches, duckdb).join(', ')},
    ${start} AS start_ms, ${ms('"end"')} AS end_ms, ${figureColumns(duckdb).join(', ')}, ${WEIGHT_COLUMN}, k, c, w`;
  const group = 't, metric, unit, scale, attributes';
  return `WITH asked AS ${readTwice}(
  ${once(columns, source, withValues(asked))}
), totals AS MATERIALIZED (
  SELECT row_number() OVER () AS id, ${group}, least(${MOST_BITS_OF_HDR}, min(bits)) AS bits,
    min(start_ms) AS start_ms, max(end_ms) AS end_ms, sum(row_crossing) AS crossing_n, ${WEIGHT_TOTAL} AS weight, ${FIGURE_TOTALS}
  FROM asked GROUP BY ${group}
), numbered AS (
  SELECT totals.id AS id, asked.bits - totals.bits AS cut, k, c, w FROM asked JOIN totals USING (${group})
), merged AS (
  SELECT id, ${shiftRight('slot', 'cut')} AS slot, ${source.hasWidths ? shiftRight('slot_to', 'cut') : 'NULL'} AS slot_to, sum(n) AS n
  FROM ${slotsOf('numbered', source, duckdb)} GROUP BY ALL
), lists AS (
  SELECT id, CAST(list(slot ORDER BY slot, slot_to) AS VARCHAR) AS k, CAST(list(n ORDER BY slot, slot_to) AS VARCHAR) AS c,
    ${source.hasWidths ? "CASE WHEN bool_and(slot = slot_to) THEN '[]' ELSE CAST(list(slot_to - slot ORDER BY slot, slot_to) AS VARCHAR) END" : "'[]'"} AS w
  FROM merged GROUP BY id
)
SELECT metric, unit, scale, map_keys(attributes) AS attribute_keys, map_values(attributes) AS attribute_values, bits,
  t, start_ms, end_ms, crossing_n, weight, ${FIGURES.join(', ')}, k, c, w
FROM lists JOIN totals USING (id)
ORDER BY ${group}`;
}

/** The attributes of a group. Those of rows ascend by their keys, and so do these. */
function groupAttributes(by: readonly string[] | undefined, { text }: Dialect): string {
  if (by === undefined) return 'attributes';
  const keys = `[${by.map(text).join(', ')}]::VARCHAR[]`;
  return `map_from_entries(list_filter(map_entries(attributes), lambda one: list_contains(${keys}, one.key)))`;
}

function mergedRow(row: Record<string, unknown>, stretches: Stretches | undefined): MergedRow {
  const keys = row.attribute_keys as string[];
  const values = row.attribute_values as string[];
  const { startMs, endMs } =
    stretches === undefined
      ? { startMs: Number(row.start_ms), endMs: Number(row.end_ms) }
      : findStretch(stretches, Number(row.t));
  return {
    metric: String(row.metric),
    unit: String(row.unit),
    attributes: Object.fromEntries(keys.map((key, i) => [key, values[i]!])),
    startMs,
    endMs,
    crossingCount: Number(row.crossing_n),
    ...figuresOfTotals(row),
    scale: Number(row.scale),
    bits: Number(row.bits),
    k: JSON.parse(String(row.k)) as number[],
    c: JSON.parse(String(row.c)) as number[],
    w: JSON.parse(String(row.w)) as number[],
    ...weightProperty(Number(row.weight)),
  };
}
