import type { LogInterval } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { readEntries } from '../reader/read.ts';

/** An interval of a log, and when the log had started by all that was told up to there. */
export interface PlacedInterval {
  readonly interval: LogInterval;
  /** Since 1970, or since whatever the timestamps of a log count from that does not tell. */
  readonly logStartSec: number;
}

/**
 * The intervals of any tag from one time to another, in seconds since the start of the log. Reading ends at the first
 * that starts later, as intervals are expected in their order.
 *
 * @throws HdrscopeError `ERR_LOG_FORMAT` at a malformed line.
 */
export async function* intervalsBetween(
  source: LogSource,
  { startSec, endSec }: { readonly startSec: number; readonly endSec: number },
): AsyncGenerator<PlacedInterval, void> {
  let logStartSec: number | undefined;
  for await (const entry of readEntries(source, { time: 'java' })) {
    if (entry.kind === 'malformed') throw entry.error;
    if (entry.kind === 'start-time') logStartSec = entry.seconds;
    if (entry.kind !== 'interval') continue;
    logStartSec ??= entry.timestampSec;
    if (entry.offsetSec > endSec) return;
    if (!(entry.offsetSec < startSec)) yield { interval: entry, logStartSec };
  }
}
