import type { LogInterval } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { readEntries } from '../reader/read.ts';

/** An interval of a log, and the start of the log as stated above it. */
export interface PlacedInterval {
  readonly interval: LogInterval;
  /** Seconds since 1970. In a log without absolute times, seconds since its unknown zero. */
  readonly logStartSec: number;
}

/** A range of starts of intervals, in seconds since the start of the log, bounds included. */
export interface StartRange {
  readonly startSec: number;
  readonly endSec: number;
}

/**
 * Reads the intervals of any tag whose starts lie in a range. Intervals are expected in the order of time, so reading
 * ends at the first one that starts later.
 *
 * @param onOutside Receives the intervals before the range, and the interval at which reading ends.
 * @throws HdrscopeError `ERR_LOG_FORMAT` at a malformed line.
 */
export async function* intervalsBetween(
  source: LogSource,
  { startSec, endSec }: StartRange,
  onOutside: (interval: LogInterval) => void = () => {},
): AsyncGenerator<PlacedInterval, void> {
  let logStartSec: number | undefined;
  for await (const entry of readEntries(source, { time: 'java' })) {
    if (entry.kind === 'malformed') throw entry.error;
    if (entry.kind === 'start-time') logStartSec = entry.seconds;
    if (entry.kind !== 'interval') continue;
    logStartSec ??= entry.timestampSec;
    if (entry.offsetSec < startSec || entry.offsetSec > endSec) onOutside(entry);
    if (entry.offsetSec > endSec) return;
    if (!(entry.offsetSec < startSec)) yield { interval: entry, logStartSec };
  }
}
