import type { TimeRange } from '@hdrscope/history';
import { wrongOption } from '../arguments.ts';
import { UsageError } from '../command.ts';
import { durationSeconds } from '../duration.ts';
import { dateMs } from '../inputs/past-time.ts';

const TIME_OF_DAY = /^\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/i;
const ZONE = /(Z|[+-]\d{2}:?\d{2})$/i;
const DATE_LENGTH = '2026-03-10'.length;

/**
 * A range of time as ISO 8601 writes it: `2026-03-10T14:00/2026-03-10T15:10`. The end may be a time of the same day (`/15:10`), and one
 * of the two may be a duration (`2026-03-10T14:00/70m`). Times are UTC unless they say otherwise.
 * Source: https://en.wikipedia.org/wiki/ISO_8601#Time_intervals
 *
 * @throws UsageError
 */
export function parseRange(text: string, name: string): TimeRange {
  const [from = '', to = '', ...more] = text.split('/');
  const range = more.length === 0 ? rangeOf(from.trim(), to.trim(), name) : undefined;
  if (range === undefined || range.sinceMs < 0) {
    const allowed = 'a start and an end, or a duration, as in 2026-03-10T14:00/15:10 or 2026-03-10T14:00/70m';
    throw wrongOption(name, allowed, text);
  }
  if (range.sinceMs >= range.untilMs) throw wrongOption(name, 'a range whose end is after its start', text);
  return range;
}

/** @throws UsageError when two ranges share a time. */
export function assertApart(before: TimeRange, after: TimeRange): void {
  if (before.sinceMs < after.untilMs && after.sinceMs < before.untilMs) {
    throw new UsageError('--before and --after must not overlap');
  }
}

function rangeOf(from: string, to: string, name: string): TimeRange | undefined {
  const sinceMs = dateMs(from, name);
  if (sinceMs === undefined) {
    const [lengthMs, untilMs] = [durationMs(from), dateMs(to, name)];
    return lengthMs === undefined || untilMs === undefined
      ? undefined
      : { sinceMs: untilMs - lengthMs, untilMs };
  }
  const untilMs = dateMs(TIME_OF_DAY.test(to) ? sameDay(from, to) : to, name);
  if (untilMs !== undefined) return { sinceMs, untilMs };
  const lengthMs = durationMs(to);
  return lengthMs === undefined ? undefined : { sinceMs, untilMs: sinceMs + lengthMs };
}

/** The date of a start with another time. The zone is that of the start, unless the time has its own. */
function sameDay(start: string, time: string): string {
  const [date, rest] = [start.slice(0, DATE_LENGTH), start.slice(DATE_LENGTH)];
  const zone = ZONE.test(time) ? '' : (ZONE.exec(rest)?.[0] ?? '');
  return `${date}T${time}${zone}`;
}

/** A duration has a unit: numbers alone are times. */
function durationMs(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return undefined;
  const seconds = durationSeconds(text);
  return seconds === undefined || !Number.isFinite(seconds) ? undefined : seconds * 1000;
}
