import { DAY_MS, formatTime, MINUTE_MS } from '@hdrscope/kit';
import { wrongOption } from '../../arguments.ts';
import { UsageError } from '../../command.ts';
import { defineOptions, type OptionsOf } from '../../define-command.ts';
import { parseDuration } from '../../duration.ts';
import { parsePastTime } from '../../moment.ts';

// Spans of time.

/**
 * `--since` and `--until`: a time of a history, in milliseconds since 1970.
 *
 * @param whose Whose intervals they choose, for the help.
 */
export function spanOptions(whose = '') {
  return defineOptions({
    since: {
      value: '<time>',
      help: `${whose}only intervals that start then or later: so long ago (7d, 12h), a date (2026-03-01, 2026-03-01T12:00:00Z) or seconds since 1970`,
      parse: parseTime,
    },
    until: { value: '<time>', help: `${whose}only intervals that start before then`, parse: parseTime },
  });
}

export type SpanOptions = OptionsOf<ReturnType<typeof spanOptions>>;

/** @throws UsageError */
function parseTime(text: string, name: string): number {
  const found = parsePastTime(text, name);
  return 'agoMs' in found ? Math.max(0, Date.now() - found.agoMs) : found.timeMs;
}

/** The time that the options choose, as a question has it. @throws UsageError when it is empty. */
export function spanOf({ since, until }: SpanOptions): {
  readonly sinceMs?: number;
  readonly untilMs?: number;
} {
  if (since !== undefined && until !== undefined && since >= until) {
    throw new UsageError('--since must be before --until');
  }
  return {
    ...(since !== undefined && { sinceMs: since }),
    ...(until !== undefined && { untilMs: until }),
  };
}

// Stretches of time.

/** The milliseconds of `--every`: the length of a stretch of time. @throws UsageError */
export function parseEvery(text: string, name: string): number {
  const everyMs = Math.round(parseDuration(text, name) * 1000);
  if (everyMs >= 1) return everyMs;
  throw wrongOption(name, 'a duration of at least 1ms', text);
}

/** The milliseconds of `--every` where stretches do not pass midnight. @throws UsageError */
export function parsePartOfDay(text: string, name: string): number {
  const everyMs = Math.round(parseDuration(text, name) * 1000);
  if (everyMs >= 1 && DAY_MS % everyMs === 0) return everyMs;
  throw wrongOption(name, 'a duration that divides a day, as in 10s, 1m or 1h', text);
}

/** The start of a stretch of time, with as many digits as stretches of its length need: `2026-11-22 10:00`. */
export function stretchStart(startMs: number, everyMs: number): string {
  const text = formatTime(startMs / 1000);
  if (everyMs % DAY_MS === 0) return text.slice(0, '2026-11-22'.length);
  if (everyMs % MINUTE_MS === 0) return text.slice(0, '2026-11-22 10:00'.length);
  return text.replace(/\.000 UTC$| UTC$/, '');
}
