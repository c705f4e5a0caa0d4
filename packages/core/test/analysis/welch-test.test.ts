import fc from 'fast-check';
import { welchTest } from '../../src/analysis/welch-test.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { recorded, recordedOnce } from '../support/recorded.ts';
import { expectRefused, refusalOf } from '../support/refused.ts';
import { expectWithin } from './goldens.ts';
import { multiplied, pairs } from './samples.ts';

describe('welchTest', () => {
  test('finds no difference between a sample and itself', () => {
    fc.assert(
      fc.property(pairs, ([a]) => {
        const { t, pValue, difference, interval } = welchTest(a, a.copy());
        expect([t, pValue, difference]).toEqual([0, 1, 0]);
        expect(interval.lower).toBeLessThanOrEqual(0);
        expect(interval.upper).toBe(0 - interval.lower);
      }),
    );
  });

  test('changes its sign when the samples are swapped', () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const [one, other] = [welchTest(a, b), welchTest(b, a)];
        expect([one.t, one.difference, one.interval.lower]).toEqual(
          [other.t, other.difference, other.interval.upper].map((value) => 0 - value),
        );
        expectWithin(one.degreesOfFreedom, other.degreesOfFreedom, 1e-14);
        expectWithin(one.pValue, other.pValue, 1e-11);
      }),
    );
  });

  test('contains the difference, widens with confidence, and excludes 0 when p is small', () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const [less, more] = [0.5, 0.95].map((confidence) => welchTest(a, b, { confidence }));
        const ascending = [
          more!.interval.lower,
          less!.interval.lower,
          less!.difference,
          less!.interval.upper,
          more!.interval.upper,
        ];
        expect(ascending).toEqual([...ascending].sort((x, y) => x - y));
        const { pValue, interval } = more!;
        expect(pValue).toBeGreaterThanOrEqual(0);
        expect(pValue).toBeLessThanOrEqual(1);
        if (Math.abs(pValue - 0.05) > 1e-9)
          expect(interval.lower > 0 || interval.upper < 0).toBe(pValue < 0.05);
      }),
    );
  });

  test('is surer of a difference when everything is counted 10^12 times as often', () => {
    const [a, b] = [recordedOnce([10, 12, 14, 16]), recordedOnce([11, 13, 15, 18])];
    const [few, many] = [welchTest(a, b), welchTest(multiplied(a, 1e12), multiplied(b, 1e12))];
    expect(many.difference).toBe(few.difference);
    // Without Bessel's correction, 3/4 of the variance is left.
    expectWithin(many.t, few.t * Math.sqrt((4 / 3) * 1e12), 1e-11);
    expectWithin(many.degreesOfFreedom, few.degreesOfFreedom * (4 / 3) * 1e12, 1e-11);
    expect(many.pValue).toBe(0);
  });

  test('takes values that share a slot as equal', () => {
    const [a, b] = [recorded([[10, 5]]), recorded([[11, 7]])];
    expect(welchTest(a, b)).toEqual({
      t: Number.NEGATIVE_INFINITY,
      degreesOfFreedom: 10,
      pValue: 0,
      difference: -1,
      interval: { lower: -1, upper: -1 },
    });
    expect(welchTest(a, a)).toMatchObject({
      t: 0,
      pValue: 1,
      difference: 0,
      interval: { lower: 0, upper: 0 },
    });
  });

  test('refuses arguments outside their ranges', () => {
    const some = recordedOnce([1, 2]);
    for (const few of [new Histogram(), recordedOnce([1])]) {
      expectRefused(() => welchTest(few, some), 'ERR_INCOMPATIBLE');
      expectRefused(() => welchTest(some, few), 'ERR_INCOMPATIBLE');
    }
    expect(refusalOf(() => welchTest(some, recordedOnce([1]))).message).toBe(
      'welchTest: the count of each histogram must be at least 2, got 1',
    );
    expectRefused(() => welchTest(some, some, { confidence: 0 }), 'ERR_INVALID_OPTION');
  });
});
