import { EMPTY_SNAPSHOT, type Registry, type Snapshot } from '@hdrscope/registry';
import { formatHeader, formatRows, type LatencyRow, rowsByRoute } from './latency-table.ts';
import type { Output } from './output.ts';

/** Options of the live table. */
export interface LiveTableOptions {
  readonly registry: Registry;
  readonly secondsSinceStart: () => number;
  readonly labels: readonly string[];
  readonly out: Output;
}

/** A table that grows every second. */
export interface LiveTable {
  /** Prints the last requests, so that the lines add up to the whole run. */
  finish(): Promise<void>;
}

const UPDATES_PER_HEADER = 6;

/** Prints the requests of each route every second, since the previous lines. */
export function startLiveTable({ registry, secondsSinceStart, labels, out }: LiveTableOptions): LiveTable {
  let updates = 0;
  let previous = Promise.resolve(EMPTY_SNAPSHOT);
  const nextDelta = async (): Promise<Snapshot> => {
    const before = previous;
    previous = registry.gather();
    return (await previous).since(await before);
  };
  const timer = setInterval(async () => {
    const time = `${secondsSinceStart().toFixed(0)} s`;
    out.write(formatUpdate(updates++, time, rowsByRoute(await nextDelta(), labels), out.header));
  }, 1000);
  return {
    async finish() {
      clearInterval(timer);
      const time = `${secondsSinceStart().toFixed(1)} s`;
      const rows = rowsByRoute(await nextDelta(), []);
      if (rows.length > 0) out.write(formatUpdate(updates, time, rows, out.header));
    },
  };
}

/**
 * Formats the lines of one update, with a header at every sixth.
 *
 * @param index The number of the update, from 0.
 * @param rows The requests since the previous update.
 */
export function formatUpdate(
  index: number,
  time: string,
  rows: readonly LatencyRow[],
  styled: (header: string) => string,
): string {
  const lines = formatRows(time, rows);
  if (index % UPDATES_PER_HEADER === 0) lines.unshift(styled(formatHeader('time', 'route')));
  if (index % UPDATES_PER_HEADER === 0 && index > 0) lines.unshift('');
  return `${lines.join('\n')}\n`;
}
