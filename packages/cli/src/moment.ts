import type { CalendarLength, HistoryQuestion } from '@hdrscope/history';
import type { TimeRange } from '@hdrscope/history/internal';
import {
  isZoneless,
  type PastTime,
  readMoment,
  readPastTime,
  readRange,
  secondsOf,
} from '@hdrscope/inputs/internal';
import type { Moment } from '@hdrscope/interval-log/internal';
import { DAY_MS, DURATION_FORMS, firstMoment, formatZonedTime, MINUTE_MS, readTimeZone } from '@hdrscope/kit';
import { wrongOption } from './arguments.ts';
import { UsageError } from './command.ts';
import { defineOption, defineOptions, type OptionsOf, parseValue } from './define-command.ts';

// Durations.

/** The value of an option that takes a duration, in seconds when it is read. */
export const DURATION = defineOption({
  value: '<duration>',
  help: '',
  allowed: `a duration above 0, ${DURATION_FORMS}`,
  parse: (text: string) => secondsOf(text) || undefined,
});

/** The seconds of a duration above 0. @throws UsageError */
export function parseDuration(text: string, name: string): number {
  return parseValue(name, DURATION, text) as number;
}

function parseMs(text: string, name: string): number {
  return Math.round(parseDuration(text, name) * 1000);
}

/** A length of stretches of time. */
export interface Every {
  /** As people wrote it. */
  readonly text: string;
  /** In milliseconds, or in days or months of the calendar. */
  readonly length: number | CalendarLength;
}

/** The value of `--every`, the length of a stretch of time. Whole days are those of the calendar. */
export const EVERY = defineOption({
  ...DURATION,
  allowed: 'a duration of at least 1ms, as in 1h or 1d, weeks (1w), or 1mo, 2mo, 3mo, 4mo, 6mo or 12mo',
  parse(text: string, name: string): Every | undefined {
    const [, digits, unit] = /^(\d{1,4})(w|mo)$/.exec(text) ?? [];
    const count = Number(digits);
    if (unit === 'mo') return 12 % count === 0 ? { text, length: { months: count } } : undefined;
    const ms = unit === 'w' ? count * 7 * DAY_MS : parseMs(text, name);
    if (ms === 0) return undefined;
    return { text, length: ms % DAY_MS === 0 ? { days: ms / DAY_MS } : ms };
  },
});

/** @throws UsageError for stretches that a day of a zone does not divide into. */
export function assertEvery(every: Every | undefined, timeZone: string): void {
  const length = every?.length;
  if (timeZone === 'UTC' || typeof length !== 'number' || DAY_MS % length === 0) return;
  throw wrongOption(
    '--every',
    'a duration that divides a day, with --time-zone, as in 10s, 30m or 6h, or days',
    every!.text,
  );
}

/** A length of stretches as a question has it. */
export function readDivision(every: Every | undefined): Pick<HistoryQuestion, 'every' | 'everyMs'> {
  if (every === undefined) return {};
  return typeof every.length === 'number' ? { everyMs: every.length } : { every: every.length };
}

/** The seconds of a stretch; `null` for months, which differ. */
export function everySec({ length }: Every): number | null {
  if (typeof length === 'number') return length / 1000;
  return 'days' in length ? (length.days * DAY_MS) / 1000 : null;
}

/** `--time-zone`: the zone of days, of dates without a zone, and of the times that are shown. */
export const TIME_ZONE = defineOption({
  value: '<zone>',
  help: 'the time zone of days, of dates without a zone and of the times that are shown, as in Europe/Berlin',
  allowed: 'the name of a time zone, as in Europe/Berlin or UTC',
  parse: readTimeZone,
  default: 'UTC',
  fallback: 'UTC',
});

/** `EVERY` where stretches do not pass midnight. */
export const PART_OF_DAY = defineOption({
  ...DURATION,
  help: 'the stretch of time of a row, which divides a day',
  allowed: 'a duration that divides a day, as in 10s, 1m or 1h',
  parse(text: string, name: string) {
    const everyMs = parseMs(text, name);
    return DAY_MS % everyMs === 0 ? everyMs : undefined;
  },
});

/**
 * The start of a stretch of time, with as many digits as stretches of its length need: `2026-11-22 10:00`, with the offset where the zone
 * is not UTC: `2026-11-22 00:00 +01:00`.
 */
export function stretchStart(startMs: number, length: Every['length'], timeZone = 'UTC'): string {
  const text = formatZonedTime(startMs, timeZone);
  const offset = timeZone === 'UTC' ? '' : text.slice('2026-11-22 10:00:00.000'.length);
  const isOfDays = typeof length !== 'number' || length % DAY_MS === 0;
  if (isOfDays && offset === '') return text.slice(0, '2026-11-22'.length);
  const isOfMinutes = startMs % MINUTE_MS === 0 && (isOfDays || length % MINUTE_MS === 0);
  const time = text.slice(0, (isOfMinutes ? '2026-11-22 10:00' : '2026-11-22 10:00:00.000').length);
  return `${time.replace(/:(\d\d)\.000$/, ':$1')}${offset}`;
}

/** A time as CSV and JSON have it: `2026-11-22T09:00:00.000Z`, `2026-11-22T10:00:00.000+01:00`. */
export function isoTime(timeMs: number, timeZone: string): string {
  const [date, time, offset = ''] = formatZonedTime(timeMs, timeZone).split(' ');
  return `${date}T${time}${offset === 'UTC' ? 'Z' : offset}`;
}

// Moments.

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

/** A time of a history, and whether it is a date that states no zone: its time is that of UTC then. */
export type GivenTime = PastTime & { readonly isLocal?: boolean };

/** The value of an option that takes a time of a history: a duration before an end, a date, or seconds since 1970. */
export const PAST_TIME = defineOption({
  value: '<time>',
  help: '',
  allowed:
    'a duration (90d, 12h), a date (2026-03-01, 2026-03-01T12:00:00Z) or seconds since 1970 (1772366400)',
  parse(text: string): GivenTime | undefined {
    const found = readPastTime(text);
    return found && { ...found, isLocal: isZoneless(text) };
  },
});

/** The milliseconds since 1970 of a time that is a date or a number. */
export function momentIn(
  { timeMs, isLocal }: GivenTime & { readonly timeMs: number },
  timeZone: string,
): number {
  return isLocal === true ? Math.max(0, firstMoment(timeZone, timeMs)) : timeMs;
}

// Spans of time.

/**
 * `--since` and `--until`: times of a history, which `spanOf` reads.
 *
 * @param whose Whose intervals they choose, for the help.
 */
export function spanOptions(whose = '') {
  return defineOptions({
    since: {
      ...PAST_TIME,
      help: `${whose}only intervals that start then or later: so long ago (7d, 12h), a date (2026-03-01, 2026-03-01T12:00:00Z) or seconds since 1970`,
    },
    until: { ...PAST_TIME, help: `${whose}only intervals that start before then` },
  });
}

export type SpanOptions = OptionsOf<ReturnType<typeof spanOptions>>;

/** The time that the options choose, as a question has it. @throws UsageError when it is empty. */
export function spanOf(given: SpanOptions & { readonly timeZone?: string }): {
  readonly sinceMs?: number;
  readonly untilMs?: number;
} {
  const nowMs = Date.now();
  const read = (time: GivenTime | undefined): number | undefined =>
    time && ('agoMs' in time ? Math.max(0, nowMs - time.agoMs) : momentIn(time, given.timeZone ?? 'UTC'));
  const [since, until] = [read(given.since), read(given.until)];
  if (since !== undefined && until !== undefined && since >= until) {
    throw new UsageError('--since must be before --until');
  }
  return {
    ...(since !== undefined && { sinceMs: since }),
    ...(until !== undefined && { untilMs: until }),
  };
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
