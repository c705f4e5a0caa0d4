import type { TimeRange } from '@hdrscope/history/internal';
import type { Moment } from '@hdrscope/interval-log/internal';
import { isDecimal, wrongOption } from './arguments.ts';
import { UsageError } from './command.ts';
import { durationSeconds } from './duration.ts';

const ISO_DATE = /^\d{4}-\d{2}-\d{2}/;

/**
 * A moment of a log: `90` or `1m30s` after its start; a date of ISO 8601, which is UTC unless it says otherwise; or
 * seconds since 1970, which are recognised because no log is a year long.
 *
 * @throws UsageError
 */
export function parseMoment(text: string, name: string): Moment {
  if (ISO_DATE.test(text)) {
    const epochMs = Date.parse(hasZone(text) ? text : `${text.replace(' ', 'T')}Z`);
    if (!Number.isNaN(epochMs)) return { epochSec: epochMs / 1000 };
  }
  const epochSec = isDecimal(text) ? Number(text) : Number.NaN;
  if (isEpoch(epochSec) && Number.isFinite(epochSec)) return { epochSec };
  const offsetSec = durationSeconds(text);
  // Hundreds of digits are beyond all numbers.
  if (offsetSec !== undefined && Number.isFinite(offsetSec)) return { offsetSec };
  throw wrongOption(
    name,
    'seconds or a duration after the start of the log (90, 1m30s), a date (2026-03-01T12:00:00Z) or seconds since 1970',
    text,
  );
}

function hasZone(text: string): boolean {
  return (
    /(Z|[+-]\d{2}:?\d{2})$/i.test(text.slice('2026-03-01'.length)) || text.length === '2026-03-01'.length
  );
}

// The reader of logs decides the same way: times within a year of 1970 are not since 1970.
const YEAR_SEC = 365 * 24 * 3600;

/** Whether seconds count from 1970, and not from an unknown start. */
export function isEpoch(seconds: number): boolean {
  return seconds >= YEAR_SEC;
}

// Times of a history.

/** A time of a history: so long before an end, or milliseconds since 1970. */
export type PastTime = { readonly agoMs: number } | { readonly timeMs: number };

/**
 * A duration before an end, a date, or seconds since 1970. A number alone is seconds since 1970.
 *
 * @throws UsageError
 */
export function parsePastTime(text: string, name: string): PastTime {
  const wrong = (): UsageError =>
    wrongOption(
      name,
      'a duration (90d, 12h), a date (2026-03-01, 2026-03-01T12:00:00Z) or seconds since 1970 (1772366400)',
      text,
    );
  const seconds = isDecimal(text) ? undefined : durationSeconds(text);
  if (seconds !== undefined) {
    if (seconds > 0 && Number.isFinite(seconds)) return { agoMs: seconds * 1000 };
    throw wrong();
  }
  const timeMs = dateMs(text, name);
  if (timeMs === undefined) throw wrong();
  return { timeMs };
}

/** The milliseconds since 1970 of a date, which is UTC unless it says otherwise, or of seconds since 1970; `undefined` for other texts. */
function dateMs(text: string, name: string): number | undefined {
  try {
    const moment = parseMoment(text, name);
    return 'epochSec' in moment && moment.epochSec >= 0 ? Math.round(moment.epochSec * 1000) : undefined;
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

// Ranges of a history.

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
export function assertApart(ranges: readonly TimeRange[]): void {
  const inOrder = [...ranges].sort((a, b) => a.sinceMs - b.sinceMs);
  if (inOrder.some(({ sinceMs }, at) => at > 0 && sinceMs < inOrder[at - 1]!.untilMs)) {
    throw new UsageError('the ranges of --before and --after must not overlap');
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
