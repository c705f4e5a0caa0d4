import { countText, formatCount, formatShortCount } from '../src/count-text.ts';

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [1_234_567, '1,234,567'],
  [2 ** 53, '9,007,199,254,740,992'],
  [0.12345, '0.123'],
])('%d is %s', (count, text) => {
  expect(formatCount(count)).toBe(text);
});

test.each([
  [999, '999'],
  [1234, '1.2k'],
  [9950, '10k'],
  [84_321, '84k'],
  [999_999, '1M'],
  [1e15, '1P'],
])('%d is %s where there is little room', (count, text) => {
  expect(formatShortCount(count)).toBe(text);
});

test('one of a thing has no plural', () => {
  expect([countText(1), countText(2), countText(1, 'slots')]).toEqual(['1 value', '2 values', '1 slot']);
});
