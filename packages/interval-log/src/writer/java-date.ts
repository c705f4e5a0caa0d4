import { mustBe } from '@hdrscope/core/internal';
import { JavaZone } from './java-zone.ts';

/**
 * Formats a date as `Date.toString` of Java 17: `Wed Sep 09 15:24:39 UTC 2015`. The calendar is Gregorian, as in Java
 * from 15 October 1582 on. The history of time zones is that of this runtime. It equals Java's in every zone from 1960
 * to 2035; outside these years some summers of a few zones differ.
 *
 * @param timeMs Milliseconds since 1970. A fraction is truncated.
 * @param timeZone IANA name of a zone. @default the zone of the process
 */
export function formatJavaDate(timeMs: number, timeZone?: string): string {
  return new JavaZone(timeZone).format(Math.trunc(timeMs));
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` when this runtime does not know the zone. */
export function assertTimeZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone });
  } catch {
    throw mustBe('ERR_INVALID_OPTION', 'timeZone', 'the IANA name of a zone', timeZone);
  }
}

/**
 * Checks that a time is in the range of JavaScript dates.
 *
 * @throws HdrscopeError `ERR_INVALID_VALUE`
 */
export function assertTimeMs(name: string, timeMs: number): void {
  if (Math.abs(timeMs) <= LAST_TIME_MS) return;
  throw mustBe('ERR_INVALID_VALUE', name, 'a number of milliseconds since 1970, at most 8.64e15', timeMs);
}

const LAST_TIME_MS = 8.64e15;
