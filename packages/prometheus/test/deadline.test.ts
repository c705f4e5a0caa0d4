import { deadlineOf } from '../src/deadline.ts';

test.each([
  ['1', { patientMs: 500, softMs: 800, hardMs: 900 }],
  ['0.5', { patientMs: 250, softMs: 400, hardMs: 450 }],
  ['10', { patientMs: 5000, softMs: 9000, hardMs: 9500 }],
  ['30', { patientMs: 5000, softMs: 29_000, hardMs: 29_500 }],
])('the limits are shorter than a scraper waits: %s s', (header, expected) => {
  expect(deadlineOf(header, 10_000)).toEqual(expected);
});

test.each([undefined, '', '0', '-1', 'soon', 'NaN'])('the header %p leaves the default', (header) => {
  expect(deadlineOf(header, 1000)).toEqual({ patientMs: 500, softMs: 800, hardMs: 900 });
  expect(deadlineOf(header, 10_000).patientMs).toBe(500);
});

test.each(['1e300', 'Infinity'])('a wait of %s s is cut to the longest that a timer takes', (header) => {
  expect(deadlineOf(header, 10_000).hardMs).toBeLessThan(2 ** 31);
});
