import { nanosecondsPer, TIME_UNITS } from '../src/index.ts';

test('every unit of time has more nanoseconds than the one before', () => {
  const sizes = TIME_UNITS.map((unit) => nanosecondsPer(unit));
  expect(sizes).toEqual([1, 1e3, 1e6, 1e9, 60e9, 3600e9]);
});

test.each(['', 'm', 'By', 'toString'])('%j is no unit of time', (unit) => {
  expect(nanosecondsPer(unit)).toBeUndefined();
});
