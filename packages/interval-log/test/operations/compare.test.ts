import { DoubleHistogram, Histogram } from '@hdrscope/core';
import { compareHistograms } from '@hdrscope/interval-log';
import type { ChangeVerdict } from '@hdrscope/interval-log/internal';

/** `count` values from 1 up to `scale * count`, evenly. */
function evenly(count: number, scale = 1): Histogram {
  const histogram = new Histogram({ highestTrackableValue: 10_000_000, significantDigits: 4 });
  for (let value = 1; value <= count; value++) histogram.record(value * scale);
  return histogram;
}

function changeOf(before: Histogram, after: Histogram, tolerance: number, percentile = 50): ChangeVerdict {
  const { percentiles } = compareHistograms(before, after, { percentiles: [percentile], tolerance });
  return percentiles[0]!.change;
}

// For 10 000 even values, the 99 % interval of the median is about 2.6 % wide to each side; that of a difference 3.8 %.
const BEFORE = evenly(10_000);

test.each([
  ['all above the limit', 1.2, 0.05, 'worse beyond doubt'],
  ['above 0 with a difference above the limit', 1.07, 0.05, 'worse'],
  ['above 0 with a difference below the limit', 1.07, 0.08, 'within tolerance'],
  ['around 0', 1.02, 0.01, 'no difference shown'],
  ['around 0, at any tolerance', 1.02, 0.5, 'no difference shown'],
  ['below 0', 0.9, 0.05, 'better'],
] as const)('the verdict follows from an interval %s', (_, scale, tolerance, change) => {
  expect(changeOf(BEFORE, evenly(10_000, scale), tolerance)).toBe(change);
});

test('a percentile with too few values has no other verdict', () => {
  expect(changeOf(evenly(1000), evenly(1000, 100), 0, 99.9)).toBe('too few values');
  // 0.999 ** 4600 is just above one percent, 0.999 ** 5296 just below half of it.
  expect(changeOf(evenly(4600), evenly(5296, 100), 0, 99.9)).toBe('too few values');
  expect(changeOf(evenly(5296), evenly(5296, 100), 0, 99.9)).toBe('worse beyond doubt');
});

test('the comparison is worse if any percentile is', () => {
  const after = evenly(10_000);
  after.record(9_000_000, 200);
  const { percentiles, isWorse } = compareHistograms(BEFORE, after, { percentiles: [50, 99] });
  expect(percentiles.map(({ change }) => change)).toEqual(['no difference shown', 'worse beyond doubt']);
  expect(isWorse).toBe(true);
});

test('tests of the whole distribution agree with the percentiles', () => {
  const { kolmogorovSmirnov, mannWhitney } = compareHistograms(BEFORE, evenly(10_000, 1.2), {
    percentiles: [],
  });
  expect(kolmogorovSmirnov?.pValue).toBeLessThan(0.001);
  expect(mannWhitney?.pValue).toBeLessThan(0.001);
  expect(mannWhitney?.effectSize).toBeGreaterThan(0);
});

test('doubles are compared as integers are', () => {
  const [before, after] = [new DoubleHistogram(), new DoubleHistogram()];
  for (let n = 1; n <= 5000; n++) {
    before.record(n / 1024);
    after.record(n / 256);
  }
  const [median] = compareHistograms(before, after, { percentiles: [50] }).percentiles;
  expect(median?.before).toBeCloseTo(2500 / 1024, 2);
  expect(median?.after).toBeCloseTo(2500 / 256, 1);
  expect(median?.relative).toBeCloseTo(3, 1);
  expect(median?.change).toBe('worse beyond doubt');
});

test('empty histograms, a negative tolerance, and integers with doubles are refused', () => {
  const empty = new Histogram();
  expect(() => compareHistograms(BEFORE, empty, { percentiles: [50] })).toThrow(
    'the histogram after the change must have values, and is empty',
  );
  expect(() => compareHistograms(BEFORE, BEFORE, { percentiles: [50], tolerance: -1 })).toThrow(
    'tolerance must be a finite number of at least 0, got -1',
  );
  const doubles = new DoubleHistogram();
  doubles.record(1);
  expect(() => compareHistograms(BEFORE, doubles, { percentiles: [50] })).toThrow(
    'integers cannot be compared with doubles',
  );
});

describe('histograms of unlike layouts', () => {
  function of(values: readonly number[], significantDigits: number, lowestDiscernibleValue = 1): Histogram {
    const histogram = new Histogram({ significantDigits, lowestDiscernibleValue, autoResize: true });
    histogram.recordValues(values);
    return histogram;
  }

  /** Slots of one digit hold 100,000 together with 98,304. */
  const VALUES = Array.from({ length: 2000 }, (_, i) => 98_304 + (i % 40));

  test.each([
    ['digits', 1, 1],
    ['units', 5, 4096],
  ])('of other %s, but with the same values, do not differ, either way round', (_, digits, unit) => {
    const [fine, coarse] = [of(VALUES, 5), of(VALUES, digits, unit)];
    for (const [before, after] of [
      [fine, coarse],
      [coarse, fine],
    ] as const) {
      const { percentiles, isWorse } = compareHistograms(before, after, { percentiles: [50, 90] });
      expect(percentiles.map(({ difference, relative }) => [difference, relative])).toEqual([
        [0, 0],
        [0, 0],
      ]);
      expect(isWorse).toBe(false);
    }
  });

  test('a small growth is no growth above the tolerance because a slot is wide', () => {
    const grown = VALUES.map((value) => Math.round(value * 1.02));
    const { percentiles } = compareHistograms(of(VALUES, 5), of(grown, 1), {
      percentiles: [50],
      tolerance: 0.03,
    });
    expect(percentiles[0]!.change).not.toMatch(/worse/);
  });

  test('doubles of other digits with the same values do not differ', () => {
    const [fine, coarse] = [4, 1].map((significantDigits) => {
      const doubles = new DoubleHistogram({ significantDigits });
      doubles.recordValues(VALUES.map((value) => value / 1e6));
      return doubles;
    });
    for (const [before, after] of [
      [fine!, coarse!],
      [coarse!, fine!],
    ] as const) {
      const [median] = compareHistograms(before, after, { percentiles: [50] }).percentiles;
      expect([median!.difference, median!.change]).toEqual([0, 'no difference shown']);
    }
  });

  test('doubles may be as far apart as doubles are', () => {
    const doublesOf = (scale: number): DoubleHistogram => {
      const doubles = new DoubleHistogram();
      for (let n = 1; n <= 1000; n++) doubles.record(n * scale);
      return doubles;
    };
    const [tiny, huge] = [doublesOf(1e-12), doublesOf(1e12)];
    const [grown] = compareHistograms(tiny, huge, { percentiles: [50] }).percentiles;
    expect([grown!.before, grown!.after, grown!.change]).toEqual([
      tiny.valueAtPercentile(50),
      expect.closeTo(5e14, -12),
      'worse beyond doubt',
    ]);
    expect(grown!.relative).toBeCloseTo(1e24, -22);
    expect(compareHistograms(huge, tiny, { percentiles: [50] }).percentiles[0]!.change).toBe('better');
    expect(compareHistograms(tiny, tiny, { percentiles: [50] }).percentiles[0]!.difference).toBe(0);
  });

  test('bounds of doubles in other units are weighed in the unit of the values', () => {
    const around = (value: number): DoubleHistogram => {
      const doubles = new DoubleHistogram();
      doubles.record(value, 5000);
      return doubles;
    };
    const lowest = around(104);
    // Its unit is a thousandth of the others' units.
    lowest.record(0.1);
    const after = { histogram: around(104), lowest, highest: around(104) };
    const [median] = compareHistograms(around(100), after, {
      percentiles: [50],
      tolerance: 0.05,
    }).percentiles;
    expect(median!.lower).toBeCloseTo(4, 0);
    expect(median!.change).toBe('within tolerance');
  });
});
