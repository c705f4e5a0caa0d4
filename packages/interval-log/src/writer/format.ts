import { type DoubleHistogram, formatDecimal, mustBe, type ReadonlyHistogram } from '@hdrscope/core';
import { assertTimeMs, assertTimeZone, formatJavaDate } from './java-date.ts';

// Source of all formats: HdrHistogram (Java), `HistogramLogWriter`.
/** The first line of a log: the version of the format that is written, of which every reader takes all. */
export const FORMAT_VERSION_LINE = '#[Histogram log format version 1.3]\n';

/** The line that names the columns. */
export const LEGEND_LINE =
  '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n';

/** Nanoseconds in a millisecond: most logs hold nanoseconds and show milliseconds. */
export const DEFAULT_VALUE_SCALE = 1e6;

// The smallest, as Java's writer does it: a log is written once and kept for long.
const DEFAULT_LEVEL = 9;

/** What stands in a line beside the histogram. */
export interface IntervalFormat {
  /** Not told where it is `undefined`. */
  readonly tag?: string | undefined;
  /** Seconds since the base time of the log. */
  readonly startSec: number;
  /** Seconds since the base time of the log. */
  readonly endSec: number;
  /** What the maximum is divided by in the third column. Above 0. @default 1e6 */
  readonly valueScale?: number;
  /** How much the histogram is compressed, from 0 to 9. @default 9 */
  readonly level?: number;
}

/**
 * The line of one interval, with its newline.
 *
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the tag would break the line, `ERR_INVALID_OPTION`.
 */
export function formatInterval(
  histogram: ReadonlyHistogram | DoubleHistogram,
  { tag, startSec, endSec, valueScale = DEFAULT_VALUE_SCALE, level = DEFAULT_LEVEL }: IntervalFormat,
): string {
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

/**
 * The line that tells when what the log tells of began.
 *
 * @throws HdrscopeError `ERR_INVALID_VALUE` when it is no time, `ERR_INVALID_OPTION` when the zone is none.
 */
export function formatStartTime(timeMs: number, timeZone?: string): string {
  assertTimeMs('timeMs', timeMs);
  if (timeZone !== undefined) assertTimeZone(timeZone);
  const seconds = formatDecimal(timeMs / 1000, 3);
  return `#[StartTime: ${seconds} (seconds since epoch), ${formatJavaDate(timeMs, timeZone)}]\n`;
}

/**
 * The line that tells what the timestamps below it count from.
 *
 * @throws HdrscopeError `ERR_INVALID_VALUE` when it is no time.
 */
export function formatBaseTime(timeMs: number): string {
  assertTimeMs('timeMs', timeMs);
  return `#[BaseTime: ${formatDecimal(timeMs / 1000, 3)} (seconds since epoch)]\n`;
}

/** A comment; of several lines, each becomes one. */
export function formatComment(text: string): string {
  return text
    .split(/\r\n|[\r\n]/)
    .map((line) => `#${line}\n`)
    .join('');
}

/** @throws HdrscopeError `ERR_INVALID_VALUE` when a reader would take the tag for something else. */
export function assertTag(tag: string | undefined): void {
  if (tag === undefined) return;
  if (typeof tag !== 'string' || BREAKS_LINE.test(tag)) {
    throw mustBe('ERR_INVALID_VALUE', 'tag', 'a text without commas, spaces and control characters', tag);
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const BREAKS_LINE = /[,\s\u0000-\u001f\u007f\u0085\u2028\u2029]/;

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function assertScale(valueScale: number): void {
  if (valueScale > 0 && Number.isFinite(valueScale)) return;
  throw mustBe('ERR_INVALID_OPTION', 'valueScale', 'a finite number above 0', valueScale);
}
