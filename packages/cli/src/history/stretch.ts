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

/** The start of a stretch of time, with as many digits as stretches of its length need: `2026-11-22 10:00`. */
export function stretchStart(startMs: number, everyMs: number): string {
  const text = formatTime(startMs / 1000);
  if (everyMs % DAY_MS === 0) return text.slice(0, '2026-11-22'.length);
  if (everyMs % MINUTE_MS === 0) return text.slice(0, '2026-11-22 10:00'.length);
  return text.replace(/\.000 UTC$| UTC$/, '');
}
