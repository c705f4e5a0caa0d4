import { nanosecondsPer } from '../src/index.ts';

test.each([
  ['ns', 1],
  ['us', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['min', 60e9],
  ['h', 3600e9],
])('one %s has %d ns', (unit, ns) => {
  expect(nanosecondsPer(unit)).toBe(ns);
});

test.each(['', 'm', 'By', 'toString'])('%j is no unit of time', (unit) => {
  expect(nanosecondsPer(unit)).toBeUndefined();
});
