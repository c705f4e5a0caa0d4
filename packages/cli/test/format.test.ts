import { formatCount, groupedDigits, withoutLastZeros } from '../src/format.ts';

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
