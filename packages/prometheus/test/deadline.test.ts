import { deadlineOf, TimeoutError, within } from '../src/deadline.ts';

test.each([
  ['1', { softMs: 800, hardMs: 900 }],
  ['0.5', { softMs: 400, hardMs: 450 }],
  ['10', { softMs: 9000, hardMs: 9500 }],
  ['30', { softMs: 29_000, hardMs: 29_500 }],
])('the limits are shorter than a scraper waits: %s s', (header, expected) => {
  expect(deadlineOf(header, 10_000)).toEqual(expected);
});

test.each([undefined, '', '0', '-1', 'soon', 'NaN'])('the header %p leaves the default', (header) => {
  expect(deadlineOf(header, 1000)).toEqual({ softMs: 800, hardMs: 900 });
});

test.each(['1e300', 'Infinity'])('a wait of %s s is cut to the longest that a timer takes', (header) => {
  expect(deadlineOf(header, 10_000).hardMs).toBeLessThan(2 ** 31);
});

test('a promise that settles in time passes on its result or its failure', async () => {
  await expect(within(Promise.resolve(7), 1000)).resolves.toBe(7);
  await expect(within(Promise.reject(new Error('broken')), 1000)).rejects.toThrow('broken');
});

test('a promise that takes too long is refused, and its later failure is ignored', async () => {
  let fail = (_: Error): void => {};
  const promise = new Promise<never>((_, reject) => {
    fail = reject;
  });
  await expect(within(promise, 5)).rejects.toThrow(new TimeoutError('not done within 5 ms'));
  fail(new Error('later'));
});

test('an infinite timeout is allowed', async () => {
  await expect(within(Promise.resolve(7), Number.POSITIVE_INFINITY)).resolves.toBe(7);
});
