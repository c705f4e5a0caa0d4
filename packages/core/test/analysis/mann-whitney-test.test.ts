import fc from 'fast-check';
import { mannWhitneyTest } from '../../src/analysis/mann-whitney-test.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { recorded, recordedOnce } from '../support/recorded.ts';
import { expectRefused } from '../support/refused.ts';
import { expectWithin } from './goldens.ts';
import { multiplied, pairs } from './samples.ts';

/** Twice U less the number of pairs, counted pair by pair, and the variance of U with the textbook's correction for ties. */
function bySight(a: readonly number[], b: readonly number[]): { surplus: number; variance: number } {
  const [n, m, total] = [a.length, b.length, a.length + b.length];
  const surplus = a.reduce((sum, x) => sum + b.reduce((all, y) => all + Math.sign(x - y), 0), 0);
  const tied = new Map<number, number>();
  for (const value of [...a, ...b]) tied.set(value, (tied.get(value) ?? 0) + 1);
  const ties = [...tied.values()].reduce((sum, t) => sum + t ** 3 - t, 0);
  return { surplus, variance: total < 2 ? 0 : ((n * m) / 12) * (total + 1 - ties / (total * (total - 1))) };
}

describe('mannWhitneyTest', () => {
  test('counts pairs, and corrects for ties and continuity', () => {
    const some = fc.array(fc.nat(12), { minLength: 1, maxLength: 25 });
    fc.assert(
      fc.property(some, some, (a, b) => {
        const { surplus, variance } = bySight(a, b);
        const { u, z, effectSize } = mannWhitneyTest(recordedOnce(a), recordedOnce(b));
        const pairsOf = a.length * b.length;
        expect(u).toBe((surplus + pairsOf) / 2);
        expectWithin(effectSize, surplus / pairsOf, 1e-14);
        const expected =
          (Math.sign(surplus) * Math.max(0, Math.abs(surplus) / 2 - 0.5)) / Math.sqrt(variance);
        expectWithin(z, surplus === 0 ? 0 : expected, 1e-12);
      }),
    );
  });

  test('has an effect size from -1 to 1', () => {
    const [low, high] = [recordedOnce([1, 2, 3]), recordedOnce([10, 20])];
    expect(mannWhitneyTest(high, low)).toMatchObject({ u: 6, effectSize: 1 });
    expect(mannWhitneyTest(low, high)).toMatchObject({ u: 0, effectSize: -1 });
  });

  test('finds no difference between a sample and itself', () => {
    fc.assert(
      fc.property(pairs, ([a]) => {
        const { z, pValue, effectSize } = mannWhitneyTest(a, a.copy());
        expect([z, pValue, effectSize]).toEqual([0, 1, 0]);
      }),
    );
  });

  test('finds no difference when all values are tied', () => {
    const [a, b] = [recorded([[5, 10]]), recorded([[5, 2 ** 50]])];
    expect(mannWhitneyTest(a, b)).toEqual({ u: 5 * 2 ** 50, z: 0, pValue: 1, effectSize: 0 });
  });

  test('changes its sign when the samples are swapped, and keeps p in [0, 1]', () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const [one, other] = [mannWhitneyTest(a, b), mannWhitneyTest(b, a)];
        expect([one.z, one.effectSize]).toEqual([0 - other.z, 0 - other.effectSize]);
        expect(one.pValue).toBe(other.pValue);
        expectWithin(one.u + other.u, a.totalCount * b.totalCount, 1e-15);
        expect(one.pValue).toBeGreaterThanOrEqual(0);
        expect(one.pValue).toBeLessThanOrEqual(1);
        expect(Math.abs(one.effectSize)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('keeps the effect, and is surer of it, when everything is counted 10^12 times as often', () => {
    const [a, b] = [
      recorded([
        [10, 40],
        [20, 61],
      ]),
      recorded([
        [10, 41],
        [20, 60],
      ]),
    ];
    const [few, many] = [mannWhitneyTest(a, b), mannWhitneyTest(multiplied(a, 1e12), multiplied(b, 1e12))];
    expectWithin(many.effectSize, few.effectSize, 1e-14);
    expect(few.pValue).toBeGreaterThan(0.8);
    expect(many.pValue).toBe(0);
    // √10^12 times as large, apart from the correction for continuity, which was an eleventh of U's distance before.
    expectWithin(many.z, mannWhitneyTest(multiplied(a, 1e6), multiplied(b, 1e6)).z * 1e3, 1e-4);
  });

  test('keeps its precision where nearly all values are tied', () => {
    const [a, b] = [
      recorded([
        [5, 2 ** 51],
        [9, 3],
      ]),
      recorded([[5, 2 ** 51]]),
    ];
    // U is 3 * 2^50 beyond its middle. Among 2^52 values three are apart: that they are all of `a` has the odds of
    // three tosses of a coin, with a variance of 3/4 in units of 2^51.
    expectWithin(mannWhitneyTest(a, b).z, 1.5 / Math.sqrt(3 / 4), 1e-12);
  });

  test('refuses an empty histogram', () => {
    expectRefused(() => mannWhitneyTest(new Histogram(), recordedOnce([1])), 'ERR_INCOMPATIBLE');
    expectRefused(() => mannWhitneyTest(recordedOnce([1]), new Histogram()), 'ERR_INCOMPATIBLE');
  });
});
