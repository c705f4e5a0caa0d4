import type { HistoryRow } from '../rows/row.ts';

const texts = new WeakMap<HistoryRow['attributes'], string>();

/** A text that rows of one series share, and no others do. */
export function seriesKey({ metric, attributes }: HistoryRow): string {
  const known = texts.get(attributes);
  const text = known ?? JSON.stringify(Object.entries(attributes));
  if (known === undefined) texts.set(attributes, text);
  return `${JSON.stringify(metric)}${text}`;
}

/**
 * The order of rows in a file: by series, time, producer and sequence. Rows of a series then compress well, and duplicates are
 * neighbours.
 */
export function compareRows(a: HistoryRow, b: HistoryRow): number {
  return (
    (a.attributes === b.attributes && a.metric === b.metric ? 0 : compareTexts(seriesKey(a), seriesKey(b))) ||
    a.startMs - b.startMs ||
    compareTexts(a.producer, b.producer) ||
    a.sequence - b.sequence
  );
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
