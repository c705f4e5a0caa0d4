import { Slices } from '@hdrscope/kit';
import type { HistoryRow } from '../rows/row.ts';

const keys = new WeakMap<HistoryRow['attributes'], { readonly metric: string; readonly key: string }>();

/** A text that rows of one series share, and no others do. */
export function seriesKey({ metric, attributes }: HistoryRow): string {
  const known = keys.get(attributes);
  if (known?.metric === metric) return known.key;
  const key = `${JSON.stringify(metric)}${JSON.stringify(Object.entries(attributes))}`;
  keys.set(attributes, { metric, key });
  return key;
}

/**
 * The order of rows in a file: by series, time, producer and sequence. Rows of a series then compress well, and duplicates are
 * neighbours, the largest revision first.
 */
export function compareRows(a: HistoryRow, b: HistoryRow): number {
  const isOneSeries = a.attributes === b.attributes && a.metric === b.metric;
  return (isOneSeries ? 0 : compareTexts(seriesKey(a), seriesKey(b))) || compareInSeries(a, b);
}

/** Rows in the order of a file. Other work of the process runs in between. */
export async function inOrder(rows: readonly HistoryRow[]): Promise<HistoryRow[]> {
  const slices = new Slices();
  // Series are far fewer than rows, and their texts are long to compare.
  const bySeries = new Map<string, HistoryRow[]>();
  for (const row of rows) {
    const key = seriesKey(row);
    const ofSeries = bySeries.get(key);
    if (ofSeries === undefined) bySeries.set(key, [row]);
    else ofSeries.push(row);
    if (slices.isOver()) await slices.next();
  }
  const sorted: HistoryRow[] = [];
  for (const key of [...bySeries.keys()].sort()) {
    for (const row of bySeries.get(key)!.sort(compareInSeries)) sorted.push(row);
    if (slices.isOver()) await slices.next();
  }
  return sorted;
}

function compareInSeries(a: HistoryRow, b: HistoryRow): number {
  return (
    a.startMs - b.startMs ||
    compareTexts(a.producer, b.producer) ||
    a.sequence - b.sequence ||
    compareRevisions(a, b)
  );
}

/** Whether two rows are one row, in whatever revisions. */
export function isSameRow(a: HistoryRow, b: HistoryRow): boolean {
  return a.sequence === b.sequence && a.producer === b.producer;
}

/** The order of the revisions of a row: the one that counts comes first. */
export function compareRevisions({ revision: a = 0 }: HistoryRow, { revision: b = 0 }: HistoryRow): number {
  return b - a;
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
