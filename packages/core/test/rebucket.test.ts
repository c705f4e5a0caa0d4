import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { Histogram } from '../src/histogram/histogram.ts';
import { explicitLayout } from '../src/layout/edges.ts';
import { exponentialLayout } from '../src/layout/exponential.ts';
import { hdrLayout } from '../src/layout/hdr.ts';
import type { Layout } from '../src/layout/layout.ts';
import { linearLayout } from '../src/layout/linear.ts';
import { logLinearLayout } from '../src/layout/log-linear.ts';
import { log2Layout } from '../src/layout/log2.ts';
import { resolutionOf, scaledLayout } from '../src/layout/scaled.ts';
import { rebucket } from '../src/rebucket.ts';
import { hdr, layouts, openLayouts } from './support/layouts.ts';
import { expectErrorBounds } from './support/rebucket-laws.ts';
import { recordedOnce } from './support/recorded.ts';
import { expectRefused } from './support/refused.ts';

const rawValues = fc.array(fc.oneof(fc.nat(300), fc.nat(20_000), fc.nat(2e5)), { maxLength: 60 });

/** The slot that counts a value; one beyond the layout goes to its nearest end. */
function slotIn(layout: Layout, value: number): number {
  return Math.min(Math.max(layout.slotOf(value), 0), layout.slotCount - 1);
}

function countedIn(layout: Layout, values: readonly number[]): Float64Array {
  const counts = new Float64Array(layout.slotCount);
  for (const value of values) {
    const slot = slotIn(layout, value);
    counts[slot] = counts[slot]! + 1;
  }
  return counts;
}

const sum = (counts: ArrayLike<number>): number => Array.from(counts).reduce((a, b) => a + b, 0);

describe('a plan', () => {
  test('is made once for two layouts', () => {
    const [from, to] = [hdrLayout({ highestTrackableValue: 1000 }), explicitLayout([10, 100])];
    const plan = rebucket(from, to);
    expect(rebucket(from, to)).toBe(plan);
    expect([plan.from === from, plan.to === to]).toEqual([true, true]);
    expect(rebucket(from, explicitLayout([10, 100]))).not.toBe(plan);
  });

  test('names a slot whose bound belongs to it, and not to the one that takes it', () => {
    const [lower, upper] = [explicitLayout([1, 2], 'lower'), explicitLayout([1, 2], 'upper')];
    expect(rebucket(upper, lower).straddling).toEqual([0, 1]); // 1 and 2 themselves go one up
    expect(rebucket(lower, upper).straddling).toEqual([1, 2]); // and here one down
  });

  test('knows that negative exponential buckets include the bound that is farther from 0', () => {
    const range = { minIndex: 0, maxIndex: 1 };
    const from = exponentialLayout({ scale: 0, ...range, negative: range });
    const [upper, lower] = [explicitLayout([-4, -2, 2, 4]), explicitLayout([-4, -2, 2, 4], 'lower')];
    const names = (slots: readonly number[]): number[][] =>
      slots.map((slot) => [from.lower(slot), from.upper(slot)]);
    // The ends are open. [-2, -1) and (1, 2] lie within a wider slot, but for -2 and 2 themselves.
    const [toUpper, toLower] = [rebucket(from, upper), rebucket(from, lower)];
    expect(names(toUpper.straddling)).toEqual([
      [-4, -2],
      [-2, -1],
    ]);
    expect(names(toLower.straddling)).toEqual([
      [1, 2],
      [2, 4],
    ]);
    const counted = new Float64Array(from.slotCount);
    counted[from.slotOf(-4)] = 1;
    expect(toUpper.apply(counted).maxMisplaced).toBe(1);
  });

  test('has the same answer for each slot as for all, whichever is asked first', () => {
    fc.assert(
      fc.property(layouts, layouts, fc.infiniteStream(fc.nat()), (from, to, picks) => {
        const plan = rebucket(from, to);
        const asked = [...picks.take(20)].map((pick) => pick % from.slotCount);
        const answers = asked.map((slot) => [plan.straddles(slot), plan.slotFor(slot)]);
        const { slots, straddling } = plan;
        expect(answers).toEqual(asked.map((slot) => [straddling.includes(slot), slots[slot]]));
      }),
    );
  });

  test('never sends a slot below the one before it', () => {
    fc.assert(
      fc.property(layouts, layouts, (from, to) => {
        const { slots } = rebucket(from, to);
        expect(slots.length).toBe(from.slotCount);
        expect(
          slots.every((slot, i) => slot >= 0 && slot < to.slotCount && (i === 0 || slot >= slots[i - 1]!)),
        ).toBe(true);
      }),
    );
  });

  test('names in ascending order the slots that reach beyond the one that takes them', () => {
    const plan = rebucket(
      hdrLayout({ highestTrackableValue: 100_000, significantDigits: 2 }),
      explicitLayout([100, 500]),
    );
    expect(plan.straddling.map((slot) => plan.from.lower(slot))).toEqual([500]);
    expect(plan.exact).toBe(false);
    fc.assert(
      fc.property(layouts, layouts, (from, to) => {
        const { straddling, exact } = rebucket(from, to);
        expect([...straddling]).toEqual([...straddling].sort((a, b) => a - b));
        expect(exact).toBe(straddling.length === 0);
      }),
    );
  });
});

describe('the slots of a plan', () => {
  test('are a copy, which the caller may change', () => {
    const plan = rebucket(hdrLayout({ highestTrackableValue: 100 }), explicitLayout([10]));
    plan.slots.fill(7);
    expect([plan.slotFor(0), plan.slots[0]]).toEqual([0, 0]);
  });
});

describe('counts that were moved', () => {
  test('are as many as before', () => {
    fc.assert(
      fc.property(layouts, layouts, rawValues, (from, to, values) => {
        const moved = rebucket(from, to).apply(countedIn(from, values));
        expect(moved.counts.length).toBe(to.slotCount);
        expect(sum(moved.counts)).toBe(values.length);
      }),
    );
  });

  test('are the same for a sum of histograms as the sum of each', () => {
    fc.assert(
      fc.property(layouts, layouts, rawValues, rawValues, (from, to, a, b) => {
        const plan = rebucket(from, to);
        const [first, second, both] = [a, b, [...a, ...b]].map((values) =>
          plan.apply(countedIn(from, values)),
        );
        expect(both!.counts).toEqual(first!.counts.map((count, slot) => count + second!.counts[slot]!));
        expect(both!.maxMisplaced).toBe(first!.maxMisplaced + second!.maxMisplaced);
      }),
    );
  });

  test('are at most `maxMisplaced` away from where the values belong, at every edge', () => {
    fc.assert(
      fc.property(layouts, layouts, rawValues, (from, to, all) => {
        const plan = rebucket(from, to);
        const values = all.filter((value) => from.slotOf(value) < from.slotCount);
        const { counts, maxMisplaced } = plan.apply(countedIn(from, values));
        const direct = countedIn(to, values);
        let [cumulative, expected] = [0, 0];
        for (let slot = 0; slot < to.slotCount; slot++) {
          cumulative += counts[slot]!;
          expected += direct[slot]!;
          if (Math.abs(cumulative - expected) > maxMisplaced) {
            expect({ slot, cumulative, expected }).toBe(`at most ${maxMisplaced} apart`);
          }
        }
        const misplaced = values.filter(
          (value) => plan.slots[slotIn(from, value)] !== slotIn(to, value),
        ).length;
        expect(misplaced).toBeLessThanOrEqual(maxMisplaced);
        if (plan.exact) expect(misplaced).toBe(0);
      }),
      { numRuns: caseCount(60, 200) },
    );
  });

  test('can be given as an array, or as the counts of a histogram in any storage', () => {
    const values = [1, 5, 5, 700, 90_000];
    const layout = hdrLayout({ highestTrackableValue: 100_000 });
    const plan = rebucket(layout, explicitLayout([4, 500, 1000]));
    const expected = { counts: Float64Array.of(1, 2, 1, 1), maxMisplaced: 0 };
    for (const storage of ['dense', 'sparse'] as const) {
      expect(plan.apply(recordedOnce(values, { layout, storage }).counts)).toEqual(expected);
    }
    expect(plan.apply(countedIn(layout, values))).toEqual(expected);
    expect(plan.apply([...countedIn(layout, values)])).toEqual(expected);
  });

  test('keep totals beyond 2^32', () => {
    const histogram = new Histogram({ highestTrackableValue: 1000 });
    histogram.record(5, 2 ** 40 + 1);
    const { counts } = rebucket(histogram.layout, explicitLayout([10])).apply(histogram.counts);
    expect([...counts]).toEqual([2 ** 40 + 1, 0]);
  });

  test('are refused when they are counts of another layout, such as that after a resize', () => {
    const histogram = recordedOnce([5]);
    const plan = rebucket(histogram.layout, explicitLayout([10]));
    histogram.record(1e6);
    expectRefused(() => plan.apply(histogram.counts), 'ERR_INVALID_COUNT');
    for (const length of [0, plan.from.slotCount - 1, plan.from.slotCount + 1]) {
      expectRefused(() => plan.apply(new Array<number>(length).fill(1)), 'ERR_INVALID_COUNT');
    }
  });
});

describe('`exact`', () => {
  const fine = hdrLayout({ highestTrackableValue: 100_000, significantDigits: 3 });
  const bounds = explicitLayout([1, 2, 5, 10]);
  const scale3 = exponentialLayout({ scale: 3, minIndex: 0, maxIndex: 79 });

  test.each<[string, Layout, Layout]>([
    ['an HDR layout into itself', fine, fine],
    [
      'an HDR layout into one of fewer digits',
      fine,
      hdrLayout({ highestTrackableValue: 100_000, significantDigits: 1 }),
    ],
    [
      'an HDR layout into a coarser unit',
      fine,
      hdrLayout({ lowestDiscernibleValue: 16, highestTrackableValue: 2e5 }),
    ],
    ['an HDR layout into a wider range', fine, hdrLayout({ highestTrackableValue: 1e9 })],
    [
      'an HDR layout into bounds that are upper bounds of its slots',
      fine,
      explicitLayout([7, 2047, 4095, 65_535]),
    ],
    ['an HDR layout into lower bounds of its slots', fine, explicitLayout([8, 2048, 4096, 65_536], 'lower')],
    ['an HDR layout into powers of two, rounded down', fine, log2Layout({ slots: 17 })],
    [
      'seconds into bounds of a tick',
      scaledLayout(fine, resolutionOf(1e-3)),
      explicitLayout([0.001, 0.5, 2.047]),
    ],
  ])('is true for %s', (_what, from, to) => {
    const plan = rebucket(from, to);
    expect([plan.straddling, plan.exact]).toEqual([[], true]);
  });

  // These layouts are open at their ends: an open slot must go to the slot of its values.
  test.each<[string, Layout, Layout]>([
    ['bounds of one’s own into the same', bounds, explicitLayout([1, 2, 5, 10])],
    [
      'bounds that include the lower one into the same',
      explicitLayout([1, 2], 'lower'),
      explicitLayout([1, 2], 'lower'),
    ],
    ['bounds into fewer of them', bounds, explicitLayout([2, 10])],
    [
      'linear slots into the same',
      linearLayout({ width: 10, slots: 4 }),
      linearLayout({ width: 10, slots: 4 }),
    ],
    [
      'linear slots into twice as wide ones',
      linearLayout({ width: 10, slots: 4 }),
      linearLayout({ width: 20, slots: 2 }),
    ],
    ['log2 slots into the same', log2Layout({ slots: 4 }), log2Layout({ slots: 4 })],
    ['exponential slots into the same', scale3, exponentialLayout({ scale: 3, minIndex: 0, maxIndex: 79 })],
    [
      'exponential slots into those of a lower scale',
      scale3,
      exponentialLayout({ scale: 1, minIndex: 0, maxIndex: 19 }),
    ],
    [
      'exponential slots into their own bounds',
      exponentialLayout({ scale: 0, minIndex: 0, maxIndex: 3 }),
      explicitLayout([1, 2, 4, 8, 16]),
    ],
  ])('is true for %s', (_what, from, to) => {
    const plan = rebucket(from, to);
    expect([plan.straddling, plan.exact]).toEqual([[], true]);
  });

  test('keeps every count in its slot when the layouts are equal', () => {
    fc.assert(
      fc.property(fc.oneof(hdr, openLayouts), (layout) => {
        const equal: Layout = Object.create(layout);
        expect([...rebucket(layout, equal).slots]).toEqual(
          Array.from({ length: layout.slotCount }, (_, i) => i),
        );
      }),
    );
  });

  test.each<[string, Layout, Layout]>([
    ['a bound inside a slot', fine, explicitLayout([2049 - 1])],
    ['a lower bound inside a slot', fine, explicitLayout([2049], 'lower')],
    ['more digits', hdrLayout({ highestTrackableValue: 1000, significantDigits: 1 }), fine],
    ['a range that ends too early', fine, hdrLayout({ highestTrackableValue: 10_000 })],
    ['the same bounds, included above', explicitLayout([1, 2], 'lower'), explicitLayout([1, 2], 'upper')],
    ['the same bounds, included below', explicitLayout([1, 2], 'upper'), explicitLayout([1, 2], 'lower')],
    [
      'a closed slot that ends where the next begins',
      explicitLayout([-1, 2]),
      linearLayout({ width: 2, slots: 1 }),
    ],
    ['powers of two, rounded up', fine, log2Layout({ slots: 17, inclusive: 'upper' })],
    ['a higher scale', exponentialLayout({ scale: 1, minIndex: 0, maxIndex: 5 }), scale3],
  ])('is false for %s', (_what, from, to) => {
    expect(rebucket(from, to).exact).toBe(false);
  });
});

describe('slots of integers', () => {
  const units = hdrLayout({ highestTrackableValue: 1000, significantDigits: 1 }); // two wide from 32, four from 64

  test('take a fraction for its integer part, so they reach to the next slot', () => {
    const from = explicitLayout([5, 6, 32, 34, 64, 68], 'lower');
    const { straddling } = rebucket(from, units);
    // [5, 6), [32, 34) and [64, 68) are slots, [6, 32) and [34, 64) are several slots, and the ends are open.
    expect(straddling).toEqual([0, 2, 4, 6]);
    const values = [5, 5.9, 32, 33, 33.9, 64, 67.9];
    const { counts, maxMisplaced } = rebucket(from, units).apply(countedIn(from, values));
    expect([...counts]).toEqual([...countedIn(units, values)]);
    expect(maxMisplaced).toBe(0);
  });

  test('do not take the integer after their last one, where that is in the other slot', () => {
    expect(rebucket(explicitLayout([32, 34]), units).straddles(1)).toBe(true);
  });

  test.each([
    ['linear', linearLayout({ width: 1, slots: 16 }), 16],
    ['log2', log2Layout({ slots: 2 }), 2],
    ['log-linear', logLinearLayout({ subBucketsPerOctave: 16, octaves: 5 }), 96],
  ] as const)('take %s slots that hold as many integers exactly', (_what, from, closed) => {
    const { straddling } = rebucket(from, units);
    expect(straddling.filter((slot) => slot >= 1 && slot <= closed)).toEqual([]);
  });

  test('are compared exactly above 2^53', () => {
    const highestTrackableValue = 2n ** 63n - 1n;
    const from = hdrLayout({ highestTrackableValue, significantDigits: 3 });
    const to = hdrLayout({ highestTrackableValue, significantDigits: 2 });
    expect(rebucket(from, to).exact).toBe(true);
    expect(rebucket(to, from).straddles(to.slotCount - 1)).toBe(true);
  });
});

describe('the error bound', () => {
  test('holds for every pair of layouts: of every quantile, and of where counts are', () => {
    fc.assert(
      fc.property(layouts, layouts, rawValues, (from, to, values) => expectErrorBounds(from, to, values)),
      { numRuns: caseCount(200, 1000) },
    );
  });
});

describe('open slots', () => {
  test('keep values above all bounds above them', () => {
    const from = explicitLayout([1, 2]);
    const { counts } = rebucket(from, explicitLayout([1, 2])).apply([0, 0, 7]);
    expect([...counts]).toEqual([0, 0, 7]);
  });

  test('keep values below all bounds below them', () => {
    const from = linearLayout({ min: 10, width: 5, slots: 2 });
    const { counts } = rebucket(from, linearLayout({ min: 10, width: 5, slots: 2 })).apply([7, 0, 0, 0]);
    expect([...counts]).toEqual([7, 0, 0, 0]);
  });

  test('keep values above the highest exponential bucket above it', () => {
    const options = { scale: 0, minIndex: 0, maxIndex: 2 };
    const { counts } = rebucket(exponentialLayout(options), explicitLayout([1, 2, 4, 8])).apply([
      0, 0, 0, 0, 7,
    ]);
    expect([...counts]).toEqual([0, 0, 0, 0, 7]);
  });
});

describe('values below 0', () => {
  test('go to the lowest slot of a layout that has no slot for them', () => {
    const from = linearLayout({ min: -100, width: 10, slots: 10 });
    const { slots } = rebucket(from, hdrLayout({ highestTrackableValue: 1000 }));
    expect([...slots]).toEqual(new Array<number>(12).fill(0));
  });
});

describe('`worstRelativeError`', () => {
  test('is 0 where every value stands for itself', () => {
    const units = hdrLayout({ highestTrackableValue: 2047 });
    expect(rebucket(units, hdrLayout({ highestTrackableValue: 2047 })).worstRelativeError).toBe(0);
  });

  test('is that of a slot’s middle against its bounds', () => {
    const from = explicitLayout([100, 200, 300]);
    // (100, 200] is read as 150: off by half at 100.
    expect(rebucket(from, explicitLayout([100, 200, 300])).worstRelativeError).toBe(0.5);
  });

  test('bounds the error of every value that is read back as the middle of its slot', () => {
    fc.assert(
      fc.property(hdr, layouts, rawValues, (from, to, values) => {
        const plan = rebucket(from, to);
        for (const value of values) {
          const slot = slotIn(from, value);
          const target = plan.slots[slot]!;
          const closed = Number.isFinite(to.lower(target)) && Number.isFinite(to.upper(target));
          // The slot of 0 is tested below, and a value above the range has no slot.
          if (!closed || from.lower(slot) === 0 || from.upper(slot) < value) continue;
          const error = Math.abs(to.midpoint(target) - value) / value;
          if (error > plan.worstRelativeError)
            expect({ value, error }).toBe(`at most ${plan.worstRelativeError}`);
        }
      }),
      { numRuns: caseCount(50, 100) },
    );
  });

  test('leaves out the slot that begins at 0, where no relative error is bounded', () => {
    const from = hdrLayout({ lowestDiscernibleValue: 512, highestTrackableValue: 100_000 });
    const plan = rebucket(from, explicitLayout([-1, 1000, 2000]));
    // Slot 0, with 1 in it, moves to (-1, 1000] and is read back as 499.5; so does slot 1, up to 1023, which counts.
    expect(plan.slots[from.slotOf(1)]).toBe(1);
    expect(plan.worstRelativeError).toBe((1023 - 499.5) / 1023);
  });
});
