import { DAY_MS, MINUTE_MS } from '@hdrscope/kit';
import type { DivisionOptions } from '../stretches.ts';
import { HOUR_MS } from '../times.ts';
import type { HistorySpan } from './history-span.ts';

/** Lengths of stretches that people read easily. Those up to a day divide it. */
const LENGTHS_MS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 20, 30].map((seconds) => seconds * 1000),
  ...[1, 2, 5, 10, 15, 20, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * HOUR_MS),
  ...[1, 7, 28, 364].map((days) => days * DAY_MS),
];

// Timers are late: an interval of a minute may take 60.2 seconds.
const TOLERATED = 0.95;

/** A length of stretches as a question has it: whole days are those of the calendar, and weeks begin on Monday. */
export function divideBy(lengthMs: number): Pick<DivisionOptions, 'every' | 'everyMs'> {
  return lengthMs % DAY_MS === 0 ? { every: { days: lengthMs / DAY_MS } } : { everyMs: lengthMs };
}

/**
 * The length of the stretches of time of a picture: at most `most` of them cover the span, and none is shorter than an interval, because
 * there would be gaps between intervals.
 */
export function stretchFor({ startMs, endMs, intervalMs }: HistorySpan, most: number): number {
  // The first and the last stretch may be covered in part.
  const leastMs = Math.max((endMs - startMs) / (most - 1), intervalMs * TOLERATED);
  return LENGTHS_MS.find((lengthMs) => lengthMs >= leastMs) ?? Math.ceil(leastMs / DAY_MS) * DAY_MS;
}
