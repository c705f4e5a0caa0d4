import fc from 'fast-check';
import { middle, nextDown, nextUp } from '../src/double.ts';

const any = fc.double({ noNaN: true });
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });

test.each([
  [1, 1 - 2 ** -53],
  [-1, -1 - 2 ** -52],
  [0, -Number.MIN_VALUE],
  [-0, -Number.MIN_VALUE],
  [Number.MIN_VALUE, 0],
  [2 ** 53, 2 ** 53 - 1],
  [-Number.MAX_VALUE, Number.NEGATIVE_INFINITY],
  [Number.POSITIVE_INFINITY, Number.MAX_VALUE],
  [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
  [Number.NaN, Number.NaN],
])('the double below %d is %d', (x, below) => {
  expect(nextDown(x)).toBe(below);
  expect(nextUp(-x)).toBe(-below);
});

test('there is no double between one and the next', () => {
  fc.assert(
    fc.property(any, (x) => {
      if (x === Number.NEGATIVE_INFINITY) return;
      const below = nextDown(x);
      expect(below).toBeLessThan(x);
      expect(nextUp(below) === x).toBe(true);
      const between = below / 2 + x / 2;
      expect(between <= below || between >= x || !Number.isFinite(between)).toBe(true);
    }),
  );
});

test('the middle lies between two finite numbers, and is finite', () => {
  fc.assert(
    fc.property(finite, finite, (a, b) => {
      const [lower, upper] = [Math.min(a, b), Math.max(a, b)];
      const between = middle(lower, upper);
      expect([lower <= between, between <= upper, Number.isFinite(between)]).toEqual([true, true, true]);
    }),
  );
  expect(middle(-1.7e308, 1.7e308)).toBe(0);
  expect(middle(1, 2)).toBe(1.5);
});
