import { HdrscopeError } from '@hdrscope/core';
import { assertOptions, mustBe, type OptionsOwner, object } from '@hdrscope/core/internal';
import { offsetSpans, readTimeZone } from '@hdrscope/kit';
import { DAY_MS } from './times.ts';

/**
 * The length of a stretch of the calendar: `{ days: 7 }` is a week, which begins on Monday, and `{ months: 1 }` a calendar month. Other numbers
 * of days are counted from Monday, 29 December 1969; numbers of months divide 12, so that a stretch begins with each year.
 */
export type CalendarLength = { readonly days: number } | { readonly months: number };

/** How time is divided into stretches. */
export interface Division {
  /** The length of a stretch: milliseconds, or days or months of the time zone. */
  readonly every: number | CalendarLength;
  /** A name of IANA's database. */
  readonly timeZone: string;
}

/** The options of a question that divide time. */
export interface DivisionOptions {
  /**
   * The length of a stretch of time, in milliseconds: an integer of at least 1. Stretches start at multiples of it since 1970, in UTC. With
   * a `timeZone` it divides a day of 24 hours, and stretches start at multiples of elapsed time since the local midnight, so the last one of a day
   * with 23 or 25 hours may be shorter. An interval belongs to the stretch in which it starts. @default the whole time is one
   */
  readonly everyMs?: number;
  /**
   * In place of `everyMs`, the length of a stretch in days or months: `{ days: 1 }`, `{ days: 7 }` for weeks that begin on Monday,
   * `{ months: 1 }`. Days begin at midnight of the `timeZone`; where midnight does not exist, at the first moment of the day. They may have 23 or 25 hours.
   * @default as `everyMs` says
   */
  readonly every?: CalendarLength;
  /** The time zone of the stretches: a name of IANA's database, as in `Europe/Berlin`. @default 'UTC' */
  readonly timeZone?: string;
}

/** Equal stretches of time, one after the other: the first one begins at `fromMs`. The next run cuts the last one. */
export interface Run {
  readonly fromMs: number;
  readonly stepMs: number;
}

/** Stretches of time without gaps between them: runs in the order of time. A change of clocks begins a new run. */
export type Stretches = readonly [Run, ...Run[]];

/** A stretch of time, in milliseconds since 1970. */
export interface Stretch {
  readonly startMs: number;
  /** Its end, which is not in it. */
  readonly endMs: number;
}

// Date holds as much: year 275760.
const LATEST_MS = 8.64e15;

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function checkedDivision({ everyMs, every, timeZone = 'UTC' }: DivisionOptions): Division | undefined {
  const zone = typeof timeZone === 'string' ? readTimeZone(timeZone) : undefined;
  if (zone === undefined) {
    const allowed = 'the name of a time zone, as in Europe/Berlin or UTC';
    throw mustBe('ERR_INVALID_OPTION', 'timeZone', allowed, timeZone);
  }
  if (everyMs !== undefined && every !== undefined) {
    throw new HdrscopeError(
      'ERR_INVALID_OPTION',
      'stretches of time have one length: everyMs or every, got both',
    );
  }
  if (every !== undefined) return { every: checkedLength(every), timeZone: zone };
  if (everyMs === undefined) return undefined;
  if (!(Number.isInteger(everyMs) && everyMs >= 1 && everyMs <= LATEST_MS)) {
    throw mustBe('ERR_INVALID_OPTION', 'everyMs', 'an integer of at least 1', everyMs);
  }
  if (zone !== 'UTC' && DAY_MS % everyMs !== 0) {
    const allowed =
      'an integer of milliseconds that divides a day, with a timeZone; every has days and months';
    throw mustBe('ERR_INVALID_OPTION', 'everyMs', allowed, everyMs);
  }
  return { every: everyMs, timeZone: zone };
}

const MOST_DAYS = 36_600;

const LENGTH: OptionsOwner<{ readonly days?: number; readonly months?: number }> = {
  name: 'every',
  names: { days: true, months: true },
  call: 'every: { days: 7 }',
};

function checkedLength(every: CalendarLength): CalendarLength {
  if (object().accepts(every)) {
    assertOptions(every, LENGTH);
    const { days, months } = every as { readonly days?: number; readonly months?: number };
    if (months === undefined && Number.isInteger(days) && days! >= 1 && days! <= MOST_DAYS)
      return { days: days! };
    if (days === undefined && Number.isInteger(months) && months! >= 1 && 12 % months! === 0)
      return { months: months! };
  }
  const allowed = `{ days } with an integer from 1 to ${MOST_DAYS}, or { months } with 1, 2, 3, 4, 6 or 12`;
  throw mustBe('ERR_INVALID_OPTION', 'every', allowed, every);
}

/** Whether the stretches of a division have one length for ever, so that no list of their borders is needed. */
export function isEven({ every, timeZone }: Division): boolean {
  return timeZone === 'UTC' && (typeof every === 'number' || 'days' in every);
}

/** The length of the shortest stretch that is not cut, in milliseconds. */
export function shortestMs({ every, timeZone }: Division): number {
  if (typeof every === 'number') return every;
  const days = 'days' in every ? every.days : every.months * 28;
  return days * DAY_MS - (timeZone === 'UTC' ? 0 : DAY_MS / 24);
}

/** 29 December 1969, in days since 1970. */
const MONDAY = -3;

// Listing the days of a zone takes about a second then.
const MOST_MS = 1000 * 366 * DAY_MS;

/**
 * The stretches that cover a time, and a little more at both ends.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when their borders have to be listed, and the time is longer than 1000 years.
 */
export function listStretches(division: Division, fromMs: number, untilMs: number): Stretches {
  const { every, timeZone } = division;
  if (isEven(division)) {
    return typeof every === 'number'
      ? [{ fromMs: 0, stepMs: every }]
      : [{ fromMs: MONDAY * DAY_MS, stepMs: (every as { days: number }).days * DAY_MS }];
  }
  if (untilMs - fromMs > MOST_MS) {
    const message =
      'stretches of months or of a time zone cover at most 1000 years: sinceMs and untilMs choose a shorter time';
    throw new HdrscopeError('ERR_INVALID_OPTION', message);
  }
  // A list begins inside of a stretch and ends inside of one. Zones have skipped a day.
  const marginMs = longestMs(every) + 3 * DAY_MS;
  const days = listDays(timeZone, fromMs - marginMs, untilMs + marginMs);
  const starts = days.filter(
    ({ day }, at) => at > 0 && stretchOfDay(day, every) !== stretchOfDay(days[at - 1]!.day, every),
  );
  const runs: Run[] = [];
  for (const [at, { startMs }] of starts.entries()) {
    const endMs = starts[at + 1]?.startMs;
    if (endMs === undefined || endMs <= fromMs) continue;
    const stepMs = typeof every === 'number' ? every : endMs - startMs;
    const last = runs.at(-1);
    if (last?.stepMs === stepMs && (startMs - last.fromMs) % stepMs === 0) continue;
    runs.push({ fromMs: startMs, stepMs });
  }
  return runs as [Run, ...Run[]];
}

function longestMs(every: Division['every']): number {
  if (typeof every === 'number') return DAY_MS;
  return ('days' in every ? every.days : every.months * 31) * DAY_MS;
}

/** A day of a time zone. */
interface ZoneDay {
  /** Its date, in days since 1970. */
  readonly day: number;
  /** The first moment at which clocks show the date. */
  readonly startMs: number;
}

/** The days of a time zone that have a moment of a time. The first day may have begun before the time. Clocks may skip a whole date, which is no day then. */
function listDays(timeZone: string, fromMs: number, untilMs: number): ZoneDay[] {
  const days: ZoneDay[] = [];
  for (const span of offsetSpans(timeZone, fromMs, untilMs)) {
    const last = Math.floor((span.untilMs - 1 + span.offsetMs) / DAY_MS);
    // Clocks that are set back over midnight show a date again.
    let day = Math.max(
      (days.at(-1)?.day ?? Number.NEGATIVE_INFINITY) + 1,
      Math.floor((span.fromMs + span.offsetMs) / DAY_MS),
    );
    for (; day <= last; day++)
      days.push({ day, startMs: Math.max(span.fromMs, day * DAY_MS - span.offsetMs) });
  }
  return days;
}

/** The number of the stretch that has a day. */
function stretchOfDay(day: number, every: Division['every']): number {
  if (typeof every === 'number') return day;
  if ('days' in every) return Math.floor((day - MONDAY) / every.days);
  const date = new Date(day * DAY_MS);
  return Math.floor((date.getUTCFullYear() * 12 + date.getUTCMonth()) / every.months);
}

/** The stretch that has a moment. */
export function findStretch(stretches: Stretches, timeMs: number): Stretch {
  const found = stretches.findLastIndex(({ fromMs }) => fromMs <= timeMs);
  const { fromMs, stepMs } = stretches[Math.max(0, found)]!;
  const startMs = fromMs + Math.floor((timeMs - fromMs) / stepMs) * stepMs;
  const nextMs = stretches[found + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
  return { startMs, endMs: Math.min(startMs + stepMs, nextMs) };
}

/**
 * The start of the stretch that has a moment, in any SQL. All engines compute the same, whatever they know of time zones.
 *
 * @param ms An integer of milliseconds since 1970.
 */
export function stretchStartSql([first, ...others]: Stretches, ms: string): string {
  const startIn = ({ fromMs, stepMs }: Run): string => {
    const sinceFrom = fromMs === 0 ? ms : `(${ms} ${fromMs < 0 ? '+' : '-'} ${Math.abs(fromMs)})`;
    return `${ms} - ${sinceFrom} % ${stepMs}`;
  };
  const cases = others.map(
    ({ fromMs }, at) => `WHEN ${ms} < ${fromMs} THEN ${startIn(at === 0 ? first : others[at - 1]!)}`,
  );
  return cases.length === 0 ? startIn(first) : `CASE ${cases.join(' ')} ELSE ${startIn(others.at(-1)!)} END`;
}

/** Whether an interval reaches over the end of the stretch in which it starts, in any SQL. */
export function crossesSql(stretches: Stretches, startMs: string, endMs: string): string {
  return `${stretchStartSql(stretches, `(${endMs} - 1)`)} > ${stretchStartSql(stretches, startMs)}`;
}
