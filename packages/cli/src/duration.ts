import { wrongOption } from './arguments.ts';

const SECONDS = { d: 86_400, h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, ns: 1e-9 } as const;

const PART = /(\d+(?:\.\d+)?)(d|h|ms|m|s|us|µs|ns)/g;
const DURATION = new RegExp(`^(?:${PART.source})+$`);

/** The seconds of `1h30m`, `500ms` or `1.5s`; a number alone is of seconds. `undefined` where it is neither. */
export function durationSeconds(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  if (!DURATION.test(text)) return undefined;
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(PART)) {
    seconds += Number(amount) * SECONDS[unit as keyof typeof SECONDS];
  }
  // 0.1 + 0.2: nanoseconds are all that can have been meant.
  return Math.round(seconds * 1e9) / 1e9;
}

/** @throws UsageError */
export function parseDuration(text: string, name: string): number {
  const seconds = durationSeconds(text);
  if (seconds === undefined || seconds === 0) {
    throw wrongOption(name, 'a duration above 0, as in 500ms, 1m or 1h30m', text);
  }
  return seconds;
}
