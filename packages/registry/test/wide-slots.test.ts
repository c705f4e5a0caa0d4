import {
  type Counted,
  countedIn,
  explicitLayout,
  exponentialLayout,
  findQuantile,
  type HdrLayout,
  Histogram,
  HistogramSum,
  LayoutHistogram,
  percentileInterval,
  Recorder,
} from '@hdrscope/core';
import { countWithin, meanBounds } from '@hdrscope/core/internal';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { createRegistry, type Registry, type SeriesSnapshot } from '../src/index.ts';
import { hasReach, ReachList } from '../src/reach.ts';
import { remoteOf } from './support/remotes.ts';

const OPTIONS = { name: 'jobs', unit: '', resolution: 1, significantDigits: 5 } as const;

/** 500 values of 100,900, which two digits know as 100,864 to 101,375. */
function coarse(): Histogram {
  const histogram = new Histogram({ significantDigits: 2, highestTrackableValue: 1_000_000 });
  histogram.record(100_900, 500);
  return histogram;
}

async function onlySeries(registry: Registry): Promise<SeriesSnapshot> {
  const [series] = (await registry.gather()).families.flatMap((family) => family.series);
  return series!;
}

/** Everything that is said of these values has room for the truth. */
function expectHonest(counted: Counted<HdrLayout>, values = 500): void {
  const { lower, upper } = percentileInterval(counted, 99);
  expect([lower <= 100_900, upper >= 100_900]).toEqual([true, true]);
  const quantile = findQuantile(counted, 0.5);
  expect([quantile.lower <= 100_900, quantile.upper >= 100_900]).toEqual([true, true]);
  expect(countWithin(counted, 101_000)).toEqual({ lower: 0, upper: values });
  const mean = meanBounds(counted);
  expect([mean.lower <= 100_900, mean.upper >= 100_900]).toEqual([true, true]);
  const sum = new HistogramSum();
  sum.add(counted);
  expect(sum.countWithin(101_000)).toEqual({ lower: 0, upper: values });
}

describe('a series that took slots of fewer digits', () => {
  test('is honest, as a series and as a histogram, with all values and with those of an interval', async () => {
    const registry = createRegistry();
    const series = registry.histogram(OPTIONS).with({});
    series.add(coarse());
    const first = await registry.gather();
    for (const counted of [series.snapshot(), series.snapshot().histogram]) expectHonest(counted);
    series.add(coarse());
    const [since] = (await registry.gather()).since(first).families.flatMap((family) => family.series);
    for (const counted of [since!, since!.histogram]) expectHonest(counted);
  });

  test('is honest in a registry that collects from its thread', async () => {
    const main = createRegistry();
    const { registry } = remoteOf(main);
    registry.histogram(OPTIONS).with({}).add(coarse());
    expectHonest(await onlySeries(main));
  });

  test('is honest in another registry and in another histogram', async () => {
    const series = createRegistry().histogram(OPTIONS).with({});
    series.add(coarse());
    const other = createRegistry();
    other.histogram(OPTIONS).with({}).add(series.snapshot());
    expectHonest(await onlySeries(other));
    const fine = new Histogram({ significantDigits: 4, autoResize: true });
    fine.add(series.snapshot());
    expectHonest(fine);
    const recorder = new Recorder({ significantDigits: 5 });
    recorder.record(7);
    const interval = recorder.intervalHistogram();
    interval.add(series.snapshot().histogram);
    expect(percentileInterval(interval, 100).upper).toBeGreaterThanOrEqual(100_900);
  });

  test('has exact values again in an interval without such counts', async () => {
    const registry = createRegistry();
    const series = registry.histogram(OPTIONS).with({});
    series.add(coarse());
    const first = await registry.gather();
    series.record(7);
    const [since] = (await registry.gather()).since(first).families.flatMap((family) => family.series);
    expect(percentileInterval(since!, 50)).toMatchObject({ value: 7, lower: 7, upper: 7 });
    expect(since!.placedFrom).toBeUndefined();
  });
});

test('a bucket without an end has no largest value, and moves none below it', () => {
  const series = createRegistry().histogram(OPTIONS).with({});
  series.record(50);
  series.add(countedIn(explicitLayout([100, 500]), [0, 0, 3]));
  const { histogram } = series.snapshot();
  expect(findQuantile(histogram, 1).upper).toBe(Number.POSITIVE_INFINITY);
  expect(findQuantile(histogram, 0)).toMatchObject({ lower: 50, value: 50 });
});

describe('a series of unlike parts', () => {
  const parts = fc
    .tuple(
      fc.oneof(
        fc.constant(undefined),
        fc.nat(5).map((significantDigits) => (values: readonly number[]): Counted => {
          const histogram = new Histogram({ significantDigits, highestTrackableValue: 1_000_000 });
          histogram.recordValues(values);
          return histogram;
        }),
        fc
          .oneof(
            fc
              .uniqueArray(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 6 })
              .map((bounds) => explicitLayout(bounds.sort((a, b) => a - b))),
            fc
              .integer({ min: -1, max: 4 })
              .map((scale) =>
                exponentialLayout({ scale, minIndex: 0, maxIndex: 20 * 2 ** Math.max(scale, 0) }),
              ),
          )
          .map((layout) => (values: readonly number[]): Counted => {
            const histogram = new LayoutHistogram(layout);
            histogram.recordValues(values);
            return histogram;
          }),
      ),
      fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 12 }),
    )
    .map(([count, values]) => ({ count, values }));

  test('has room for the truth in every answer, here and in a collecting registry', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(parts, { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        async (all, isRemote) => {
          const main = createRegistry();
          const { registry } = isRemote ? remoteOf(main) : { registry: main };
          const series = registry.histogram({ ...OPTIONS, significantDigits: 3 }).with({});
          for (const { count, values } of all) {
            if (count === undefined) for (const value of values) series.record(value);
            else series.add(count(values));
          }
          const truth = all.flatMap(({ values }) => values).sort((a, b) => a - b);
          const snapshot = await onlySeries(main);
          for (const counted of [snapshot, snapshot.histogram]) {
            for (const q of [0, 0.1, 0.5, 0.9, 1]) {
              const value = truth[Math.max(1, Math.ceil(q * truth.length - 1e-9)) - 1]!;
              const { lower, upper } = findQuantile(counted, q);
              if (lower > value || upper < value)
                throw new Error(`${q}: ${value} is not from ${lower} to ${upper}`);
            }
            for (const limit of [1, 100, 1000, 5000, 20_000]) {
              const within = truth.filter((value) => value <= limit).length;
              const { lower, upper } = countWithin(counted, limit);
              if (lower > within || upper < within)
                throw new Error(`${within} within ${limit}, not from ${lower} to ${upper}`);
            }
          }
        },
      ),
      { numRuns: caseCount(300, 10_000) },
    );
  });
});

test('a reach that another one has changes nothing there', () => {
  const flag = fc.constantFrom(true, undefined);
  const reach = fc.record({
    first: fc.integer({ min: 0, max: 3 }),
    last: fc.integer({ min: 3, max: 6 }),
    startsAbove: flag,
    endsWithin: flag,
  });
  fc.assert(
    fc.property(reach, reach, (known, added) => {
      const list = new ReachList();
      list.widen(3, known);
      list.widen(3, added);
      const isSame = JSON.stringify(list.get(3)) === JSON.stringify(known);
      const hasNoThreshold = !known.startsAbove && !known.endsWithin;
      expect(hasReach(known, added)).toBe(isSame && hasNoThreshold);
    }),
  );
});
