import { formatDecimal } from '@hdrscope/core';
import { FORMAT_VERSION_LINE, formatBaseTime, formatStartTime, LEGEND_LINE } from '../writer/format.ts';

/** The fields of an interval's line. */
export interface LineFields {
  readonly tag: string | undefined;
  readonly timestampSec: number;
  readonly lengthSec: number;
  readonly writtenMax: number;
  readonly encoded: string;
}

/** The line of an interval whose histogram is encoded already. */
export function formatLine({ tag, timestampSec, lengthSec, writtenMax, encoded }: LineFields): string {
  const prefix = tag === undefined ? '' : `Tag=${tag},`;
  const numbers = [timestampSec, lengthSec, writtenMax].map(formatNumber).join();
  return `${prefix}${numbers},${encoded}\n`;
}

/**
 * The lines above the intervals, with the times that a reader needs to place them.
 *
 * @param startSec When the log starts; `undefined` where nothing tells, and its first interval does.
 * @param baseSec What timestamps count from.
 */
export function formatHeader(startSec: number | undefined, baseSec: number): string {
  const start = startSec === undefined ? '' : formatStartTime(startSec * 1000, 'UTC');
  const base = baseSec === 0 ? '' : formatBaseTime(baseSec * 1000);
  return `${FORMAT_VERSION_LINE}${start}${base}${LEGEND_LINE}`;
}

/** Milliseconds as every writer has them, and microseconds where the log has more than milliseconds. */
function formatNumber(x: number): string {
  return formatDecimal(toMicros(x), 6).replace(/(\.\d{3}\d*?)0+$/, '$1');
}

/** Without what sums of large and small doubles leave behind: `1441812279.474 + 0.526` is a whole second. */
export function toMicros(seconds: number): number {
  const rounded = Math.round(seconds * 1e6) / 1e6;
  return Number.isFinite(rounded) ? rounded : seconds;
}
