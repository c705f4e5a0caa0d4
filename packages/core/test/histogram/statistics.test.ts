import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import type { Histogram } from '../../src/histogram/histogram.ts';
import { HOUR_US, recorded, recordedOnce, slotsOf } from '../support/recorded.ts';
import { describeEachStorage } from '../support/storages.ts';
import { recordings } from '../support/values.ts';

/** Mean and standard deviation of the slots' middles, as rational numbers until the last division. */
function exactMoments(histogram: Histogram): { mean: number; standardDeviation: number } {
  let [n, sum, squares] = [0n, 0n, 0n];
  for (const [slot, count] of slotsOf(histogram)) {
    const [middle, times] = [BigInt(histogram.layout.midpoint(slot)), BigInt(count)];
    n += times;
    sum += middle * times;
    squares += middle * middle * times;
  }
  if (n === 0n) return { mean: 0, standardDeviation: 0 };
  return {
    mean: Number(sum) / Number(n),
    standardDeviation: Math.sqrt(Number(n * squares - sum * sum)) / Number(n),
  };
}

function expectClose(actual: number, expected: number, relative: number): void {
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(relative * Math.abs(expected));
}

describeEachStorage('mean and standard deviation', (storage) => {
  // Java HdrHistogram.
  test('are those of Java for a few values', () => {
    const spread = recorded(
      [
        [0, 1],
        [1, 1],
        [100_000, 3],
        [HOUR_US, 1],
      ],
      { highestTrackableValue: HOUR_US, storage },
    );
    expect(spread.mean).toBe(6.000102348333334e8);
    const ten = recordedOnce([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], {
      highestTrackableValue: 1000,
      significantDigits: 0,
      storage,
    });
    expect([ten.mean, ten.max, ten.valueAtPercentile(50)]).toEqual([6.7, 15, 7]);
    expect(recordedOnce([1000, 123_456_789], { lowestDiscernibleValue: 1000, storage }).mean).toBe(
      6.1718912e7,
    );
  });

  test('are those of a population', () => {
    const histogram = recordedOnce([25, 50, 75], { storage });
    expect(histogram.mean).toBe(50);
    expect(histogram.standardDeviation).toBeCloseTo(20.412, 3);
  });

  test('of one value are its slot’s middle and 0', () => {
    const histogram = recorded([[10_007, 5]], { storage });
    expect([histogram.mean, histogram.standardDeviation]).toEqual([10_004, 0]);
  });

  test('are those of exact arithmetic, to twelve digits', () => {
    fc.assert(
      fc.property(recordings(), (recording) => {
        const histogram = recorded(recording, { storage });
        const exact = exactMoments(histogram);
        expectClose(histogram.mean, exact.mean, 1e-12);
        // The deviation of one slot from a rounded mean is no more than the rounding.
        const noise = exact.mean * 1e-12;
        expect(Math.abs(histogram.standardDeviation - exact.standardDeviation)).toBeLessThanOrEqual(
          exact.standardDeviation * 1e-9 + noise,
        );
      }),
      { numRuns: caseCount(60, 200) },
    );
  });
});
