import { type Counted, countedIn, explicitLayout, exponentialLayout } from '@hdrscope/core';
import { caseCount } from '@hdrscope/testing/case-count';
import { FakeClock } from '@hdrscope/testing/fake-clock';
import fc from 'fast-check';
import type { CountedFacts } from '../src/counted-facts.ts';
import { Family } from '../src/family.ts';
import type { SeriesSnapshot } from '../src/index.ts';
import { ReachList, type SlotReach } from '../src/reach.ts';
import { slotsOf } from './support/state.ts';

const newFamily = (boundaries: readonly number[] = []): Family =>
  new Family({ name: 'x', unit: 's', boundaries }, new FakeClock());

/** All that a series knows of its values. */
function factsOf({ histogram, reaches, attributes: _, ...facts }: SeriesSnapshot): unknown {
  const { sum, min, max, rejected, atThresholds, estimated } = facts;
  const known = { sum, min, max, rejected, atThresholds, estimated };
  return { ...known, slots: slotsOf(histogram), reaches: [...(reaches ?? [])] };
}

const counts = (length: number): fc.Arbitrary<number[]> =>
  fc.array(fc.oneof(fc.constant(0), fc.nat(3), fc.nat(100_000)), { minLength: length, maxLength: length });

// Small ranges of indexes, so that the buckets of several points are the same ones.
const exponential: fc.Arbitrary<Counted> = fc
  .record({
    scale: fc.integer({ min: -1, max: 6 }),
    minIndex: fc.integer({ min: -150, max: 40 }),
    length: fc.integer({ min: 1, max: 90 }),
    zeroThreshold: fc.constantFrom(0, 0, 0, 2 ** -9 * 1.1, 0.3),
    negative: fc.constantFrom(undefined, undefined, { minIndex: -3, maxIndex: 2 }),
  })
  .filter(({ scale, minIndex }) => minIndex >= -1000 * 2 ** scale)
  .chain(({ length, minIndex, ...options }) => {
    const layout = exponentialLayout({ ...options, minIndex, maxIndex: minIndex + length - 1 });
    return counts(layout.slotCount).map((each) => countedIn(layout, each));
  });

const BOUNDS = [-1, 0, 0.001, 0.005, 0.01, 0.1, 0.25, 0.7501, 3];
const explicit: fc.Arbitrary<Counted> = fc
  .record({ bounds: fc.subarray(BOUNDS, { minLength: 1 }), inclusive: fc.constantFrom('lower', 'upper') })
  .chain(({ bounds, inclusive }) => {
    const layout = explicitLayout(bounds, inclusive as 'lower' | 'upper');
    return counts(layout.slotCount).map((each) => countedIn(layout, each));
  });

/** Ends anywhere, also beside all slots, and at bounds and midpoints of slots. */
const facts = ({ layout, counts: { first, last, total } }: Counted): fc.Arbitrary<CountedFacts> => {
  const ends = [0, 2 ** -9, 0.004, 0.25, 0.3, 2];
  if (total > 0) {
    for (const slot of [first, last])
      ends.push(layout.lower(slot), layout.midpoint(slot), layout.upper(slot));
  }
  const end = fc.constantFrom(undefined, ...ends.filter(Number.isFinite));
  return fc
    .record({ min: end, max: end, sum: fc.constantFrom(undefined, 1.5) })
    .map(({ min, max, sum }) => ({ sum, within: { min, max } }));
};
const addition = fc
  .oneof(exponential, explicit)
  .chain((counted) => facts(counted).map((known) => ({ counted, known })));

test('a family places counts as one does that has not seen other counts before', () => {
  fc.assert(
    fc.property(
      fc.array(addition, { minLength: 1, maxLength: 8 }),
      fc.subarray([0.001, 0.0049, 0.25, 1]),
      (additions, boundaries) => {
        const family = newFamily(boundaries);
        for (const [i, { counted, known }] of additions.entries()) {
          const series = family.with({ i });
          const alone = newFamily(boundaries).with({});
          expect(series.add(counted, known)).toEqual(alone.add(counted, known));
          expect(factsOf(series.snapshot())).toEqual(factsOf(alone.snapshot()));
        }
      },
    ),
    { numRuns: caseCount(100, 5000) },
  );
});

test('a series has all that its parts have, whatever was placed between them', () => {
  fc.assert(
    fc.property(fc.array(addition, { minLength: 2, maxLength: 5 }), (additions) => {
      const together = newFamily().with({});
      const slots = new Map<number, number>();
      const reaches = new ReachList();
      for (const { counted, known } of additions) {
        const alone = newFamily().with({});
        together.add(counted, known);
        // A snapshot in between makes the next addition copy counts and reaches.
        together.snapshot();
        alone.add(counted, known);
        const part = alone.snapshot();
        for (const [slot, count] of slotsOf(part.histogram))
          slots.set(slot!, (slots.get(slot!) ?? 0) + count!);
        for (const [slot, reach] of part.reaches ?? []) reaches.widen(slot, reach);
      }
      const all = together.snapshot();
      expect(slotsOf(all.histogram)).toEqual([...slots].sort(([a], [b]) => a - b));
      expect([...(all.reaches ?? [])]).toEqual([...reaches]);
    }),
    { numRuns: caseCount(100, 2000) },
  );
});

test('more layouts than a family keeps plans for are placed like the first one', () => {
  const family = newFamily();
  for (const i of [...Array.from({ length: 600 }, (_, at) => at), 0]) {
    const counted = countedIn(explicitLayout([0.1 + i, 0.5 + i, 1 + i]), [1, 2, 3, 4]);
    const [series, alone] = [family.with({ i, at: family.seriesCount }), newFamily().with({})];
    for (const each of [series, alone]) each.add(counted);
    expect(factsOf(series.snapshot())).toEqual(factsOf(alone.snapshot()));
  }
});

test('reaches are found, joined and listed as those of a map', () => {
  const slot = fc.nat(40);
  const step = fc.tuple(slot, fc.nat(3), fc.nat(3));
  fc.assert(
    fc.property(fc.array(step), fc.array(slot), (steps, asked) => {
      const reaches = new ReachList();
      const expected = new Map<number, SlotReach>();
      for (const [at, before, after] of steps) {
        const [first, last] = [at - before, at + after];
        reaches.widen(at, { first, last });
        const known = expected.get(at) ?? { first, last };
        expected.set(at, { first: Math.min(known.first, first), last: Math.max(known.last, last) });
      }
      for (const at of asked) expect(reaches.get(at)).toEqual(expected.get(at));
      const sorted = [...expected].sort(([a], [b]) => a - b);
      expect([...reaches]).toEqual(sorted);
      expect([...new ReachList(reaches)]).toEqual(sorted);
      expect([reaches.size, [...reaches.keys()]]).toEqual([sorted.length, sorted.map(([at]) => at)]);
    }),
  );
});
