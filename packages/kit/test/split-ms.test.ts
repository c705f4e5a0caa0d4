import fc from 'fast-check';
import { splitMs } from '../src/index.ts';

test.each([
  [0, [0, 0]],
  [1_700_000_000_123.5, [1_700_000_000, 123_500_000]],
  [999.999_999_9, [0, 999_999_999]],
  [-0.25, [-1, 999_750_000]],
])('%p ms are %j', (ms, parts) => {
  expect(splitMs(ms)).toEqual(parts);
});

test('the parts are the time, and the nanoseconds are less than a second', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e12, max: 1e13, noNaN: true }), (ms) => {
      const [seconds, nanoseconds] = splitMs(ms);
      expect(Number.isInteger(seconds) && nanoseconds >= 0 && nanoseconds < 1e9).toBe(true);
      expect(Math.abs(seconds * 1000 + nanoseconds / 1e6 - ms)).toBeLessThanOrEqual(0.002);
    }),
  );
});
