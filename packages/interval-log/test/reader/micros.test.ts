import { toMicros } from '../../src/reader/time.ts';

test.each([
  [1441812279.474 + 0.526, 1441812280],
  // A log would have -0 as -0.000.
  [-1e-9, 0],
  [-1.5e-6, -1e-6],
  [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
])('%p seconds are %p', (seconds, rounded) => {
  expect(toMicros(seconds)).toBe(rounded);
});
