import { readFileSync } from 'node:fs';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import {
  type CalendarLength,
  checkedDivision,
  findStretch,
  listStretches,
  type Stretch,
} from '../src/stretches.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'America/Havana',
  'America/St_Johns',
  'Pacific/Apia',
];

/** The stretches of a time, one after the other. */
function stretchesOf(
  timeZone: string,
  every: number | CalendarLength,
  fromMs: number,
  untilMs: number,
): Stretch[] {
  const stretches = listStretches({ every, timeZone }, fromMs, untilMs);
  const all: Stretch[] = [];
  for (let atMs = fromMs; atMs < untilMs; atMs = all.at(-1)!.endMs) all.push(findStretch(stretches, atMs));
  return all;
}

const utc = (text: string): number => Date.parse(`${text}Z`);

interface Golden {
  readonly timeZone: string;
  readonly days: number;
  readonly first: number;
  readonly last: number;
  readonly uneven: readonly (readonly [date: string, start: number, hours: number])[];
  readonly weeks: readonly number[];
  readonly months: readonly number[];
  readonly quarters: readonly number[];
}

describe('as zoneinfo of Python has them', () => {
  const goldens = JSON.parse(
    readFileSync(new URL('./fixtures/stretches.json', import.meta.url), 'utf8'),
  ) as Golden[];

  test.each(goldens)('days, weeks, months and quarters of $timeZone from $first on begin', (golden) => {
    const { timeZone, days, first, last, uneven } = golden;
    const startsOf = (every: CalendarLength, starts: readonly number[]): number[] =>
      stretchesOf(timeZone, every, starts[0]! * 1000, starts.at(-1)! * 1000 + 1).map(
        ({ startMs }) => startMs / 1000,
      );
    expect(startsOf({ days: 7 }, golden.weeks)).toEqual(golden.weeks);
    expect(startsOf({ months: 1 }, golden.months)).toEqual(golden.months);
    expect(startsOf({ months: 3 }, golden.quarters)).toEqual(golden.quarters);
    const all = stretchesOf(timeZone, { days: 1 }, first * 1000, last * 1000 + 1);
    expect(all).toHaveLength(days);
    expect(
      all
        .slice(0, -1)
        .filter(({ startMs, endMs }) => endMs - startMs !== DAY_MS)
        .map(({ startMs, endMs }) => [startMs / 1000, (endMs - startMs) / HOUR_MS]),
    ).toEqual(uneven.map(([, start, hours]) => [start, hours]));
  });
});

test.each([
  ['begins at 01:00 where clocks skip midnight', 'America/Havana', '2026-03-08T05:00', '2026-03-09T04:00'],
  ['has 23 hours when clocks go forward', 'Europe/Berlin', '2026-03-28T23:00', '2026-03-29T22:00'],
  ['has 25 hours when clocks go back', 'America/New_York', '2026-11-01T04:00', '2026-11-02T05:00'],
  [
    'has half an hour less on Lord Howe Island',
    'Australia/Lord_Howe',
    '2026-10-03T13:30',
    '2026-10-04T13:00',
  ],
  ['follows a day that Samoa has skipped', 'Pacific/Apia', '2011-12-30T10:00', '2011-12-31T10:00'],
])('a day %s', (_, timeZone, start, end) => {
  const [startMs, endMs] = [utc(start), utc(end)];
  const [before, day] = stretchesOf(timeZone, { days: 1 }, startMs - 1, startMs + 1);
  expect(before!.endMs).toBe(startMs);
  expect(day).toEqual({ startMs, endMs });
});

test('stretches below a day are multiples of elapsed time since midnight, and midnight cuts the last one', () => {
  const starts = (timeZone: string, day: string, hours: number): number[] => {
    const [{ startMs, endMs }] = stretchesOf(timeZone, { days: 1 }, utc(day), utc(day) + 1) as [Stretch];
    return stretchesOf(timeZone, hours * HOUR_MS, startMs, endMs).map(
      (one) => (one.startMs - startMs) / HOUR_MS,
    );
  };
  expect(starts('Europe/Berlin', '2026-03-29T12:00', 6)).toEqual([0, 6, 12, 18]);
  expect(starts('Europe/Berlin', '2026-10-25T12:00', 6)).toEqual([0, 6, 12, 18, 24]);
  expect(starts('Europe/Berlin', '2026-10-25T12:00', 1)).toHaveLength(25);
  expect(starts('Asia/Kolkata', '2026-10-25T12:00', 12)).toEqual([0, 12]);
  const last = stretchesOf(
    'Europe/Berlin',
    6 * HOUR_MS,
    utc('2026-03-29T21:00'),
    utc('2026-03-29T21:01'),
  )[0]!;
  expect((last.endMs - last.startMs) / HOUR_MS).toBe(5);
});

const division = fc.record({
  timeZone: fc.constantFrom(...ZONES),
  every: fc.oneof(
    fc.constantFrom<CalendarLength>(
      { days: 1 },
      { days: 2 },
      { days: 7 },
      { days: 30 },
      { months: 1 },
      { months: 6 },
    ),
    fc.constantFrom(60_000, HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS),
  ),
});

/** The date that clocks show, by another formatter than that of the code. */
function dateIn(timeZone: string, timeMs: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(timeMs);
}

test('each moment is in one stretch, however long the listed time is, and its date is in the days of the stretch', () => {
  fc.assert(
    fc.property(
      division,
      fc.integer({ min: utc('1971-01-01'), max: utc('2037-01-01') }),
      fc.integer({ min: 0, max: 800 * DAY_MS }),
      fc.integer({ min: 0, max: 800 * DAY_MS }),
      ({ timeZone, every }, timeMs, beforeMs, afterMs) => {
        const { startMs, endMs } = findStretch(
          listStretches({ every, timeZone }, timeMs, timeMs + 1),
          timeMs,
        );
        expect(startMs).toBeLessThanOrEqual(timeMs);
        expect(endMs).toBeGreaterThan(timeMs);
        const longer = listStretches({ every, timeZone }, timeMs - beforeMs, timeMs + afterMs + 1);
        expect(findStretch(longer, timeMs)).toEqual({ startMs, endMs });
        expect(findStretch(longer, startMs)).toEqual({ startMs, endMs });
        expect(findStretch(longer, endMs - 1)).toEqual({ startMs, endMs });
        if (typeof every === 'number') return;
        const [first, shown] = [startMs, timeMs].map((ms) => dateIn(timeZone, ms)) as [string, string];
        expect(first <= shown).toBe(true);
        expect(dateIn(timeZone, startMs - 1) < first).toBe(true);
        if ('days' in every) {
          expect(Date.parse(shown) - Date.parse(first)).toBeLessThan(every.days * DAY_MS);
          if (every.days === 7 && timeZone !== 'Pacific/Apia') expect(new Date(first).getUTCDay()).toBe(1);
        } else {
          expect(first.slice(8)).toBe('01');
          const monthsOf = (date: string): number =>
            Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;
          expect(monthsOf(first) % every.months).toBe(0);
          expect(monthsOf(shown) - monthsOf(first)).toBeLessThan(every.months);
        }
      },
    ),
    { numRuns: caseCount(200, 2000) },
  );
});

test.each([
  [
    { timeZone: 'Europe/Bärlin' },
    'timeZone must be the name of a time zone, as in Europe/Berlin or UTC, got "Europe/Bärlin"',
  ],
  [{ timeZone: '+01:00' }, 'timeZone must be the name of a time zone'],
  [
    { every: { months: 5 } },
    'every must be { days } with an integer from 1 to 36600, or { months } with 1, 2, 3, 4, 6 or 12',
  ],
  [{ every: { days: 0 } }, 'every must be { days }'],
  [{ every: { days: 1, months: 1 } }, 'every must be { days }'],
  [{ every: 7 }, 'every must be { days }'],
  [{ every: { days: 1 }, everyMs: 1 }, 'stretches of time have one length: everyMs or every, got both'],
  [
    { everyMs: 7 * HOUR_MS, timeZone: 'Europe/Berlin' },
    'everyMs must be an integer of milliseconds that divides a day',
  ],
])('%j is refused', (wrong, message) => {
  expect(() => checkedDivision(wrong as never)).toThrow(message);
});
