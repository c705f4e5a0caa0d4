import fc from 'fast-check';
import type { CalendarLength, HistoryQuestion, HistoryRow } from '../../src/index.ts';
import { DAY, dayOf } from '../../src/parquet/names.ts';
import type { Ask } from './merged-percentiles.ts';
import { groupedBy, rowsOf } from './recorded.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Zones and years in which clocks change in some way. */
const TIMES: readonly (readonly [timeZone: string, from: string])[] = [
  ['UTC', '2026-02-20'],
  ['Europe/Berlin', '2026-03-20'],
  ['America/New_York', '2026-10-22'],
  ['Asia/Kolkata', '2026-05-01'],
  ['Australia/Lord_Howe', '2026-09-25'],
  ['America/Sao_Paulo', '2011-10-08'],
  ['America/Havana', '2026-02-27'],
  ['Pacific/Apia', '2011-12-22'],
];

/** So long after these days, clocks have changed. */
const DAYS = 14;

const LENGTHS: readonly (number | CalendarLength)[] = [
  { days: 1 },
  { days: 7 },
  { months: 1 },
  { months: 3 },
  360 * MINUTE_MS,
];

// To make one takes a hundred times as long as to format a time.
const formats = new Map<string, Intl.DateTimeFormat>();

/** What clocks of a zone show, as `2026-03-29 02:30`. */
function shownIn(timeZone: string, timeMs: number): string {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  formats.set(timeZone, format);
  return format.format(timeMs);
}

/** A name of the stretch that has a moment, of what clocks show alone. */
function stretchName(timeZone: string, every: number | CalendarLength, timeMs: number): string {
  const date = shownIn(timeZone, timeMs).slice(0, 10);
  if (typeof every === 'number') {
    let midnightMs = timeMs - (timeMs % (15 * MINUTE_MS));
    while (shownIn(timeZone, midnightMs - 15 * MINUTE_MS).startsWith(date)) midnightMs -= 15 * MINUTE_MS;
    return `${date} ${Math.floor((timeMs - midnightMs) / every)}`;
  }
  if ('months' in every) {
    return `${date.slice(0, 4)} ${Math.floor((Number(date.slice(5, 7)) - 1) / every.months)}`;
  }
  const day = Date.parse(date);
  const weekday = (new Date(day).getUTCDay() + 6) % 7;
  return every.days === 7 ? new Date(day - weekday * DAY_MS).toISOString() : date;
}

/** The folder of a row's day, so that lists of rows are by day. */
export function rowsByDay(rows: readonly HistoryRow[]): HistoryRow[][] {
  return [...groupedBy(rows, ({ startMs }) => `${DAY}${dayOf(startMs)}`).values()];
}

/**
 * Expects that an engine counts each row in the stretch of a time zone in which it starts, as clocks show it.
 *
 * @param store Gives the engine a table of these lists of rows only, one for each day.
 */
export async function expectZonedStretches(
  numRuns: number,
  store: (lists: readonly (readonly HistoryRow[])[]) => Promise<readonly Ask[]>,
): Promise<void> {
  const [row] = await rowsOf([{ significantDigits: 1, attributes: {}, intervals: [[5]] }]);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...TIMES),
      fc.uniqueArray(fc.integer({ min: 0, max: DAYS * 24 * 60 }), { minLength: 1, maxLength: 12 }),
      fc.constantFrom(1, 60, 24 * 60),
      async ([timeZone, from], startMinutes, lengthMinutes) => {
        const fromMs = Date.parse(from);
        const rows = startMinutes.map((minute, sequence): HistoryRow => {
          const startMs = fromMs + minute * MINUTE_MS;
          return { ...row!, startMs, endMs: startMs + lengthMinutes * MINUTE_MS, producer: 'p', sequence };
        });
        const asks = await store(rowsByDay(rows));
        for (const every of LENGTHS) {
          const nameOf = (timeMs: number): string => stretchName(timeZone, every, timeMs);
          const expected = [...groupedBy(rows, ({ startMs }) => nameOf(startMs))].map(([name, some]) => [
            name,
            some.length,
            some.filter(({ startMs, endMs }) => nameOf(endMs - 1) !== nameOf(startMs)).length,
          ]);
          const question: HistoryQuestion = {
            metric: 'lat',
            percentiles: [50],
            timeZone,
            ...(typeof every === 'number' ? { everyMs: every } : { every }),
            sinceMs: fromMs,
            untilMs: fromMs + (DAYS + 1) * DAY_MS,
          };
          for (const ask of asks) {
            const answer = await ask(question);
            const starts = answer.map(({ start_ms }) => Number(start_ms));
            expect(starts).toEqual([...starts].sort((a, b) => a - b));
            expect(
              answer
                .map((one) => [nameOf(Number(one.start_ms)), Number(one.count), Number(one.crossing_count)])
                .sort(),
            ).toEqual(expected.sort());
            for (const startMs of starts) expect(nameOf(startMs - 1)).not.toBe(nameOf(startMs));
          }
        }
      },
    ),
    { numRuns },
  );
}
