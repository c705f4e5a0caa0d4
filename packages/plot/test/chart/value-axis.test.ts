import fc from 'fast-check';
import { labelsOf, linearRange, logRange } from '../../src/chart/value-axis.ts';

const units = fc.constantFrom('ns', 'us', 'ms', 's', 'bytes', 'KiB', 'none' as const);

test.each([
  ['ms', [250], ['0', '50 ms', '100 ms', '150 ms', '200 ms', '250 ms']],
  ['s', [55], ['0', '10 s', '20 s', '30 s', '40 s', '50 s', '1 min']],
  ['bytes', [900_000], ['0', '256 KiB', '512 KiB', '768 KiB', '1 MiB']],
  ['none', [-3, 7], ['-4', '-2', '0', '2', '4', '6', '8']],
  ['us', [], ['0', '200 ns', '400 ns', '600 ns', '800 ns', '1 µs']],
] as const)('a linear axis in %s has steps that people count in', (unit, values, labels) => {
  expect(labelsOf(linearRange(values, unit), unit)).toEqual(labels);
});

test.each([
  ['ns', [1200, 3_000_000], ['1 µs', '10 µs', '100 µs', '1 ms']],
  ['s', [2, 5000], ['10 s', '1 min', '10 min', '1 h']],
  ['none', [3, 8e6], ['10', '100', '1,000', '10,000', '100,000', '1M', '10M']],
  ['us', [130, 900], ['100 µs', '200 µs', '500 µs', '1 ms']],
  ['KiB', [4, 64], ['4 KiB', '8 KiB', '16 KiB', '32 KiB', '64 KiB']],
] as const)('a logarithmic axis in %s has ticks on both sides of its values', (unit, values, labels) => {
  expect(labelsOf(logRange(values, unit), unit)).toEqual(labels);
});

test.each([
  ['linear', linearRange],
  ['logarithmic', logRange],
])('a %s axis holds all values, with few ascending ticks', (_, rangeOf) => {
  const values = fc.array(fc.double({ min: 1e-3, max: 1e15, noNaN: true }), { minLength: 1 });
  fc.assert(
    fc.property(values, units, (all, unit) => {
      const { min, max, ticks } = rangeOf(all, unit);
      expect(min).toBeLessThanOrEqual(Math.min(...all) * (1 + 1e-8));
      expect(max).toBeGreaterThanOrEqual(Math.max(...all) * (1 - 1e-8));
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(20);
      expect(ticks.every((tick, i) => i === 0 || tick > ticks[i - 1]!)).toBe(true);
    }),
  );
});

test('zeros are at the beginning of a logarithmic axis, which is labelled so', () => {
  const range = logRange([0, 20, 50], 'none');
  expect(range).toMatchObject({ min: 10, max: 50, ticks: [10, 20, 50], hasZero: true });
  expect(labelsOf(range, 'none')).toEqual(['0', '20', '50']);
  expect(labelsOf(logRange([0], 'none'), 'none')).toEqual(['0', '1', '2', '5', '10']);
});
