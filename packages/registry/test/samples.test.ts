import { caseCount } from '@hdrscope/testing/case-count';
import { FakeClock } from '@hdrscope/testing/fake-clock';
import fc from 'fast-check';
import { Family } from '../src/family.ts';
import { bucketCounts } from '../src/index.ts';
import { recordSample } from '../src/internal.ts';
import { differenceOf } from '../src/series-snapshot.ts';

const THRESHOLDS = [5, 100];

const createFamily = (): Family =>
  new Family({ name: 'x', resolution: 1, thresholds: THRESHOLDS }, new FakeClock());

/** Values, of which some are at a threshold and some are rejected, each with the number of values that it stands for. */
const samples = fc.array(
  fc.tuple(
    fc.oneof(
      fc.double({ min: 0, max: 10_000, noNaN: true }),
      fc.constantFrom(0, 5, 5.2, 100, 100.4, -1, Number.NaN, 1e300, Number.POSITIVE_INFINITY),
    ),
    fc.integer({ min: 1, max: 40 }),
  ),
  { maxLength: 30 },
);

test('a value that stands for several counts as often as it would be recorded, at thresholds and when rejected too', () => {
  fc.assert(
    fc.property(samples, (all) => {
      const [sampled, recorded] = [createFamily(), createFamily()];
      const [a, b] = [sampled.with({}), recorded.with({})];
      for (const [value, count] of all) {
        const isCounted = recordSample(a, value, count);
        for (let i = 0; i < count; i++) expect(b.record(value)).toBe(isCounted);
      }
      const [one, other] = [a.snapshot(), b.snapshot()];
      expect(one.histogram.toBase64()).toBe(other.histogram.toBase64());
      expect(bucketCounts(sampled, one, THRESHOLDS)).toEqual(bucketCounts(recorded, other, THRESHOLDS));
      expect(Math.abs(one.sum - other.sum)).toBeLessThanOrEqual(1e-12 * other.sum);
      expect([one.min, one.max, one.rejected]).toEqual([other.min, other.max, other.rejected]);
    }),
    { numRuns: caseCount(200, 5000) },
  );
});

test('a snapshot knows how many values came, also between two snapshots', () => {
  fc.assert(
    fc.property(samples, samples, (before, after) => {
      const family = createFamily();
      const series = family.with({});
      const recordAll = (all: typeof before): typeof before =>
        all.filter(([value, count]) => recordSample(series, value, count));
      const earlier = recordAll(before);
      const then = series.snapshot();
      const later = recordAll(after);
      const came = later.length;
      const { counts, estimated, weight, histogram } = differenceOf(
        series.snapshot(),
        then,
        family.resolution,
        0,
      );
      const left = counts.total - (estimated?.sum ?? 0);
      expect(left).toBe(came);
      // Since the start: a value of the earlier time may have the largest weight.
      const most = Math.max(...[...earlier, ...later].map(([, count]) => count));
      expect(estimated).toEqual(
        left === counts.total
          ? undefined
          : { sum: counts.total - came, min: counts.total - came, max: counts.total - came, weight: most },
      );
      expect(weight).toBe(left === counts.total ? undefined : most);
      expect(histogram.weight).toBe(weight);
    }),
    { numRuns: caseCount(200, 5000) },
  );
});

test('a sample beyond the largest count is rejected as a whole', () => {
  const series = createFamily().with({});
  expect(recordSample(series, 1, Number.MAX_SAFE_INTEGER - 2)).toBe(true);
  expect(recordSample(series, 1, 3)).toBe(false);
  expect(recordSample(series, 1, 2)).toBe(true);
  const { counts, rejected } = series.snapshot();
  expect([counts.total, rejected.overflowing]).toEqual([Number.MAX_SAFE_INTEGER, 3]);
});

test('counts of a sample keep their weight where they are added, and none of their facts are known', () => {
  const [sampled, other] = [createFamily().with({}), createFamily().with({})];
  for (const weight of [10, 4]) recordSample(sampled, 7, weight);
  const { histogram, layout, counts, weight, sum } = sampled.snapshot();
  for (const counted of [histogram, { layout, counts, weight }]) {
    other.add(counted, { sum, min: 7, max: 7 });
    expect(other.snapshot().weight).toBe(10);
  }
  expect(other.snapshot().estimated).toEqual({ sum: 28, min: 28, max: 28, weight: 10 });
});

test('a sample of an ended series counts in the series that came after it', () => {
  const family = createFamily();
  const ended = family.with({ route: '/' });
  family.remove({ route: '/' });
  expect(recordSample(ended, 1, 10)).toBe(true);
  expect(family.with({ route: '/' }).snapshot().counts.total).toBe(10);
});
