import { countedIn, explicitLayout, Histogram, hdrLayout } from '@hdrscope/core';
import { caseCount } from '@hdrscope/testing/case-count';
import { FakeClock } from '@hdrscope/testing/fake-clock';
import { expectRefused } from '@hdrscope/testing/refusals';
import fc from 'fast-check';
import { Family } from '../src/family.ts';
import {
  bucketCounts,
  createRegistry,
  EMPTY_SNAPSHOT,
  type FamilyOptions,
  type SeriesSnapshot,
} from '../src/index.ts';
import { createSnapshot } from '../src/snapshot.ts';
import { heapBytes } from './support/heap.ts';
import { runOf } from './support/runs.ts';

function family(options: Partial<FamilyOptions> = {}): Family {
  return new Family({ name: 'x', ...options }, new FakeClock());
}

/** The buckets of the values themselves; a boundary belongs to the bucket below it. */
function directCounts(boundaries: readonly number[], values: readonly number[]): number[] {
  const counts = new Array<number>(boundaries.length + 1).fill(0);
  for (const value of values) {
    const bucket = boundaries.findIndex((boundary) => value <= boundary);
    counts[bucket < 0 ? boundaries.length : bucket]! += 1;
  }
  return counts;
}

const bits = new DataView(new ArrayBuffer(8));

/** The double `steps` doubles above a value of at least 0, or 0. */
function neighbour(value: number, steps: number): number {
  bits.setFloat64(0, value);
  const at = bits.getBigInt64(0) + BigInt(steps);
  if (at < 0n) return 0;
  bits.setBigInt64(0, at);
  return bits.getFloat64(0);
}

const RESOLUTIONS = [1e-9, 1e-6, 1e-3, 0.1, 1, 3, 10, 1024];

/** A family, its boundaries, and values of which many are at the boundaries, or beside them. */
const cases = fc
  .record({
    resolution: fc.constantFrom(...RESOLUTIONS),
    significantDigits: fc.constantFrom(0, 1, 2, 3),
    rough: fc.array(
      fc.oneof(
        fc.constantFrom(0, 0.3, 1, 2.5, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 5000),
        fc.constantFrom(-1, Number.MIN_VALUE, 1e-12, 1e18, 1e300, Number.MAX_VALUE),
        fc.double({ min: 0, max: 2000, noNaN: true }),
      ),
      { maxLength: 10 },
    ),
    close: fc.array(fc.tuple(fc.nat(), fc.constantFrom(-2, -1, 1, 2, 1000)), { maxLength: 4 }),
  })
  .map(({ resolution, significantDigits, rough, close }) => {
    const near = close.flatMap(([i, steps]) => {
      const base = rough[i % (rough.length || 1)] ?? 1;
      return base >= 0 && base < 1e18 ? [neighbour(base, steps)] : [];
    });
    const boundaries = [...new Set([...rough, ...near].map((boundary) => boundary + 0))];
    return { resolution, significantDigits, boundaries: boundaries.sort((a, b) => a - b) };
  })
  .chain(({ boundaries, ...options }) => {
    const { resolution } = options;
    const bases = boundaries.filter((boundary) => boundary >= 0 && boundary < 1e12);
    const values = fc.array(
      fc.oneof(
        { weight: 1, arbitrary: fc.double({ min: 0, max: 3000, noNaN: true }) },
        { weight: 1, arbitrary: fc.constant(0) },
        {
          weight: 5,
          arbitrary: fc
            .tuple(fc.constantFrom(1, ...bases), fc.constantFrom(0, 0, 0, -2, -1, 1, 2))
            .map(([base, steps]) => neighbour(base, steps)),
        },
        {
          weight: 3,
          arbitrary: fc
            .tuple(fc.constantFrom(1, ...bases), fc.constantFrom(-3, -1, -0.5, -0.25, 0.25, 0.5, 1, 3))
            .map(([base, ticks]) => Math.max(0, base + ticks * resolution)),
        },
      ),
      { maxLength: 40 },
    );
    return fc.record({
      options: fc.constant({ ...options, boundaries }),
      batches: fc.array(values, { minLength: 1, maxLength: 3 }),
    });
  });

test('counts between the boundaries of a family are those of the values, in states and between them', () => {
  fc.assert(
    fc.property(cases, ({ options, batches }) => {
      const one = family(options);
      const { boundaries } = options;
      let before = EMPTY_SNAPSHOT;
      const all: number[] = [];
      for (const [time, batch] of batches.entries()) {
        expect(batch.filter((value) => !one.with({}).record(value))).toEqual([]);
        all.push(...batch);
        const now = createSnapshot(time + 1, [one.snapshot()], []);
        expect(bucketCounts(one, one.with({}).snapshot(), boundaries)).toEqual(directCounts(boundaries, all));
        const [increase] = now.since(before).families[0]!.series;
        if (batch.length > 0) {
          expect(bucketCounts(one, increase!, boundaries)).toEqual(directCounts(boundaries, batch));
        }
        before = now;
      }
    }),
    { numRuns: caseCount(100, 400) },
  );
});

test('a snapshot keeps its counts while the series counts on', () => {
  const one = family({ unit: 's', boundaries: [0.25] });
  const taken: [state: SeriesSnapshot, expected: number[]][] = [];
  for (let i = 0; i < 6; i++) {
    if (i !== 3) one.with({}).record(i % 2 === 0 ? 0.25 : 0.2501);
    taken.push([one.with({}).snapshot(), bucketCounts(one, one.with({}).snapshot(), [0.25])]);
  }
  expect(taken.map(([, counts]) => counts)).toEqual([
    [1, 0],
    [1, 1],
    [2, 1],
    [2, 1],
    [3, 1],
    [3, 2],
  ]);
  for (const [state, counts] of taken) expect(bucketCounts(one, state, [0.25])).toEqual(counts);
});

test.each([0, 2, 5])('hundreds of thresholds are exact with %i digits', (significantDigits) => {
  const thresholds = Array.from({ length: 600 }, (_, i) => 1.02 ** i);
  const one = family({ unit: 'ms', thresholds, significantDigits });
  const values = thresholds.flatMap((threshold) => [-1, 0, 1].map((steps) => neighbour(threshold, steps)));
  for (const value of values) one.with({}).record(value);
  expect(bucketCounts(one, one.with({}).snapshot(), thresholds)).toEqual(directCounts(thresholds, values));
});

test('a series that has ended begins anew at its thresholds', async () => {
  const registry = createRegistry();
  const one = registry.histogram({ name: 'x', unit: 's', boundaries: [0.3] });
  const series = one.with({});
  series.record(0.3);
  const first = await registry.gather();
  series.record(0.3);
  one.remove({});
  const second = await registry.gather();
  series.record(0.3001);
  const third = await registry.gather();
  const last = second.since(first).families[0]!.series[0]!;
  expect(bucketCounts(one, last, [0.3])).toEqual([1, 0]);
  expect(bucketCounts(one, third.families[0]!.series[0]!, [0.3])).toEqual([0, 1]);
});

test('rejected values are in no bucket', () => {
  const one = family({ unit: 's', boundaries: [0, 1] });
  for (const value of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e9, 1]) one.with({}).record(value);
  expect(bucketCounts(one, one.with({}).snapshot(), [0, 1])).toEqual([0, 1, 0]);
});

test('thresholds are counted beside the boundaries, which formats show', () => {
  const one = family({ unit: 's', boundaries: [0.1, 1], thresholds: [0.3, 0.1, 0.3] });
  expect(one.statedThresholds).toEqual([0.1, 0.3]);
  expect([one.boundaries, one.thresholds]).toEqual([
    [0.1, 1],
    [0.1, 0.3, 1],
  ]);
  for (const value of [0.3, neighbour(0.3, 1), 0.299]) one.with({}).record(value);
  expect(bucketCounts(one, one.with({}).snapshot(), [0.3])).toEqual([2, 1]);
});

test('a family that is asked for again keeps its first thresholds', () => {
  const registry = createRegistry();
  const one = registry.histogram({ name: 'x', thresholds: [1] });
  expect(registry.histogram({ name: 'x', thresholds: [2] })).toBe(one);
  expect(one.thresholds).toEqual([1]);
  expect(Object.isFrozen(one.snapshot().thresholds)).toBe(true);
});

test.each([[[Number.NaN]], [[1, Number.POSITIVE_INFINITY]], [['1']], ['1'], [5]])(
  '%p are no thresholds',
  (wrong) => {
    expectRefused(() => family({ thresholds: wrong as number[] }), 'ERR_INVALID_OPTION');
  },
);

describe('a boundary that is not a threshold', () => {
  test('has the counts of each slot at the middle of the slot', () => {
    const one = family({ resolution: 1, boundaries: [10] });
    for (const value of [1000, 1001, 1002, 1003]) one.with({}).record(value);
    // 1000 to 1003 share a slot with 2 digits; its middle is 1002.
    const state = one.with({}).snapshot();
    expect(bucketCounts(one, state, [1001])).toEqual([0, 4]);
    expect(bucketCounts(one, state, [1002])).toEqual([4, 0]);
  });

  test('takes no count from a bucket that a threshold in the same slot has counted', () => {
    const boundaries = fc.uniqueArray(fc.integer({ min: 998, max: 1006 }), { maxLength: 6 });
    const ascending = boundaries.map((list) => list.sort((a, b) => a - b));
    fc.assert(
      fc.property(
        ascending,
        ascending,
        fc.array(fc.integer({ min: 998, max: 1006 })),
        (thresholds, shown, values) => {
          const one = family({ resolution: 1, thresholds });
          for (const value of values) one.with({}).record(value);
          const counts = bucketCounts(one, one.with({}).snapshot(), shown);
          const exact = directCounts(shown, values);
          expect(counts.every((count) => count >= 0)).toBe(true);
          const upTo = (list: readonly number[], i: number): number =>
            list.slice(0, i + 1).reduce((sum, count) => sum + count, 0);
          expect(upTo(counts, shown.length)).toBe(values.length);
          for (const [i, boundary] of shown.entries()) {
            if (thresholds.includes(boundary)) expect(upTo(counts, i)).toBe(upTo(exact, i));
          }
        },
      ),
    );
  });
});

describe('counts from elsewhere', () => {
  test('between boundaries come out as they came in', () => {
    fc.assert(
      fc.property(cases, fc.infiniteStream(fc.nat({ max: 9 })), ({ options }, stream) => {
        const boundaries = options.boundaries.filter((bound) => bound >= 0 && bound < 1e12);
        if (boundaries.length === 0) return;
        const one = family({ ...options, boundaries });
        const counts = [...boundaries, 0].map(() => stream.next().value as number);
        one.with({}).add(countedIn(explicitLayout(boundaries), counts), { within: { min: 0 } });
        expect(bucketCounts(one, one.with({}).snapshot(), boundaries)).toEqual(counts);
        one.with({}).add(countedIn(explicitLayout(boundaries), counts), { within: { min: 0 } });
        const twice = counts.map((count) => 2 * count);
        expect(bucketCounts(one, one.with({}).snapshot(), boundaries)).toEqual(twice);
      }),
      { numRuns: caseCount(100, 300) },
    );
  });

  test('in ticks count at the middle of their slots when it is not known how they divide', () => {
    const one = family({ resolution: 1, boundaries: [1001, 1002] });
    const histogram = new Histogram({ layout: one.layout });
    for (const value of [1000, 1001, 1002, 1003]) histogram.record(value);
    one.with({}).add(histogram);
    expect(bucketCounts(one, one.with({}).snapshot(), [1001, 1002])).toEqual([0, 4, 0]);
  });

  test('of another registry are exact at the thresholds of both families', () => {
    fc.assert(
      fc.property(cases, fc.func(fc.boolean()), ({ options, batches }, isShared) => {
        const theirs = family(options);
        const shared = options.boundaries.filter((boundary) => isShared(boundary));
        const ours = family({ ...options, boundaries: shared, thresholds: [500] });
        const values = batches.flat();
        for (const value of values) theirs.with({}).record(value);
        const state = theirs.with({}).snapshot();
        const { atThresholds: counts, sum, min, max } = state;
        const atThresholds = counts && { thresholds: theirs.thresholds, counts };
        const [added, addedBySlots] = [ours.with({ by: 'layout' }), ours.with({ by: 'slots' })];
        added.add(state, { atThresholds });
        if (values.length > 0) addedBySlots.addSlots(runOf(state), { sum, min, max, atThresholds });
        const exact = directCounts(shared, [...values, 500]);
        for (const series of [added, addedBySlots]) {
          series.record(500);
          expect(bucketCounts(ours, series.snapshot(), shared)).toEqual(exact);
        }
      }),
      { numRuns: caseCount(60, 200) },
    );
  });

  test.each([[[3]], [[-1]], [[0.5]], [[]], [[Number.NaN]]])(
    'of which %p are at a threshold are refused',
    (counts) => {
      const one = family({ resolution: 1, boundaries: [1001] });
      const histogram = new Histogram({ layout: one.layout });
      histogram.record(1000, 2);
      const before = one.with({}).snapshot();
      expectRefused(
        () => one.with({}).add(histogram, { atThresholds: { thresholds: [1001], counts } }),
        'ERR_INVALID_COUNT',
      );
      expect(one.with({}).snapshot()).toEqual(before);
    },
  );

  test('over other slots than those of the family have no use for counts at thresholds', () => {
    const one = family({ resolution: 1, boundaries: [1001] });
    const layout = hdrLayout({ highestTrackableValue: 10_000, significantDigits: 1 });
    const histogram = new Histogram({ layout });
    histogram.record(1000, 2);
    one.with({}).add(histogram, { atThresholds: { thresholds: [1001], counts: [7] } });
    expect(bucketCounts(one, one.with({}).snapshot(), [1001]).reduce((sum, count) => sum + count)).toBe(2);
  });
});

test('a series takes memory for its thresholds only when values share their slots', () => {
  const boundaries = [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000];
  const count = 5000;
  /** What a second record of the same slot takes, in bytes for each series. */
  const bytesOf = (first: number, second: number): number => {
    const one = family({ cardinalityLimit: count, boundaries });
    const all = Array.from({ length: count }, (_, series) => one.with({ series }));
    for (const each of all) each.record(first);
    const before = heapBytes();
    for (const each of all) each.record(second);
    const bytes = heapBytes() - before;
    expect(all).toHaveLength(count);
    return bytes / count;
  };
  bytesOf(7, 10); // compiles the code
  // What else happens to the heap meanwhile makes single figures larger.
  const leastOf = (...values: [number, number]): number =>
    Math.min(...Array.from({ length: 3 }, () => bytesOf(...values)));
  expect(leastOf(7, 7)).toBeLessThan(20);
  expect(leastOf(9.98, 9.98)).toBeLessThan(20);
  // A list of 15 numbers.
  expect(leastOf(9.98, 10)).toBeLessThan(180);
});
