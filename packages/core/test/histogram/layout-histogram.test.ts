import fc from 'fast-check';
import { Histogram } from '../../src/histogram/histogram.ts';
import { LayoutHistogram } from '../../src/histogram/layout-histogram.ts';
import { explicitLayout } from '../../src/layout/edges.ts';
import { hdrLayout } from '../../src/layout/hdr.ts';
import type { Layout } from '../../src/layout/layout.ts';
import { linearLayout } from '../../src/layout/linear.ts';
import { log2Layout } from '../../src/layout/log2.ts';
import { rebucket } from '../../src/rebucket.ts';
import { layouts } from '../support/layouts.ts';
import { expectRefused } from '../support/refused.ts';

const storages = fc.constantFrom('dense' as const, 'sparse' as const);
const rawValues = fc.array(fc.nat(2e5), { maxLength: 40 });

const countsOf = ({ counts }: LayoutHistogram): number[] =>
  Array.from({ length: counts.length }, (_, slot) => counts.at(slot));

function counted(
  layout: Layout,
  values: readonly number[],
  storage: 'dense' | 'sparse' = 'dense',
): LayoutHistogram {
  const histogram = new LayoutHistogram(layout, { storage });
  histogram.recordValues(values.filter((value) => layout.slotOf(value) < layout.slotCount));
  return histogram;
}

describe('recording', () => {
  test('counts a value in the slot of its layout, in any storage', () => {
    fc.assert(
      fc.property(layouts, rawValues, storages, (layout, values, storage) => {
        const histogram = counted(layout, values, storage);
        const expected = new Array<number>(layout.slotCount).fill(0);
        for (const slot of values.map(layout.slotOf.bind(layout)))
          if (slot < layout.slotCount) expected[slot]!++;
        expect(countsOf(histogram)).toEqual(expected);
        expect(histogram.totalCount).toBe(expected.reduce((a, b) => a + b, 0));
        for (const value of values)
          expect(histogram.countAt(value)).toBe(expected[layout.slotOf(value)] ?? 0);
      }),
    );
  });

  test('counts values beyond all bounds in the open slots', () => {
    const histogram = counted(explicitLayout([0, 10]), [
      -1e9,
      Number.NEGATIVE_INFINITY,
      Number.POSITIVE_INFINITY,
      11,
    ]);
    expect(countsOf(histogram)).toEqual([2, 0, 2]);
  });

  test('counts a value many times, beyond 2^32 too, and not at all for a count of 0', () => {
    const histogram = new LayoutHistogram(log2Layout({ slots: 4 }));
    histogram.record(3, 2 ** 40 + 1);
    histogram.record(7, 0);
    expect([histogram.totalCount, histogram.countAt(2), histogram.countAt(7)]).toEqual([
      2 ** 40 + 1,
      2 ** 40 + 1,
      0,
    ]);
  });

  const hdr = hdrLayout({ highestTrackableValue: 1000 });
  test.each<[string, unknown, number, string]>([
    ['NaN', Number.NaN, 1, 'ERR_INVALID_VALUE'],
    ['a text', '5', 1, 'ERR_INVALID_VALUE'],
    ['a bigint', 5n, 1, 'ERR_INVALID_VALUE'],
    ['a value below all slots', -1, 1, 'ERR_VALUE_OUT_OF_RANGE'],
    ['a value above all slots', 5000, 1, 'ERR_VALUE_OUT_OF_RANGE'],
    ['Infinity, where no slot is open', Number.POSITIVE_INFINITY, 1, 'ERR_VALUE_OUT_OF_RANGE'],
    ['half a count', 5, 0.5, 'ERR_INVALID_COUNT'],
    ['a negative count', 5, -1, 'ERR_INVALID_COUNT'],
    ['more than can be counted exactly', 5, Number.MAX_SAFE_INTEGER, 'ERR_COUNT_OVERFLOW'],
  ])('refuses %s, and counts nothing', (_what, value, count, code) => {
    const histogram = counted(hdr, [7]);
    expectRefused(() => histogram.record(value as number, count), code as never);
    expect(histogram.totalCount).toBe(1);
  });

  test('of many values counts no value when one is refused', () => {
    const histogram = new LayoutHistogram(hdr);
    expectRefused(() => histogram.recordValues([1, 2, Number.NaN]), 'ERR_INVALID_VALUE');
    expectRefused(() => histogram.recordValues(Float64Array.of(1, -2)), 'ERR_VALUE_OUT_OF_RANGE');
    expect(histogram.totalCount).toBe(0);
  });

  test('into shared storage is refused at once', () => {
    expectRefused(() => new LayoutHistogram(hdr, { storage: 'shared' as never }), 'ERR_INVALID_OPTION');
  });
});

describe('adding', () => {
  test('two histograms is the histogram of the values of both, for every kind of layout', () => {
    fc.assert(
      fc.property(layouts, rawValues, rawValues, storages, storages, (layout, a, b, one, other) => {
        const sum = counted(layout, a, one);
        sum.add(counted(layout, b, other));
        expect(sum.equals(counted(layout, [...a, ...b]))).toBe(true);
        const sameBounds: Layout = Object.create(layout);
        const again = counted(layout, a, one);
        again.add(counted(sameBounds, b, other));
        expect(countsOf(again)).toEqual(countsOf(sum));
      }),
    );
  });

  test('moves each slot of another layout, whole, to the slot that `rebucket` names', () => {
    fc.assert(
      fc.property(layouts, layouts, rawValues, (from, to, values) => {
        const source = counted(from, values);
        const target = new LayoutHistogram(to);
        const hasSlot = (slot: number): boolean => {
          const found = to.slotOf(from.midpoint(slot));
          return found >= 0 && found < to.slotCount;
        };
        if (countsOf(source).some((count, slot) => count > 0 && !hasSlot(slot))) {
          expectRefused(() => target.add(source), 'ERR_VALUE_OUT_OF_RANGE');
          expect(target.totalCount).toBe(0);
        } else {
          target.add(source);
          expect(countsOf(target)).toEqual([...rebucket(from, to).apply(source.counts).counts]);
        }
      }),
    );
  });

  test('takes a `Histogram` in, and is taken in by one', () => {
    const latencies = new Histogram({ highestTrackableValue: 1000 });
    latencies.recordValues([5, 50, 500]);
    const classic = new LayoutHistogram(explicitLayout([10, 100]));
    classic.add(latencies);
    expect(countsOf(classic)).toEqual([1, 1, 1]);
    const back = new Histogram();
    back.add(classic);
    expect(back.totalCount).toBe(3);
  });

  test('refuses more values than can be counted exactly, and counts nothing', () => {
    const [most, one] = [counted(explicitLayout([1]), []), counted(explicitLayout([1]), [5])];
    most.record(0, Number.MAX_SAFE_INTEGER);
    expectRefused(() => most.add(one), 'ERR_COUNT_OVERFLOW');
    expect(most.countAt(5)).toBe(0);
  });
});

describe('subtracting', () => {
  test('undoes adding', () => {
    fc.assert(
      fc.property(layouts, rawValues, rawValues, storages, (layout, a, b, storage) => {
        const [sum, before] = [counted(layout, a, storage), counted(layout, a)];
        sum.add(counted(layout, b));
        sum.subtract(counted(Object.create(layout), b));
        expect(sum.equals(before)).toBe(true);
        expect([sum.min, sum.max]).toEqual([before.min, before.max]);
      }),
    );
  });

  test('takes out nothing when a count is missing', () => {
    const histogram = counted(explicitLayout([10, 20]), [5, 15]);
    expectRefused(
      () => histogram.subtract(counted(explicitLayout([10, 20]), [5, 15, 15])),
      'ERR_INCOMPATIBLE',
    );
    expect(countsOf(histogram)).toEqual([1, 1, 0]);
  });
});

describe('reading', () => {
  const histogram = counted(linearLayout({ width: 10, slots: 3 }), [1, 2, 12, 25]);

  test('has the bounds of the used slots, and the mean of their middles', () => {
    expect([histogram.min, histogram.max, histogram.mean]).toEqual([0, 30, 12.5]);
    const open = counted(linearLayout({ width: 10, slots: 3 }), [-5, 1000]);
    expect([open.min, open.max, open.mean]).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 15]);
  });

  test('is NaN without values', () => {
    const { min, max, mean } = new LayoutHistogram(linearLayout({ width: 1, slots: 1 }));
    expect([min, max, mean]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  });

  test('has a mean of values whose sum exceeds the largest double', () => {
    const huge = new LayoutHistogram(explicitLayout([1e307, 1.1e307]));
    huge.record(1.05e307, 1000);
    expect(huge.mean / 1.05e307).toBeCloseTo(1, 12);
  });

  test('gives quantiles in the order asked for', () => {
    expect(histogram.quantiles([1, 0.5]).map(({ value }) => value)).toEqual([25, 5]);
  });

  test('has no count outside its slots, and refuses values that are not numbers', () => {
    const hdr = counted(hdrLayout({ highestTrackableValue: 100 }), [1]);
    expect([hdr.countAt(-1), hdr.countAt(1e9), hdr.countAt(1)]).toEqual([0, 0, 1]);
    expectRefused(() => hdr.countAt(Number.NaN), 'ERR_INVALID_VALUE');
  });
});

describe('a copy', () => {
  test('has the same counts and storage, and goes its own way', () => {
    for (const storage of ['dense', 'sparse'] as const) {
      const histogram = counted(explicitLayout([10, 20]), [5, 15], storage);
      const copy = histogram.copy();
      expect([copy.equals(histogram), copy.storage, copy.byteLength > 0]).toEqual([true, storage, true]);
      copy.record(5);
      histogram.reset();
      expect([copy.totalCount, histogram.totalCount, copy.equals(histogram)]).toEqual([3, 0, false]);
    }
  });
});

describe('histograms are equal', () => {
  test('when as many values lie between the same bounds', () => {
    const histogram = counted(explicitLayout([0, 10, 20]), [5, 15, 15]);
    expect(histogram.equals(counted(explicitLayout([0, 10, 20]), [6, 16, 17], 'sparse'))).toBe(true);
    expect(histogram.equals(counted(explicitLayout([0, 10, 20]), [5, 6, 15]))).toBe(false);
    expect(histogram.equals(counted(explicitLayout([0, 10, 20], 'lower'), [5, 15, 15]))).toBe(false);
    expect(histogram.equals(counted(explicitLayout([0, 10, 21]), [5, 15, 15]))).toBe(false);
  });
});
