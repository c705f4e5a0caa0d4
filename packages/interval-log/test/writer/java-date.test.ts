import { readFileSync } from 'node:fs';
import { formatStartTime } from '../../src/index.ts';
import { formatJavaDate } from '../../src/writer/format.ts';

// Made by Java 17: tools/goldens/zone-names.js.
const { timesMs, zones } = JSON.parse(
  readFileSync(new URL('../fixtures/java-dates.json', import.meta.url), 'utf8'),
) as { timesMs: readonly number[]; zones: Readonly<Record<string, readonly string[]>> };

test.each(Object.entries(zones))('prints dates in %s as Java does', (zone, printed) => {
  expect(timesMs.map((timeMs) => formatJavaDate(timeMs, zone))).toEqual(printed);
});

test('truncates fractions of a millisecond', () => {
  expect(formatJavaDate(999.999, 'UTC')).toBe('Thu Jan 01 00:00:00 UTC 1970');
});

test('uses the zone of the process by default', () => {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  expect(formatJavaDate(1_441_812_279_474)).toBe(formatJavaDate(1_441_812_279_474, zone));
});

test('accepts any spelling of a zone that the runtime knows', () => {
  expect(formatJavaDate(0, 'europe/berlin')).toBe('Thu Jan 01 01:00:00 CET 1970');
});

test('refuses a zone that does not exist', () => {
  expect(() => formatStartTime(0, 'Europe/Bielefeld')).toThrow(
    expect.objectContaining({
      code: 'ERR_INVALID_OPTION',
      message: 'timeZone must be the IANA name of a zone, got "Europe/Bielefeld"',
    }),
  );
});
