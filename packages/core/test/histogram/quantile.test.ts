import fc from 'fast-check';
import { LayoutHistogram } from '../../src/histogram/layout-histogram.ts';
import { findQuantile, findQuantiles, type QuantileOptions } from '../../src/histogram/quantile.ts';
import { explicitLayout } from '../../src/layout/edges.ts';
import { linearLayout } from '../../src/layout/linear.ts';
import { isIn } from '../support/layout-laws.ts';
import { layouts } from '../support/layouts.ts';
import { recordedOnce } from '../support/recorded.ts';
import { expectRefused } from '../support/refused.ts';

const interpolation = fc.constantFrom('midpoint', 'linear', 'lower', 'upper') as fc.Arbitrary<
  Required<QuantileOptions>['interpolation']
>;

describe('a quantile', () => {
  const tens = new LayoutHistogram(linearLayout({ width: 10, slots: 10 }));
  tens.recordValues([5, 11, 12, 13, 14, 25, 1000]);

  test('is the midpoint of the slot of its rank, with the bounds of the slot', () => {
    expect(tens.quantile(0.5)).toEqual({ value: 15, lower: 10, upper: 20, open: false });
  });

  test('is interpolated as asked for', () => {
    const read = (interpolation: Required<QuantileOptions>['interpolation']): number =>
      tens.quantile(3 / 7, { interpolation }).value; // the second of four
    expect([read('midpoint'), read('linear'), read('lower'), read('upper')]).toEqual([15, 15, 10, 20]);
    expect(tens.quantile(2 / 7, { interpolation: 'linear' }).value).toBe(12.5);
    expect(tens.quantile(5 / 7, { interpolation: 'linear' }).value).toBe(20);
  });

  test('is interpolated within a slot that is wider than the largest double', () => {
    const wide = new LayoutHistogram(explicitLayout([-1.5e308, 1.5e308]));
    wide.record(0, 4);
    const linear = [0.25, 0.5, 0.75, 1].map((q) => wide.quantile(q, { interpolation: 'linear' }).value);
    expect(linear).toEqual([-0.75e308, 0, 0.75e308, 1.5e308]);
  });

  test('in an open slot is its finite bound, whatever the interpolation, and is marked as open', () => {
    fc.assert(
      fc.property(interpolation, (interpolation) => {
        expect(tens.quantile(1, { interpolation })).toEqual({
          value: 100,
          lower: 100,
          upper: Number.POSITIVE_INFINITY,
          open: true,
        });
      }),
    );
    const below = new LayoutHistogram(explicitLayout([1, 2]));
    below.record(-5);
    expect(below.quantile(0.5)).toEqual({ value: 1, lower: Number.NEGATIVE_INFINITY, upper: 1, open: true });
  });

  test('without values is NaN', () => {
    const { value, lower, upper, open } = new LayoutHistogram(explicitLayout([1])).quantile(0.5);
    expect([value, lower, upper, open]).toEqual([Number.NaN, Number.NaN, Number.NaN, false]);
  });

  test('0 is the lowest value, not below it: one of many counts is in no percentile above it', () => {
    const histogram = new LayoutHistogram(linearLayout({ width: 1, slots: 100 }));
    histogram.record(3);
    histogram.record(70, 99);
    expect([0, 0.01, 0.010001, 0.5, 1].map((q) => histogram.quantile(q).lower)).toEqual([3, 3, 70, 70, 70]);
  });

  test('has the rank that is meant, though the product is rounded', () => {
    for (const total of [10, 100, 1000]) {
      const histogram = recordedOnce(Array.from({ length: total }, (_, i) => i + 1));
      for (let k = 1; k <= total; k++) {
        const { value } = findQuantile(histogram, Number((k / total).toFixed(3)));
        if (value !== k) expect([total, k, value]).toEqual([total, k, k]);
      }
    }
  });

  test('of an HDR histogram is in the slot that its percentile names', () => {
    const histogram = recordedOnce([1, 5, 90_001, 90_002, 700_000]);
    expect(findQuantiles(histogram, [0.5, 1], { interpolation: 'upper' }).map(({ value }) => value)).toEqual(
      histogram.valuesAtPercentiles([50, 100]),
    );
  });

  test('lies between its bounds, and the value of that rank does so too, in every layout', () => {
    const values = fc.array(fc.nat(2e5), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        layouts,
        values,
        fc.double({ min: 0, max: 1, noNaN: true }),
        interpolation,
        (layout, raw, q, interpolation) => {
          // Whole quarters are ticks of all layouts.
          const fitting = raw
            .filter((value) => layout.slotOf(value) < layout.slotCount)
            .sort((a, b) => a - b);
          if (fitting.length === 0) return;
          const histogram = new LayoutHistogram(layout, { storage: 'sparse' });
          histogram.recordValues(fitting);
          const { value, lower, upper, open } = histogram.quantile(q, { interpolation });
          expect(value >= lower && value <= upper && Number.isFinite(value)).toBe(true);
          expect(open).toBe(!Number.isFinite(lower) || !Number.isFinite(upper));
          const exact = fitting[Math.max(1, Math.ceil(q * fitting.length)) - 1]!;
          const slot = layout.slotOf(exact);
          expect([lower, upper]).toEqual([layout.lower(slot), layout.upper(slot)]);
          const isZeroOfExponential = layout.kind === 'exponential' && exact === 0;
          expect(isZeroOfExponential || isIn(layout, slot, exact)).toBe(true);
        },
      ),
    );
  });

  test.each([-0.1, 1.1, 50, Number.NaN, Number.POSITIVE_INFINITY, '0.5' as never])('%p is refused', (q) => {
    expectRefused(() => tens.quantile(q), 'ERR_INVALID_VALUE');
  });

  test('without values is not a number, and not open', () => {
    const nothing = { value: Number.NaN, lower: Number.NaN, upper: Number.NaN, open: false };
    expect(new LayoutHistogram(explicitLayout([1])).quantile(0.5)).toEqual(nothing);
  });

  test('of an unknown interpolation is refused, also without values', () => {
    const empty = new LayoutHistogram(explicitLayout([1]));
    expectRefused(() => empty.quantile(0.5, { interpolation: 'cubic' as never }), 'ERR_INVALID_OPTION');
  });
});
