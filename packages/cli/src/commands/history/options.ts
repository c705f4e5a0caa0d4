import { DAY_MS, formatTime, MINUTE_MS } from '@hdrscope/kit';
import { wrongOption } from '../../arguments.ts';
import { UsageError } from '../../command.ts';
import { defineOption, defineOptions, type OptionsOf } from '../../define-command.ts';
import { parseDuration } from '../../duration.ts';
import { parsePastTime } from '../../moment.ts';

/** Attributes of a command line, by their keys. */
export type Pairs = Readonly<Record<string, string>>;

/**
 * Adds `key=value` to the pairs of an option that may be repeated. The value begins after the first `=` and may be empty.
 *
 * @throws UsageError when the text is not a pair, or the key is there with another value.
 */
export function parsePair(text: string, name: string, others: Pairs = {}): Pairs {
  const at = text.indexOf('=');
  if (at < 1) throw wrongOption(name, 'key=value, as in host=a7', text);
  const [key, value] = [text.slice(0, at), text.slice(at + 1)];
  if (Object.hasOwn(others, key) && others[key] !== value) {
    throw new UsageError(`${name} ${key} must have one value, got '${others[key]}' and '${value}'`);
  }
  return Object.fromEntries([...Object.entries(others), [key, value]]);
}

export const WHERE = defineOption({
  value: '<pair>',
  help: 'key=value: only series with this attribute; may be repeated',
  parse: parsePair,
  default: {},
  fallback: 'all series',
});

/**
 * `--by`: an attribute that divides the answer.
 *
 * @param what What each value of the attribute has, for the help.
 * @param fallback What there is without the option, for the help.
 */
export function groupOption(what: string, fallback: string) {
  return defineOption({
    value: '<key>',
    help: `an attribute: each of its values ${what}; may be repeated`,
    isRepeated: true,
    fallback,
  });
}

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
