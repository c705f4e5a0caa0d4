import type { DoubleHistogram, ReadonlyHistogram } from '@hdrscope/core';
import {
  assertCounted,
  assertText,
  custom,
  formatDecimal,
  integer,
  mustBe,
  number,
  type OptionRule,
  optional,
  type RulesFor,
  readOptions,
  withDefault,
} from '@hdrscope/core/internal';
import type { IntervalLine } from '../reader/entry.ts';
import { toMicros } from '../reader/time.ts';
import { JavaZone } from './java-zone.ts';

// Source of all formats: HdrHistogram (Java), `HistogramLogWriter`.

/** The first line of a log: the version of the written format. */
export const FORMAT_VERSION_LINE = '#[Histogram log format version 1.3]\n';

/** The line that names the columns. */
export const LEGEND_LINE =
  '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n';

/** The fields of an interval's line beside the histogram. */
export interface IntervalFormat {
  /** Without commas, spaces and control characters. @default no tag */
  readonly tag?: string | undefined;
  /** Seconds since the base time of the log. */
  readonly startSec: number;
  /** Seconds since the base time of the log. */
  readonly endSec: number;
  /** Divisor of the maximum in the third column, above 0. @default 1e6, which shows nanoseconds as milliseconds */
  readonly valueScale?: number;
  /** Compression level of zlib, from 0 to 9. @default 9 */
  readonly level?: number;
}

/**
 * Formats the line of one interval in HdrHistogram's log format, with its newline.
 *
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the tag would break the line or a time has no date;
 *   `ERR_INVALID_OPTION` when an option does not exist, or `valueScale` is out of range.
 */
export function formatInterval(
  histogram: ReadonlyHistogram | DoubleHistogram,
  options: IntervalFormat,
): string {
  assertCounted('formatInterval', histogram);
  const { tag, startSec, endSec, valueScale, level } = readOptions(options, FORMAT_INTERVAL);
  assertTag(tag);
  assertTimeMs('startSec * 1000', startSec * 1000);
  assertTimeMs('endSec * 1000', endSec * 1000);
  const start = formatDecimal(startSec, 3);
  const length = formatDecimal(endSec - startSec, 3);
  const max = formatDecimal(histogram.max / valueScale, 3);
  const prefix = tag === undefined ? '' : `Tag=${tag},`;
  return `${prefix}${start},${length},${max},${histogram.toBase64({ level })}\n`;
}

/** The rule of a divisor of values. */
export const scale: OptionRule<number> = number({ above: 0 });

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function assertScale(valueScale: number, name = 'valueScale'): void {
  if (!scale.accepts(valueScale)) throw mustBe('ERR_INVALID_OPTION', name, scale.allowed, valueScale);
}

/** The rule of a compression level of zlib. */
export const level: OptionRule<number> = integer({ from: 0, to: 9 });

/** The rules of `IntervalFormat`. */
export const FORMAT_RULES: RulesFor<IntervalFormat, 'tag'> = {
  // Wrong tags and times have errors of their own.
  tag: optional(custom('a text', () => true)),
  startSec: custom('a number', (value) => typeof value === 'number'),
  endSec: custom('a number', (value) => typeof value === 'number'),
  // Nanoseconds per millisecond: most logs hold nanoseconds and show milliseconds.
  valueScale: withDefault(scale, 1e6),
  // The smallest output, as in Java's writer: a log is written once and kept for long.
  level: withDefault(level, 9),
};

const FORMAT_INTERVAL = {
  name: 'formatInterval',
  rules: FORMAT_RULES,
  call: 'formatInterval(histogram, { startSec: 0, endSec: 1 })',
};

/**
 * Formats the line that states the start time of a log of HdrHistogram, with its newline.
 *
 * @param timeMs Milliseconds since 1970.
 * @param timeZone IANA name of the zone of the printed date. @default the zone of the process
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the time has no date; `ERR_INVALID_OPTION` when the zone is unknown.
 */
export function formatStartTime(timeMs: number, timeZone?: string): string {
  assertTimeMs('timeMs', timeMs);
  if (timeZone !== undefined && !knownZone.accepts(timeZone))
    throw mustBe('ERR_INVALID_OPTION', 'timeZone', knownZone.allowed, timeZone);
  const seconds = formatDecimal(timeMs / 1000, 3);
  return `#[StartTime: ${seconds} (seconds since epoch), ${formatJavaDate(timeMs, timeZone)}]\n`;
}

/**
 * Formats the line of a log of HdrHistogram that states the base time, from which the timestamps below it count, with its newline.
 *
 * @param timeMs Milliseconds since 1970.
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the time has no date.
 */
export function formatBaseTime(timeMs: number): string {
  assertTimeMs('timeMs', timeMs);
  return `#[BaseTime: ${formatDecimal(timeMs / 1000, 3)} (seconds since epoch)]\n`;
}

/**
 * Formats a comment of HdrHistogram's log format, with its newline. Each line of a longer text becomes a comment.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the text is not a string.
 */
export function formatComment(text: string): string {
  assertText('the text', text);
  return text
    .split(/\r\n|[\r\n]/)
    .map((line) => `#${line}\n`)
    .join('');
}

/**
 * Formats a date as `Date.toString` of Java 17: `Wed Sep 09 15:24:39 UTC 2015`. The calendar is Gregorian, as in Java
 * from 15 October 1582 on. The history of time zones is that of this runtime. It equals Java's in every zone from 1960
 * to 2035; outside these years some summers of a few zones differ.
 *
 * @param timeMs Milliseconds since 1970. A fraction is truncated.
 * @param timeZone IANA name of a zone. @default the zone of the process
 */
export function formatJavaDate(timeMs: number, timeZone?: string): string {
  return new JavaZone(timeZone).format(Math.trunc(timeMs));
}

/** The rule of the name of a zone that this runtime knows. */
export const knownZone: OptionRule<string> = custom('the IANA name of a zone', (zone) => {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone as string });
    return true;
  } catch {
    return false;
  }
});

/**
 * Checks that a time is in the range of JavaScript dates.
 *
 * @throws HdrscopeError `ERR_INVALID_VALUE`
 */
function assertTimeMs(name: string, timeMs: number): void {
  if (typeof timeMs === 'number' && Math.abs(timeMs) <= LAST_TIME_MS) return;
  throw mustBe('ERR_INVALID_VALUE', name, 'a number of milliseconds since 1970, at most 8.64e15', timeMs);
}

const LAST_TIME_MS = 8.64e15;

/** @throws HdrscopeError `ERR_INVALID_VALUE` when the tag would break its line. */
function assertTag(tag: string | undefined): void {
  if (tag === undefined) return;
  if (typeof tag !== 'string' || BREAKS_LINE.test(tag)) {
    throw mustBe('ERR_INVALID_VALUE', 'tag', 'a text without commas, spaces and control characters', tag);
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters.
const BREAKS_LINE = /[,\s\u0000-\u001f\u007f\u0085\u2028\u2029]/;

/** Formats the line of an interval whose histogram is already encoded. */
export function formatLine({
  tag,
  timestampSec,
  lengthSec,
  writtenMax,
  encoded,
}: Omit<IntervalLine, 'lineNumber'>): string {
  const prefix = tag === undefined ? '' : `Tag=${tag},`;
  const numbers = [timestampSec, lengthSec, writtenMax].map(formatSeconds).join();
  return `${prefix}${numbers},${encoded}\n`;
}

/**
 * Formats the lines above the intervals, with the times that a reader needs.
 *
 * @param startSec Start of the log in seconds since 1970; `undefined` if the log starts with its first interval.
 * @param baseSec The moment from which timestamps count, in seconds since 1970. 0 writes no base time.
 */
export function formatHeader(startSec: number | undefined, baseSec: number): string {
  const start = startSec === undefined ? '' : formatStartTime(startSec * 1000, 'UTC');
  const base = baseSec === 0 ? '' : formatBaseTime(baseSec * 1000);
  return `${FORMAT_VERSION_LINE}${start}${base}${LEGEND_LINE}`;
}

/** Formats three decimals as other writers do, and up to six if the number has them. */
function formatSeconds(x: number): string {
  let text = formatDecimal(toMicros(x), 6);
  for (let spare = 3; spare > 0 && text.endsWith('0'); spare--) text = text.slice(0, -1);
  return text;
}
