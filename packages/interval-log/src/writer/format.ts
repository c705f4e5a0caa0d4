import type { DoubleHistogram, ReadonlyHistogram } from '@hdrscope/core';
import { assertOptions, formatDecimal, mustBe, type OptionsOwner } from '@hdrscope/core/internal';
import { assertTimeMs, assertTimeZone, formatJavaDate } from './java-date.ts';

// Source of all formats: HdrHistogram (Java), `HistogramLogWriter`.

/** The first line of a log: the version of the written format. */
export const FORMAT_VERSION_LINE = '#[Histogram log format version 1.3]\n';

/** The line that names the columns. */
export const LEGEND_LINE =
  '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n';

/** Nanoseconds per millisecond: most logs hold nanoseconds and show milliseconds. */
const DEFAULT_VALUE_SCALE = 1e6;

// The smallest output, as in Java's writer: a log is written once and kept for long.
const DEFAULT_LEVEL = 9;

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
  assertOptions(options, FORMAT_INTERVAL);
  const { tag, startSec, endSec, valueScale = DEFAULT_VALUE_SCALE, level = DEFAULT_LEVEL } = options;
  assertTag(tag);
  assertScale(valueScale);
  assertTimeMs('startSec * 1000', startSec * 1000);
  assertTimeMs('endSec * 1000', endSec * 1000);
  const start = formatDecimal(startSec, 3);
  const length = formatDecimal(endSec - startSec, 3);
  const max = formatDecimal(histogram.max / valueScale, 3);
  const prefix = tag === undefined ? '' : `Tag=${tag},`;
  return `${prefix}${start},${length},${max},${histogram.toBase64({ level })}\n`;
}

const FORMAT_INTERVAL: OptionsOwner<IntervalFormat> = {
  name: 'formatInterval',
  names: { tag: true, startSec: true, endSec: true, valueScale: true, level: true },
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
  if (timeZone !== undefined) assertTimeZone(timeZone);
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

/** Formats a comment of HdrHistogram's log format, with its newline. Each line of a longer text becomes a comment. */
export function formatComment(text: string): string {
  return text
    .split(/\r\n|[\r\n]/)
    .map((line) => `#${line}\n`)
    .join('');
}

/** @throws HdrscopeError `ERR_INVALID_VALUE` when the tag would break its line. */
function assertTag(tag: string | undefined): void {
  if (tag === undefined) return;
  if (typeof tag !== 'string' || BREAKS_LINE.test(tag)) {
    throw mustBe('ERR_INVALID_VALUE', 'tag', 'a text without commas, spaces and control characters', tag);
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters.
const BREAKS_LINE = /[,\s\u0000-\u001f\u007f\u0085\u2028\u2029]/;

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function assertScale(valueScale: number, name = 'valueScale'): void {
  if (valueScale > 0 && Number.isFinite(valueScale)) return;
  throw mustBe('ERR_INVALID_OPTION', name, 'a finite number above 0', valueScale);
}
