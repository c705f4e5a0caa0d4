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
  { scale = 1e-9 }: { readonly scale?: number } = {},
): Promise<void> {
  const ticksOf = (ms = '0'): number => Math.round(Number(ms) / 1000 / scale);
  const rows = entries.map(([time, attributes, counts], sequence): HistoryRow => {
    const startMs = Date.parse(`${time}Z`);
    const used = Object.entries(counts).filter(([, count]) => count > 0);
    return {
      metric: 'rpc',
      unit: 's',
      attributes,
      startMs,
      endMs: startMs + 60_000,
      producer: `test ${scale}`,
      sequence,
      count: used.reduce((sum, [, count]) => sum + count, 0),
      sum: used.reduce((sum, [ms, count]) => sum + ticksOf(ms) * count, 0),
      min: ticksOf(used[0]?.[0]),
      max: ticksOf(used.at(-1)?.[0]),
      scale,
      bits: BITS,
      k: used.map(([ms]) => slotOfTick(ticksOf(ms), BITS)),
      c: used.map(([, count]) => count),
      w: [],
      version: 2,
    };
  });
  const days = new Set(rows.map(({ startMs }) => new Date(startMs).toISOString().slice(0, 10)));
  for (const day of days) {
    const own = rows.filter(({ startMs }) => new Date(startMs).toISOString().startsWith(day));
    await writeRows(join(folder, `day=${day}`, `test-${scale}.parquet`), own);
  }
}
