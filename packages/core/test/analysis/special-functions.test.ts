import fc from 'fast-check';
import { betaParts, stirlingRest } from '../../src/analysis/incomplete-beta.ts';
import { kolmogorovUpperTail } from '../../src/analysis/kolmogorov-distribution.ts';
import { normalUpperQuantile, normalUpperTail } from '../../src/analysis/normal.ts';
import { studentUpperQuantile, studentUpperTail } from '../../src/analysis/student-t.ts';
import { expectWithin, goldens } from './goldens.ts';

// Golden numbers: SciPy and mpmath.

describe('the incomplete beta function', () => {
  test.each(goldens.beta)('of %d, %d at odds of %d', (a, b, odds, below, above) => {
    const parts = betaParts(a!, b!, odds!);
    const isBelow = below! < above!;
    const [smaller, expected] = isBelow ? [parts.below, below!] : [parts.above, above!];
    // The odds are rounded to a double, and this computation adds a rounding error of its own.
    const perStep = (parts.logOddsDensity / smaller) * Number.EPSILON;
    expectWithin(smaller, expected, 1e-12 + 2 * perStep);
    expectWithin(parts.below + parts.above, 1, 1e-15);
  });

  test('is mirrored when its parameters are swapped', () => {
    const parameter = fc.double({ min: 0.5, max: 1e6, noNaN: true });
    const log = fc.double({ min: -20, max: 20, noNaN: true });
    fc.assert(
      fc.property(parameter, parameter, log, (a, b, logOdds) => {
        const [parts, swapped] = [betaParts(a, b, Math.exp(logOdds)), betaParts(b, a, Math.exp(-logOdds))];
        expect(Math.abs(parts.below - swapped.above)).toBeLessThanOrEqual(1e-11);
        expect(Math.abs(parts.above - swapped.below)).toBeLessThanOrEqual(1e-11);
      }),
    );
  });

  test('goes from 0 to 1', () => {
    for (const [a, b] of [
      [0.5, 0.5],
      [0.5, 2 ** 53],
      [2 ** 53, 0.5],
      [7, 3],
      [2 ** 52, 2 ** 53],
    ] as const) {
      expect([betaParts(a, b, 0).below, betaParts(a, b, 0).above]).toEqual([0, 1]);
      expect([betaParts(a, b, Infinity).below, betaParts(a, b, Infinity).above]).toEqual([1, 0]);
      let before = 0;
      for (let exponent = -1000; exponent <= 1000; exponent += 10) {
        const { below } = betaParts(a, b, 2 ** exponent);
        expect(below).toBeGreaterThanOrEqual(before);
        before = below;
      }
    }
  });
});

test.each(goldens.stirlingRest)('the rest of Stirling’s formula at %d', (z, rest) => {
  expect(Math.abs(stirlingRest(z!) - rest!)).toBeLessThanOrEqual(1e-15);
});

describe('the normal distribution', () => {
  test.each(goldens.normal)('beyond %d', (z, tail) => {
    expectWithin(normalUpperTail(z!), tail!, 1e-14);
    expectWithin(normalUpperTail(-z!), 1 - tail!, 1e-15);
  });

  test.each(goldens.normalQuantile)('leaves %d beyond its quantile', (tail, z) => {
    expectWithin(normalUpperQuantile(tail!), z!, 1e-12);
  });

  test('has its middle at 0, and is 0 beyond 40', () => {
    expect([normalUpperTail(0), normalUpperQuantile(0.5)]).toEqual([0.5, 0]);
    expect([normalUpperTail(40), normalUpperTail(1e200), normalUpperTail(Infinity)]).toEqual([0, 0, 0]);
  });
});

describe('Student’s distribution', () => {
  test.each(goldens.student)('beyond %d with %d degrees of freedom', (t, df, tail) => {
    expectWithin(studentUpperTail(t!, df!), tail!, 1e-12);
    expectWithin(studentUpperTail(-t!, df!), 1 - tail!, 1e-12);
  });

  test.each(goldens.studentQuantile)(
    'leaves %d, with %d degrees of freedom, beyond its quantile',
    (tail, df, t) => {
      expectWithin(studentUpperQuantile(tail!, df!), t!, 1e-12);
    },
  );

  test('has its middle at 0, and heavy tails', () => {
    expect(studentUpperTail(0, 5)).toBe(0.5);
    expect(studentUpperQuantile(0.5, 5)).toBe(0);
    expect(studentUpperTail(Infinity, 1)).toBe(0);
    // It is 1 / (π t) with one degree of freedom.
    expectWithin(studentUpperTail(1e100, 1), 1e-100 / Math.PI, 1e-12);
    expectWithin(studentUpperQuantile(1e-100, 1), 1e100 / Math.PI, 1e-12);
    expectWithin(studentUpperTail(3, 2 ** 54), normalUpperTail(3), 1e-12);
  });
});

test.each(goldens.kolmogorov)('the Kolmogorov distribution beyond %d', (x, tail) => {
  expectWithin(kolmogorovUpperTail(x!), tail!, 1e-14);
});
