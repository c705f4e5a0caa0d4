import { shareText } from '../../src/check/percent-text.ts';

test.each([
  [0, '0 %'],
  [1, '100 %'],
  [0.5, '50 %'],
  [0.9995, '99.95 %'],
  [0.99999999, '99.999999 %'],
  [0.001, '0.1 %'],
  [1 / 3, '33.3 %'],
  [0.000_000_1, '0.00001 %'],
])('shows %d as %s', (share, text) => {
  expect(shareText(share)).toBe(text);
});
