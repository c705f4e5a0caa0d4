import type { TimeRange } from '@hdrscope/history/internal';
import { type PastTime, readMoment, readPastTime, readRange } from '@hdrscope/inputs/internal';
import type { Moment } from '@hdrscope/interval-log/internal';
import { wrongOption } from './arguments.ts';
import { UsageError } from './command.ts';

/** A moment of a log: see `readMoment`. No log is a year long. @throws UsageError */
export function parseMoment(text: string, name: string): Moment {
  const moment = readMoment(text);
  if (moment !== undefined) return moment;
  throw wrongOption(
    name,
    'seconds or a duration after the start of the log (90, 1m30s), a date (2026-03-01T12:00:00Z) or seconds since 1970',
    text,
  );
}

/** A time of a history: a duration before an end, a date, or seconds since 1970. @throws UsageError */
export function parsePastTime(text: string, name: string): PastTime {
  const time = readPastTime(text);
  if (time !== undefined) return time;
  throw wrongOption(
    name,
    'a duration (90d, 12h), a date (2026-03-01, 2026-03-01T12:00:00Z) or seconds since 1970 (1772366400)',
    text,
  );
}

/** A range of time of a history: see `readRange`. @throws UsageError */
export function parseRange(text: string, name: string): TimeRange {
  const range = readRange(text);
  if (range === undefined || range.sinceMs < 0) {
    const allowed = 'a start and an end, or a duration, as in 2026-03-10T14:00/15:10 or 2026-03-10T14:00/70m';
    throw wrongOption(name, allowed, text);
  }
  if (range.sinceMs >= range.untilMs) throw wrongOption(name, 'a range whose end is after its start', text);
  return range;
}

/** @throws UsageError when two ranges share a time. */
export function assertApart(ranges: readonly TimeRange[]): void {
  const inOrder = [...ranges].sort((a, b) => a.sinceMs - b.sinceMs);
  if (inOrder.some(({ sinceMs }, at) => at > 0 && sinceMs < inOrder[at - 1]!.untilMs)) {
    throw new UsageError('the ranges of --before and --after must not overlap');
  }
}
