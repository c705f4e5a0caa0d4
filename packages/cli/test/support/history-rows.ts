import { join } from 'node:path';
import { type HistoryRow, slotOfTick, writeRows } from '@hdrscope/history';

const BITS = 7;

/** Counts of values in milliseconds. */
export type CountsByMs = Readonly<Record<number, number>>;

/** Writes one row for each entry to a history: what a series in seconds counted in the minute from a time. */
export async function writeHistory(
  folder: string,
  entries: readonly (readonly [
    time: string,
    attributes: Readonly<Record<string, string>>,
    counts: CountsByMs,
  ])[],
): Promise<void> {
  const rows = entries.map(([time, attributes, counts], sequence): HistoryRow => {
    const startMs = Date.parse(`${time}Z`);
    const used = Object.entries(counts).filter(([, count]) => count > 0);
    return {
      metric: 'rpc',
      unit: 's',
      attributes,
      startMs,
      endMs: startMs + 60_000,
      producer: 'test',
      sequence,
      count: used.reduce((sum, [, count]) => sum + count, 0),
      sum: used.reduce((sum, [ms, count]) => sum + (Number(ms) / 1000) * count, 0),
      min: Number(used[0]?.[0] ?? 0) / 1000,
      max: Number(used.at(-1)?.[0] ?? 0) / 1000,
      scale: 1e-9,
      bits: BITS,
      k: used.map(([ms]) => slotOfTick(Number(ms) * 1e6, BITS)),
      c: used.map(([, count]) => count),
      version: 1,
    };
  });
  const days = new Set(rows.map(({ startMs }) => new Date(startMs).toISOString().slice(0, 10)));
  for (const day of days) {
    const own = rows.filter(({ startMs }) => new Date(startMs).toISOString().startsWith(day));
    await writeRows(join(folder, `day=${day}`, 'test.parquet'), own);
  }
}
