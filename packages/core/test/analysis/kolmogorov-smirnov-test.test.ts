import fc from 'fast-check';
import { exactUpperTail, kolmogorovUpperTail } from '../../src/analysis/kolmogorov-distribution.ts';
import { kolmogorovSmirnovTest } from '../../src/analysis/kolmogorov-smirnov-test.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { recorded, recordedOnce } from '../support/recorded.ts';
import { expectRefused } from '../support/refused.ts';
import { expectWithin } from './goldens.ts';
import { multiplied, pairs } from './samples.ts';

/** The largest difference of the distribution functions of two ascending lists, times both lengths. */
function distanceOf(a: readonly number[], b: readonly number[]): number {
  return Math.max(
    ...[...a, ...b].map((x) =>
      Math.abs(a.filter((v) => v <= x).length * b.length - b.filter((v) => v <= x).length * a.length),
    ),
  );
}

/** The share of all ways to divide the values into two such samples in which the samples are at least as far apart. */
function shareOfAssignments(a: readonly number[], b: readonly number[]): number {
  const pooled = [...a, ...b];
  const observed = distanceOf(a, b);
  let [reached, all] = [0, 0];
  for (let chosen = 0; chosen < 2 ** pooled.length; chosen++) {
    const first = pooled.filter((_, i) => (chosen >> i) & 1);
    if (first.length !== a.length) continue;
    all++;
    if (
      distanceOf(
        first,
        pooled.filter((_, i) => !((chosen >> i) & 1)),
      ) >= observed
    )
      reached++;
  }
  return reached / all;
}

describe('kolmogorovSmirnovTest', () => {
  test('its p is the share of divisions of the values that are as far apart, with ties', () => {
    const few = fc.array(fc.nat(6), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(few, few, (a, b) => {
        const { statistic, pValue } = kolmogorovSmirnovTest(recordedOnce(a), recordedOnce(b));
        expectWithin(statistic, distanceOf(a, b) / (a.length * b.length), 1e-15);
        expectWithin(pValue, shareOfAssignments(a, b), 1e-13);
      }),
      { numRuns: 60 },
    );
  });

  test('keeps the digits of the smallest p-values', () => {
    const [low, high] = [recordedOnce(upTo(30)), recordedOnce(upTo(30).map((value) => value + 100))];
    // 2 of the 60! / (30! 30!) orders.
    expectWithin(kolmogorovSmirnovTest(low, high).pValue, 2 / Number(118_264_581_564_861_424n), 1e-12);
    const result = kolmogorovSmirnovTest(multiplied(low, 1e14), multiplied(high, 1e14));
    expect(result).toEqual({ statistic: 1, pValue: 0 });
  });

  test.each([
    [101, 1000],
    [300, 350],
    [316, 316],
  ])('agrees with itself where it turns from exact to asymptotic: %d and %d values', (n, m) => {
    const ends = upTo(n + m);
    for (const x of [0.8, 1, 1.2, 1.36, 1.6]) {
      const root = Math.sqrt((n * m) / (n + m));
      const distance = Math.ceil((x / root) * (n === m ? n : n * m)) * (n === m ? n : 1);
      const corrected = root + (n === m ? 0 : 0.12 + 0.11 / root);
      const asymptotic = kolmogorovUpperTail((corrected * distance) / (n * m));
      expectWithin(asymptotic, exactUpperTail(n, m, distance, ends), 0.08);
    }
  });

  test('compares large samples asymptotically', () => {
    const [a, b] = [
      recorded([
        [1, 5e8],
        [2, 5e8],
      ]),
      recorded([
        [1, 500_040_000],
        [2, 499_960_000],
      ]),
    ];
    const { statistic, pValue } = kolmogorovSmirnovTest(a, b);
    expectWithin(statistic, 4e-5, 1e-10);
    expectWithin(pValue, kolmogorovUpperTail(Math.sqrt(5e8) * 4e-5), 1e-9);
  });

  test('finds 0 and 1 between a sample and itself', () => {
    fc.assert(
      fc.property(pairs, ([a]) => {
        expect(kolmogorovSmirnovTest(a, a.copy())).toEqual({ statistic: 0, pValue: 1 });
      }),
    );
  });

  test('is the same either way round, and from 0 to 1', () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const [one, other] = [kolmogorovSmirnovTest(a, b), kolmogorovSmirnovTest(b, a)];
        expect(one.statistic).toBe(other.statistic);
        expectWithin(one.pValue, other.pValue, 1e-12);
        for (const value of Object.values(one)) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test('refuses an empty histogram', () => {
    expectRefused(() => kolmogorovSmirnovTest(new Histogram(), recordedOnce([1])), 'ERR_INCOMPATIBLE');
    expectRefused(() => kolmogorovSmirnovTest(recordedOnce([1]), new Histogram()), 'ERR_INCOMPATIBLE');
  });
});

function upTo(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i + 1);
}
