import { caseCount } from '@hdrscope/testing/case-count';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import fc from 'fast-check';
import { historySpan, type MergedRow, mergeRows, queryMergedRows } from '../../src/index.ts';
import type { MergeQuestion } from '../../src/internal.ts';
import { inParts } from '../../src/query/merged-rows.ts';
import { NO_MARGINS } from '../../src/rows/margins.ts';
import { findStretch, listStretches, type Stretches } from '../../src/stretches.ts';
import { writeRows } from '../support/folder.ts';
import { groupKey } from '../support/merged-percentiles.ts';
import { groupedBy, INTERVAL_MS, recorded, rowsOf, START_MS } from '../support/recorded.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

const RUNS = { numRuns: caseCount(8, 25) };

async function merged(folder: string, question?: MergeQuestion): Promise<MergedRow[]> {
  const rows: MergedRow[] = [];
  for await (const row of queryMergedRows(folder, question)) rows.push(row);
  return rows;
}

test('slots, counts, sums and bounds are those of mergeRows, by group and time, whatever the digits are', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(recorded, { minLength: 1, maxLength: 5 }),
      fc.constantFrom<(readonly string[] | undefined)[]>(undefined, [], ['route'], ['method', 'absent']),
      fc.constantFrom(undefined, INTERVAL_MS, 2 * INTERVAL_MS),
      async (all, by, everyMs) => {
        const rows = await rowsOf(all);
        if (rows.length === 0) return;
        const folder = newDirectory();
        await writeRows(folder, rows);
        // A retry writes rows again.
        await writeRows(folder, rows.slice(0, 2));
        const groups = groupedBy(rows, ({ attributes, startMs }) => {
          const own = Object.entries(attributes).filter(([key]) => by === undefined || by.includes(key));
          return groupKey(own.sort().flat(), everyMs && startMs - (startMs % everyMs));
        });
        const question = { metric: 'lat', ...(by && { by }), ...(everyMs && { everyMs }) };
        const answer = await merged(folder, question);
        expect(answer.length).toBe(groups.size);
        for (const row of answer) {
          const key = groupKey(Object.entries(row.attributes).flat(), everyMs && row.startMs);
          const { sum, margins = NO_MARGINS, ...exact } = mergeRows(groups.get(key)!);
          expect(row).toMatchObject(exact);
          // The order of additions changes the last bits.
          expect(Math.abs(row.sum - sum)).toBeLessThanOrEqual(sum * 1e-12);
          const { sumBelow, sumAbove, ...others } = row.margins ?? NO_MARGINS;
          expect({ ...margins, ...others }).toEqual(margins);
          expect(Math.abs(sumBelow - margins.sumBelow)).toBeLessThanOrEqual(sum * 1e-12);
          expect(Math.abs(sumAbove - margins.sumAbove)).toBeLessThanOrEqual(sum * 1e-12);
        }
      },
    ),
    RUNS,
  );
});

test('all metrics in the order of time, also over several days', async () => {
  const folder = newDirectory();
  const sizes = await rowsOf([{ significantDigits: 2, attributes: { route: '/' }, intervals: [[1], [2]] }], {
    metric: 'sizes',
  });
  const days = [0, 1, 9].flatMap((day) =>
    sizes.map((row) => ({
      ...row,
      startMs: row.startMs + day * 86_400_000,
      endMs: row.endMs + day * 86_400_000,
      producer: `p${day}`,
    })),
  );
  const others = await rowsOf([{ significantDigits: 3, attributes: {}, intervals: [[7]] }], {
    metric: 'lat',
  });
  for (const rows of groupedBy(days, ({ startMs }) =>
    new Date(startMs).toISOString().slice(0, 10),
  ).values()) {
    await writeRows(folder, rows);
  }
  await writeRows(folder, others);
  const minutes = await merged(folder, { everyMs: INTERVAL_MS });
  expect(minutes.map(({ metric, attributes, count }) => [metric, attributes, count])).toEqual([
    ['lat', {}, 1],
    ...Array.from({ length: 6 }, () => ['sizes', { route: '/' }, 1]),
  ]);
  expect(minutes.map(({ startMs }) => startMs)).toEqual(
    minutes.map(({ startMs }) => startMs).sort((a, b) => a - b),
  );
  const weeks = await merged(folder, { metric: 'sizes', everyMs: 7 * 86_400_000 });
  expect(weeks.map(({ count, startMs, endMs }) => [count, endMs - startMs])).toEqual([
    [4, 604_800_000],
    [2, 604_800_000],
  ]);
  const [whole] = await merged(folder, { metric: 'sizes' });
  expect([whole!.startMs, whole!.endMs]).toEqual([START_MS, START_MS + 9 * 86_400_000 + 2 * INTERVAL_MS]);
  expect(await merged(folder, { metric: 'sizes', sinceMs: START_MS + 10 * 86_400_000 })).toEqual([]);
  expect(await historySpan(folder, { metric: 'sizes', untilMs: START_MS + 5 * 86_400_000 })).toEqual({
    startMs: START_MS,
    endMs: START_MS + 86_400_000 + 2 * INTERVAL_MS,
    lastStartMs: START_MS + 86_400_000 + INTERVAL_MS,
    intervalMs: INTERVAL_MS,
  });
  expect(await historySpan(folder, { metric: 'absent' })).toBeUndefined();
  expect(await merged(folder, { metric: 'absent', everyMs: INTERVAL_MS })).toEqual([]);
});

const DAY_MS = 86_400_000;

/** The parts in which a history of so many rows on each day is asked for, each with the number of its sums. */
async function listParts(
  rowsOfDays: ReadonlyMap<number, number>,
  stretches: Stretches,
  sumsIn: (fromMs: number, untilMs: number) => number,
): Promise<{ fromMs: number; untilMs: number; sums: number }[]> {
  const days = [...rowsOfDays.keys()];
  const [startMs, lastStartMs] = [Math.min(...days) * DAY_MS, Math.max(...days) * DAY_MS + DAY_MS - 1];
  const whole = { rowsOfDays, startMs, lastStartMs, endMs: lastStartMs + 1, intervalMs: 60_000 };
  const parts: { fromMs: number; untilMs: number; sums: number }[] = [];
  const rows = inParts(whole, stretches, { sinceMs: undefined, untilMs: undefined }, async (span) => {
    const [fromMs, untilMs] = [span.sinceMs!, span.untilMs!];
    parts.push({ fromMs, untilMs, sums: sumsIn(fromMs, untilMs) });
    return new Array(parts.at(-1)!.sums).fill({});
  });
  for await (const _ of rows);
  return parts;
}

const rowsIn = (rowsOfDays: ReadonlyMap<number, number>, fromMs: number, untilMs: number): number =>
  [...rowsOfDays].reduce(
    (sum, [day, count]) => ((day + 1) * DAY_MS > fromMs && day * DAY_MS < untilMs ? sum + count : sum),
    0,
  );

test('a history is asked for in parts that have each stretch once, of a day or of few rows', async () => {
  const rowsOfDays = fc
    .dictionary(
      fc.integer({ min: 20_000, max: 20_400 }).map(String),
      fc.constantFrom(1, 40, 700, 9000, 80_000),
      {
        minKeys: 1,
        maxKeys: 120,
      },
    )
    .map((days) => new Map(Object.entries(days).map(([day, rows]) => [Number(day), rows])));
  await fc.assert(
    fc.asyncProperty(
      rowsOfDays,
      fc.constantFrom({ everyMs: 900_000 }, { everyMs: 21_600_000 }, { days: 1 }, { days: 7 }, { months: 1 }),
      fc.constantFrom('UTC', 'America/New_York', 'Asia/Kolkata'),
      // How many rows a sum has, before and after the middle of the time.
      fc.tuple(fc.constantFrom(1, 30, 1000), fc.constantFrom(1, 30, 1000)),
      async (days, every, timeZone, [before, after]) => {
        const division = { timeZone, every: 'everyMs' in every ? every.everyMs : every };
        const startMs = Math.min(...days.keys()) * DAY_MS;
        const endMs = (Math.max(...days.keys()) + 1) * DAY_MS;
        const stretches = listStretches(division, startMs, endMs);
        const middleMs = 20_200 * DAY_MS;
        const sumsIn = (fromMs: number, untilMs: number): number =>
          Math.ceil(rowsIn(days, fromMs, untilMs) / (fromMs < middleMs ? before : after));
        const parts = await listParts(days, stretches, sumsIn);
        const length = findStretch(stretches, startMs).endMs - findStretch(stretches, startMs).startMs;
        expect(parts[0]!.fromMs).toBe(findStretch(stretches, startMs).startMs);
        expect(parts.at(-1)!.untilMs).toBeGreaterThanOrEqual(endMs);
        for (const [i, { fromMs, untilMs }] of parts.entries()) {
          expect(parts[i + 1]?.fromMs ?? untilMs).toBe(untilMs);
          expect(findStretch(stretches, untilMs - 1).endMs).toBe(untilMs);
          const isShort = untilMs - fromMs <= Math.max(1.1 * DAY_MS, 1.1 * length);
          expect(isShort || rowsIn(days, fromMs, untilMs) <= 50_000).toBe(true);
        }
      },
    ),
    { numRuns: caseCount(25, 1000) },
  );
});

test.each([
  ['sums of a series', 1, 1, 8],
  ['sums of 500 series', 500, 500, 100],
  ['one sum of 500 series', 500, 1, 12],
])('a year by the day is asked for in few parts: %s', async (_, rows, sums, most) => {
  const days = new Map(Array.from({ length: 365 }, (_, day) => [20_000 + day, rows]));
  const stretches = listStretches({ timeZone: 'UTC', every: { days: 1 } }, 20_000 * DAY_MS, 20_365 * DAY_MS);
  const parts = await listParts(days, stretches, (from, until) => (sums * (until - from)) / DAY_MS);
  expect(parts.length).toBeLessThanOrEqual(most);
  expect(Math.max(...parts.map((part) => part.sums))).toBeLessThanOrEqual(2000);
});

test('units and scales are never added', async () => {
  const folder = newDirectory();
  const one = { significantDigits: 2, attributes: {}, intervals: [[5]] };
  const rows = await Promise.all([1e-9, 1e-6].map((scale) => rowsOf([one], { scale })));
  await writeRows(
    folder,
    rows.flat().map((row, i) => ({ ...row, producer: `p${i}` })),
  );
  expect((await merged(folder, { by: [] })).map(({ scale, count }) => [scale, count])).toEqual([
    [1e-9, 1],
    [1e-6, 1],
  ]);
});
