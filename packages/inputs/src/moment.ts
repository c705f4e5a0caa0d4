import { durationNs } from '@hdrscope/kit';

/** A moment: since 1970, or after a start that is not known. In seconds. */
export type ParsedMoment = { readonly epochSec: number } | { readonly offsetSec: number };

const DECIMAL = /^\d+(\.\d+)?$/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}/;
const ZONE = /(Z|[+-]\d{2}:?\d{2})$/i;
const DATE_LENGTH = '2026-03-10'.length;

/**
 * The moment that a text means: `90` or `1m30s` after a start; a date of ISO 8601 that exists, which is UTC unless it says otherwise; or
 * seconds since 1970, which are at least a year.
 *
 * @returns `undefined` when the text is no moment.
 * @example
 * ```ts
 * import { readMoment } from '@hdrscope/inputs/internal';
 *
 * readMoment('1m30s'); //=> { offsetSec: 90 }
 * readMoment('2026-03-01T12:00'); //=> { epochSec: 1772366400 }
 * ```
 */
export function readMoment(text: string): ParsedMoment | undefined {
  if (ISO_DATE.test(text) && isDay(text.slice(0, DATE_LENGTH))) {
    const hasZone = ZONE.test(text.slice(DATE_LENGTH)) || text.length === DATE_LENGTH;
    const epochMs = Date.parse(hasZone ? text : `${text.replace(' ', 'T')}Z`);
    if (!Number.isNaN(epochMs)) return { epochSec: epochMs / 1000 };
  }
  const epochSec = DECIMAL.test(text) ? Number(text) : Number.NaN;
  if (isEpoch(epochSec) && Number.isFinite(epochSec)) return { epochSec };
  const offsetSec = secondsOf(text);
  // Hundreds of digits are beyond all numbers.
  return offsetSec !== undefined && Number.isFinite(offsetSec) ? { offsetSec } : undefined;
}

/** Whether a month has the day: Date.parse takes 2026-09-31 for the first of October. */
function isDay(date: string): boolean {
  const epochMs = Date.parse(date);
  return !Number.isNaN(epochMs) && new Date(epochMs).toISOString().startsWith(date);
}

/**
 * The seconds of `1h30m`, `500ms` or `1.5s`; a number alone counts seconds.
 *
 * @returns `undefined` when the text is neither.
 */
export function secondsOf(text: string): number | undefined {
  if (DECIMAL.test(text)) return Number(text);
  const ns = durationNs(text);
  return ns === undefined ? undefined : ns / 1e9;
}

// The reader of logs decides the same way: times within a year of 1970 are not since 1970.
const YEAR_SEC = 365 * 24 * 3600;

/** Whether seconds count from 1970, and not from an unknown start. */
export function isEpoch(seconds: number): boolean {
  return seconds >= YEAR_SEC;
}

/** Whether a text is a date that states no zone, as in `2026-03-01` or `2026-03-01T12:00`. */
export function isZoneless(text: string): boolean {
  return ISO_DATE.test(text) && !ZONE.test(text.slice(DATE_LENGTH));
}

/** A time: so long before an end, or milliseconds since 1970. */
export type PastTime = { readonly agoMs: number } | { readonly timeMs: number };

/**
 * The time that a text means: a duration before an end, a date, or seconds since 1970.
 *
 * @returns `undefined` when the text is no such time.
 * @example
 * ```ts
 * import { readPastTime } from '@hdrscope/inputs/internal';
 *
 * readPastTime('7d'); //=> { agoMs: 604800000 }
 * ```
 */
export function readPastTime(text: string): PastTime | undefined {
  const seconds = DECIMAL.test(text) ? undefined : secondsOf(text);
  if (seconds !== undefined) {
    return seconds > 0 && Number.isFinite(seconds) ? { agoMs: seconds * 1000 } : undefined;
  }
  const timeMs = dateMs(text);
  return timeMs === undefined ? undefined : { timeMs };
}

/** The milliseconds since 1970 of a date, which is UTC unless it says otherwise, or of seconds since 1970; `undefined` for other texts. */
function dateMs(text: string): number | undefined {
  const moment = readMoment(text);
  if (moment === undefined || !('epochSec' in moment)) return undefined;
  return moment.epochSec >= 0 ? Math.round(moment.epochSec * 1000) : undefined;
}

/** A range of time, in milliseconds since 1970. */
export interface ParsedRange {
  /** Its start, which is in it. */
  readonly sinceMs: number;
  /** Its end, which is not. */
  readonly untilMs: number;
}

const TIME_OF_DAY = /^\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/i;

/**
 * The range of time that a text means, as ISO 8601 writes it: `2026-03-10T14:00/2026-03-10T15:10`. The end may be a time of the same day
 * (`/15:10`), and one of the two may be a duration (`2026-03-10T14:00/70m`). Times are UTC unless they say otherwise.
 * Source: https://en.wikipedia.org/wiki/ISO_8601#Time_intervals
 *
 * @returns `undefined` when the text is no range. The end may be before the start.
 * @example
 * ```ts
 * import { readRange } from '@hdrscope/inputs/internal';
 *
 * const { sinceMs, untilMs } = readRange('2026-03-10T14:00/70m')!;
 * untilMs - sinceMs; //=> 4200000
 * ```
 */
export function readRange(text: string): ParsedRange | undefined {
  const [from = '', to = '', ...more] = text.split('/').map((part) => part.trim());
  if (more.length > 0) return undefined;
  const sinceMs = dateMs(from);
  if (sinceMs === undefined) {
    const [lengthMs, untilMs] = [durationMs(from), dateMs(to)];
    if (lengthMs === undefined || untilMs === undefined) return undefined;
    return { sinceMs: untilMs - lengthMs, untilMs };
  }
  const untilMs = dateMs(TIME_OF_DAY.test(to) ? sameDay(from, to) : to);
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
  const seconds = DECIMAL.test(text) ? undefined : secondsOf(text);
  return seconds === undefined || !Number.isFinite(seconds) ? undefined : seconds * 1000;
}
