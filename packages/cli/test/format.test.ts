import { formatBounds, formatCount, formatShare, groupDigits, trimZeros } from '@hdrscope/kit';
import { decimalText, signedText } from '../src/format.ts';

test.each([
  [-0.0004, '0.000'],
  [-0, '0.000'],
  [-0.0005, '-0.001'],
  [-12, '-12.000'],
  [0.0004, '0.000'],
  [Number.NEGATIVE_INFINITY, '-Infinity'],
])('%p with three decimals is shown as %s', (value, text) => {
  expect(decimalText(value, 3)).toBe(text);
});

test.each([
  [-0.04, '+0.0 %'],
  [-0.05, '-0.1 %'],
  [0, '+0.0 %'],
  [-10, '-10.0 %'],
])('the difference %p is shown as %s', (difference, text) => {
  expect(signedText(difference, (amount) => `${decimalText(amount, 1)} %`)).toBe(text);
});

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [1_234_567, '1,234,567'],
  [2n ** 63n, '9,223,372,036,854,775,808'],
  [1e21, '1e+21'],
])('the count %p is shown as %s', (count, text) => {
  expect(formatCount(count)).toBe(text);
});

test('digits have any separator', () => {
  expect(groupDigits(3_600_000, '_')).toBe('3_600_000');
});

test.each([
  ['1.500', '1.5'],
  ['2.00', '2'],
  ['0.010', '0.01'],
])('%s without its last zeros is %s', (decimal, text) => {
  expect(trimZeros(decimal)).toBe(text);
});

test.each([
  [{ lower: 1, upper: 2.5 }, '1.00 to 2.50'],
  [{ lower: 2.499, upper: 2.5 }, '2.50'],
  [{ lower: 1, upper: Number.POSITIVE_INFINITY }, '1.00 or more'],
  [{ lower: Number.NEGATIVE_INFINITY, upper: 1 }, '1.00 or less'],
  [{ lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY }, 'any'],
  [{ lower: Number.NaN, upper: Number.NaN }, '-'],
])('the bounds %p are shown as %s', (bounds, text) => {
  expect(formatBounds(bounds, (value) => value.toFixed(2))).toBe(text);
});

test.each([
  [{ lower: 0.5, upper: 0.75 }, '50 to 75 %'],
  [{ lower: 1, upper: 1 }, '100 %'],
])('a unit of both ends of %p stands once: %s', (bounds, text) => {
  expect(formatBounds(bounds, formatShare)).toBe(text);
});

test.each([
  [0, '0 %'],
  [1, '100 %'],
  [0.5, '50 %'],
  [0.9995, '99.95 %'],
  [0.99999999, '99.999999 %'],
  [0.001, '0.1 %'],
  [1 / 3, '33.3 %'],
  [0.000_000_1, '0.00001 %'],
])('the share %d is shown as %s', (share, text) => {
  expect(formatShare(share)).toBe(text);
});
