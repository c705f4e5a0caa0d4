import fc from 'fast-check';
import { countedIn } from '../../src/index.ts';
import { integerLayout, lossyHdr, meanBounds, type SlotValueStrategy } from '../../src/internal.ts';

const layout = integerLayout([9, 99, 999], 0);

test.each<[SlotValueStrategy, number[]]>([
  ['lower', [0, 10, 100, 1000]],
  ['geometric', [5, 31, 316, 1000]],
  ['upper', [9, 99, 999, 1000]],
])('each slot counts at its %s value, and an open one at its bound', (strategy, values) => {
  const { histogram, open } = lossyHdr(countedIn(layout, [1, 2, 3, 4]), strategy, 5);
  expect(values.map((value) => histogram.countAt(value))).toEqual([1, 2, 3, 4]);
  expect([histogram.totalCount, open]).toEqual([10, 4]);
});

test('values below 0 count as 0', () => {
  const negative = integerLayout([-10, 9], Number.NEGATIVE_INFINITY);
  const { histogram, open } = lossyHdr(countedIn(negative, [2, 3, 0]), 'lower', 2);
  expect([histogram.countAt(0), histogram.totalCount, open]).toEqual([5, 5, 2]);
});

test('the mean of the values lies within its bounds', () => {
  const value = fc.integer({ min: 0, max: 999 });
  fc.assert(
    fc.property(fc.array(value, { minLength: 1 }), (values) => {
      const counts = [0, 0, 0, 0];
      for (const one of values) counts[layout.slotOf(one)]!++;
      const { lower, upper } = meanBounds(countedIn(layout, counts));
      const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
      expect(lower).toBeLessThanOrEqual(mean + 1e-9);
      expect(upper).toBeGreaterThanOrEqual(mean - 1e-9);
    }),
  );
  expect(meanBounds(countedIn(layout, [0, 0, 0, 0]))).toEqual({ lower: Number.NaN, upper: Number.NaN });
  expect(meanBounds(countedIn(layout, [0, 0, 0, 1]))).toEqual({
    lower: 1000,
    upper: Number.POSITIVE_INFINITY,
  });
});
