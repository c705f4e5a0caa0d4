import type { TimeRange } from '@hdrscope/history/internal';
import { readMoment, readPastTime, readRange, secondsOf } from '@hdrscope/inputs/internal';
import type { Moment } from '@hdrscope/interval-log/internal';
import { DAY_MS, DURATION_FORMS, formatTime, MINUTE_MS } from '@hdrscope/kit';
import { wrongOption } from './arguments.ts';
import { UsageError } from './command.ts';
import { defineOption, defineOptions, type OptionsOf, parseValue } from './define-command.ts';

// Durations.

/** The value of an option that takes a duration, in seconds when it is read. */
export const DURATION = defineOption({
  value: '<duration>',
  help: '',
  allowed: `a duration above 0, ${DURATION_FORMS}`,
  parse: (text: string) => secondsOf(text) || undefined,
});

/** The seconds of a duration above 0. @throws UsageError */
export function parseDuration(text: string, name: string): number {
  return parseValue(name, DURATION, text) as number;
}

function parseMs(text: string, name: string): number {
  return Math.round(parseDuration(text, name) * 1000);
}

/** The value of `--every`, the length of a stretch of time, in milliseconds when it is read. */
export const EVERY = defineOption({
  ...DURATION,
  allowed: 'a duration of at least 1ms',
  parse: (text: string, name: string) => parseMs(text, name) || undefined,
});

/** `EVERY` where stretches do not pass midnight. */
export const PART_OF_DAY = defineOption({
  ...DURATION,
  help: 'the stretch of time of a row, which divides a day',
  allowed: 'a duration that divides a day, as in 10s, 1m or 1h',
  parse(text: string, name: string) {
    const everyMs = parseMs(text, name);
    return DAY_MS % everyMs === 0 ? everyMs : undefined;
  },
});

/** The start of a stretch of time, with as many digits as stretches of its length need: `2026-11-22 10:00`. */
export function stretchStart(startMs: number, everyMs: number): string {
  const text = formatTime(startMs / 1000);
  if (everyMs % DAY_MS === 0) return text.slice(0, '2026-11-22'.length);
  if (everyMs % MINUTE_MS === 0) return text.slice(0, '2026-11-22 10:00'.length);
  return text.replace(/\.000 UTC$| UTC$/, '');
}

// Moments.

/** A moment of a log: see `readMoment`. No log is a year long. @throws UsageError */
export function parseMoment(text: string, name: string): Moment {
  const moment = readMoment(text);
  if (moment !== undefined) return moment;
  throw wrongOption(
    name,
    'seconds or a duration after the start of the log (90, 1m30s), a date (2026-03-01T12:00:00Z) or seconds since 1970',
    text,
  );
}

/** The value of an option that takes a time of a history: a duration before an end, a date, or seconds since 1970. */
export const PAST_TIME = defineOption({
  value: '<time>',
  help: '',
  allowed:
    'a duration (90d, 12h), a date (2026-03-01, 2026-03-01T12:00:00Z) or seconds since 1970 (1772366400)',
  parse: (text: string) => readPastTime(text),
});

// Spans of time.

/**
 * `--since` and `--until`: a time of a history, in milliseconds since 1970.
 *
 * @param whose Whose intervals they choose, for the help.
 */
export function spanOptions(whose = '') {
  const time = { ...PAST_TIME, parse: readTime } as const;
  return defineOptions({
    since: {
      ...time,
      help: `${whose}only intervals that start then or later: so long ago (7d, 12h), a date (2026-03-01, 2026-03-01T12:00:00Z) or seconds since 1970`,
    },
    until: { ...time, help: `${whose}only intervals that start before then` },
  });
}

export type SpanOptions = OptionsOf<ReturnType<typeof spanOptions>>;

function readTime(text: string): number | undefined {
  const found = readPastTime(text);
  return found && ('agoMs' in found ? Math.max(0, Date.now() - found.agoMs) : found.timeMs);
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

/** A range of time of a history: see `readRange`. @throws UsageError */
export function parseRange(text: string, name: string): TimeRange {
  const range = readRange(text);
  if (range === undefined || range.sinceMs < 0) {
    const allowed = 'a start and an end, or a duration, as in 2026-03-10T14:00/15:10 or 2026-03-10T14:00/70m';
    throw wrongOption(name, allowed, text);
  }
  if (range.sinceMs >= range.untilMs) throw wrongOption(name, 'a range whose end is after its start', text);
  return range;
}

/** @throws UsageError when two ranges share a time. */
export function assertApart(ranges: readonly TimeRange[]): void {
  const inOrder = [...ranges].sort((a, b) => a.sinceMs - b.sinceMs);
  if (inOrder.some(({ sinceMs }, at) => at > 0 && sinceMs < inOrder[at - 1]!.untilMs)) {
    throw new UsageError('the ranges of --before and --after must not overlap');
  }
}
