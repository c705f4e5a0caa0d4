import { type HdrLayout, hdrLayout } from '@hdrscope/core';
import { justifiedScale } from '@hdrscope/core/internal';
import { createRegistry } from '@hdrscope/registry';
import fc from 'fast-check';
import { toExponential } from '../src/exponential.ts';
import type { ExponentialHistogramValue } from '../src/sdk.ts';
import { dataSet, digitsAndData, positiveIntegers } from './support/arbitraries.ts';
import { IntegerSeries, usedSlots } from './support/integer-series.ts';
import {
  bucketsOf,
  downscaled,
  misplaced,
  referenceBuckets,
  referenceIndex,
  sorted,
  sumOf,
  valueAtRank,
} from './support/reference-exponential.ts';

const maxSize = fc.constantFrom(2, 3, 20, 160, 320, 640);

/** So many buckets that no data needs a coarser scale than the requested one. */
const UNLIMITED = 2 ** 20;

/** For tests with many scales: each scale needs a table. */
const FEW_DIGITS = 2;

function convert(series: IntegerSeries, size = 160, maxScale?: number): ExponentialHistogramValue {
  return toExponential(series.snapshot(), series.family, size, maxScale);
}

/** How many buckets of a scale a slot of the second widest kind overlaps, at most. */
function bucketsOverlapped(layout: HdrLayout, scale: number): number {
  let most = 0;
  for (let slot = layout.subBucketCount; slot < layout.slotCount; slot++) {
    const first = referenceIndex(scale, layout.lower(slot));
    most = Math.max(most, referenceIndex(scale, layout.upper(slot)) - first + 1);
  }
  return most;
}

test.each([
  [0, 0],
  [1, 3],
  [2, 6],
  [3, 9],
  [4, 13],
  [5, 16],
])(
  '%i digits justify scale %i, the finest at which a slot overlaps two buckets',
  (significantDigits, scale) => {
    const { subBucketBits } = hdrLayout({ highestTrackableValue: 2, significantDigits });
    const layout = hdrLayout({ highestTrackableValue: 2 ** (subBucketBits + 1), significantDigits });
    expect(justifiedScale(layout)).toBe(scale);
    expect(bucketsOverlapped(layout, scale)).toBeLessThanOrEqual(2);
  },
);

test('no count is lost, and there are at most maxSize buckets', () => {
  fc.assert(
    fc.property(digitsAndData(), maxSize, ([digits, values], size) => {
      const series = new IntegerSeries(digits, values);
      const { count, zeroCount, positive, negative, scale } = convert(series, size);
      expect(count).toBe(values.length);
      expect(zeroCount).toBe(values.filter((value) => value === 0).length);
      expect(positive.bucketCounts.reduce((left, right) => left + right, zeroCount)).toBe(count);
      expect(positive.bucketCounts.length).toBeLessThanOrEqual(size);
      expect(positive.bucketCounts.every((one) => Number.isSafeInteger(one) && one >= 0)).toBe(true);
      expect(positive.bucketCounts[0]).not.toBe(0);
      expect(positive.bucketCounts.at(-1)).not.toBe(0);
      expect(negative).toEqual({ offset: 0, bucketCounts: [] });
      expect(scale).toBeGreaterThanOrEqual(-10);
      expect(scale).toBeLessThanOrEqual(justifiedScale(series.layout));
    }),
  );
});

test('the scale is the finest that fits', () => {
  fc.assert(
    fc.property(digitsAndData(FEW_DIGITS), maxSize, ([digits, values], size) => {
      const series = new IntegerSeries(digits, values);
      const { scale, positive } = convert(series, size);
      if (scale === justifiedScale(series.layout) || positive.bucketCounts.length === 0) return;
      const finer = convert(series, UNLIMITED, scale + 1);
      expect(finer.scale).toBe(scale + 1);
      expect(finer.positive.bucketCounts.length).toBeGreaterThan(size);
    }),
  );
});

test('the result differs from a histogram of the raw values at most by the counts of straddling slots', () => {
  fc.assert(
    fc.property(digitsAndData(), maxSize, ([digits, values], size) => {
      const series = new IntegerSeries(digits, values);
      const converted = convert(series, size);
      const straddling = usedSlots(series.snapshot().histogram)
        .filter(({ lower }) => lower > 0)
        .filter(
          ({ lower, upper }) =>
            referenceIndex(converted.scale, lower) !== referenceIndex(converted.scale, upper),
        )
        .reduce((sum, { count }) => sum + count, 0);
      const direct = referenceBuckets(converted.scale, values);
      expect(misplaced(bucketsOf(converted), direct)).toBeLessThanOrEqual(straddling);
    }),
    { numRuns: 300 },
  );
});

test('the result is exact when each slot holds one integer', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 255 }), { minLength: 1 }), maxSize, (values, size) => {
      const converted = convert(new IntegerSeries(2, values), size);
      expect(sorted(bucketsOf(converted))).toEqual(sorted(referenceBuckets(converted.scale, values)));
    }),
  );
});

test('every quantile is within the stated error of the exact order statistic', () => {
  fc.assert(
    fc.property(digitsAndData(), maxSize, ([digits, values], size) => {
      const series = new IntegerSeries(digits, values);
      const converted = convert(series, size);
      const base = 2 ** (2 ** -converted.scale);
      const m = series.layout.subBucketBits - 1;
      const bound = (1 + 2 ** -(m + 1)) * (1 + (base - 1) / (base + 1)) - 1;
      const ascending = values.toSorted((a, b) => a - b);
      const errors = ascending.map((exact, i) => {
        const read = valueAtRank(converted, i + 1);
        return exact === 0 ? read : Math.abs(read - exact) / exact;
      });
      // A hair more than the bound, for the rounding of powers.
      expect(Math.max(0, ...errors)).toBeLessThanOrEqual(bound * (1 + 1e-12));
    }),
    { numRuns: 300 },
  );
});

test('the conversion of a sum is the sum of the conversions', () => {
  const data = fc
    .integer({ min: 1, max: FEW_DIGITS })
    .chain((digits) => fc.tuple(fc.constant(digits), dataSet(digits), dataSet(digits)));
  fc.assert(
    fc.property(data, fc.nat({ max: 5 }), ([digits, one, other], coarser) => {
      const [a, b, both] = [one, other, [...one, ...other]].map((values) => {
        const series = new IntegerSeries(digits, values);
        return convert(series, UNLIMITED, justifiedScale(series.layout) - coarser);
      });
      expect(sorted(bucketsOf(both!))).toEqual(sorted(sumOf(bucketsOf(a!), bucketsOf(b!))));
      expect(both!.zeroCount).toBe(a!.zeroCount + b!.zeroCount);
    }),
  );
});

test('converting at a coarser scale equals downscaling the finer result', () => {
  fc.assert(
    fc.property(digitsAndData(FEW_DIGITS), fc.nat({ max: 12 }), ([digits, values], steps) => {
      const series = new IntegerSeries(digits, values);
      const fine = convert(series, UNLIMITED);
      const coarse = convert(series, UNLIMITED, justifiedScale(series.layout) - steps);
      expect(fine.scale - coarse.scale).toBe(steps);
      expect(sorted(bucketsOf(coarse))).toEqual(sorted(downscaled(bucketsOf(fine), steps)));
    }),
  );
});

test('a smaller maxSize gives the same result as a coarser maxScale', () => {
  fc.assert(
    fc.property(digitsAndData(FEW_DIGITS), maxSize, ([digits, values], size) => {
      const series = new IntegerSeries(digits, values);
      const limited = convert(series, size);
      expect(limited).toEqual(convert(series, UNLIMITED, limited.scale));
    }),
  );
});

test('while a series counts on, its scale never rises and no bucket loses a count', () => {
  const batches = fc
    .integer({ min: 1, max: 4 })
    .chain((digits) =>
      fc.tuple(fc.constant(digits), fc.array(dataSet(digits), { minLength: 2, maxLength: 5 })),
    );
  fc.assert(
    fc.property(batches, maxSize, ([digits, all], size) => {
      const series = new IntegerSeries(digits);
      let before = convert(series, size);
      for (const batch of all) {
        series.record(...batch);
        const now = convert(series, size);
        // Prometheus would mistake a higher schema, or a count that fell, for a restart of the process.
        expect(now.scale).toBeLessThanOrEqual(before.scale);
        expect(now.zeroCount).toBeGreaterThanOrEqual(before.zeroCount);
        const buckets = bucketsOf(now);
        for (const [index, count] of downscaled(bucketsOf(before), before.scale - now.scale)) {
          expect(buckets.get(index)).toBeGreaterThanOrEqual(count);
        }
        before = now;
      }
    }),
  );
});

test('the first value after zeros alone does not raise the scale', () => {
  const series = new IntegerSeries(2, [0]);
  const zeros = convert(series);
  expect(zeros).toMatchObject({ count: 1, zeroCount: 1, positive: { bucketCounts: [] } });
  series.record(5);
  expect(convert(series).scale).toBeLessThanOrEqual(zeros.scale);
});

describe('bounds that are powers of two', () => {
  // https://opentelemetry.io/docs/specs/otel/metrics/data-model/#exponential-scale: 2 ** k is the upper bound of its
  // bucket, so its index is (k << scale) - 1.
  test.each([0, 1, 2, 3, 4, 5, 6, 7])('2^%i is the upper bound of its bucket', (k) => {
    const { scale, positive } = convert(new IntegerSeries(2, [2 ** k]));
    expect([scale, positive]).toEqual([6, { offset: (k << 6) - 1, bucketCounts: [1] }]);
  });

  test('one more than a power of two is in the next bucket', () => {
    const { positive } = convert(new IntegerSeries(2, [2, 3, 4, 5]), 160, 0);
    expect(positive).toEqual({ offset: 0, bucketCounts: [1, 2, 1] });
  });

  test('a slot wider than one goes to the bucket of its middle', () => {
    // In the slot from 2^20 to 2^20 + 2^13 - 1.
    const { positive } = convert(new IntegerSeries(2, [2 ** 20]), 160, 0);
    expect(positive).toEqual({ offset: 20, bucketCounts: [1] });
  });
});

test('a series without values has no buckets, no minimum and no maximum', () => {
  expect(convert(new IntegerSeries())).toEqual({
    count: 0,
    sum: 0,
    scale: expect.any(Number),
    zeroCount: 0,
    positive: { offset: 0, bucketCounts: [] },
    negative: { offset: 0, bucketCounts: [] },
  });
});

test('sum, minimum and maximum are exactly those of the series', () => {
  fc.assert(
    fc.property(fc.array(positiveIntegers(40), { minLength: 1, maxLength: 20 }), (values) => {
      const snapshot = new IntegerSeries(2, values).snapshot();
      const { sum, min, max } = toExponential(snapshot, new IntegerSeries(2).family, 160);
      expect({ sum, min, max }).toEqual({ sum: snapshot.sum, min: snapshot.min, max: snapshot.max });
    }),
  );
});

test('the whole range of a series fits into two buckets', () => {
  const { scale, positive } = convert(new IntegerSeries(2, [1, Number.MAX_SAFE_INTEGER]), 2);
  // The base is 2^64: (2^-64, 1] holds the one and (1, 2^64] the other.
  expect([scale, positive]).toEqual([-6, { offset: -1, bucketCounts: [1, 1] }]);
});

describe('a series of a family with a unit', () => {
  function secondsOf(...values: number[]): ExponentialHistogramValue {
    const family = createRegistry().histogram({ name: 'x', unit: 's' });
    for (const value of values) family.with({}).record(value);
    return toExponential(family.snapshot().series[0]!, family, 160);
  }

  test('has buckets in the unit, not in ticks', () => {
    const value = secondsOf(0.3, 0.6, 1.2, 2.4);
    expect(value.scale).toBe(5);
    expect([...bucketsOf(value).keys()]).toEqual([0.3, 0.6, 1.2, 2.4].map((one) => referenceIndex(5, one)));
  });

  test('zero and values that round to it are in the zero bucket', () => {
    const value = secondsOf(0, 1e-10, 4.9e-10, 6e-10, 1e-9);
    expect(value).toMatchObject({ count: 5, zeroCount: 3, scale: 6 });
    expect([...bucketsOf(value)]).toEqual([[referenceIndex(6, 1e-9), 2]]);
  });

  test('keeps counts beyond 32 bits', () => {
    const family = createRegistry().histogram({ name: 'x', unit: 's' });
    const series = family.with({});
    series.record(0.25);
    for (let doublings = 0; doublings < 40; doublings++) series.add(series.snapshot().histogram);
    const value = toExponential(family.snapshot().series[0]!, family, 160);
    expect(value.count).toBe(2 ** 40);
    expect([...bucketsOf(value)]).toEqual([[referenceIndex(6, 0.25) + 1, 2 ** 40]]);
  });
});
