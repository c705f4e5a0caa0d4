import { mustBe } from '@hdrscope/core';

/**
 * A date as Java's `Date.toString` prints it: `Wed Sep 09 15:24:39 UTC 2015`.
 *
 * @param timeZone The IANA name of a zone. @default that of the process
 */
export function formatJavaDate(timeMs: number, timeZone?: string): string {
  const parts = new Map(
    new Intl.DateTimeFormat('en-US', {
      weekday: 'short',
      month: 'short',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'short',
      year: 'numeric',
      ...(timeZone !== undefined && { timeZone }),
    })
      .formatToParts(Math.trunc(timeMs))
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  const time = `${part('hour')}:${part('minute')}:${part('second')}`;
  return `${part('weekday')} ${part('month')} ${part('day')} ${time} ${part('timeZoneName')} ${part('year')}`;
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` when it is no zone that this runtime knows. */
export function assertTimeZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone });
  } catch {
    throw mustBe('ERR_INVALID_OPTION', 'timeZone', 'the IANA name of a zone', timeZone);
  }
}
