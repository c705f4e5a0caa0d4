import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import {
  firstMoment,
  formatOffset,
  formatZonedTime,
  offsetSpans,
  readTimeZone,
  zoneOffsetMs,
} from '../src/index.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const ZONES = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'],
  ...['America/Sao_Paulo', 'America/Havana', 'America/St_Johns', 'Pacific/Apia', 'Africa/Monrovia'],
];

const zone = fc.constantFrom(...ZONES);
const moment = fc.integer({ min: 0, max: Date.parse('2037-01-01') });

/** What clocks show, as milliseconds since 1970, by another formatter than that of the code. */
function shownMs(timeZone: string, timeMs: number): number {
  const text = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(
    timeMs,
  );
  return Date.parse(`${text.replace(' ', 'T')}Z`);
}

test('an offset is the difference between what clocks show and UTC', () => {
  fc.assert(
    fc.property(zone, moment, (timeZone, timeMs) => {
      const seconds = Math.floor(timeMs / 1000) * 1000;
      expect(zoneOffsetMs(timeZone, timeMs)).toBe(shownMs(timeZone, timeMs) - seconds);
    }),
    { numRuns: caseCount(200, 2000) },
  );
});

test('spans of equal offsets have no gaps, and begin at the very second of a change', () => {
  fc.assert(
    fc.property(zone, moment, fc.integer({ min: 1, max: 500 * DAY_MS }), (timeZone, fromMs, lengthMs) => {
      const spans = offsetSpans(timeZone, fromMs, fromMs + lengthMs);
      expect([spans[0]!.fromMs, spans.at(-1)!.untilMs]).toEqual([fromMs, fromMs + lengthMs]);
      for (const [at, span] of spans.entries()) {
        expect(zoneOffsetMs(timeZone, span.fromMs)).toBe(span.offsetMs);
        expect(zoneOffsetMs(timeZone, span.untilMs - 1)).toBe(span.offsetMs);
        if (at > 0)
          expect([span.fromMs, span.offsetMs]).not.toEqual([spans[at - 1]!.untilMs, spans[at - 1]!.offsetMs]);
      }
    }),
    { numRuns: caseCount(50, 500) },
  );
});

test('the first moment at which clocks show a time or a later one has none before it', () => {
  fc.assert(
    fc.property(
      zone,
      fc.integer({ min: 0, max: Date.parse('2037-01-01') / MINUTE_MS }),
      (timeZone, minutes) => {
        const localMs = minutes * MINUTE_MS;
        const found = firstMoment(timeZone, localMs);
        expect(found + zoneOffsetMs(timeZone, found)).toBeGreaterThanOrEqual(localMs);
        for (const before of [1, 1000, MINUTE_MS, 30 * MINUTE_MS, 61 * MINUTE_MS, DAY_MS]) {
          expect(found - before + zoneOffsetMs(timeZone, found - before)).toBeLessThan(localMs);
        }
      },
    ),
    { numRuns: caseCount(200, 2000) },
  );
});

test.each([
  ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:00'],
  ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30'],
  ['America/Havana', '2026-03-08T00:00', '2026-03-08T05:00'],
  ['Pacific/Apia', '2011-12-30T12:00', '2011-12-30T10:00'],
  ['UTC', '2026-03-29T02:30', '2026-03-29T02:30'],
])('clocks of %s show %s or later first at %s UTC', (timeZone, local, utc) => {
  expect(firstMoment(timeZone, Date.parse(`${local}Z`))).toBe(Date.parse(`${utc}Z`));
});

test('times are written with the offset', () => {
  const timeMs = Date.parse('2026-10-25T00:30:00.250Z');
  expect(formatZonedTime(timeMs, 'UTC')).toBe('2026-10-25 00:30:00.250 UTC');
  expect(formatZonedTime(timeMs, 'Europe/Berlin')).toBe('2026-10-25 02:30:00.250 +02:00');
  expect(formatZonedTime(timeMs + 60 * MINUTE_MS, 'Europe/Berlin')).toBe('2026-10-25 02:30:00.250 +01:00');
  expect(formatZonedTime(timeMs, 'America/New_York')).toBe('2026-10-24 20:30:00.250 -04:00');
  expect([0, -2_670_000, 37_800_000].map(formatOffset)).toEqual(['+00:00', '-00:44:30', '+10:30']);
});

test('names of zones are those of IANA', () => {
  expect(['UTC', 'Etc/UTC', 'utc', 'Europe/Berlin', 'Asia/Kolkata'].map(readTimeZone)).toEqual([
    ...['UTC', 'UTC', 'UTC'],
    'Europe/Berlin',
    'Asia/Kolkata',
  ]);
  for (const text of ['', 'Berlin', '+01:00', 'Europe/Bärlin', '__proto__'])
    expect(readTimeZone(text)).toBeUndefined();
});
