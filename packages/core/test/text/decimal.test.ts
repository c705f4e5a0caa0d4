import fc from 'fast-check';
import { formatDecimal } from '../../src/text/decimal.ts';

// Java's `%.{decimals}f` rounds the shortest decimal of the double, half up.
test.each([
  [1.005, 2, '1.01'],
  [2.675, 2, '2.68'],
  [0.3545, 3, '0.355'],
  [0.125, 2, '0.13'],
  [0.5, 0, '1'],
  [1.5, 0, '2'],
  [2.5, 0, '3'],
  [0.4999, 0, '0'],
  [0.05, 1, '0.1'],
  [0.049, 1, '0.0'],
  [9.995, 2, '10.00'],
  [999.9999, 3, '1000.000'],
  [0, 0, '0'],
  [0, 3, '0.000'],
  [1e-7, 3, '0.000'],
  [5e-324, 2, '0.00'],
  [123456789.125, 2, '123456789.13'],
  [1e21, 2, '1000000000000000000000.00'],
  [1.7976931348623157e308, 0, `17976931348623157${'0'.repeat(292)}`],
  [2 ** 53 - 1, 3, '9007199254740991.000'],
  [-1.005, 2, '-1.01'],
  [-0.001, 2, '-0.00'],
  [-0, 1, '-0.0'],
  [Number.NaN, 2, 'NaN'],
  [Number.POSITIVE_INFINITY, 2, 'Infinity'],
  [Number.NEGATIVE_INFINITY, 2, '-Infinity'],
])('%d with %d decimals is %s', (x, decimals, text) => {
  expect(formatDecimal(x, decimals)).toBe(text);
});

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const decimals = fc.nat(12);

test('agrees with rounding in decimal digits', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 15n), fc.nat(8), decimals, (digits, scale, kept) => {
      // digits / 10^scale is its own shortest decimal, because it has at most 15 digits.
      const x = Number(`${digits}e-${scale}`);
      const [whole, part] = [10n ** BigInt(scale), 10n ** BigInt(kept)];
      const halfUp = (2n * digits * part + whole) / (2n * whole);
      const text = halfUp.toString().padStart(kept + 1, '0');
      const expected = kept === 0 ? text : `${text.slice(0, -kept)}.${text.slice(-kept)}`;
      expect(formatDecimal(x, kept)).toBe(expected);
    }),
    { numRuns: 500 },
  );
});

test('is within half of the last decimal', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.nat(6), (x, kept) => {
      expect(Math.abs(Number(formatDecimal(x, kept)) - x)).toBeLessThanOrEqual(
        0.5 * 10 ** -kept + Math.abs(x) * Number.EPSILON,
      );
    }),
  );
});

test('always has as many decimals as asked for', () => {
  fc.assert(
    fc.property(finite, fc.integer({ min: 1, max: 12 }), (x, kept) => {
      expect(formatDecimal(x, kept)).toMatch(new RegExp(`^-?\\d+\\.\\d{${kept}}$`));
    }),
  );
});

test('prints a negative number as a sign before the positive one', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, noNaN: true }), decimals, (x, kept) => {
      expect(formatDecimal(-x, kept)).toBe(`-${formatDecimal(x, kept)}`);
    }),
  );
});
