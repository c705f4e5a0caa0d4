import { backoffMs, retryAfterMs } from '../../src/delivery/index.ts';

const NOW = Date.UTC(2026, 10, 22, 12, 0, 0);

test.each([
  ['0', 0],
  ['120', 120_000],
  ['Sun, 22 Nov 2026 12:00:05 GMT', 5000],
  ['Sunday, 22-Nov-26 12:00:05 GMT', 5000],
  ['Sun, 22 Nov 2026 11:59:00 GMT', 0],
  ['-1', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['9999999999', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %p is %p ms', (value, expected) => {
  expect(retryAfterMs(value, NOW)).toBe(expected);
});

test('a wait doubles with each failure, up to 30 s, and is up to a half shorter by chance', () => {
  const bounds = [1, 2, 3, 4, 5, 6, 7, 1000].map((failures) => {
    const waits = Array.from({ length: 500 }, () => backoffMs(failures, 60_000, undefined, 0));
    return [Math.min(...waits) >= 500 * Math.min(30, 2 ** (failures - 1)), Math.max(...waits)] as const;
  });
  expect(bounds.every(([isLongEnough]) => isLongEnough)).toBe(true);
  for (const [i, [, longest]] of bounds.entries()) {
    expect(longest).toBeLessThanOrEqual(1000 * Math.min(30, 2 ** i));
    expect(longest).toBeGreaterThan(900 * Math.min(30, 2 ** i));
  }
});

test('the first wait is not longer than the interval', () => {
  expect(backoffMs(1, 100, undefined, 0)).toBeLessThanOrEqual(100);
});

test('a wait is as long as the receiver asks for, up to a limit', () => {
  expect(backoffMs(1, 1000, { isFinal: false, retryAfterMs: 45_000 }, 3_600_000)).toBe(45_000);
  expect(backoffMs(1, 1000, { isFinal: false, retryAfterMs: 1e12 }, 60_000)).toBe(60_000);
});

test('after an answer that is final, no wait is shorter than the interval', () => {
  expect(backoffMs(1, 60_000, { isFinal: true }, 0)).toBe(60_000);
});
