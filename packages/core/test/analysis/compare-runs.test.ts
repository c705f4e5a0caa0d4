import { compareRuns, DoubleHistogram, Histogram } from '@hdrscope/core';
import type { ChangeVerdict, PercentileChange, Run } from '@hdrscope/core/internal';
import { caseCount } from '@hdrscope/testing/case-count';
import { Draws, LOAD_MODELS, type ModelRun } from '@hdrscope/testing/load-models';

/** `count` values from 1 up to `scale * count`, evenly. */
function evenly(count: number, scale = 1): Histogram {
  const histogram = new Histogram({ highestTrackableValue: 10_000_000, significantDigits: 4 });
  for (let value = 1; value <= count; value++) histogram.record(value * scale);
  return histogram;
}

const run = (values: Histogram | DoubleHistogram) => ({ values });

/** The first percentile of a comparison of one run a side. */
function changeOf(
  before: Histogram | DoubleHistogram,
  after: Histogram | DoubleHistogram,
  tolerance = 0,
  percentile = 50,
): PercentileChange {
  return compareRuns([run(before)], [run(after)], { percentiles: [percentile], tolerance }).percentiles[0]!;
}

describe('one run a side', () => {
  // For 10 000 even values, the 99 % interval of the median is about 2.6 % wide to each side; that of a difference 3.8 %.
  const BEFORE = evenly(10_000);

  test.each<[string, number, number, ChangeVerdict]>([
    ['all above the limit', 1.2, 0.05, 'worse'],
    ['above 0 with a difference above the limit', 1.07, 0.05, 'worse'],
    ['above 0 with a difference below the limit', 1.07, 0.08, 'within tolerance'],
    ['around 0', 1.02, 0.01, 'no significant difference'],
    ['around 0, at any tolerance', 1.02, 0.5, 'no significant difference'],
    ['below 0', 0.9, 0.05, 'better'],
  ])('the verdict follows from an interval %s', (_, scale, tolerance, change) => {
    expect(changeOf(BEFORE, evenly(10_000, scale), tolerance).change).toBe(change);
  });

  test('a percentile with fewer than 20 values beyond it cannot be judged', () => {
    const reasonOf = (count: number) => changeOf(evenly(count), evenly(count, 100), 0, 99.9).reason;
    expect([reasonOf(19_900), reasonOf(20_000)]).toEqual(['few values', undefined]);
    const { reason, interval, relativeInterval, smallestShown } = changeOf(
      BEFORE,
      evenly(10_000, 100),
      0,
      100,
    );
    expect(reason).toBe('few values');
    const unknown = { lower: Number.NaN, upper: Number.NaN };
    expect([interval, relativeInterval, smallestShown]).toEqual([unknown, unknown, Number.NaN]);
  });

  test('the ground is independence, unless both runs have stretches', () => {
    const stretches = Array.from({ length: 20 }, () => evenly(500));
    const timed = { values: BEFORE, stretches };
    const groundOf = (after: Run) => compareRuns([timed], [after], { percentiles: [50] }).ground;
    expect([groundOf(run(BEFORE)), groundOf(timed)]).toEqual(['independence', 'stretches']);
  });

  test('an interval over stretches is as wide as dependent values make it', () => {
    // Each stretch has one value 500 times: 500 values are as good as one.
    const draws = new Draws(1);
    const values = Array.from({ length: 400 }, () => 1000 + Math.floor(draws.uniform() * 400));
    const stretches = values.map((value) => {
      const histogram = new Histogram({ storage: 'sparse' });
      histogram.record(value, 500);
      return histogram;
    });
    const all = new Histogram();
    for (const stretch of stretches) all.add(stretch);
    const timed = { values: all, stretches };
    const [ofStretches] = compareRuns([timed], [timed], { percentiles: [50] }).percentiles;
    const single = new Histogram();
    single.recordValues(values);
    const ofSingles = changeOf(single, single);
    expect(ofStretches!.dependence!.before.asGoodAs / 400).toBeCloseTo(1, 1);
    expect(ofStretches!.relativeInterval.upper / ofSingles.relativeInterval.upper).toBeCloseTo(1, 0);
    expect(changeOf(all, all).relativeInterval.upper).toBeLessThan(ofSingles.relativeInterval.upper / 10);
  });

  test('stretches that drift from low to high have no independent pieces', () => {
    const stretches = Array.from({ length: 60 }, (_, i) => {
      const histogram = new Histogram({ storage: 'sparse' });
      histogram.record(1000 + 10 * i, 100);
      return histogram;
    });
    const all = new Histogram();
    for (const stretch of stretches) all.add(stretch);
    const timed = { values: all, stretches };
    const [median] = compareRuns([timed], [timed], { percentiles: [50] }).percentiles;
    expect([median!.change, median!.reason]).toEqual(['cannot be judged', 'few pieces']);
    expect(median!.dependence!.before.pieces).toBeLessThan(5);
  });

  test('doubles are compared as integers are, however far apart', () => {
    const doublesOf = (scale: number): DoubleHistogram => {
      const doubles = new DoubleHistogram();
      for (let n = 1; n <= 5000; n++) doubles.record(n * scale);
      return doubles;
    };
    const near = changeOf(doublesOf(1 / 1024), doublesOf(1 / 256));
    expect(near.before).toBeCloseTo(2500 / 1024, 2);
    expect(near.relative).toBeCloseTo(3, 1);
    expect(near.change).toBe('worse');
    const far = changeOf(doublesOf(1e-12), doublesOf(1e12));
    expect(far.relative / 1e24).toBeCloseTo(1, 2);
    expect(far.change).toBe('worse');
  });

  test('values of 0 have differences, and no ratios', () => {
    const zeros = new Histogram();
    zeros.record(0, 5000);
    const { change, difference, relative, interval, smallestShown } = changeOf(zeros, evenly(5000));
    expect([change, difference]).toEqual(['worse', 2500]);
    expect(interval.lower).toBeGreaterThan(2000);
    expect([relative, smallestShown]).toEqual([Number.NaN, Number.NaN]);
  });

  test('values within bounds are worse only when their bounds are', () => {
    const around = (value: number): Histogram => {
      const histogram = new Histogram({ significantDigits: 5 });
      histogram.record(value, 5000);
      return histogram;
    };
    const between = (lower: number, upper: number) => ({
      values: { histogram: around(upper), lowest: around(lower), highest: around(upper) },
    });
    const verdictOf = (lower: number, upper: number) =>
      compareRuns([run(around(1000))], [between(lower, upper)], { percentiles: [50], tolerance: 0.05 })
        .percentiles[0]!.change;
    expect([verdictOf(1060, 1200), verdictOf(1040, 1200), verdictOf(990, 1200)]).toEqual([
      'worse',
      'within tolerance',
      'no significant difference',
    ]);
  });

  test.each([
    ['digits', 1, 1],
    ['units', 5, 4096],
  ])(
    'histograms of other %s, but with the same values, do not differ, either way round',
    (_, digits, unit) => {
      /** Slots of one digit hold 100,000 together with 98,304. */
      const values = Array.from({ length: 2000 }, (__, i) => 98_304 + (i % 40));
      const of = (significantDigits: number, lowestDiscernibleValue: number): Histogram => {
        const histogram = new Histogram({ significantDigits, lowestDiscernibleValue, autoResize: true });
        histogram.recordValues(values);
        return histogram;
      };
      const [fine, coarse] = [of(5, 1), of(digits, unit)];
      expect([changeOf(fine, coarse).change, changeOf(coarse, fine).change]).toEqual([
        'no significant difference',
        'no significant difference',
      ]);
    },
  );
});

describe('several runs a side', () => {
  const runs = (...speeds: readonly number[]) => speeds.map((speed) => run(evenly(10_000, speed)));

  test('the spread of runs decides, not the number of values', () => {
    const steady = compareRuns(runs(1, 1.01, 0.99), runs(1.2, 1.21, 1.19), { percentiles: [50] });
    const unsteady = compareRuns(runs(1, 1.3, 0.7), runs(1.2, 1.5, 0.9), { percentiles: [50] });
    expect([steady.ground, steady.percentiles[0]!.change]).toEqual(['runs', 'worse']);
    expect(unsteady.percentiles[0]!.change).toBe('no significant difference');
  });

  test('the interval of the ratio is that of Welch, of the logarithms', () => {
    // t.test(log(c(120, 126, 119)), log(c(100, 103, 98)), conf.level = 0.99) in R, by hand: t = 4.7414 at 3.836 degrees of freedom.
    // The slots are 0.02 % wide.
    const { percentiles } = compareRuns(runs(100, 103, 98), runs(120, 126, 119), { percentiles: [50] });
    const [{ before, relative, relativeInterval, smallestShown }] = percentiles as [PercentileChange];
    expect(before / 5000).toBeCloseTo((100 * 103 * 98) ** (1 / 3), 0);
    expect(relative).toBeCloseTo(0.21249, 3);
    expect(relativeInterval.lower).toBeCloseTo(0.08751, 3);
    expect(relativeInterval.upper).toBeCloseTo(0.35183, 3);
    expect(smallestShown).toBeGreaterThan(relativeInterval.upper - relative);
  });

  test('all intervals together have the confidence', () => {
    const sides = [runs(1, 1.01, 0.99), runs(1, 1.02, 0.98)] as const;
    const widthOf = (percentiles: readonly number[], confidence: number): number => {
      const [{ relativeInterval }] = compareRuns(...sides, { percentiles, confidence }).percentiles as [
        PercentileChange,
      ];
      return relativeInterval.upper - relativeInterval.lower;
    };
    expect(widthOf([50, 90], 0.98)).toBeCloseTo(widthOf([50], 0.99), 10);
    // A percentile that cannot be judged takes no part of the error.
    expect(widthOf([50, 99.999], 0.99)).toBeCloseTo(widthOf([50], 0.99), 10);
  });

  test('runs that share a slot differ by what the slot hides', () => {
    const equal = () => [1, 2, 3].map(() => run(evenly(10_000, 900)));
    const [{ change, relativeInterval }] = compareRuns(equal(), equal(), { percentiles: [50] })
      .percentiles as [PercentileChange];
    expect(change).toBe('no significant difference');
    expect(relativeInterval.upper).toBeGreaterThan(0.0001);
    expect(relativeInterval.upper).toBeLessThan(0.01);
  });
});

describe('the rates of verdicts on models of load tests', () => {
  const CASES = caseCount(40, 400);
  const FALSE = Math.ceil(CASES / 40);

  function histogramOf({ values }: Pick<ModelRun, 'values'>, factor = 1): Histogram {
    const histogram = new Histogram({ highestTrackableValue: 3_600_000_000 });
    for (const value of values) histogram.record(Math.round(value * factor * 1000));
    return histogram;
  }

  test.each(Object.keys(LOAD_MODELS))('equal programs are seldom worse: %s', (name) => {
    const draws = new Draws(name.length);
    const shape = { seconds: 30, rate: 40 };
    let alarms = 0;
    for (let i = 0; i < CASES; i++) {
      const side = () =>
        Array.from({ length: 5 }, () => run(histogramOf(LOAD_MODELS[name]!(draws, 1, shape))));
      const { percentiles } = compareRuns(side(), side(), { percentiles: [50, 90], tolerance: 0.05 });
      if (percentiles.some(({ change }) => change === 'worse')) alarms += 1;
    }
    expect(alarms).toBeLessThanOrEqual(FALSE);
  });

  test('a program that is a fifth slower is found, and the smallest growth that is named in four of five cases', () => {
    const draws = new Draws(3);
    const shape = { seconds: 30, rate: 40 };
    const model = LOAD_MODELS['speed of runs, sd 2 %']!;
    let [found, foundSmallest, smallest] = [0, 0, 1];
    for (let i = 0; i < CASES; i++) {
      const [one, other] = [0, 1].map(() => Array.from({ length: 5 }, () => model(draws, 1, shape)));
      const before = one!.map((values) => run(histogramOf(values)));
      const by = (growth: number): PercentileChange =>
        compareRuns(
          before,
          other!.map((values) => run(histogramOf(values, 1 + growth))),
          { percentiles: [50], tolerance: 0.05 },
        ).percentiles[0]!;
      if (by(0.2).change === 'worse') found += 1;
      if (by(smallest).change === 'worse') foundSmallest += 1;
      smallest = by(0).smallestShown;
    }
    expect(found).toBeGreaterThanOrEqual(CASES * 0.97);
    expect(foundSmallest / CASES).toBeGreaterThan(0.75);
    expect(foundSmallest / CASES).toBeLessThan(1);
  });

  test.each(['stalls of 20 to 200 ms', 'AR(1), ρ 0.99'])('one run a side is seldom worse: %s', (name) => {
    const draws = new Draws(5);
    const shape = { seconds: 60, rate: 300 };
    let [alarms, judged] = [0, 0];
    for (let i = 0; i < CASES; i++) {
      const side = () => {
        const { values, rate } = LOAD_MODELS[name]!(draws, 1, shape);
        const stretches = Array.from({ length: shape.seconds }, (_, second) =>
          histogramOf({ values: values.subarray(second * rate, (second + 1) * rate) }),
        );
        return [{ values: histogramOf({ values }), stretches }];
      };
      const { percentiles } = compareRuns(side(), side(), { percentiles: [50, 90], tolerance: 0.05 });
      if (percentiles.some(({ change }) => change === 'worse')) alarms += 1;
      if (percentiles.some(({ change }) => change !== 'cannot be judged')) judged += 1;
    }
    expect(alarms).toBeLessThanOrEqual(FALSE);
    expect(judged).toBeGreaterThan(CASES / 2);
  });
});

test('empty runs, one run against several, a negative tolerance, and integers with doubles are refused', () => {
  const full = run(evenly(100));
  const compared =
    (after: readonly { values: Histogram | DoubleHistogram }[], tolerance = 0) =>
    () =>
      compareRuns([full], after, { percentiles: [50], tolerance });
  expect(compared([run(new Histogram())])).toThrow("run 1 of 'after' must have values, and is empty");
  expect(compared([full, full])).toThrow('both sides must have one run, or both at least 2');
  expect(compared([])).toThrow("the side 'after' must be at least one run");
  expect(compared([full], -1)).toThrow('tolerance must be a finite number of at least 0, got -1');
  const doubles = new DoubleHistogram();
  doubles.record(1);
  expect(compared([run(doubles)])).toThrow('integers cannot be compared with doubles');
});
