import { readMoment, readPastTime, readRange } from '@hdrscope/inputs/internal';

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const two = (number: number): string => String(number).padStart(2, '0');

test('a date is a moment only if its month has the day', () => {
  for (let month = 0; month <= 13; month++) {
    for (let day = 0; day <= 32; day++) {
      const date = `2026-${two(month)}-${two(day)}`;
      const isThere = day >= 1 && day <= (DAYS[month - 1] ?? 0);
      const epochSec = Date.UTC(2026, month - 1, day) / 1000;
      for (const text of [date, `${date}T00:00`, `${date} 00:00:00`, `${date}T01:00+01:00`]) {
        expect([text, readMoment(text)]).toEqual([text, isThere ? { epochSec } : undefined]);
        expect([text, readPastTime(text)]).toEqual([text, isThere ? { timeMs: epochSec * 1000 } : undefined]);
        expect([text, readRange(`${text}/1h`) !== undefined]).toEqual([text, isThere]);
      }
    }
  }
});

test('29 February is a day of leap years', () => {
  expect(readMoment('2024-02-29')).toEqual({ epochSec: Date.UTC(2024, 1, 29) / 1000 });
  expect(readMoment('2026-02-29')).toBeUndefined();
  expect(readMoment('2100-02-29')).toBeUndefined();
});
