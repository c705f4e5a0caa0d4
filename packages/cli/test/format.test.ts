import { decimalText, formatCount, groupedDigits, signedText, withoutLastZeros } from '../src/format.ts';

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
  expect(groupedDigits(3_600_000, '_')).toBe('3_600_000');
});

test.each([
  ['1.500', '1.5'],
  ['2.00', '2'],
  ['0.010', '0.01'],
])('%s without its last zeros is %s', (decimal, text) => {
  expect(withoutLastZeros(decimal)).toBe(text);
});
