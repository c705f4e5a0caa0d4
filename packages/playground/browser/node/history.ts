/**
 * What commands ask of `@hdrscope/history`, over the files of the worker. On a command line DuckDB merges the rows of files; it does not run in
 * a page, so they are merged here, in memory.
 */
import { HdrscopeError } from '@hdrscope/core';
import { fromTicks, resolutionOf } from '@hdrscope/core/internal';
import {
  figureBounds,
  type HistoryExemplar,
  type HistoryExplanation,
  type HistoryGroup,
  type HistoryMetric,
  type HistoryQuestion,
  type HistoryRow,
  type HistorySpan,
  type MergedRow,
  mergeRows,
  percentilesOf,
  readRows,
} from '@hdrscope/history';
import {
  type CheckedQuestion,
  checkedQuestion,
  distinctRows,
  type ExemplarQuestion,
  type ExplainQuestion,
  explainMetrics,
  explainRows,
  findStretch,
  listStretches,
  type MergeQuestion,
  type RowSelection,
  type TimeRange,
} from '@hdrscope/history/internal';
import { findFile, listFolder } from '../disk.ts';

export { countedOfRow, figureBounds, percentilesOf, rowsBetween, slotBounds } from '@hdrscope/history';
export { divideBy, histogramsOfRow, stretchFor } from '@hdrscope/history/internal';

/** Rows take a dozen times the memory of their files. */
const MOST_BYTES = 64e6;

const known = new WeakMap<Blob, readonly HistoryRow[]>();

/** Reads all rows of a folder, each once. A question reads them several times. */
async function readFolder(folder: string): Promise<readonly HistoryRow[]> {
  const paths = listFolder(folder);
  const blobs = paths.map((path) => findFile(path, 'open'));
  const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MOST_BYTES) {
    const message = `the files of a history must have at most ${MOST_BYTES / 1e6} MB in a browser, got ${Math.ceil(bytes / 1e6)} MB: ask it on a command line`;
    throw new HdrscopeError('ERR_TOO_LARGE', message, {
      details: { what: 'files', limit: 'bytes', most: MOST_BYTES },
    });
  }
  const [first] = blobs;
  if (first === undefined) return [];
  const found = known.get(first);
  if (found !== undefined) return found;
  const rows: HistoryRow[] = [];
  for (const path of paths) for await (const row of readRows(path)) rows.push(row);
  const distinct = distinctRows(rows);
  known.set(first, distinct);
  return distinct;
}

/** A question that may be about all metrics, and may leave each series a group. */
type Asked = Omit<CheckedQuestion, 'metric' | 'by'> & {
  readonly metric: string | undefined;
  readonly by: readonly string[] | undefined;
};

function checkQuestion({ metric, by, ...rest }: MergeQuestion & Partial<HistoryQuestion>): Asked {
  return { ...checkedQuestion({ metric: metric ?? '', by: by ?? [], ...rest }), metric, by };
}

async function selectRows(folder: string, { metric, where, sinceMs, untilMs }: Asked): Promise<HistoryRow[]> {
  const isAsked = (row: HistoryRow): boolean =>
    row.count > 0 &&
    (metric === undefined || row.metric === metric) &&
    where.every(([key, value]) => row.attributes[key] === value) &&
    (sinceMs === undefined || row.startMs >= sinceMs) &&
    (untilMs === undefined || row.startMs < untilMs);
  return (await readFolder(folder)).filter(isAsked);
}

interface Group extends Pick<MergedRow, 'metric' | 'attributes'> {
  /** The stretch of time of the rows; `undefined` when the question does not divide the time. */
  readonly stretch: { readonly startMs: number; readonly endMs: number } | undefined;
  readonly rows: HistoryRow[];
  crossingCount: number;
}

/** Divides rows by group and stretch of time. */
function groupRows(rows: readonly HistoryRow[], { by, division }: Asked): Group[] {
  const { startMs, lastStartMs } = measureSpan(rows);
  const stretches =
    division && rows.length > 0 ? listStretches(division, startMs, lastStartMs + 1) : undefined;
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const stretch = stretches && findStretch(stretches, row.startMs);
    const attributes =
      by === undefined
        ? row.attributes
        : Object.fromEntries(
            by.flatMap((key) => (Object.hasOwn(row.attributes, key) ? [[key, row.attributes[key]!]] : [])),
          );
    const { metric, unit, scale } = row;
    const key = JSON.stringify([metric, unit, scale, Object.entries(attributes), stretch?.startMs]);
    const group = groups.get(key) ?? { metric, attributes, stretch, rows: [], crossingCount: 0 };
    groups.set(key, group);
    group.rows.push(row);
    if (stretch !== undefined && row.endMs > stretch.endMs) group.crossingCount += row.count;
  }
  return [...groups.values()];
}

function measureSpan(rows: readonly HistoryRow[]): Pick<HistorySpan, 'startMs' | 'endMs' | 'lastStartMs'> {
  let [startMs, endMs, lastStartMs] = [Number.POSITIVE_INFINITY, 0, 0];
  for (const row of rows) {
    startMs = Math.min(startMs, row.startMs);
    endMs = Math.max(endMs, row.endMs);
    lastStartMs = Math.max(lastStartMs, row.startMs);
  }
  return { startMs, endMs, lastStartMs };
}

/** Compares lists item by item. What is absent comes first. */
function compareLists(a: readonly (string | number | undefined)[], b: typeof a): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [one, other] = [a[at], b[at]];
    if (one === other) continue;
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return 0;
}

function sortBy<T>(items: readonly T[], keyOf: (item: T) => readonly (string | number | undefined)[]): T[] {
  return items
    .map((item) => ({ item, key: keyOf(item) }))
    .sort((a, b) => compareLists(a.key, b.key))
    .map(({ item }) => item);
}

// The questions, as `@hdrscope/history` documents them.

export async function queryHistory(folder: string, question: HistoryQuestion): Promise<HistoryGroup[]> {
  const asked = checkQuestion(question);
  const groups = groupRows(await selectRows(folder, asked), asked);
  const ordered = sortBy(groups, ({ attributes, stretch, rows: [row] }) => [
    ...question.by!.map((key) => attributes[key]),
    ...[stretch?.startMs, row!.unit, row!.scale],
  ]);
  return ordered.map(({ attributes, stretch, crossingCount, rows }) => {
    const row = mergeRows(rows);
    return {
      ...{ attributes, startMs: stretch?.startMs, endMs: stretch?.endMs, crossingCount },
      ...{ unit: row.unit, scale: row.scale, bits: row.bits, count: row.count },
      sum: fromTicks(resolutionOf(row.scale), row.sum),
      ...figureBounds(row),
      isWide: row.w.length > 0,
      percentiles: percentilesOf(row, asked.percentiles),
    };
  });
}

export async function* queryMergedRows(
  folder: string,
  question: MergeQuestion = {},
): AsyncGenerator<MergedRow, void> {
  const asked = checkQuestion(question);
  const groups = groupRows(await selectRows(folder, asked), asked);
  const ordered = sortBy(groups, ({ metric, attributes, stretch, rows: [row] }) => [
    ...[stretch?.startMs, metric, row!.unit, row!.scale],
    ...Object.entries(attributes)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flat(),
  ]);
  for (const { metric, attributes, stretch, crossingCount, rows } of ordered) {
    const { startMs, endMs } = stretch ?? measureSpan(rows);
    const ascending = Object.fromEntries(sortBy(Object.entries(attributes), ([key]) => [key]));
    const { exemplars: _, series: __, ...merged } = mergeRows(rows);
    yield { metric, attributes: ascending, startMs, endMs, crossingCount, ...merged };
  }
}

export async function historyMetrics(folder: string): Promise<HistoryMetric[]> {
  const metrics = new Map<string, { rows: HistoryRow[]; series: Set<string>; keys: Set<string> }>();
  for (const row of await readFolder(folder)) {
    const key = JSON.stringify([row.metric, row.unit, row.scale]);
    const found = metrics.get(key) ?? { rows: [], series: new Set(), keys: new Set() };
    metrics.set(key, found);
    found.rows.push(row);
    found.series.add(JSON.stringify(Object.entries(row.attributes)));
    for (const name of Object.keys(row.attributes)) found.keys.add(name);
  }
  const all = [...metrics.values()].map(({ rows, series, keys }) => {
    const { metric, unit, scale } = rows[0]!;
    const { startMs, endMs } = measureSpan(rows);
    const count = rows.reduce((sum, row) => sum + row.count, 0);
    return {
      metric,
      unit,
      scale,
      keys: [...keys].sort(),
      series: series.size,
      rows: rows.length,
      count,
      startMs,
      endMs,
    };
  });
  return sortBy(all, ({ metric, unit, scale }) => [metric, unit, scale]);
}

export async function historySpan(
  folder: string,
  question: RowSelection = {},
): Promise<HistorySpan | undefined> {
  const rows = await selectRows(folder, checkQuestion(question));
  if (rows.length === 0) return undefined;
  const lengths = rows.map(({ startMs, endMs }) => endMs - startMs).sort((a, b) => a - b);
  return { ...measureSpan(rows), intervalMs: lengths[Math.ceil(0.9 * lengths.length) - 1]! };
}

export async function explainNothing(
  folder: string,
  question: Pick<HistoryQuestion, 'metric' | 'by' | 'where'>,
): Promise<string> {
  return explainMetrics(folder, await historyMetrics(folder), question);
}

export { explainRows };

export async function explainHistory(
  folder: string,
  { before, after, percentile = 99.9, ...question }: ExplainQuestion,
): Promise<HistoryExplanation> {
  const rows = await readFolder(folder);
  const between = ({ sinceMs, untilMs }: TimeRange): HistoryRow[] =>
    rows.filter(({ count, startMs }) => count > 0 && startMs >= sinceMs && startMs < untilMs);
  return explainRows(between(before), between(after), { ...question, percentile });
}

export async function queryExemplars(
  folder: string,
  { limit = 10, ...question }: ExemplarQuestion,
): Promise<HistoryExemplar[]> {
  const rows = await selectRows(folder, checkQuestion(question));
  const found = rows.flatMap(({ attributes, unit, scale, exemplars = [] }) =>
    exemplars.map(({ value, ...facts }) => ({
      attributes,
      unit,
      value: fromTicks(resolutionOf(scale), value),
      ...facts,
    })),
  );
  const distinct = new Map(found.map((one) => [JSON.stringify(one), one]));
  const keyOf = ({ value, timeMs, traceId }: HistoryExemplar): [number, string, string] => [
    -value,
    `${timeMs}`,
    traceId,
  ];
  return sortBy([...distinct.values()], keyOf).slice(0, limit);
}
