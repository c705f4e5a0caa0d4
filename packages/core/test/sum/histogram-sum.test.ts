import {
  countedIn,
  DoubleHistogram,
  explicitLayout,
  findQuantile,
  Histogram,
  HistogramSum,
  hdrLayout,
  LayoutHistogram,
  linearLayout,
  percentileInterval,
  Recorder,
} from '../../src/index.ts';
import { countWithin, meanBounds, resolutionOf, scaledLayout } from '../../src/internal.ts';

function histogramOf(
  values: readonly number[],
  significantDigits: number,
  lowestDiscernibleValue = 1,
): Histogram {
  const histogram = new Histogram({ significantDigits, lowestDiscernibleValue, autoResize: true });
  histogram.recordValues(values);
  return histogram;
}

describe('a sum of histograms', () => {
  test('has two equal ends where slots are single values', () => {
    const sum = new HistogramSum();
    sum.add(histogramOf([1, 2, 3, 4], 3));
    sum.add(histogramOf([5], 3));
    expect([sum.percentile(50), sum.mean, sum.min, sum.max]).toEqual([
      { lower: 3, upper: 3 },
      { lower: 3, upper: 3 },
      { lower: 1, upper: 1 },
      { lower: 5, upper: 5 },
    ]);
  });

  test('answers NaN while it is empty, whatever was added', () => {
    const sum = new HistogramSum();
    sum.add(new Histogram({ autoResize: true }));
    const nothing = { lower: Number.NaN, upper: Number.NaN };
    expect([sum.percentile(50), sum.mean, sum.min, sum.max]).toEqual([nothing, nothing, nothing, nothing]);
    expect([sum.totalCount, sum.countWithin(5), [...sum.intervals()]]).toEqual([
      0,
      { lower: 0, upper: 0 },
      [],
    ]);
  });

  test('has the standard deviations that its intervals allow', () => {
    const sum = new HistogramSum();
    sum.add(histogramOf([2, 4, 4, 4, 5, 5, 7, 9], 3));
    expect([sum.standardDeviation.lower, sum.standardDeviation.upper].map((end) => end.toFixed(6))).toEqual([
      '2.000000',
      '2.000000',
    ]);
    // All values may be 6, although their slots differ.
    const unlike = new HistogramSum();
    unlike.add(histogramOf([6], 0));
    unlike.add(histogramOf([6], 0, 2), { min: 6, max: 6 });
    expect(unlike.standardDeviation.lower).toBe(0);
    expect(unlike.standardDeviation.upper).toBeLessThan(2);
    const open = new HistogramSum();
    open.add(countedIn(explicitLayout([1]), [1, 1]));
    expect(open.standardDeviation).toEqual({ lower: 0, upper: Number.POSITIVE_INFINITY });
  });

  test('takes units by their scale, and refuses another unit by name', () => {
    const sum = new HistogramSum();
    sum.add(histogramOf([1500], 3), { unit: 's', scale: 1e-3 });
    sum.add(histogramOf([2_000_000], 5), { unit: 's', scale: 1e-6 });
    expect([sum.min.lower, sum.max.upper.toFixed(2)]).toEqual([1.5, '2.00']);
    expect(() => sum.add(histogramOf([4096], 3), { unit: 'By' })).toThrow(
      expect.objectContaining({ code: 'ERR_INCOMPATIBLE', message: expect.stringMatching(/"s".*"By"/) }),
    );
    expect(sum.totalCount).toBe(2);
  });

  test('narrows wide slots by what is known: extremes, sums and counts at limits', () => {
    const sum = new HistogramSum();
    const wide = countedIn(explicitLayout([1, 2.5]), [0, 500, 0]);
    sum.add(wide, { min: 1.2, max: 2, sum: 800, within: [{ limit: 1.5, count: 300 }] });
    expect(sum.mean).toEqual({ lower: 1.6, upper: 1.6 });
    expect(sum.percentile(50)).toEqual({ lower: 1.2, upper: 1.5 });
    expect(sum.percentile(75)).toEqual({ lower: 1.5, upper: 2 });
    expect([1.5, 1.7, 2].map((limit) => sum.countWithin(limit))).toEqual([
      { lower: 300, upper: 300 },
      { lower: 300, upper: 500 },
      { lower: 500, upper: 500 },
    ]);
  });

  test.each([
    ['a count above the total', { within: [{ limit: 1, count: 4 }] }],
    ['a minimum above the maximum', { min: 5, max: 4 }],
    [
      'limits out of order',
      {
        within: [
          { limit: 2, count: 1 },
          { limit: 1, count: 1 },
        ],
      },
    ],
    ['a scale of 0', { scale: 0 }],
    ['an unknown fact', { most: 3 }],
  ])('refuses %s and stays as it is', (_, options) => {
    const sum = new HistogramSum();
    sum.add(histogramOf([1, 2], 3));
    expect(() => sum.add(histogramOf([3, 4, 5], 3), options as object)).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_OPTION' }),
    );
    expect([sum.totalCount, sum.max.upper]).toEqual([2, 2]);
  });

  test('refuses a total beyond 2^53 - 1', () => {
    const full = countedIn(explicitLayout([1]), [Number.MAX_SAFE_INTEGER, 0]);
    const sum = new HistogramSum();
    sum.add(full);
    expect(() => sum.add(histogramOf([1], 2))).toThrow(
      expect.objectContaining({ code: 'ERR_COUNT_OVERFLOW' }),
    );
    expect(sum.totalCount).toBe(Number.MAX_SAFE_INTEGER);
  });

  test('may be added to itself', () => {
    const sum = new HistogramSum();
    sum.add(histogramOf([10, 20], 1));
    sum.add(histogramOf([10], 3));
    sum.add(sum);
    expect([sum.totalCount, sum.percentile(100)]).toEqual([6, { lower: 20, upper: 20 }]);
  });

  test('widens two layouts to common slots when there are more than 16, and counts the values', () => {
    const sum = new HistogramSum();
    const truth: number[] = [];
    for (let width = 1; width <= 24; width++) {
      const histogram = new LayoutHistogram(linearLayout({ width, slots: 500 }));
      const values = Array.from({ length: 40 }, (_, i) => (i * 7 * width) % 480);
      histogram.recordValues(values);
      sum.add(histogram);
      truth.push(...values);
      if (width === 16) expect(sum.widenedCount).toBe(0);
    }
    expect(sum.widenedCount).toBeGreaterThan(0);
    truth.sort((a, b) => a - b);
    for (const percentile of [1, 10, 50, 90, 99]) {
      const value = truth[Math.ceil((percentile * truth.length) / 100) - 1]!;
      const { lower, upper } = sum.percentile(percentile);
      expect(lower).toBeLessThanOrEqual(value);
      expect(upper).toBeGreaterThanOrEqual(value);
    }
  });
});

describe('a sum of more than 16 layouts', () => {
  /** One value in one slot of a width. */
  function inSlot(lower: number, upper: number, count = 1): Parameters<HistogramSum['add']>[0] {
    return countedIn(explicitLayout([lower, upper]), [0, count, 0]);
  }

  function endsOf(sum: HistogramSum): [lower: number, upper: number, count: number][] {
    return [...sum.intervals()].map(({ lower, upper, count }) => [lower, upper, count]);
  }

  test('joins the two that widen least, and leaves all others as they are', () => {
    const sum = new HistogramSum();
    // Each contains the next one, and joined they would widen it by a twentieth and more.
    const others = Array.from({ length: 15 }, (_, i): [number, number, number] => [
      1000 * (i + 1),
      260_000 - 10_000 * i,
      3,
    ]);
    for (const [lower, upper, count] of others) sum.add(inSlot(lower, upper, count));
    sum.add(inSlot(100_000, 101_000, 5));
    expect(sum.widenedCount).toBe(0);
    sum.add(inSlot(100_001, 101_001, 2));
    expect(endsOf(sum)).toEqual([...others, [100_000, 101_001, 7]]);
    expect(sum.widenedCount).toBe(7);
  });

  test('counts a value that was widened twice once', () => {
    const sum = new HistogramSum();
    for (let i = 0; i < 40; i++) sum.add(inSlot(i, 1000 + i));
    expect(sum.widenedCount).toBeGreaterThan(0);
    expect(sum.widenedCount).toBeLessThanOrEqual(sum.totalCount);
    const both = new HistogramSum();
    both.add(sum);
    both.add(sum);
    expect(both.widenedCount).toBe(2 * sum.widenedCount);
  });

  test('keeps counts of joined layouts apart when more of them come', () => {
    const units = Array.from({ length: 18 }, (_, i) => 2 ** i);
    const parts = units.map((unit) => histogramOf([3 * 2 ** 20 + unit], 1, unit));
    const sum = new HistogramSum();
    for (const part of parts) sum.add(part);
    for (const part of parts) sum.addEncoded(part.encode());
    for (const part of parts) sum.add(part, { max: 3 * 2 ** 20 + units.at(-1)! });
    expect(sum.totalCount).toBe(54);
    expect([...sum.intervals()].reduce((total, { count }) => total + count, 0)).toBe(54);
    expect(sum.min.lower).toBeGreaterThan(2.5 * 2 ** 20);
    expect(sum.max.upper).toBeLessThan(3.5 * 2 ** 20);
  });

  test('is one histogram whose slots contain those of all HDR layouts', () => {
    const sum = new HistogramSum();
    for (let significantDigits = 0; significantDigits <= 5; significantDigits++) {
      for (let unit = 1; unit < 2 ** 40; unit *= 2) {
        sum.add(histogramOf([2 ** 50 + unit], significantDigits, unit));
      }
    }
    const { layout, totalCount, min, max } = sum.toHistogram();
    expect([totalCount, layout.significantDigits, layout.lowestDiscernibleValue]).toEqual([240, 0, 2 ** 39]);
    expect([min, max]).toEqual([2 ** 50, 2 ** 51 - 1]);
  });
});

describe('counts that were moved to finer slots', () => {
  const values = Array.from({ length: 500 }, () => 100_900);
  const coarse = histogramOf(values, 2);

  /** The true value lies in all that is said of a histogram. */
  function expectHonest(moved: Parameters<typeof percentileInterval>[0]): void {
    const { lower, upper } = percentileInterval(moved, 99);
    expect([lower <= 100_900, upper >= 100_900]).toEqual([true, true]);
    expect(countWithin(moved, 101_000)).toEqual({ lower: 0, upper: 500 });
    const mean = meanBounds(moved);
    expect([mean.lower <= 100_900, mean.upper >= 100_900]).toEqual([true, true]);
    const quantile = findQuantile(moved, 0.5);
    expect([quantile.lower <= 100_900, quantile.upper >= 100_900]).toEqual([true, true]);
    const sum = new HistogramSum();
    sum.add(moved);
    expect(sum.percentile(50).upper).toBeGreaterThanOrEqual(100_900);
  }

  test.each<[string, (fine: Histogram) => void]>([
    ['by add', (fine) => fine.add(coarse)],
    ['by addEncoded', (fine) => fine.addEncoded(coarse.encode())],
    ['by addCorrected', (fine) => fine.addCorrected(coarse, 0)],
    [
      'by a recorder',
      (fine) => {
        const recorder = new Recorder({ significantDigits: 2 });
        for (const value of values) recorder.record(value);
        recorder.intervalHistogramInto(fine);
      },
    ],
  ])('keep their bounds %s', (_, move) => {
    const fine = histogramOf([], 5);
    move(fine);
    expectHonest(fine);
    expectHonest(fine.copy({ storage: 'sparse' }));
  });

  test('keep their bounds through a histogram between', () => {
    const between = histogramOf([], 3);
    between.add(coarse);
    const fine = histogramOf([], 5);
    fine.add(between);
    expectHonest(fine);
    // The slots of two digits contain those of three.
    expect(fine.placedFrom).toHaveLength(1);
  });

  test('keep their bounds when another histogram brings a wider range of the same slots', () => {
    const fine = histogramOf([], 5);
    fine.add(histogramOf([5], 2));
    fine.add(coarse);
    expect(findQuantile(fine, 0.5)).toMatchObject({ lower: 100_864, upper: 101_375 });
    expect(fine.placedFrom).toHaveLength(1);
  });

  test('keep their bounds when their layout has brought counts before, by a shorter way', () => {
    const way = (from: Histogram): Histogram => {
      const between = histogramOf([], 1, 64);
      between.add(from);
      return between;
    };
    const [fine, one, other] = [histogramOf([], 5), histogramOf([100_900], 2), histogramOf([], 1, 64)];
    fine.add(one);
    fine.add(way(one));
    fine.add(other);
    const { lower, upper } = findQuantile(fine, 1);
    expect([lower <= 100_900, upper >= 100_900]).toEqual([true, true]);
  });

  test('keep their bounds in doubles of equal digits', () => {
    const [coarseDoubles, between, doubles] = [1, 4, 4].map(
      (significantDigits) => new DoubleHistogram({ significantDigits }),
    );
    coarseDoubles!.record(0.199);
    between!.add(coarseDoubles!);
    doubles!.record(0.199);
    doubles!.add(between!);
    expect(findQuantile(doubles!, 0).upper).toBeGreaterThanOrEqual(0.199);
  });

  test('keep their bounds as narrow, however many histograms of equal slots bring them', () => {
    const [doubles, sizes] = [
      new DoubleHistogram({ significantDigits: 4 }),
      new LayoutHistogram(linearLayout({ width: 10, slots: 100 })),
    ];
    for (let i = 0; i < 20; i++) {
      const coarseDoubles = new DoubleHistogram({ significantDigits: 1 });
      coarseDoubles.recordValues([0.199, 2 ** i]);
      doubles.add(coarseDoubles);
      sizes.add(countedIn(explicitLayout([100, 500]), [0, 7, 0]));
    }
    expect(findQuantile(doubles, 0).upper).toBeLessThan(0.25);
    expect(findQuantile(sizes, 0.5)).toMatchObject({ lower: 100, upper: 500 });
  });

  test('keep their bounds when shifted', () => {
    const fine = new Histogram({ significantDigits: 5, highestTrackableValue: 10_000_000 });
    fine.add(coarse);
    fine.shiftLeft(2);
    expect(percentileInterval(fine, 50).upper).toBeGreaterThanOrEqual(4 * 100_900);
  });

  test('are exact again after a reset, and always where whole slots fit', () => {
    const fine = histogramOf([], 5);
    fine.add(coarse);
    fine.reset();
    expect(fine.placedFrom).toEqual([]);
    const coarser = histogramOf([], 1);
    coarser.add(coarse);
    expect(coarser.placedFrom).toEqual([]);
  });

  test('keep their bounds in histograms of doubles and of other layouts', () => {
    const doubles = new DoubleHistogram({ significantDigits: 4 });
    const coarseDoubles = new DoubleHistogram({ significantDigits: 1 });
    coarseDoubles.record(0.199, 10);
    doubles.add(coarseDoubles);
    expect(findQuantile(doubles, 0.5).upper).toBeGreaterThanOrEqual(0.199);
    const sizes = new LayoutHistogram(linearLayout({ width: 10, slots: 100 }));
    sizes.add(countedIn(explicitLayout([100, 500]), [0, 7, 0]));
    expect(findQuantile(sizes, 0.5)).toMatchObject({ lower: 100, upper: 500 });
  });
});

describe('a sum as one histogram', () => {
  test('has the finest layout whose slots contain those of all additions, and their range', () => {
    const fine = new Histogram({ significantDigits: 3, highestTrackableValue: 3_600_000 });
    fine.record(1001);
    const wide = new Histogram({
      significantDigits: 4,
      lowestDiscernibleValue: 1000,
      highestTrackableValue: 10_000_000,
    });
    wide.record(5_000_000);
    const sums = [new HistogramSum(), new HistogramSum()];
    for (const one of [fine, wide]) sums[0]!.add(one);
    for (const one of [wide, fine]) sums[1]!.add(one);
    for (const sum of sums) {
      const { layout, counts, placedFrom } = sum.toHistogram();
      expect([layout.significantDigits, layout.lowestDiscernibleValue]).toEqual([3, 1000]);
      expect([layout.highestTrackableValue, counts.total, placedFrom]).toEqual([10_000_000, 2, []]);
    }
    expect(sums[0]!.toHistogram().equals(sums[1]!.toHistogram())).toBe(true);
  });

  test('has doubles with the fewest digits, zeros included', () => {
    const sum = new HistogramSum();
    for (const significantDigits of [3, 1]) {
      const doubles = new DoubleHistogram({ significantDigits });
      doubles.recordValues([0, 0.25, 900]);
      sum.add(doubles);
    }
    const all = sum.toDoubleHistogram();
    expect([all.significantDigits, all.totalCount, all.countAt(0), all.countAt(0.25)]).toEqual([1, 6, 2, 2]);
  });

  test.each([
    ['integers', histogramOf([100_900], 2), histogramOf([], 5), (sum: HistogramSum) => sum.toHistogram()],
    [
      'doubles',
      new DoubleHistogram({ significantDigits: 1 }),
      new DoubleHistogram({ significantDigits: 4 }),
      (sum: HistogramSum) => sum.toDoubleHistogram(),
    ],
  ])(
    'is refused where %s were moved from wider slots, which none of theirs contains',
    (_, wide, fine, one) => {
      wide.record(77_777);
      fine.add(wide as never);
      const sum = new HistogramSum();
      sum.add(fine);
      expect(() => one(sum)).toThrow(
        expect.objectContaining({ code: 'ERR_INCOMPATIBLE', message: expect.stringMatching(/placedFrom/) }),
      );
    },
  );

  test('is refused for other counts', () => {
    const sum = new HistogramSum();
    sum.add(countedIn(explicitLayout([1]), [1, 0]));
    const refused = expect.objectContaining({ code: 'ERR_INCOMPATIBLE' });
    expect(() => sum.toHistogram()).toThrow(refused);
    expect(() => sum.toDoubleHistogram()).toThrow(refused);
  });
});

test('encodings are added as their histograms are, with another unit too', () => {
  const one = histogramOf([1500, 2500], 3);
  const [encoded, added] = [new HistogramSum(), new HistogramSum()];
  for (const options of [{}, { scale: 1e-3 }]) {
    encoded.addEncoded(one.toBase64(), options);
    added.add(one, options);
  }
  expect([...encoded.intervals()]).toEqual([...added.intervals()]);
  expect(encoded.layouts).toHaveLength(2);
});

test('counts that were moved from slots in another unit lie in those slots', () => {
  const [fine, coarse] = [[3, 1e-9] as const, [1, 1e-6] as const].map(([significantDigits, step]) =>
    scaledLayout(hdrLayout({ highestTrackableValue: 1e12, significantDigits }), resolutionOf(step)),
  );
  for (const from of [coarse!, explicitLayout([0.001, 0.004, 0.01])]) {
    const [seconds, moved] = [new LayoutHistogram(from), new LayoutHistogram(fine!)];
    seconds.record(0.0049);
    moved.add(seconds);
    const sum = new HistogramSum();
    sum.add(moved);
    const slot = from.slotOf(0.0049);
    expect(sum.percentile(50)).toEqual({ lower: from.lower(slot), upper: from.upper(slot) });
  }
});

test('a sum that is added keeps all counts when its slots are joined with others on the way', () => {
  const wide = (at: number) => new LayoutHistogram(explicitLayout([0, 1000 + at, 2000 + at]));
  const [sum, added] = [new HistogramSum(), new HistogramSum()];
  for (let at = 0; at < 16; at++) {
    const one = wide(at);
    one.recordValues([900, 1900]);
    sum.add(one);
  }
  const apart = new LayoutHistogram(explicitLayout([1e6, 2e6]));
  apart.record(1.5e6);
  added.add(apart);
  added.add(apart, { sum: 1.5e6 });
  sum.add(added);
  expect([...sum.intervals()].reduce((total, { count }) => total + count, 0)).toBe(sum.totalCount);
});

test('counts of a layout that is only alike to one of a joined group are kept', () => {
  const sum = new HistogramSum();
  const ofRange = (highestTrackableValue: number) => {
    const histogram = new Histogram({ significantDigits: 2, highestTrackableValue });
    histogram.record(1e6);
    return histogram;
  };
  const [narrow, wide] = [ofRange(2e6), ofRange(2e9)];
  sum.add(narrow);
  for (let at = 0; at < 16; at++) {
    const other = new LayoutHistogram(explicitLayout([0, 1000 + at, 2000 + at]));
    other.recordValues([900, 1900]);
    sum.add(other);
    if (at === 0) sum.add(wide);
  }
  sum.add(wide);
  expect([...sum.intervals()].reduce((total, { count }) => total + count, 0)).toBe(sum.totalCount);
});
