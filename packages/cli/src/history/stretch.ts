import type { HistorySpan } from '@hdrscope/history';
import { wrongOption } from '../arguments.ts';
import { parseDuration } from '../duration.ts';
import { formatTime } from '../format.ts';

/** A minute, in milliseconds. */
export const MINUTE_MS = 60_000;
/** A day, in milliseconds. */
export const DAY_MS = 86_400_000;

/** The milliseconds of `--every`: the length of a stretch of time. @throws UsageError */
export function parseEvery(text: string): number {
  const everyMs = Math.round(parseDuration(text, '--every') * 1000);
  if (everyMs >= 1) return everyMs;
  throw wrongOption('--every', 'a duration of at least 1ms', text);
}

/** The milliseconds of `--every` where stretches do not pass midnight. @throws UsageError */
export function parsePartOfDay(text: string): number {
  const everyMs = Math.round(parseDuration(text, '--every') * 1000);
  if (everyMs >= 1 && DAY_MS % everyMs === 0) return everyMs;
  throw wrongOption('--every', 'a duration that divides a day, as in 10s, 1m or 1h', text);
}

/** The start of a stretch of time, with as many digits as stretches of its length need: `2026-11-22 10:00`. */
export function stretchStart(startMs: number, everyMs: number): string {
  const text = formatTime(startMs / 1000);
  if (everyMs % DAY_MS === 0) return text.slice(0, '2026-11-22'.length);
  if (everyMs % MINUTE_MS === 0) return text.slice(0, '2026-11-22 10:00'.length);
  return text.replace(/\.000 UTC$| UTC$/, '');
}

const SECOND_MS = 1000;
/** An hour, in milliseconds. */
export const HOUR_MS: number = 60 * MINUTE_MS;

/** Lengths of stretches that people read easily. Those up to a day divide it. */
const LENGTHS_MS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 20, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 20, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * HOUR_MS),
  ...[1, 7, 28, 364].map((days) => days * DAY_MS),
];

// Timers are late: an interval of a minute may take 60.2 seconds.
const TOLERATED = 0.95;

/**
 * The length of the stretches of time of a picture: at most `most` of them cover the span, and none is shorter than an interval, because
 * there would be gaps between intervals.
 */
export function stretchFor({ startMs, endMs, intervalMs }: HistorySpan, most: number): number {
  // The first and the last stretch may be covered in part.
  const leastMs = Math.max((endMs - startMs) / (most - 1), intervalMs * TOLERATED);
  return LENGTHS_MS.find((lengthMs) => lengthMs >= leastMs) ?? Math.ceil(leastMs / DAY_MS) * DAY_MS;
}
