/** A minute, in milliseconds. */
export const MINUTE_MS = 60_000;
/** A day, in milliseconds. */
export const DAY_MS = 86_400_000;

/**
 * A time as people read it, in UTC.
 *
 * @param epochSec Seconds since 1970.
 * @example
 * ```ts
 * import { formatTime } from '@hdrscope/kit';
 *
 * formatTime(1_441_812_279.474); //=> '2015-09-09 15:24:39.474 UTC'
 * ```
 */
export function formatTime(epochSec: number): string {
  return new Date(Math.round(epochSec * 1000)).toISOString().replace('T', ' ').replace('Z', ' UTC');
}
