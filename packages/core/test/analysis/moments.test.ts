import fc from 'fast-check';
import { computeExcessKurtosis, computeSkewness } from '../../src/analysis/moments.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { recorded, recordedOnce, slotsOf } from '../support/recorded.ts';
import { counts, LARGEST } from '../support/values.ts';
import { expectWithin } from './goldens.ts';
import { multiplied } from './samples.ts';

/** Skewness and kurtosis in whole numbers: the distances from the mean are multiplied by the count. */
function exactShape(histogram: Histogram): { skewness: number; kurtosis: number } {
  const slots = slotsOf(histogram).map(
    ([slot, count]) => [BigInt(histogram.layout.midpoint(slot)), BigInt(count)] as const,
  );
  const total = slots.reduce((all, [, count]) => all + count, 0n);
  const sum = slots.reduce((all, [middle, count]) => all + middle * count, 0n);
  const moment = (power: bigint): bigint =>
    slots.reduce((all, [middle, count]) => all + count * (middle * total - sum) ** power, 0n);
  const [second, third, fourth] = [moment(2n), moment(3n), moment(4n)];
  return {
    skewness: Math.sign(Number(third)) * Math.sqrt(ratio(total * third ** 2n, second ** 3n)),
    kurtosis: ratio(total * fourth, second ** 2n),
  };
}

/** A quotient with 30 decimals, rounded to a double at the end. */
function ratio(a: bigint, b: bigint): number {
  return Number((a * 10n ** 30n) / b) / 1e30;
}

describe('skewness and excess kurtosis', () => {
  test('are those of a population', () => {
    const dice = recordedOnce([1, 2, 3, 4, 5, 6]);
    expect(computeSkewness(dice)).toBe(0);
    expectWithin(computeExcessKurtosis(dice), -222 / 175, 1e-14);
    const coin = recorded([
      [0, 3],
      [1, 1],
    ]);
    expectWithin(computeSkewness(coin), 2 / Math.sqrt(3), 1e-14);
    expectWithin(computeExcessKurtosis(coin), -2 / 3, 1e-14);
  });

  test('do not change when everything is counted 10^12 times as often', () => {
    const histogram = recorded([
      [100, 900],
      [110, 60],
      [5000, 1],
    ]);
    const often = multiplied(histogram, 1e12);
    expectWithin(computeSkewness(often), computeSkewness(histogram), 1e-13);
    expectWithin(computeExcessKurtosis(often), computeExcessKurtosis(histogram), 1e-13);
  });

  test('change their sign, or do not, when the values are mirrored', () => {
    const histogram = recorded([
      [100, 900],
      [110, 60],
      [2000, 1],
    ]);
    const mirror = recorded([
      [2000, 900],
      [1990, 60],
      [100, 1],
    ]);
    expectWithin(computeSkewness(mirror), -computeSkewness(histogram), 1e-12);
    expectWithin(computeExcessKurtosis(mirror), computeExcessKurtosis(histogram), 1e-12);
  });

  test('are those of exact arithmetic, also far from zero', () => {
    const far = fc.tuple(fc.integer({ min: 2 ** 50 - 2 ** 36, max: 2 ** 50 + 2 ** 36 }), counts);
    const near = fc.tuple(fc.integer({ min: 0, max: 5000 }), counts);
    const recordings = fc.oneof(fc.array(far, { maxLength: 20 }), fc.array(near, { maxLength: 20 }));
    fc.assert(
      fc.property(recordings, (recording) => {
        const histogram = recorded(recording, {
          significantDigits: 5,
          highestTrackableValue: LARGEST,
          storage: 'sparse',
        });
        if (slotsOf(histogram).length < 2) return;
        const { skewness, kurtosis } = exactShape(histogram);
        expect(Math.abs(computeSkewness(histogram) - skewness)).toBeLessThanOrEqual(
          1e-9 * (1 + Math.abs(skewness)),
        );
        expect(Math.abs(computeExcessKurtosis(histogram) + 3 - kurtosis)).toBeLessThanOrEqual(
          1e-9 * kurtosis,
        );
      }),
      { numRuns: 300 },
    );
  });

  test('are NaN when all values are equal', () => {
    for (const histogram of [new Histogram(), recorded([[123_456, 1]]), recorded([[LARGEST, 2 ** 50]])]) {
      expect([computeSkewness(histogram), computeExcessKurtosis(histogram)]).toEqual([NaN, NaN]);
    }
  });
});
