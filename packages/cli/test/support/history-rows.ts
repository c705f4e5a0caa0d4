import { join } from 'node:path';
import { type HistoryRow, slotOfTick, writeRows } from '@hdrscope/history';

const BITS = 7;

/** Counts of values in milliseconds. */
export type CountsByMs = Readonly<Record<number, number>>;

/** Counts of buckets, from and to in milliseconds. Nothing else is known of the values. */
export type Buckets = readonly (readonly [fromMs: number, toMs: number, count: number])[];

/** A row of buckets: what a series in seconds counted in the minute from a time. */
export function rowOfBuckets(
  time: string,
  attributes: Readonly<Record<string, string>>,
  buckets: Buckets,
  sequence: number,
): HistoryRow {
  const used = buckets.map(([fromMs, toMs, count]) => ({ from: fromMs * 1e6, to: toMs * 1e6, count }));
  const totalOf = (valueIn: (bucket: (typeof used)[number]) => number): number =>
    used.reduce((sum, bucket) => sum + valueIn(bucket), 0);
  const sum = totalOf(({ from, to, count }) => (count * (from + to)) / 2);
  const [min, max] = [used[0]!.from, used.at(-1)!.to];
  return {
    ...describeMinute(time, attributes),
    producer: 'buckets',
    sequence,
    count: totalOf(({ count }) => count),
    sum,
    min,
    max,
    margins: {
      sumBelow: sum - totalOf(({ from, count }) => count * from),
      sumAbove: totalOf(({ to, count }) => count * to) - sum,
      minAbove: used[0]!.to - min,
      maxBelow: max - used.at(-1)!.from,
    },
    scale: 1e-9,
    k: used.map(({ from }) => slotOfTick(from, BITS)),
    c: used.map(({ count }) => count),
    w: used.map(({ from, to }) => slotOfTick(to, BITS) - slotOfTick(from, BITS)),
  };
}

/** Writes rows to a history. */
export async function writeHistoryRows(
  folder: string,
  rows: readonly HistoryRow[],
  file = 'buckets.parquet',
): Promise<void> {
  const dayOf = ({ startMs }: HistoryRow): string => new Date(startMs).toISOString().slice(0, 10);
  for (const day of new Set(rows.map(dayOf))) {
    await writeRows(
      join(folder, `day=${day}`, file),
      rows.filter((row) => dayOf(row) === day),
    );
  }
}

/** Writes one row for each entry to a history: what a series in seconds counted in the minute from a time. */
export async function writeHistory(
  folder: string,
  entries: readonly (readonly [
    time: string,
    attributes: Readonly<Record<string, string>>,
    counts: CountsByMs,
  ])[],
  { scale = 1e-9, weight }: { readonly scale?: number; readonly weight?: number } = {},
): Promise<void> {
  const ticksOf = (ms = '0'): number => Math.round(Number(ms) / 1000 / scale);
  const rows = entries.map(([time, attributes, counts], sequence): HistoryRow => {
    const used = Object.entries(counts).filter(([, count]) => count > 0);
    return {
      ...describeMinute(time, attributes),
      producer: `test ${scale}`,
      sequence,
      count: used.reduce((sum, [, count]) => sum + count, 0),
      sum: used.reduce((sum, [ms, count]) => sum + ticksOf(ms) * count, 0),
      min: ticksOf(used[0]?.[0]),
      max: ticksOf(used.at(-1)?.[0]),
      scale,
      k: used.map(([ms]) => slotOfTick(ticksOf(ms), BITS)),
      c: used.map(([, count]) => count),
      w: [],
      ...(weight !== undefined && { weight }),
    };
  });
  await writeHistoryRows(folder, rows, `test-${scale}.parquet`);
}

/** What all rows have in common, with the minute from a time. */
function describeMinute(time: string, attributes: Readonly<Record<string, string>>) {
  const startMs = Date.parse(`${time}Z`);
  return {
    metric: 'rpc',
    unit: 's',
    attributes,
    startMs,
    endMs: startMs + 60_000,
    bits: BITS,
    version: 2 as const,
  };
}
