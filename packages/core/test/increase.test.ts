import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import {
  type Counted,
  countedIn,
  explicitLayout,
  exponentialLayout,
  Histogram,
  hdrLayout,
  increase,
  LayoutHistogram,
} from '../src/index.ts';
import { counterIncrease, exponentialIndex } from '../src/internal.ts';

const slots = ({ layout, counts }: Counted): number[] =>
  Array.from({ length: layout.slotCount }, (_, slot) => counts.at(slot));

const bounds = explicitLayout([1, 2, 3]);
const explicit = (...counts: number[]): Counted => countedIn(bounds, counts);

describe('an increase', () => {
  test('is the whole state when the earlier one is empty', () => {
    const now = explicit(1, 0, 2, 0);
    expect(increase(now, undefined)).toEqual({ layout: bounds, counts: now.counts, isReset: false });
    expect(increase(now, explicit(0, 0, 0, 0)).counts).toBe(now.counts);
  });

  test('of arrays is the difference of each slot, wherever the arrays begin and end, or a reset', () => {
    const array = fc.record({ from: fc.nat(5), counts: fc.array(fc.nat(3), { maxLength: 5 }) });
    fc.assert(
      fc.property(array, array, fc.boolean(), (before, more, isReset) => {
        const wide = explicitLayout([1, 2, 3, 4, 5, 6, 7, 8, 9]);
        const all = new Array<number>(10).fill(0);
        for (const { from, counts } of isReset ? [more] : [before, more]) {
          for (const [i, count] of counts.entries()) all[from + i]! += count;
        }
        const last = countedIn(wide, before.counts, { from: before.from });
        const result = increase(countedIn(wide, all), last);
        const differences = all.map((count, slot) => count - last.counts.at(slot));
        const hasFallen = differences.some((difference) => difference < 0);
        expect(result.isReset).toBe(hasFallen);
        expect(slots(result)).toEqual(hasFallen ? all : differences);
      }),
    );
  });

  test('is the difference of each slot', () => {
    const result = increase(explicit(4, 0, 2, 9), explicit(1, 0, 2, 4));
    expect(slots(result)).toEqual([3, 0, 0, 5]);
    expect(result.isReset).toBe(false);
  });

  test('is all of the state where a slot has fallen, as after a restart', () => {
    const result = increase(explicit(9, 9, 1, 9), explicit(1, 0, 2, 4));
    expect(slots(result)).toEqual([9, 9, 1, 9]);
    expect(result.isReset).toBe(true);
  });

  test('sees a slot that has fallen to 0 outside of the used ones', () => {
    expect(increase(explicit(0, 0, 7, 0), explicit(1, 0, 0, 0)).isReset).toBe(true);
    expect(increase(explicit(7, 0, 0, 0), explicit(0, 0, 0, 1)).isReset).toBe(true);
  });

  test.each(['dense', 'sparse'] as const)(
    'of a %s histogram that began anew with a narrower range is all of it',
    (storage) => {
      const [before, now] = [new Histogram({ storage }), new Histogram({ storage })];
      for (const value of [5, 1e9, 1e9]) before.record(value);
      for (const value of [5, 5, 700]) now.record(value);
      expect(increase(now, before)).toMatchObject({ isReset: true, counts: { total: 3 } });
      const apart = increase(now, before, { resets: 'apart' });
      expect([slots(apart).reduce((a, b) => a + b), apart.isReset]).toEqual([2, true]);
      expect(apart.counts.length).toBe(now.layout.slotCount);
      expect(() => increase(now, before, { resets: 'never' })).toThrow(
        expect.objectContaining({ code: 'ERR_INCOMPATIBLE' }),
      );
      // A counter of 32 bits that has no slot any more has not passed its largest value.
      before.record(1e9, 2 ** 31);
      expect(increase(now, before, { resets: 'apart', counterBits: 32 }).counts.total).toBe(2);
    },
  );

  test('is that of the fallen slots alone where slots are reset apart', () => {
    const result = increase(explicit(9, 1, 5, 2), explicit(4, 3, 5, 0), { resets: 'apart' });
    expect(slots(result)).toEqual([5, 1, 0, 2]);
    expect(result.isReset).toBe(true);
  });

  test('is refused where a slot has fallen that never does', () => {
    expect(() => increase(explicit(9, 9, 1, 9), explicit(1, 0, 2, 4), { resets: 'never' })).toThrow(
      expect.objectContaining({ code: 'ERR_INCOMPATIBLE' }),
    );
  });

  test('does not change when either state changes afterwards', () => {
    const histogram = new Histogram({ highestTrackableValue: 1000 });
    histogram.record(5);
    const before = histogram.copy();
    histogram.record(5, 3);
    const result = increase(histogram, before);
    histogram.record(5, 100);
    expect(result.counts.total).toBe(3);
  });

  test('of two histograms of one shape and different storages has the values recorded in between', () => {
    const value = fc.integer({ min: 0, max: 100_000 });
    const storage = fc.constantFrom('dense' as const, 'sparse' as const);
    fc.assert(
      fc.property(fc.array(value), fc.array(value), storage, storage, (first, second, one, other) => {
        const layout = hdrLayout({ highestTrackableValue: 100_000, significantDigits: 2 });
        const before = new Histogram({ layout, storage: one });
        const now = new Histogram({ layout, storage: other });
        const expected = new Histogram({ layout });
        for (const recorded of first) before.record(recorded);
        for (const recorded of [...first, ...second]) now.record(recorded);
        for (const recorded of second) expected.record(recorded);
        const result = increase(now, before);
        expect(slots(result)).toEqual(slots(expected));
        expect(result.counts.total).toBe(second.length);
        expect(result.isReset).toBe(false);
      }),
    );
  });

  test('is that of a comparison slot by slot, also when the range has changed', () => {
    const ranges = [100, 100_000].map((highestTrackableValue) =>
      hdrLayout({ highestTrackableValue, significantDigits: 1 }),
    );
    const count = fc.oneof(fc.nat(3), fc.constantFrom(2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32));
    const state = fc
      .tuple(fc.constantFrom(...ranges), fc.constantFrom('dense' as const, 'sparse' as const))
      .chain(([layout, storage]) =>
        fc.array(fc.tuple(fc.nat(layout.slotCount - 1), count), { maxLength: 6 }).map((used) => {
          const histogram = new Histogram({ layout, storage });
          for (const [slot, times] of used) histogram.record(layout.lower(slot), times);
          return histogram;
        }),
      );
    const options = fc.record({
      resets: fc.constantFrom('together' as const, 'apart' as const),
      counterBits: fc.constantFrom(32 as const, 64 as const),
    });
    fc.assert(
      fc.property(state, state, options, (now, before, { resets, counterBits }) => {
        const all = Array.from({ length: Math.max(now.counts.length, before.counts.length) }, (_, slot) => ({
          hasSlot: slot < now.counts.length,
          to: slot < now.counts.length ? now.counts.at(slot) : 0,
          from: slot < before.counts.length ? before.counts.at(slot) : 0,
        }));
        const fell = all.filter(({ to, from }) => to < from);
        const isReset = fell.some(({ hasSlot, to, from }) => {
          const hasTurned = counterBits === 32 && from >= 2 ** 31 && from < 2 ** 32 && to < 2 ** 31;
          return !hasSlot || !hasTurned;
        });
        const expected = all.map(({ to, from }) => {
          if (isReset && (resets === 'together' || to < from)) return to;
          return to < from ? to - from + 2 ** 32 : to - from;
        });
        const result = increase(now, before, { resets, counterBits });
        expect(result.isReset).toBe(isReset);
        expect(slots(result)).toEqual(expected.slice(0, now.counts.length));
      }),
      { numRuns: caseCount(100, 300) },
    );
  });

  test('of counts above 2^31 is exact', () => {
    const result = increase(explicit(2 ** 52, 0, 0, 1), explicit(2 ** 40, 0, 0, 0));
    expect(slots(result)).toEqual([2 ** 52 - 2 ** 40, 0, 0, 1]);
  });
});

test.each([
  ['grew', explicit(5, 1, 0, 0), 'together'],
  ['began', explicit(0, 0, 0, 0), 'together'],
  ['fell together', explicit(0, 2, 0, 0), 'together'],
  ['fell apart', explicit(30, 2, 0, 0), 'apart'],
] as const)(
  'a counter that %s by more than is possible is refused with both numbers',
  (_, before, resets) => {
    const now = explicit(20, 1, 0, 0);
    const grown = before.counts.at(0) === 5 ? 15 : 20;
    expect(() => increase(now, before, { resets, most: grown - 0.5 })).toThrow(
      expect.objectContaining({
        code: 'ERR_INCOMPATIBLE',
        message: `counts must grow by at most ${grown - 0.5}, got ${grown} in slot 0`,
      }),
    );
    expect(slots(increase(now, before, { resets, most: grown }))[0]).toBe(grown);
  },
);

describe('counters of 32 bits', () => {
  const options = { counterBits: 32, resets: 'apart' } as const;

  test('start again at 0 after their largest value', () => {
    const result = increase(explicit(5, 7, 0, 0), explicit(2 ** 32 - 3, 6, 0, 0), options);
    expect([slots(result), result.isReset]).toEqual([[8, 1, 0, 0], false]);
  });

  test('were set to 0 where another slot shows that counters were', () => {
    const result = increase(explicit(5, 2, 0, 0), explicit(2 ** 32 - 3, 6, 0, 0), options);
    expect([slots(result), result.isReset]).toEqual([[5, 2, 0, 0], true]);
  });

  test.each([
    ['has counted more than was possible', 3_000_000_000, 5, 240_000_000, [5], undefined],
    ['may have counted so much, or was set to 0', 2 ** 32 - 3, 5, 240_000_000, [0], 1],
    ['may have counted exactly so much', 2 ** 32 - 3, 5, 8, [0], 1],
    ['has counted one more than was possible', 2 ** 32 - 3, 5, 7, [5], undefined],
  ])('fell: the counter %s', (_what, before, now, most, expected, uncertain) => {
    const result = increase(explicit(now, 2, 0, 0), explicit(before, 1, 0, 0), { ...options, most });
    // A reset of one slot makes all others that have not fallen keep their increase.
    expect([slots(result)[0], result.uncertain]).toEqual([...expected, uncertain]);
    expect([slots(result)[1], result.isReset]).toEqual([1, uncertain === undefined]);
  });

  test.each([
    ['grow', 9, 4, 5],
    ['are reset from their lower half', 1, 2 ** 31 - 1, 1],
    ['pass their largest value', 1, 2 ** 32 - 1, 2],
    ['held more than 32 bits', 1, 2 ** 32 + 5, 1],
  ])('that %s', (_what, now, before, expected) => {
    expect(counterIncrease(now, before, 32)).toBe(expected);
  });

  test('differ from those of 64 bits, which only fall when they are reset', () => {
    expect(counterIncrease(1, 2 ** 32 - 1)).toBe(1);
  });
});

describe('an increase between layouts', () => {
  test('is found where each used slot of the earlier one lies within one of the later', () => {
    const before = countedIn(explicitLayout([1, 2, 3]), [1, 2, 0, 0]);
    const now = countedIn(explicitLayout([2, 3, 7]), [5, 1, 0, 0]);
    const result = increase(now, before);
    expect([slots(result), result.isReset]).toEqual([[2, 1, 0, 0], false]);
  });

  test('is all of the state where a used slot was divided', () => {
    const before = countedIn(explicitLayout([2]), [3, 0]);
    const now = countedIn(explicitLayout([1, 2]), [2, 2, 0]);
    const result = increase(now, before);
    expect([slots(result), result.isReset]).toEqual([[2, 2, 0], true]);
  });

  test('of exponential buckets is taken at the coarser scale', () => {
    const at = (scale: number, values: number[]): Counted => {
      const indexes = values.map((value) => exponentialIndex(scale, value));
      const histogram = new LayoutHistogram(
        exponentialLayout({ scale, minIndex: Math.min(...indexes), maxIndex: Math.max(...indexes) }),
      );
      histogram.recordValues(values);
      return histogram;
    };
    const value = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
    const scale = fc.integer({ min: -3, max: 6 });
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1 }),
        fc.array(value),
        scale,
        scale,
        (first, second, one, other) => {
          const result = increase(at(other, [...first, ...second]), at(one, first));
          expect(result.isReset).toBe(false);
          expect(result.counts.total).toBe(second.length);
          const expected = new LayoutHistogram(result.layout);
          expected.recordValues(second);
          expect(slots(result)).toEqual(slots(expected));
        },
      ),
    );
  });

  test('of exponential buckets takes the larger zero threshold, and counts the buckets that it reaches into as 0', () => {
    const before = exponentialLayout({ scale: 0, minIndex: -2, maxIndex: 1 }); // 0, (¼,½], (½,1], (1,2], (2,4], more
    const now = exponentialLayout({ scale: 0, minIndex: 0, maxIndex: 1, zeroThreshold: 0.75 });
    const result = increase(countedIn(now, [7, 1, 4, 0]), countedIn(before, [1, 2, 3, 0, 4, 0]));
    expect(result.layout).toMatchObject({ scale: 0, minIndex: 0, maxIndex: 1, zeroThreshold: 0.75 });
    expect([slots(result), result.isReset]).toEqual([[1, 1, 0, 0], false]);
  });

  test('of exponential buckets counts those of a threshold within the highest bucket of all as 0', () => {
    const range = { scale: -10, minIndex: -1, maxIndex: 0 }; // 0, (0,1], (1,2^1024]
    const before = countedIn(exponentialLayout(range), [1, 2, 3, 0]);
    const now = countedIn(exponentialLayout({ ...range, zeroThreshold: 1.5 }), [8, 0, 0, 0]);
    const result = increase(now, before);
    expect([result.counts.total, result.isReset]).toEqual([2, false]);
  });

  test('of exponential buckets is the whole state when a used bucket has gone', () => {
    const at = (minIndex: number, scale = 20): Counted =>
      countedIn(exponentialLayout({ scale, minIndex, maxIndex: minIndex }), [0, 3, 0]);
    // The buckets are so far apart that no array could hold all buckets in between.
    for (const [before, now] of [
      [at(-1000 * 2 ** 20), at(1000 * 2 ** 20)],
      [at(1000 * 2 ** 20), at(-1000 * 2 ** 20)],
      [at(5, 0), at(-1000 * 2 ** 20)],
    ] as const) {
      const result = increase(now, before);
      expect([result.counts.total, result.isReset]).toEqual([3, true]);
    }
    const below = exponentialLayout({
      scale: 0,
      minIndex: 0,
      maxIndex: 0,
      negative: { minIndex: 0, maxIndex: 0 },
    });
    expect(increase(at(0, 0), countedIn(below, [0, 1, 0, 1, 0])).isReset).toBe(true);
  });

  test('of exponential buckets compares negative ones as well', () => {
    const negative = { minIndex: 0, maxIndex: 1 };
    const before = exponentialLayout({ scale: 1, minIndex: 0, maxIndex: 0, negative });
    const now = exponentialLayout({
      scale: 0,
      minIndex: 0,
      maxIndex: 0,
      negative: { minIndex: 0, maxIndex: 2 },
    });
    const result = increase(countedIn(now, [0, 0, 5, 9, 1, 2, 0]), countedIn(before, [0, 3, 4, 1, 2, 0]));
    expect([slots(result), result.isReset]).toEqual([[0, 0, 5, 2, 0, 0, 0], false]);
  });
});

test('arguments that are not counts over a layout are refused', () => {
  for (const wrong of [null, {}, 7, { layout: bounds }]) {
    expect(() => increase(wrong as never, undefined)).toThrow(
      expect.objectContaining({ code: 'ERR_INCOMPATIBLE' }),
    );
    if (wrong !== null) {
      expect(() => increase(explicit(1, 0, 0, 0), wrong as never)).toThrow(
        /must be a histogram, or counts over a layout/,
      );
    }
  }
  expect(() => countedIn({} as never, [])).toThrow(expect.objectContaining({ code: 'ERR_INVALID_OPTION' }));
  expect(() => countedIn(bounds, null as never)).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_COUNT' }),
  );
});

test('a count outside its range is refused before it is compared', () => {
  for (const counts of [
    [1, -1, 0, 0],
    [1, 0.5, 0, 0],
    [Number.NaN, 0, 0, 0],
    [1, 2, 3],
    [2 ** 53 - 1, 1, 0, 0],
  ]) {
    expect(() => countedIn(bounds, counts)).toThrow(expect.objectContaining({ code: 'ERR_INVALID_COUNT' }));
  }
  expect(() => countedIn(bounds, [1, 2], { from: 3 })).toThrow(
    expect.objectContaining({
      code: 'ERR_INVALID_COUNT',
      message: 'counts must be at most one for each of the 1 slots from 3 on, got 2',
    }),
  );
  for (const from of [-1, 0.5, 5, Number.NaN]) {
    expect(() => countedIn(bounds, [], { from })).toThrow(
      expect.objectContaining({
        code: 'ERR_INVALID_OPTION',
        message: `from must be an integer from 0 to 4, got ${from}`,
      }),
    );
  }
  expect(countedIn(bounds, [], { from: 4 }).counts.total).toBe(0);
});

describe('an array of counts over a layout', () => {
  test('reads as the same counts recorded one by one', () => {
    const layout = explicitLayout(Array.from({ length: 200 }, (_, i) => i + 1));
    const run = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 100 });
    fc.assert(
      fc.property(fc.nat(100), run, (from, array) => {
        const { counts } = countedIn(layout, array, { from });
        const histogram = new LayoutHistogram(layout);
        for (const [i, count] of array.entries()) histogram.record(layout.midpoint(from + i), count);
        const expected = histogram.counts;
        expect(slots({ layout, counts })).toEqual(slots(histogram));
        expect([counts.total, counts.first, counts.last]).toEqual([
          expected.total,
          expected.first,
          expected.last,
        ]);
        const page = [new Float64Array(64), new Float64Array(64)] as const;
        for (let slot = 0; slot < layout.slotCount; slot += 32) {
          expect(counts.next(slot)).toBe(expected.next(slot));
          counts.read(slot, page[0]);
          expected.read(slot, page[1]);
          expect(page[0]).toEqual(page[1]);
        }
        for (let rank = 1; rank <= counts.total; rank++) {
          expect(counts.slotOfRank(rank)).toBe(expected.slotOfRank(rank));
        }
      }),
    );
  });
});
