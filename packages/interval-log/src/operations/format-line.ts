import { formatDecimal } from '@hdrscope/core/internal';
import type { IntervalLine } from '../reader/entry.ts';
import { toMicros } from '../reader/micros.ts';
import { FORMAT_VERSION_LINE, formatBaseTime, formatStartTime, LEGEND_LINE } from '../writer/format.ts';

/** Formats the line of an interval whose histogram is already encoded. */
export function formatLine({
  tag,
  timestampSec,
  lengthSec,
  writtenMax,
  encoded,
}: Omit<IntervalLine, 'lineNumber'>): string {
  const prefix = tag === undefined ? '' : `Tag=${tag},`;
  const numbers = [timestampSec, lengthSec, writtenMax].map(formatNumber).join();
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
function formatNumber(x: number): string {
  let text = formatDecimal(toMicros(x), 6);
  for (let spare = 3; spare > 0 && text.endsWith('0'); spare--) text = text.slice(0, -1);
  return text;
}
