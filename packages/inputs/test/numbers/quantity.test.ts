import { measureOf, numberWithUnit, quantityIn, unitsPer } from '../../src/numbers/number-unit.ts';

test.each([
  ['12ms', 'time', 12e6, 'ms'],
  ['1.5 s', 'time', 1.5e9, 's'],
  ['800us', 'time', 800e3, 'us'],
  ['800\u00b5s', 'time', 800e3, 'us'],
  ['7ns', 'time', 7, 'ns'],
  ['0.3ns', 'time', 0.3, 'ns'],
  ['1.1s', 'time', 1.1e9, 's'],
  ['1h30m', 'time', 5400e9, 's'],
  ['4KiB', 'size', 4096, 'KiB'],
  ['1.5 MiB', 'size', 1_572_864, 'KiB'],
  ['100MB', 'size', 1e8, 'bytes'],
])('%s is a number with a unit', (text, measure, amount, unit) => {
  expect(numberWithUnit(text)).toEqual({ measure, amount, unit });
});

test.each(['12', '', 'ms', '-1ms', '12 parsecs', '1e3ms'])('%j is no number with a unit', (text) => {
  expect(numberWithUnit(text)).toBeUndefined();
});

test('a quantity is converted to units of its kind only', () => {
  const quantity = numberWithUnit('1.5s')!;
  expect([quantityIn(quantity, 'ms'), quantityIn(quantity, 's')]).toEqual([1500, 1.5]);
  expect([quantityIn(quantity, 'KiB'), quantityIn(quantity, 'none')]).toEqual([undefined, undefined]);
  expect([unitsPer('s', 'ms'), unitsPer('KiB', 'bytes'), unitsPer('ms', 'KiB')]).toEqual([
    1000,
    1024,
    undefined,
  ]);
  expect([measureOf('us'), measureOf('bytes'), measureOf('none')]).toEqual(['time', 'size', undefined]);
});
