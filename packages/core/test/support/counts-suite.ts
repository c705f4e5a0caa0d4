import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { DenseCounts } from '../../src/counts/dense.ts';
import { LARGEST_COUNT } from '../../src/counts/largest-count.ts';
import type { ReadonlyCounts } from '../../src/counts/readonly-counts.ts';
import type { SlotRuns } from '../../src/counts/slot-runs.ts';
import { SparseCounts } from '../../src/counts/sparse.ts';
import type { CountsStore, LiveCounts } from '../../src/counts/store.ts';
import { expectRefused } from './refused.ts';

/** More than three pages of the sparse storage, but not a whole number of pages. */
const SLOTS = 200;
/** The largest length to which all storages of these tests grow. */
const MOST_SLOTS = 900;
const TWO_POW_32 = 2 ** 32;

const slot = fc.oneof(fc.nat(SLOTS - 1), fc.constantFrom(0, 63, 64, 127, 128, SLOTS - 1));
const count = fc.oneof(
  fc.integer({ min: 1, max: 10 }),
  fc.constantFrom(
    254,
    255,
    256,
    65_535,
    65_536,
    2 ** 31 - 1,
    2 ** 31,
    TWO_POW_32 - 1,
    TWO_POW_32,
    TWO_POW_32 + 7,
    2 ** 45 + 3,
  ),
);

type SlotAndCount = readonly [slot: number, count: number];

type Operation =
  | { readonly do: 'increment'; readonly slot: number }
  | { readonly do: 'add'; readonly slot: number; readonly count: number }
  | { readonly do: 'addRuns'; readonly pairs: readonly SlotAndCount[] }
  | { readonly do: 'remove'; readonly pick: number; readonly share: number }
  | { readonly do: 'resize' | 'clear' | 'clone' };

const operations: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('increment' as const), slot }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), slot, count }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('addRuns' as const),
        pairs: fc
          .array(fc.tuple(slot, count), { maxLength: 12 })
          .map((pairs) => pairs.toSorted(([a], [b]) => a - b)),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('remove' as const),
        pick: fc.nat(),
        share: fc.constantFrom(0, 0.5, 1),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constantFrom('resize' as const, 'clear' as const, 'clone' as const) }),
    },
  ),
  { maxLength: 60 },
);

/** Tests that the counts of every storage pass. Each looks at the counts as they are at that moment. */
export function describeCounts(name: string, make: (length: number) => CountsStore): void {
  describe(name, () => {
    test('is empty at first', () => {
      const counts = make(SLOTS);
      expect([counts.length, counts.seen().total, counts.seen().first, counts.seen().last]).toEqual([
        SLOTS,
        0,
        SLOTS,
        -1,
      ]);
      expect([counts.seen().at(0), counts.seen().at(SLOTS - 1), counts.seen().next(0)]).toEqual([
        0,
        0,
        SLOTS,
      ]);
    });

    test('counts one by one and many at once', () => {
      const counts = make(SLOTS);
      for (let i = 0; i < 5; i++) counts.increment(70);
      counts.add(3, 4);
      counts.add(70, 10);
      expect([counts.seen().at(3), counts.seen().at(69), counts.seen().at(70), counts.seen().total]).toEqual([
        4, 0, 15, 19,
      ]);
      expect([counts.seen().first, counts.seen().last]).toEqual([3, 70]);
    });

    test('steps over empty slots', () => {
      const counts = make(SLOTS);
      for (const used of [5, 63, 64, 190]) counts.increment(used);
      const from = [0, 5, 6, 63, 64, 65, 190, 191, SLOTS];
      expect(from.map((one) => counts.seen().next(one))).toEqual([5, 5, 63, 63, 64, 190, 190, SLOTS, SLOTS]);
    });

    test('carries when a count passes 2^32, one by one', () => {
      const counts = make(SLOTS);
      counts.add(7, TWO_POW_32 - 1);
      counts.add(8, TWO_POW_32 - 1);
      counts.increment(7);
      expect([counts.seen().at(7), counts.seen().at(8)]).toEqual([TWO_POW_32, TWO_POW_32 - 1]);
      counts.increment(7);
      counts.increment(8);
      expect([counts.seen().at(7), counts.seen().at(8), counts.seen().total]).toEqual([
        TWO_POW_32 + 1,
        TWO_POW_32,
        2 * TWO_POW_32 + 1,
      ]);
    });

    test('finds a slot whose count is a multiple of 2^32', () => {
      const counts = make(SLOTS);
      counts.add(7, 3 * TWO_POW_32);
      counts.increment(2);
      counts.increment(150);
      expect([counts.seen().next(3), counts.seen().next(8)]).toEqual([7, 150]);
      expect(
        [1, 2, 3 * TWO_POW_32 + 1, 3 * TWO_POW_32 + 2].map((rank) => counts.seen().slotOfRank(rank)),
      ).toEqual([2, 7, 7, 150]);
    });

    test('touches new slots after a count has passed 2^32', () => {
      const counts = make(SLOTS);
      counts.add(0, TWO_POW_32);
      for (let other = 64; other < SLOTS; other += 64) counts.add(other, TWO_POW_32 + other);
      expect([0, 64, 128, 192].map((one) => counts.seen().at(one) - TWO_POW_32)).toEqual([0, 64, 128, 192]);
    });

    test('counts up to 2^53 - 1 in all and not one more', () => {
      const counts = make(SLOTS);
      counts.add(0, LARGEST_COUNT - 3);
      counts.increment(1);
      counts.increment(1);
      counts.increment(2);
      expect(counts.seen().total).toBe(LARGEST_COUNT);
      expectRefused(() => counts.increment(2), 'ERR_COUNT_OVERFLOW');
      expectRefused(() => counts.assertRoomFor(1), 'ERR_COUNT_OVERFLOW');
      expect([counts.seen().total, counts.seen().at(0), counts.seen().at(1), counts.seen().at(2)]).toEqual([
        LARGEST_COUNT,
        LARGEST_COUNT - 3,
        2,
        1,
      ]);
      counts.remove(0, 1);
      counts.increment(199);
      expect(counts.seen().last).toBe(199);
    });

    test('settles its bounds after removals', () => {
      const counts = make(SLOTS);
      for (const used of [5, 60, 130, 199]) counts.add(used, 2);
      counts.remove(5, 2);
      counts.remove(199, 2);
      counts.settleBounds();
      expect([counts.seen().first, counts.seen().last, counts.seen().total]).toEqual([60, 130, 4]);
      counts.remove(60, 2);
      counts.remove(130, 2);
      counts.settleBounds();
      expect([counts.seen().first, counts.seen().last, counts.seen().total]).toEqual([SLOTS, -1, 0]);
    });

    test('keeps its counts when it grows', () => {
      const counts = make(100);
      counts.add(99, TWO_POW_32 + 1);
      counts.resize(MOST_SLOTS);
      counts.increment(899);
      expect([counts.length, counts.seen().at(99), counts.seen().at(899), counts.seen().next(100)]).toEqual([
        900,
        TWO_POW_32 + 1,
        1,
        899,
      ]);
    });

    test('stays empty when it grows empty', () => {
      const counts = make(100);
      counts.resize(MOST_SLOTS);
      expect([counts.seen().first, counts.seen().last, counts.seen().next(0)]).toEqual([900, -1, 900]);
    });

    test('is independent of its clone', () => {
      const counts = make(SLOTS);
      counts.add(5, TWO_POW_32);
      const clone = counts.seen().clone();
      expect(clone.storage).toBe(counts.seen().storage);
      clone.add(5, TWO_POW_32);
      clone.increment(190);
      counts.increment(3);
      expect([counts.seen().at(5), counts.seen().at(190), counts.seen().total, counts.seen().last]).toEqual([
        TWO_POW_32,
        0,
        TWO_POW_32 + 1,
        5,
      ]);
      expect([clone.at(5), clone.at(3), clone.total, clone.first]).toEqual([
        2 * TWO_POW_32,
        0,
        2 * TWO_POW_32 + 1,
        5,
      ]);
    });

    test('forgets everything when cleared, high words too', () => {
      const counts = make(SLOTS);
      counts.add(5, 3 * TWO_POW_32 + 1);
      counts.clear();
      counts.increment(5);
      expect([counts.seen().at(5), counts.seen().total, counts.seen().first, counts.seen().last]).toEqual([
        1, 1, 5, 5,
      ]);
    });

    test('finds the slot of every rank from whichever end is nearer', () => {
      const counts = make(SLOTS);
      const expected: number[] = [];
      for (const [used, times] of [
        [3, 2],
        [64, 1],
        [65, 4],
        [199, 3],
      ] as const) {
        counts.add(used, times);
        for (let i = 0; i < times; i++) expected.push(used);
      }
      const ranks = expected.map((_slot, i) => i + 1);
      expect(ranks.map((rank) => counts.seen().slotOfRank(rank))).toEqual(expected);
      expect(counts.seen().slotsOfRanks(ranks)).toEqual(expected);
      expect(counts.seen().slotsOfRanks([1, 1, 10, 10])).toEqual([3, 3, 199, 199]);
      expect(counts.seen().slotsOfRanks([])).toEqual([]);
    });

    test.each([
      ['dense', (length: number): LiveCounts => new DenseCounts(length)],
      ['sparse', (length: number): LiveCounts => new SparseCounts(length)],
    ])('takes over all counts of a %s one, carries included', (_storage, makeOther) => {
      const large = [TWO_POW_32 - 1, TWO_POW_32, TWO_POW_32 + 2 ** 31, 3 * TWO_POW_32 + 2 ** 31 + 1];
      for (const ours of [0, 1, ...large]) {
        for (const theirs of [1, ...large]) {
          const [counts, other] = [make(SLOTS), makeOther(100)];
          counts.add(7, ours);
          counts.add(199, 2);
          other.add(7, theirs);
          other.add(70, 3);
          counts.addAll(other);
          expect([7, 70, 199].map((slot) => counts.seen().at(slot))).toEqual([ours + theirs, 3, 2]);
          expect([counts.seen().total, counts.seen().first, counts.seen().last]).toEqual([
            ours + theirs + 5,
            7,
            199,
          ]);
          expect([other.total, other.at(7)]).toEqual([theirs + 3, theirs]);
        }
      }
    });

    test('reads a stretch of slots at once, from anywhere', () => {
      const counts = make(SLOTS);
      const used = [3, 63, 64, 130, 199];
      for (const slot of used) counts.add(slot, slot === 64 ? TWO_POW_32 + 5 : slot);
      for (const from of [0, 1, 3, 60, 64, 65, 131, 190, 199, 200, 256]) {
        for (const length of [1, 8, 64, 70, 300]) {
          const into = new Float64Array(length).fill(7);
          const found = counts.seen().read(from, into);
          const expected = Array.from(into, (_, i) => (from + i < SLOTS ? counts.seen().at(from + i) : 0));
          expect([from, ...into]).toEqual([from, ...expected]);
          if (expected.some((held) => held > 0)) expect(found).toBe(true);
        }
      }
      expect(make(SLOTS).seen().read(0, new Float64Array(SLOTS))).toBe(false);
    });

    test('behaves as a plain map under any sequence of operations', () => {
      fc.assert(
        fc.property(operations, (sequence) => {
          let counts: CountsStore = make(SLOTS);
          const model = new Map<number, number>();
          for (const operation of sequence) counts = apply(operation, counts, model);
          expectEqualCounts(counts.seen(), model);
        }),
        { numRuns: caseCount(100, 300) },
      );
    });
  });
}

/** The pairs, ascending, in runs of three. */
function runsOf(pairs: readonly SlotAndCount[]): SlotRuns {
  const [slots, counts] = [new Int32Array(3), new Float64Array(3)];
  let handedOut = 0;
  return {
    total: pairs.reduce((sum, [, held]) => sum + held, 0),
    first: pairs.at(0)?.[0] ?? 0,
    last: pairs.at(-1)?.[0] ?? -1,
    slots,
    counts,
    next: () => {
      const run = pairs.slice(handedOut, handedOut + 3);
      handedOut += run.length;
      slots.set(run.map(([at]) => at));
      counts.set(run.map(([, held]) => held));
      return run.length;
    },
  };
}

/** Does the same to the counts and the model. Returns the counts, and changes the model. */
function apply(operation: Operation, counts: CountsStore, model: Map<number, number>): CountsStore {
  switch (operation.do) {
    case 'increment':
      counts.increment(operation.slot);
      model.set(operation.slot, (model.get(operation.slot) ?? 0) + 1);
      return counts;
    case 'add':
      counts.add(operation.slot, operation.count);
      model.set(operation.slot, (model.get(operation.slot) ?? 0) + operation.count);
      return counts;
    case 'addRuns':
      counts.addRuns(runsOf(operation.pairs));
      for (const [at, added] of operation.pairs) model.set(at, (model.get(at) ?? 0) + added);
      return counts;
    case 'remove': {
      const used = [...model].filter(([, held]) => held > 0);
      if (used.length === 0) return counts;
      const [from, held] = used[operation.pick % used.length]!;
      const taken = Math.floor(held * operation.share);
      counts.remove(from, taken);
      counts.settleBounds();
      model.set(from, held - taken);
      return counts;
    }
    case 'resize':
      counts.resize(Math.min(counts.length + 100, MOST_SLOTS));
      return counts;
    case 'clear':
      counts.clear();
      model.clear();
      return counts;
    case 'clone': {
      if (counts.storage === 'shared') return counts;
      const clone = counts.seen().clone();
      counts.increment(0); // which the clone must not see
      return clone;
    }
  }
}

function expectEqualCounts(counts: ReadonlyCounts, model: ReadonlyMap<number, number>): void {
  const used = [...model].filter(([, held]) => held > 0).sort(([a], [b]) => a - b);
  const total = used.reduce((sum, [, held]) => sum + held, 0);
  expect([counts.total, counts.first, counts.last]).toEqual([
    total,
    used.at(0)?.[0] ?? counts.length,
    used.at(-1)?.[0] ?? -1,
  ]);
  const walked: [number, number][] = [];
  for (let at = counts.next(0); at < counts.length; at = counts.next(at + 1))
    walked.push([at, counts.at(at)]);
  expect(walked).toEqual(used);
  for (let at = 0; at < counts.length; at++)
    if (counts.at(at) !== (model.get(at) ?? 0)) expect(at).toBe('a slot of equal count');
  const ranks: number[] = [];
  let below = 0;
  for (const [, held] of used) {
    ranks.push(below + 1, below + held);
    below += held;
  }
  const holders = used.flatMap(([at]) => [at, at]);
  expect(ranks.map((rank) => counts.slotOfRank(rank))).toEqual(holders);
  expect(counts.slotsOfRanks(ranks)).toEqual(holders);
}
