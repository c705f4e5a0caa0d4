import {
  countedIn,
  explicitLayout,
  exponentialLayout,
  Histogram,
  hdrLayout,
  type Layout,
  linearLayout,
  log2Layout,
  rebucket,
} from '@hdrscope/core';
import { FakeClock } from '@hdrscope/testing/fake-clock';
import { expectRefused, refusalOf } from '@hdrscope/testing/refusals';
import fc from 'fast-check';
import { Family } from '../src/family.ts';
import type { FamilyOptions } from '../src/index.ts';
import { differenceOf } from '../src/series-snapshot.ts';
import { ticks } from './support/arbitraries.ts';
import { runOf } from './support/runs.ts';
import { slotsOf } from './support/state.ts';

function family(options: Partial<FamilyOptions> = {}): Family {
  return new Family({ name: 'x', ...options }, new FakeClock());
}

describe('counts from elsewhere', () => {
  // The middles of the slots, computed by hand.
  const LAYOUTS: [kind: string, layout: Layout, middles: number[]][] = [
    ['explicit', explicitLayout([0.1, 0.5, 1]), [0.1, 0.3, 0.75, 1]],
    ['exponential', exponentialLayout({ scale: 0, minIndex: -2, maxIndex: 1 }), [0, 0.375, 0.75, 1.5, 3, 4]],
    ['linear', linearLayout({ min: 1, width: 0.5, slots: 3 }), [1, 1.25, 1.75, 2.25, 2.5]],
    ['log2', log2Layout({ quantum: 0.001, slots: 3 }), [0, 0.0005, 0.0015, 0.003, 0.004]],
  ];

  test.each(LAYOUTS)('over an %s layout count at the middle of their slots', (_, layout, middles) => {
    const counted = family({ unit: 's' });
    const counts = middles.map((_middle, slot) => slot + 1);
    counted.with({}).add(countedIn(layout, counts));
    const change = rebucket(layout, counted.unitLayout);

    const { histogram, sum, min, max, rejected } = counted.with({}).snapshot();
    // Each count is in an HDR slot within its own slot, so that the same counts are read out again. The exception is
    // values below 0: they count at a bound that belongs to the next slot.
    const [first = 0, second = 0, ...others] = counts;
    const read = middles[0]! > 0 || layout.slotOf(0) === 0 ? counts : [0, first + second, ...others];
    expect([...rebucket(counted.unitLayout, layout).apply(histogram.counts).counts]).toEqual(read);
    const targets = middles.map((middle) => counted.layout.slotOf(Math.round(middle * 1e9)));
    for (const [i, [slot]] of slotsOf(histogram).entries()) {
      expect(Math.abs(slot - targets[i]!)).toBeLessThanOrEqual(1);
    }
    expect(sum).toBeCloseTo(
      middles.reduce((left, middle, slot) => left + middle * counts[slot]!, 0),
      12,
    );
    expect([min, max]).toEqual([middles[0], middles.at(-1)]);
    expect(Object.values(rejected)).toEqual([0, 0, 0, 0, 0]);

    expect(change.exact).toBe(false);
    // Each of these slots is far wider than the slot that takes its counts.
    expect(change.apply(counts).maxMisplaced).toBe(histogram.totalCount);
  });

  test('lose nothing where the slots are finer than those of the family', () => {
    const counted = family({ resolution: 1 });
    const layout = hdrLayout({ highestTrackableValue: 100_000, significantDigits: 4 });
    expect(rebucket(layout, counted.unitLayout).exact).toBe(true);
    counted.with({}).add(countedIn(layout, new Array(layout.slotCount).fill(1)));
    expect(counted.with({}).snapshot().histogram.totalCount).toBe(layout.slotCount);
  });

  /** Layouts within the range of a family in seconds. */
  const layout = fc.oneof(
    fc
      .uniqueArray(fc.double({ min: 0, max: 1e6, noNaN: true }), { maxLength: 8 })
      .map((bounds) => explicitLayout(bounds.map((bound) => bound + 0).sort((a, b) => a - b))),
    fc
      .tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: -20, max: 10 }), fc.nat({ max: 8 }))
      .map(([scale, octave, more]) => {
        const minIndex = octave * 2 ** scale;
        return exponentialLayout({ scale, minIndex, maxIndex: minIndex + more });
      }),
    fc
      .record({
        min: fc.nat({ max: 5 }),
        width: fc.double({ min: 1e-6, max: 1e3, noNaN: true }),
        slots: fc.integer({ min: 1, max: 12 }),
      })
      .map(linearLayout),
    fc
      .record({
        quantum: fc.constantFrom(1e-9, 1e-6, 1),
        slots: fc.integer({ min: 1, max: 20 }),
        inclusive: fc.constantFrom('lower' as const, 'upper' as const),
      })
      .map(log2Layout),
  );

  test('equal as many records of the middle of each slot, in its HDR slot or the one beside it', () => {
    fc.assert(
      fc.property(
        layout.chain((one) =>
          fc.tuple(fc.constant(one), fc.array(fc.nat({ max: 3 }), exactly(one.slotCount))),
        ),
        fc.constantFrom('s', 'ms', 'By'),
        ([from, counts], unit) => {
          const [added, recorded] = [family({ unit }).with({}), family({ unit }).with({})];
          added.add(countedIn(from, counts));
          for (const [slot, count] of counts.entries()) {
            for (let i = 0; i < count; i++) expect(recorded.record(from.midpoint(slot))).toBe(true);
          }
          const [ours, theirs] = [added.snapshot(), recorded.snapshot()];
          const [placed, middles] = [ours, theirs].map(({ histogram }) =>
            slotsOf(histogram).flatMap(([slot, count]) => new Array<number>(count).fill(slot)),
          ) as [number[], number[]];
          expect(placed.length).toBe(middles.length);
          for (const [i, slot] of placed.entries())
            expect(Math.abs(slot - middles[i]!)).toBeLessThanOrEqual(1);
          expect(ours.min + 0).toBe(theirs.min + 0);
          expect(ours.max + 0).toBe(theirs.max + 0);
          expect(Math.abs(ours.sum - theirs.sum)).toBeLessThanOrEqual(1e-12 * theirs.sum);
        },
      ),
    );
  });

  test('may be an array, a typed array, or the counts of a histogram', () => {
    const histogram = new Histogram({ highestTrackableValue: 1000, significantDigits: 2 });
    for (const value of [1, 1, 500]) histogram.record(value);
    const dense = Array.from({ length: histogram.counts.length }, (_, slot) => histogram.counts.at(slot));
    const all = [dense, Float64Array.from(dense), Uint32Array.from(dense), histogram.counts].map((counts) => {
      const one = family({ resolution: 1 }).with({});
      one.add('total' in counts ? histogram : countedIn(histogram.layout, counts));
      return slotsOf(one.snapshot().histogram);
    });
    expect(all).toEqual(all.map(() => slotsOf(histogram)));
  });

  test('add to counts that are there already', () => {
    const one = family({ resolution: 1 }).with({});
    one.record(50);
    one.add(countedIn(explicitLayout([10, 20]), [1, 2, 1]));
    one.add(countedIn(explicitLayout([10, 20]), [0, 1, 0]));
    expect(one.snapshot()).toMatchObject({ sum: 50 + 10 + 3 * 15 + 20, min: 10, max: 50 });
    expect(one.snapshot().histogram.totalCount).toBe(6);
  });

  test('have the sum that came with them', () => {
    const one = family({ resolution: 1 }).with({});
    one.add(countedIn(explicitLayout([10, 20]), [0, 2, 0]), { sum: 38.5 });
    expect(one.snapshot().sum).toBe(38.5);
    one.add(countedIn(explicitLayout([10, 20]), [0, 0, 0]), { sum: 1.5 });
    expect(one.snapshot()).toMatchObject({ sum: 40, min: 15, max: 15 });
    one.add(countedIn(explicitLayout([10, 20]), [0, 2, 0]), { sum: undefined });
    expect(one.snapshot().sum).toBe(70);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '1'])('are refused with the sum %p', (sum) => {
    const one = family({ resolution: 1 }).with({});
    const before = one.snapshot();
    expectRefused(
      () => one.add(countedIn(explicitLayout([10]), [1, 0]), { sum: sum as number }),
      'ERR_INVALID_VALUE',
    );
    expect(one.snapshot()).toEqual(before);
  });

  const extremes = fc.option(fc.constantFrom(Number.NaN, -1, 0, 12, 14, 17, 30, 1e300), { nil: undefined });

  test('have extremes in order, whatever came with them', () => {
    const inTicks = new Histogram({ highestTrackableValue: 1000 });
    inTicks.record(15, 2);
    fc.assert(
      fc.property(
        fc.constantFrom(countedIn(explicitLayout([10, 20]), [0, 2, 0]), inTicks),
        extremes,
        extremes,
        extremes,
        extremes,
        (counted, min, max, from, to) => {
          const one = family({ resolution: 1 }).with({});
          one.add(counted, { min, max, within: { min: from, max: to } });
          const state = one.snapshot();
          expect(state.min >= 0 && state.min <= state.max).toBe(true);
          if (min! >= 0 && min! <= max!) expect([state.min, state.max]).toEqual([min, max]);
        },
      ),
    );
  });

  test('that are all zero change nothing', () => {
    const one = family().with({});
    one.add(countedIn(explicitLayout([1, 2]), [0, 0, 0]));
    expect(one.snapshot()).toMatchObject({ sum: 0, min: 0, max: 0 });
  });

  test.each([
    ['too few', [1, 2]],
    ['too many', [1, 2, 3, 4]],
    ['none', []],
  ])('are refused when there are %s for the slots', (_, counts) => {
    const refusal = refusalOf(() =>
      family()
        .with({})
        .add(countedIn(explicitLayout([1, 2]), counts)),
    );
    expect(refusal.code).toBe('ERR_INVALID_COUNT');
    expect(refusal.message).toBe(`counts must be one for each of the 3 slots, got ${counts.length}`);
  });

  test.each([
    ['a fraction', 1.5],
    ['negative', -1],
    ['NaN', Number.NaN],
    ['infinite', Number.POSITIVE_INFINITY],
    ['no longer exact', 2 ** 53],
    ['missing', undefined],
    ['a text', '1'],
  ])('are refused as a whole when one is %s', (_, wrong) => {
    const one = family().with({});
    one.record(1);
    const before = one.snapshot();
    expectRefused(
      () => one.add(countedIn(explicitLayout([1, 2]), [1, wrong as number, 1])),
      'ERR_INVALID_COUNT',
    );
    expect(one.snapshot()).toEqual(before);
  });

  test('that a series cannot count are tallied, as they are when they are recorded', () => {
    const [added, recorded] = [family({ resolution: 1 }).with({}), family({ resolution: 1 }).with({})];
    const huge = 1.25 * 2 ** 60;
    const layout = explicitLayout([-10, 0, 10, 2 ** 60, 1.5 * 2 ** 60]); // middles -10, -5, 5, 2^59 and more
    added.add(countedIn(layout, [1, 2, 3, 0, 4, 0]));
    for (const [value, count] of [
      [-10, 1],
      [-5, 2],
      [5, 3],
      [huge, 4],
    ] as const) {
      for (let i = 0; i < count; i++) recorded.record(value);
    }
    expect({ ...added.snapshot(), reaches: undefined, estimated: undefined }).toEqual({
      ...recorded.snapshot(),
    });
    expect(added.snapshot().rejected).toMatchObject({ negative: 3, tooLarge: 4, largest: huge });
  });

  test('count as estimated for each fact that did not come with them', () => {
    const one = family({ resolution: 1 }).with({});
    const buckets = countedIn(explicitLayout([10, 20]), [0, 3, 0]);
    one.record(15);
    one.add(buckets, { sum: 45, min: 11, max: 19 });
    const exact = one.snapshot();
    expect(exact.estimated).toBeUndefined();
    one.add(buckets, { max: 19 });
    expect(one.snapshot().estimated).toEqual({ sum: 3, min: 3, max: 0 });
    one.add(buckets, { sum: 45, min: 30, max: 19 }); // extremes that contradict each other are not known
    const last = one.snapshot();
    expect(last.estimated).toEqual({ sum: 3, min: 6, max: 3 });
    one.record(15);
    expect(
      differenceOf(one.snapshot(), last, { ticksPerUnit: 1, unitsPerTick: 1 }, 0).estimated,
    ).toBeUndefined();
    expect(differenceOf(last, exact, { ticksPerUnit: 1, unitsPerTick: 1 }, 0).estimated).toEqual(
      last.estimated,
    );
  });

  test('of values below zero never appear as values above zero', () => {
    const one = family({ resolution: 1 }).with({});
    try {
      one.add(countedIn(explicitLayout([-10, 0, 10]), [1, 1, 0, 0]));
    } catch {
      // A refusal is as good as a tally.
    }
    const { histogram, min, max } = one.snapshot();
    expect(slotsOf(histogram).filter(([slot]) => slot > 0)).toEqual([]);
    expect(min).toBeGreaterThanOrEqual(0);
    expect(max).toBe(0);
  });

  test.each([55, 65, 100, 1000])('of values about 2^%i never appear as much smaller values', (exponent) => {
    const counted = family({ resolution: 1 });
    const layout = explicitLayout([1, 2 ** exponent, 1.5 * 2 ** exponent]);
    try {
      counted.with({}).add(countedIn(layout, [0, 0, 1, 0]));
    } catch {
      // A refusal is as good as a tally.
    }
    for (const [slot] of slotsOf(counted.with({}).snapshot().histogram)) {
      expect(counted.layout.upper(slot)).toBeGreaterThanOrEqual(Number.MAX_SAFE_INTEGER);
    }
  });
});

function exactly(length: number): { minLength: number; maxLength: number } {
  return { minLength: length, maxLength: length };
}

describe('an added histogram', () => {
  test('counts as if its values had been recorded, to the precision of its slots', () => {
    fc.assert(
      fc.property(
        fc.array(ticks, { maxLength: 20 }),
        fc.array(ticks, { maxLength: 20 }),
        (recorded, merged) => {
          const [one, all] = [family({ resolution: 1 }), family({ resolution: 1 })];
          const histogram = new Histogram({ layout: one.layout, storage: 'sparse' });
          for (const value of recorded) one.with({}).record(value);
          for (const value of merged) histogram.record(value);
          one.with({}).add(histogram);
          for (const value of [...recorded, ...merged]) all.with({}).record(value);

          const [ours, theirs] = [one.with({}).snapshot(), all.with({}).snapshot()];
          expect(slotsOf(ours.histogram)).toEqual(slotsOf(theirs.histogram));
          expect(Math.abs(ours.sum - theirs.sum)).toBeLessThanOrEqual(theirs.sum / 100);
          expect(ours.min).toBeLessThanOrEqual(theirs.min);
          expect(ours.min).toBeGreaterThanOrEqual(theirs.min * 0.99);
          expect(ours.max).toBeGreaterThanOrEqual(theirs.max);
          expect(ours.max).toBeLessThanOrEqual(theirs.max * 1.01);
        },
      ),
    );
  });

  test('is in ticks; sum, minimum and maximum are in the unit', () => {
    const one = family({ unit: 's' }).with({});
    const milliseconds = new Histogram({ highestTrackableValue: 10 ** 9, significantDigits: 5 });
    milliseconds.record(100_000, 3);
    milliseconds.record(2 ** 17);
    one.add(milliseconds);
    const { sum, min, max } = one.snapshot();
    expect(min).toBe(0.0001);
    expect(max).toBe(0.000131072);
    expect(sum).toBeCloseTo(0.000431072, 15);
  });

  test('may be empty', () => {
    const one = family().with({});
    one.add(new Histogram());
    expect(one.snapshot()).toMatchObject({ sum: 0, min: 0, max: 0 });
  });

  test('is not changed, and does not change the series later', () => {
    const one = family({ resolution: 1 }).with({});
    const histogram = new Histogram({ highestTrackableValue: 1000 });
    histogram.record(5);
    one.add(histogram);
    one.record(6);
    histogram.record(7);
    expect(histogram.totalCount).toBe(2);
    expect(one.snapshot().histogram.totalCount).toBe(2);
  });

  test('is refused as a whole when a value does not fit', () => {
    const one = family({ resolution: 1 }).with({});
    one.record(1);
    const histogram = hugeValues();
    const before = one.snapshot();
    expectRefused(() => one.add(histogram), 'ERR_VALUE_OUT_OF_RANGE');
    expect(one.snapshot()).toEqual(before);
  });
});

/** A histogram of the value 1 and of a value of about 2^55, which only a decoded histogram can hold. */
function hugeValues(): Histogram {
  const histogram = new Histogram({ highestTrackableValue: 2n ** 20n, significantDigits: 2 });
  histogram.record(0);
  histogram.record(1000);
  const bytes = histogram.encode();
  const header = new DataView(bytes.buffer);
  header.setBigInt64(16, 2n ** 45n); // lowestDiscernibleValue
  header.setBigInt64(24, 2n ** 62n); // highestTrackableValue
  return Histogram.decode(bytes);
}

describe('added slots', () => {
  test('count as if their values had been recorded, also after a snapshot', () => {
    fc.assert(
      fc.property(fc.array(ticks, { minLength: 1 }), fc.array(ticks, { minLength: 1 }), (before, values) => {
        const one = family({ resolution: 1 });
        const [added, recorded] = [one.with({ a: 1 }), one.with({ a: 2 })];
        for (const value of before) for (const series of [added, recorded]) series.record(value);
        const shown = added.snapshot();
        const totalShown = shown.counts.total;
        const histogram = new Histogram({ layout: one.layout, storage: 'sparse' });
        for (const value of values) {
          histogram.record(value);
          recorded.record(value);
        }
        const sum = recorded.snapshot().sum - shown.sum;
        added.addSlots(runOf(histogram), { sum, min: Math.min(...values), max: Math.max(...values) });
        const { min, max } = recorded.snapshot();
        expect(added.snapshot()).toMatchObject({ min, max });
        expect(slotsOf(added.snapshot().histogram)).toEqual(slotsOf(recorded.snapshot().histogram));
        expect(shown.counts.total).toBe(totalShown);
      }),
    );
  });

  test('are refused as a whole when the total would pass 2^53 - 1', () => {
    const series = family().with({});
    series.record(1);
    const full = new Histogram({ layout: family().layout, storage: 'sparse' });
    full.record(1, Number.MAX_SAFE_INTEGER);
    expectRefused(() => series.addSlots(runOf(full), { sum: 1, min: 1, max: 1 }), 'ERR_COUNT_OVERFLOW');
    expect(series.snapshot()).toMatchObject({ sum: 1, min: 1, max: 1, counts: { total: 1 } });
  });
});
