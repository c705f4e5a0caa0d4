import { isDecimal, wrongOption } from '../arguments.ts';
import { UsageError } from '../command.ts';
import { durationSeconds } from '../duration.ts';
import { parseMoment } from './moment.ts';

/** A time of a history: so long before an end, or milliseconds since 1970. */
export type PastTime = { readonly agoMs: number } | { readonly timeMs: number };

/**
 * A duration before an end, a date, or seconds since 1970. A number alone is seconds since 1970.
 *
 * @throws UsageError
 */
export function parsePastTime(text: string, name: string): PastTime {
  const wrong = (): UsageError =>
    wrongOption(
      name,
      'a duration (90d, 12h), a date (2026-03-01, 2026-03-01T12:00:00Z) or seconds since 1970 (1772366400)',
      text,
    );
  const seconds = isDecimal(text) ? undefined : durationSeconds(text);
  if (seconds !== undefined) {
    if (seconds > 0 && Number.isFinite(seconds)) return { agoMs: seconds * 1000 };
    throw wrong();
  }
  const timeMs = dateMs(text, name);
  if (timeMs === undefined) throw wrong();
  return { timeMs };
}

/** The milliseconds since 1970 of a date, which is UTC unless it says otherwise, or of seconds since 1970; `undefined` for other texts. */
export function dateMs(text: string, name: string): number | undefined {
  try {
    const moment = parseMoment(text, name);
    return 'epochSec' in moment && moment.epochSec >= 0 ? Math.round(moment.epochSec * 1000) : undefined;
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
