import { refusalOf } from '@hdrscope/testing/refusals';
import fc from 'fast-check';
import { createRegistry, type Family, valuesAtPercentiles } from '../src/index.ts';

function percentilesOf(family: Family, percentiles: readonly number[]): number[] {
  return valuesAtPercentiles(family, family.snapshot().series[0]!, percentiles);
}

test('percentiles are in the unit of the family, in the order of the request', () => {
  const family = createRegistry().histogram({ name: 'x', unit: 's', significantDigits: 3 });
  for (let ms = 1; ms <= 1000; ms++) family.with({}).record(ms / 1000);
  const [p99, p50, p100, p0] = percentilesOf(family, [99, 50, 100, 0]);
  expect(p99).toBeCloseTo(0.99, 3);
  expect(p50).toBeCloseTo(0.5, 3);
  expect(p100).toBeGreaterThanOrEqual(1);
  expect(p0).toBeLessThanOrEqual(0.001);
});

test('a percentile is the exact order statistic, to the significant digits', () => {
  const seconds = fc.integer({ min: 1, max: 10 ** 12 }).map((ns) => ns / 1e9);
  fc.assert(
    fc.property(
      fc.array(seconds, { minLength: 1, maxLength: 50 }),
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 4 }),
      (values, percentile, significantDigits) => {
        const family = createRegistry().histogram({ name: 'x', unit: 's', significantDigits });
        for (const value of values) family.with({}).record(value);
        const rank = Math.ceil((percentile * values.length) / 100);
        const exact = values.toSorted((a, b) => a - b)[rank - 1]!;
        const [read] = percentilesOf(family, [percentile]);
        expect(read).toBeGreaterThanOrEqual(exact * (1 - 1e-12));
        expect(read).toBeLessThanOrEqual(exact * (1 + 10 ** -significantDigits));
      },
    ),
  );
});

test('percentiles are in the unit when the resolution is larger than the unit too', () => {
  const family = createRegistry().histogram({ name: 'x', unit: 'By', resolution: 4096 });
  family.with({}).record(8192);
  expect(percentilesOf(family, [50])).toEqual([8192]);
});

test('percentiles of an empty series are 0, and an empty list gives an empty list', () => {
  const family = createRegistry().histogram({ name: 'x' });
  family.with({});
  expect(percentilesOf(family, [50, 99])).toEqual([0, 0]);
  expect(percentilesOf(family, [])).toEqual([]);
});

test('a percentile that is not a number is refused', () => {
  const family = createRegistry().histogram({ name: 'x' });
  family.with({});
  expect(refusalOf(() => percentilesOf(family, [50, Number.NaN])).code).toBe('ERR_INVALID_VALUE');
});
