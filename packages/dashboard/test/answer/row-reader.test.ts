import { countedIn, hdrLayout } from '@hdrscope/core';
import { Slices } from '@hdrscope/kit';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { TimesReader } from '../../src/answer/row-reader.ts';
import { evidenceOfDifference, LEAST_GROWTH, measureShift } from '../../src/answer/shift.ts';
import type { HistorySeries } from '../../src/history/history.ts';
import { type PackedInterval, packInterval } from '../../src/history/packed-interval.ts';
import { WHY_PERCENTILES } from '../../src/question.ts';

const LAYOUT = hdrLayout({ highestTrackableValue: 100_000, significantDigits: 2 });
const SERIES = 6;

/** A count of one slot, which a series has in an interval. */
interface Part {
  readonly id: number;
  readonly slot: number;
  readonly count: number;
}

/** A value's first and last slot, and how many values have these. */
interface Entry {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

const parts = fc.array(
  fc.record({
    id: fc.nat(SERIES - 1),
    slot: fc.nat(LAYOUT.slotCount - 1),
    count: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 1e6 })),
  }),
  { maxLength: 30 },
);

/** How far the values of slots reach down and up, by slot, for some series. */
const reaches = fc.array(
  fc.option(fc.dictionary(fc.nat(LAYOUT.slotCount - 1).map(String), fc.tuple(fc.nat(40), fc.nat(40))), {
    nil: undefined,
  }),
  { minLength: SERIES, maxLength: SERIES },
);

async function pack(all: readonly (readonly Part[])[]): Promise<PackedInterval[]> {
  const intervals: PackedInterval[] = [];
  for (const [at, some] of all.entries()) {
    const counts = new Map<number, number[]>();
    for (const { id, slot, count } of some) {
      const own = counts.get(id) ?? new Array<number>(LAYOUT.slotCount).fill(0);
      counts.set(id, own);
      own[slot]! += count;
    }
    const increases = [...counts].map(([id, own]) => ({
      ...{ id, counts: countedIn(LAYOUT, own).counts },
      ...{ sum: 0, buckets: undefined },
    }));
    intervals.push(await packInterval(at, at + 1, increases, new Slices()));
  }
  return intervals;
}

function makeSeries(
  ids: readonly (Readonly<Record<string, [number, number]>> | undefined)[],
): HistorySeries[] {
  const most = LAYOUT.slotCount - 1;
  return ids.map((own, id) => {
    const widths = Object.entries(own ?? {}).map(
      ([slot, [down, up]]) =>
        [
          Number(slot),
          { first: Math.max(0, Number(slot) - down), last: Math.min(most, Number(slot) + up) },
        ] as const,
    );
    return { facts: { id }, reaches: own && new Map(widths) } as unknown as HistorySeries;
  });
}

/** The values of some series, one entry after another. */
function listEntries(all: readonly (readonly Part[])[], members: readonly HistorySeries[]): Entry[] {
  return all.flat().flatMap(({ id, slot, count }) => {
    const member = members.find(({ facts }) => facts.id === id);
    if (member === undefined) return [];
    const { first, last } = member.reaches?.get(slot) ?? { first: slot, last: slot };
    return [{ first, last, count }];
  });
}

const sumWhere = (entries: readonly Entry[], isCounted: (entry: Entry) => boolean): number =>
  entries.filter(isCounted).reduce((sum, { count }) => sum + count, 0);

/** The slot of a rank, by its definition. */
function slotAt(entries: readonly Entry[], end: 'first' | 'last', rank: number): number {
  const slots = entries.map((entry) => entry[end]).sort((a, b) => a - b);
  return slots.find((slot) => sumWhere(entries, (entry) => entry[end] <= slot) >= rank) ?? slots.at(-1)!;
}

/** The evidence of the largest shift, by its definition. */
function measurePlainly(before: readonly Entry[], after: readonly Entry[]): number | undefined {
  const found: number[] = [];
  const total = (entries: readonly Entry[]): number => sumWhere(entries, () => true);
  for (const [small, large] of [
    [before, after],
    [after, before],
  ] as const) {
    for (const percentile of WHY_PERCENTILES) {
      const slot = slotAt(small, 'last', (percentile / 100) * total(small));
      const top = Math.ceil(LAYOUT.upper(slot) * LEAST_GROWTH);
      if (top >= LAYOUT.upper(LAYOUT.slotCount - 1)) continue;
      const limit = LAYOUT.slotOf(top);
      const few = { beyond: sumWhere(small, ({ last }) => last > limit), count: total(small) };
      const many = { beyond: sumWhere(large, ({ first }) => first > limit), count: total(large) };
      if (many.beyond * few.count > few.beyond * many.count) found.push(evidenceOfDifference(few, many));
    }
  }
  return found.length === 0 ? undefined : Math.max(...found);
}

test('rows have what their series counted, in whatever order they are read, and the shift with the most evidence', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(parts, { minLength: 1, maxLength: 5 }),
      fc.array(parts, { minLength: 1, maxLength: 5 }),
      reaches,
      fc.array(fc.shuffledSubarray([...Array(SERIES).keys()], { minLength: 1 }), {
        minLength: 1,
        maxLength: 6,
      }),
      async (earlier, later, widths, rows) => {
        const all = makeSeries(widths);
        const times = { before: await pack(earlier), after: await pack(later) };
        const reader = new TimesReader(times, LAYOUT.slotCount, new Slices());
        const asked = rows.map((ids) => {
          const members = ids.map((id) => all[id]!);
          return { members, isWide: members.some((one) => one.reaches !== undefined) };
        });
        for (const { members, isWide } of asked) {
          const sides = await reader.read(members, isWide);
          const plain = { before: listEntries(earlier, members), after: listEntries(later, members) };
          for (const time of ['before', 'after'] as const) {
            const [side, entries] = [sides[time], plain[time]];
            const total = sumWhere(entries, () => true);
            expect([side.first.count, side.last.count]).toEqual([total, total]);
            if (total === 0) continue;
            for (const end of ['first', 'last'] as const) {
              for (const share of [0, 0.3, 0.5, 0.99, 1]) {
                const slot = slotAt(entries, end, share * total);
                expect(side[end].slotAt(share * total)).toBe(slot);
                expect(side[end].countAbove(slot)).toBe(sumWhere(entries, (entry) => entry[end] > slot));
              }
            }
          }
          if (plain.before.length === 0 || plain.after.length === 0) continue;
          const shift = measureShift(sides.before, sides.after, LAYOUT);
          expect(shift?.evidence).toBe(measurePlainly(plain.before, plain.after));
        }
        const whole = await reader.readWhole(asked);
        const counts = asked.map(({ members }) => sumWhere(listEntries(earlier, members), () => true));
        expect(whole.last.count).toBe(counts.reduce((sum, count) => sum + count, 0));
      },
    ),
    { numRuns: caseCount(60, 600) },
  );
}, 120_000);
