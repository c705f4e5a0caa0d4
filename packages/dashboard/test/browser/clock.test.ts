import type { Zone } from '@hdrscope/plot/internal';
import {
  agoText,
  dateTimeText,
  LOCAL,
  lengthText,
  longRangeText,
  rangeText,
  ticksOf,
  timeText,
  UTC,
} from '../../browser/clock.ts';

const NOON = Date.UTC(2026, 0, 31, 12, 4, 30, 250);
/** As in India. */
const INDIA: Zone = { name: 'local time', offsetMs: () => 5.5 * 3_600_000 };

test('times are of the zone, and exact on request', () => {
  expect(timeText(NOON, UTC)).toBe('12:04:30');
  expect(timeText(NOON, UTC, true)).toBe('12:04:30.250');
  expect(timeText(NOON, INDIA)).toBe('17:34:30');
  expect(dateTimeText(NOON + 12 * 3_600_000, INDIA)).toBe('2026-02-01 05:34:30');
  expect(timeText(Number.NaN, UTC)).toBe('-');
});

test('the time since the start of a log is the same in every zone', () => {
  expect(timeText(90_000, INDIA)).toBe('00:01:30');
  expect(ticksOf({ fromMs: 0, toMs: 120_000 }, 2, INDIA).map(({ text }) => text)).toEqual([
    '00:00',
    '00:01',
    '00:02',
  ]);
});

test('the local zone is that of dates', () => {
  const date = new Date(NOON);
  expect(timeText(NOON, LOCAL)).toBe(date.toTimeString().slice(0, 8));
});

test.each([
  [150_000, '2 min 30 s'],
  [60_000, '1 min'],
  [120_000, '2 min'],
  [12_000, '12 s'],
  [7_800_000, '2 h 10 min'],
])('%d ms are %s', (ms, text) => {
  expect(lengthText(ms)).toBe(text);
});

test('an age has whole seconds', () => {
  expect(agoText(12_999)).toBe('12 s');
  expect(agoText(185_400)).toBe('3 min 5 s');
});

test('a range says its ends and its length, and its dates when they differ', () => {
  const range = { fromMs: NOON - 250, toMs: NOON - 250 + 150_000 };
  expect(longRangeText(range, UTC)).toBe('12:04:30 – 12:07:00 (2 min 30 s)');
  expect(rangeText({ fromMs: NOON, toMs: NOON + 500 }, UTC)).toBe('12:04:30.250 – 12:04:30.750');
  expect(rangeText({ fromMs: NOON - 250, toMs: NOON - 250 + 86_400_000 }, UTC)).toBe(
    '2026-01-31 12:04:30 – 2026-02-01 12:04:30',
  );
});

test('ticks are round in the zone', () => {
  const hours = { fromMs: Date.UTC(2026, 0, 31, 17), toMs: Date.UTC(2026, 0, 31, 21) };
  expect(ticksOf(hours, 5, UTC).map(({ text }) => text)).toEqual([
    '17:00',
    '18:00',
    '19:00',
    '20:00',
    '21:00',
  ]);
  // A day begins at 18:30 UTC.
  expect(ticksOf(hours, 5, INDIA).map(({ text }) => text)).toEqual(['23:00', '02-01', '01:00', '02:00']);
  expect(ticksOf({ fromMs: NOON, toMs: NOON + 1000 }, 3, UTC).map(({ text }) => text)).toEqual([
    '12:04:30.5',
    '12:04:31.0',
  ]);
  expect(ticksOf({ fromMs: 5, toMs: 5 }, 3, UTC)).toEqual([]);
});
