import {
  explicitLayout,
  exponentialLayout,
  Histogram,
  hdrLayout,
  type Layout,
  LayoutHistogram,
} from '@hdrscope/core';
import { resolutionOf, scaledLayout } from '@hdrscope/core/internal';
import fc from 'fast-check';
import { createRegistry, ingest } from '../src/index.ts';
import { boundsAtPercentiles, countInexact, countsAcross, endCounts } from '../src/internal.ts';

/** A series with values of buckets, and its family. */
function seriesOf(bounds: readonly number[], values: readonly number[], boundaries: readonly number[] = []) {
  const family = createRegistry().histogram({ name: 'x', unit: 's', significantDigits: 3, boundaries });
  const histogram = new LayoutHistogram(explicitLayout(bounds));
  histogram.recordValues(values);
  const series = family.with({});
  series.add(histogram);
  return { family, series };
}

test('percentiles of buckets have the bounds of the buckets, and values that were recorded beside them their own', () => {
  const { family, series } = seriesOf([1, 2.5], [1.7, 2, 3]);
  series.record(0.5);
  const { counts, reaches } = series.snapshot();
  const ends = endCounts(counts, reaches);
  expect(ends.wide).toBe(3);
  const [least, middle, most] = boundsAtPercentiles(family, ends, [0, 60, 100]);
  expect(least).toEqual({ lower: 0.499908608, upper: 0.500170751 });
  expect([middle!.lower, middle!.upper]).toEqual([expect.closeTo(1, 2), expect.closeTo(2.5, 2)]);
  expect([most!.lower, most!.upper]).toEqual([expect.closeTo(2.5, 2), Number.POSITIVE_INFINITY]);
  const empty = endCounts(family.with({ n: 1 }).snapshot().counts, undefined);
  expect(boundsAtPercentiles(family, empty, [50])).toEqual([{ lower: Number.NaN, upper: Number.NaN }]);
});

test.each([
  ['begins and ends at thresholds', [1, 2.5], [1, 2.5], [0, 0]],
  ['has a threshold inside', [1, 2.5], [1, 2, 2.5], [0, 1, 0]],
  ['begins below a threshold in the slot of the threshold', [0.99995, 2.5], [1], [1]],
  ['begins above a threshold in the slot of the threshold', [1.00005, 2.5], [1], [0]],
  ['ends above a threshold in the slot of the threshold', [0.5, 1.00005], [1], [1]],
  ['ends below a threshold in the slot of the threshold', [0.5, 0.99995], [1], [0]],
  ['has a threshold inside and is no wider than its slot', [0.99995, 1.00005], [1], [1]],
])('a bucket that %s has so many values on either side of each', (_, bounds, thresholds, across) => {
  const { family, series } = seriesOf(bounds, [(bounds[0]! + bounds[1]!) / 2], thresholds);
  const { counts, reaches } = series.snapshot();
  expect(countsAcross(thresholds, family, counts, reaches)).toEqual(across);
});

test('counts of whole slots may lie on either side of a threshold in their slot, and recorded values may not', () => {
  const { family, series } = seriesOf([1], [], [1]);
  series.record(1.00001);
  const before = series.snapshot();
  expect(before.reaches).toBeUndefined();
  const histogram = new Histogram({ layout: family.layout });
  histogram.record(1_000_010_000);
  series.add(histogram);
  const { counts, reaches } = series.snapshot();
  expect(endCounts(counts, reaches).wide).toBe(0);
  expect(countsAcross([1], family, counts, reaches)).toEqual([2]);
});

const value = fc.integer({ min: 1, max: 10_000_000 }).map((us) => us / 1e6);
const layout: fc.Arbitrary<Layout> = fc.oneof(
  fc
    .uniqueArray(value, { minLength: 1, maxLength: 5 })
    .map((bounds) => explicitLayout(bounds.sort((a, b) => a - b))),
  fc
    .integer({ min: 0, max: 5 })
    .map((scale) => exponentialLayout({ scale, minIndex: -20 * 2 ** scale, maxIndex: 5 * 2 ** scale })),
  fc
    .integer({ min: 0, max: 5 })
    .map((significantDigits) => hdrLayout({ highestTrackableValue: 100_000_000, significantDigits }))
    .map((inTicks) => scaledLayout(inTicks, resolutionOf(1e-6))),
);

test('no more values lie in other slots than an ingestion and a series state, for any layouts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ layout, values: fc.array(value, { minLength: 1, maxLength: 10 }) }), {
        maxLength: 4,
      }),
      fc.integer({ min: 1, max: 4 }),
      (parts, significantDigits) => {
        const family = { name: 'x', unit: 's', significantDigits };
        const truth = createRegistry().histogram(family);
        const registry = createRegistry();
        const series = registry.histogram(family).with({});
        const ingestion = ingest(registry, { name: 'any' });
        for (const { layout, values } of parts) {
          const counted = new LayoutHistogram(layout);
          counted.recordValues(values);
          ingestion.take([
            {
              key: '',
              family: { name: 'x', unit: 's' },
              attributes: {},
              counted,
              counter: { temporality: 'delta' },
            },
          ]);
          for (const one of values) truth.with({}).record(one);
        }
        const [shown, exact] = [series.snapshot(), truth.with({}).snapshot()];
        let misplaced = 0;
        for (let slot = 0; slot <= Math.max(shown.counts.last, exact.counts.last); slot++) {
          misplaced += Math.max(0, shown.counts.at(slot) - exact.counts.at(slot));
        }
        expect(misplaced).toBeLessThanOrEqual(ingestion.health.inexact);
        expect(misplaced).toBeLessThanOrEqual(countInexact(shown));
      },
    ),
  );
});
