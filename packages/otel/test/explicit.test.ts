import { createRegistry } from '@hdrscope/registry';
import fc from 'fast-check';
import { toExplicit } from '../src/explicit.ts';
import type { ExplicitHistogramValue } from '../src/sdk.ts';
import { dataSet } from './support/arbitraries.ts';
import { IntegerSeries, usedSlots } from './support/integer-series.ts';

const anyBoundaries: fc.Arbitrary<readonly number[]> = fc
  .uniqueArray(
    fc.oneof(
      fc.nat({ max: 1000 }),
      fc.integer({ min: 0, max: 50 }).map((exponent) => 2 ** exponent),
      fc.double({ min: 0, max: 2 ** 50, noNaN: true }).map((bound) => bound + 0),
    ),
    { maxLength: 12 },
  )
  .map((bounds) => bounds.toSorted((a, b) => a - b));

const COMMON_BOUNDARIES: readonly (readonly number[])[] = [
  [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10000],
  [1, 2, 4, 8, 16, 256, 512, 2 ** 10, 2 ** 20, 2 ** 30, 2 ** 40],
  [0.5, 255.5, 300.5, 1e3 + 0.5, 1e6 + 1 / 3],
  [299, 300, 301, 100_000, 100_001],
  [0],
];

/**
 * Significant digits and boundaries. Each pair of layouts needs a table, and a table for many digits takes long to
 * build: those cases share boundaries.
 */
const digitsAndBoundaries: fc.Arbitrary<[significantDigits: number, bounds: readonly number[]]> = fc.oneof(
  fc.tuple(fc.constant(1), anyBoundaries),
  fc.tuple(fc.constantFrom(2, 3), fc.constantFrom(...COMMON_BOUNDARIES)),
  fc.tuple(fc.constant(4), fc.constantFrom(...COMMON_BOUNDARIES.slice(0, 1))),
);

function convert(series: IntegerSeries, bounds: readonly number[]): ExplicitHistogramValue {
  return toExplicit(series.snapshot(), series.family, bounds);
}

/** The bucket of a value, upper bounds included. */
function referenceBucket(bounds: readonly number[], value: number): number {
  const bucket = bounds.findIndex((bound) => value <= bound);
  return bucket === -1 ? bounds.length : bucket;
}

function referenceCounts(bounds: readonly number[], values: readonly number[]): number[] {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  for (const value of values) counts[referenceBucket(bounds, value)]! += 1;
  return counts;
}

test('the result differs from direct bucketing of the raw values at most by the counts of straddling slots', () => {
  const data = digitsAndBoundaries.chain(([digits, bounds]) =>
    fc.tuple(fc.constant(digits), fc.constant(bounds), dataSet(digits)),
  );
  fc.assert(
    fc.property(data, ([digits, bounds, values]) => {
      const series = new IntegerSeries(digits, values);
      const { buckets, count } = convert(series, bounds);
      expect(count).toBe(values.length);
      expect(buckets.counts).toHaveLength(bounds.length + 1);
      expect(buckets.counts.reduce((left, right) => left + right, 0)).toBe(count);

      const straddling = usedSlots(series.snapshot().histogram)
        .filter(({ lower, upper }) => referenceBucket(bounds, lower) !== referenceBucket(bounds, upper))
        .reduce((sum, one) => sum + one.count, 0);
      const misplaced = referenceCounts(bounds, values).reduce(
        (sum, expected, i) => sum + Math.abs(expected - buckets.counts[i]!) / 2,
        0,
      );
      expect(misplaced).toBeLessThanOrEqual(straddling);
    }),
    { numRuns: 200 },
  );
});

test('the result is exact when each slot holds one integer', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 31 })), anyBoundaries, (values, bounds) => {
      expect(convert(new IntegerSeries(1, values), bounds).buckets.counts).toEqual(
        referenceCounts(bounds, values),
      );
    }),
  );
});

test('no bucket loses a count while its series counts on', () => {
  const data = digitsAndBoundaries.chain(([digits, bounds]) =>
    fc.tuple(fc.constant(digits), fc.constant(bounds), fc.array(dataSet(digits), { maxLength: 4 })),
  );
  fc.assert(
    fc.property(data, ([digits, bounds, batches]) => {
      const series = new IntegerSeries(digits);
      let before = new Array<number>(bounds.length + 1).fill(0);
      for (const batch of batches) {
        series.record(...batch);
        const { counts } = convert(series, bounds).buckets;
        for (const [i, count] of counts.entries()) expect(count).toBeGreaterThanOrEqual(before[i]!);
        before = counts;
      }
    }),
  );
});

test('boundaries are in the unit of the family', () => {
  const family = createRegistry().histogram({ name: 'x', unit: 's' });
  for (const seconds of [0.004, 0.0048, 0.0052, 0.2, 3, 100]) family.with({}).record(seconds);
  expect(toExplicit(family.snapshot().series[0]!, family, [0.005, 0.25, 2.5, 10])).toEqual({
    buckets: { boundaries: [0.005, 0.25, 2.5, 10], counts: [2, 2, 0, 1, 1] },
    count: 6,
    sum: 0.004 + 0.0048 + 0.0052 + 0.2 + 3 + 100,
    min: 0.004,
    max: 100,
  });
});

test('without boundaries there is one bucket', () => {
  expect(convert(new IntegerSeries(2, [1, 2, 3]), []).buckets).toEqual({ boundaries: [], counts: [3] });
});

test('a series without values has no minimum and no maximum', () => {
  expect(convert(new IntegerSeries(), [1])).toStrictEqual({
    buckets: { boundaries: [1], counts: [0, 0] },
    sum: 0,
    count: 0,
  });
});

test('a result may be changed without changing the next one', () => {
  const bounds = [10, 20];
  const series = new IntegerSeries(2, [5, 15, 25]);
  const first = convert(series, bounds);
  first.buckets.boundaries.push(30);
  first.buckets.counts.fill(0);
  expect(convert(series, bounds).buckets).toEqual({ boundaries: [10, 20], counts: [1, 1, 1] });
});

test('negative boundaries have no values below them', () => {
  expect(convert(new IntegerSeries(2, [0, 1]), [-10, -1, 0, 1]).buckets.counts).toEqual([0, 0, 1, 1, 0]);
});
