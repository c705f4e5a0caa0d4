import { mustBe } from '@hdrscope/core';
import { JavaZone } from './java-zone.ts';

/**
 * A date as `Date.toString` of Java 17 prints it: `Wed Sep 09 15:24:39 UTC 2015`. In the Gregorian calendar, as Java
 * does it from 15 October 1582 on; and by the history of time zones that this runtime has, which is Java's: exactly from 1960 to 2035 in every zone, beyond that but for some summers of few zones.
 *
 * @param timeMs Milliseconds since 1970, whose fraction is cut off.
 * @param timeZone The IANA name of a zone. @default that of the process
 */
export function formatJavaDate(timeMs: number, timeZone?: string): string {
  return new JavaZone(timeZone).format(Math.trunc(timeMs));
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` when it is no zone that this runtime knows. */
export function assertTimeZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone });
  } catch {
    throw mustBe('ERR_INVALID_OPTION', 'timeZone', 'the IANA name of a zone', timeZone);
  }
}

/**
 * What a date can be told of: as far from 1970 as JavaScript goes.
 *
 * @throws HdrscopeError `ERR_INVALID_VALUE`
 */
export function assertTimeMs(name: string, timeMs: number): void {
  if (Math.abs(timeMs) <= LAST_TIME_MS) return;
  throw mustBe('ERR_INVALID_VALUE', name, 'a number of milliseconds since 1970, at most 8.64e15', timeMs);
}

const LAST_TIME_MS = 8.64e15;
