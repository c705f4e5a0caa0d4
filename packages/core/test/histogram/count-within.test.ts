import { explicitLayout, Histogram, LayoutHistogram } from '@hdrscope/core';
import { countWithin } from '@hdrscope/core/internal';
import fc from 'fast-check';

test('counts the values of a slot that ends at the limit as certain, and those of one that contains it as possible', () => {
  const seconds = new LayoutHistogram(explicitLayout([0.25, 0.5, 1]));
  seconds.recordValues([0.2, 0.3, 0.4, 7]);
  expect(countWithin(seconds, 0.1)).toEqual({ lower: 0, upper: 1 });
  expect(countWithin(seconds, 0.4)).toEqual({ lower: 1, upper: 3 });
  expect(countWithin(seconds, 0.6)).toEqual({ lower: 3, upper: 3 });
  // Nobody knows where the values above the last boundary are.
  expect(countWithin(seconds, 8)).toEqual({ lower: 3, upper: 4 });
});

test('counts nothing in an empty histogram', () => {
  expect(countWithin(new Histogram(), 7)).toEqual({ lower: 0, upper: 0 });
});

test('contains the number of values that are at most a limit', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 1e7 })),
      fc.double({ min: 0, max: 2e7, noNaN: true }),
      (values, limit) => {
        const histogram = new Histogram({ significantDigits: 2 });
        for (const value of values) histogram.record(value);
        const { lower, upper } = countWithin(histogram, limit);
        const within = values.filter((value) => value <= limit).length;
        expect(lower).toBeLessThanOrEqual(within);
        expect(upper).toBeGreaterThanOrEqual(within);
      },
    ),
  );
});
