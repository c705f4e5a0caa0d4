import {
  type Bounds,
  type Counted,
  compareRuns,
  type HdrLayout,
  Histogram,
  HistogramSum,
  hdrLayout,
  kolmogorovSmirnovTest,
  mannWhitneyTest,
  percentileDifference,
  percentileInterval,
  welchTest,
} from '@hdrscope/core';
import {
  countIndependent,
  countWithin,
  judgeObjective,
  percentileOfRun,
  SparseCounts,
} from '@hdrscope/core/internal';
import { caseCount } from '@hdrscope/testing/case-count';
import { createRandom } from '@hdrscope/testing/random';
import { drawSample, findMostByChance, SAMPLINGS, type Sampling } from '@hdrscope/testing/sampling';
import fc from 'fast-check';

const RUNS = caseCount(30, 2000);
const CONFIDENCE = 0.9;
/** The largest value of the population, in which all integers from 0 on are equally frequent. */
const TOP = 9999;
const LAYOUT = hdrLayout({ highestTrackableValue: 2 * TOP });

type Sample = Counted<HdrLayout>;

/** What a client sends of so many values. @param slower By how much all values are larger. */
function sampleOf(sampling: Sampling, seed: number, size: number, slower = 1): Sample {
  const counts = new SparseCounts(LAYOUT.slotCount);
  let most = 1;
  for (const [value, weight] of drawSample(sampling, size, createRandom(seed))) {
    counts.add(LAYOUT.slotOf(Math.floor(value * (TOP + 1) * slower)), weight);
    most = Math.max(most, weight);
  }
  return { layout: LAYOUT, counts, weight: most };
}

function histogramOf(sample: Sample): Histogram {
  const histogram = new Histogram({ highestTrackableValue: 2 * TOP });
  histogram.add(sample);
  return histogram;
}

type Claim = Bounds & { readonly confidence: number };

/** Everything that has an interval of a percentile. */
const INTERVALS: Readonly<Record<string, (sample: Sample, percentile: number) => Claim>> = {
  percentileInterval: (sample, percentile) =>
    percentileInterval(sample, percentile, { confidence: CONFIDENCE }),
  'percentileInterval of a histogram': (sample, percentile) =>
    percentileInterval(histogramOf(sample).copy(), percentile, { confidence: CONFIDENCE }),
  'HistogramSum.percentileInterval': (sample, percentile) => {
    const [whole, part] = [new HistogramSum(), new HistogramSum()];
    part.add(sample);
    whole.add(part);
    return whole.percentileInterval(percentile, { confidence: CONFIDENCE });
  },
  'HistogramSum.toHistogram': (sample, percentile) => {
    const sum = new HistogramSum();
    sum.add(sample);
    return percentileInterval(sum.toHistogram(), percentile, { confidence: CONFIDENCE });
  },
  percentileOfRun: (sample, percentile) => {
    const histogram = histogramOf(sample);
    const run = { histogram, lowest: histogram, highest: histogram };
    const { figure, confidence } = percentileOfRun(run, undefined, percentile, CONFIDENCE);
    return { ...figure.interval, confidence };
  },
};

const SIZE = 20_000;

describe.each(Object.entries(SAMPLINGS))('where %s', (_, sampling) => {
  test.each(Object.entries(INTERVALS))('intervals of %s hold with their confidence', (_, intervalOf) => {
    const misses = new Map([50, 80, 90, 95].map((percentile) => [percentile, { claimed: 0, missed: 0 }]));
    for (let run = 0; run < RUNS; run++) {
      const sample = sampleOf(sampling, run + 1, SIZE);
      for (const [percentile, known] of misses) {
        const { lower, upper, confidence } = intervalOf(sample, percentile);
        if (confidence < CONFIDENCE) continue;
        known.claimed++;
        // The value at the percentile of the population, which is between two integers.
        const truth = (percentile / 100) * (TOP + 1);
        if (lower > truth || upper < truth - 1) known.missed++;
      }
    }
    for (const { claimed, missed } of misses.values()) {
      expect(claimed).toBe(RUNS);
      expect(missed).toBeLessThanOrEqual(findMostByChance(RUNS, 1 - CONFIDENCE));
    }
  });

  const runOf = (seed: number, slower: number) => {
    const stretches = Array.from({ length: 40 }, (_, at) =>
      histogramOf(sampleOf(sampling, 1000 * seed + at, SIZE / 40, slower)),
    );
    const sum = new HistogramSum();
    for (const one of stretches) sum.add(one);
    return { values: sum.toHistogram(), stretches };
  };
  const differ = (before: Sample, after: Sample, percentiles: readonly number[]): boolean =>
    compareRuns([{ values: histogramOf(before) }], [{ values: histogramOf(after) }], {
      percentiles,
      confidence: CONFIDENCE,
    }).percentiles.some(({ change }) => change === 'worse' || change === 'better');

  /** Everything that says that two samples differ. */
  const DIFFERENCES: Readonly<Record<string, (seed: number, slower: number) => boolean>> = {
    percentileDifference: (seed, slower) =>
      percentileDifference(
        sampleOf(sampling, 2 * seed, SIZE, slower),
        sampleOf(sampling, 2 * seed + 1, SIZE),
        90,
        { confidence: CONFIDENCE },
      ).significant,
    compareRuns: (seed, slower) =>
      differ(sampleOf(sampling, 2 * seed, SIZE), sampleOf(sampling, 2 * seed + 1, SIZE, slower), [50, 90]),
    'compareRuns with stretches': (seed, slower) =>
      compareRuns([runOf(2 * seed, 1)], [runOf(2 * seed + 1, slower)], {
        percentiles: [50, 90],
        confidence: CONFIDENCE,
      }).percentiles.some(({ change }) => change === 'worse' || change === 'better'),
    mannWhitneyTest: (seed, slower) =>
      mannWhitneyTest(sampleOf(sampling, 2 * seed, SIZE), sampleOf(sampling, 2 * seed + 1, SIZE, slower))
        .pValue <
      1 - CONFIDENCE,
    kolmogorovSmirnovTest: (seed, slower) =>
      kolmogorovSmirnovTest(
        sampleOf(sampling, 2 * seed, SIZE),
        sampleOf(sampling, 2 * seed + 1, SIZE, slower),
      ).pValue <
      1 - CONFIDENCE,
    welchTest: (seed, slower) =>
      welchTest(sampleOf(sampling, 2 * seed, SIZE), sampleOf(sampling, 2 * seed + 1, SIZE, slower)).pValue <
      1 - CONFIDENCE,
  };

  test.each(Object.entries(DIFFERENCES))(
    '%s finds no difference of equal ones, and large ones',
    (_, isFound) => {
      const count = (slower: number, runs: number): number =>
        Array.from({ length: runs }, (_, run) => isFound(run + 1, slower)).filter(Boolean).length;
      expect(count(1, RUNS)).toBeLessThanOrEqual(findMostByChance(RUNS, 1 - CONFIDENCE));
      expect(count(1.6, 20)).toBeGreaterThan(15);
    },
  );

  test('an objective is kept or missed only where it surely is', () => {
    const verdicts = { kept: 0, missed: 0, undecided: 0 };
    for (let run = 0; run < RUNS; run++) {
      const sample = sampleOf(sampling, run + 1, SIZE);
      const verdict = (limit: number) =>
        judgeObjective(countWithin(sample, limit), sample.counts.total, 90, { weight: sample.weight })
          .verdict;
      verdicts[verdict(0.9 * TOP)]++;
      if (run >= 20) continue;
      expect([verdict(0.6 * TOP), verdict(TOP + 1)]).toEqual(['missed', 'kept']);
    }
    // Both are wrong: the share of values within the limit is the objective.
    expect(verdicts.kept).toBeLessThanOrEqual(findMostByChance(RUNS, 0.005));
    expect(verdicts.missed).toBeLessThanOrEqual(findMostByChance(RUNS, 0.005));
  });
});

test('counts of equal weights say as much as the values themselves', () => {
  const values = fc.array(fc.nat(TOP), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(
      values,
      fc.integer({ min: 1, max: 1000 }),
      fc.double({ min: 0, max: 100, noNaN: true }),
      (all, weight, percentile) => {
        const [once, often] = [new SparseCounts(LAYOUT.slotCount), new SparseCounts(LAYOUT.slotCount)];
        for (const value of all) once.add(LAYOUT.slotOf(value), 1);
        for (const value of all) often.add(LAYOUT.slotOf(value), weight);
        const [one, other] = [
          { layout: LAYOUT, counts: once },
          { layout: LAYOUT, counts: often, weight },
        ];
        expect(countIndependent(other)).toBe(all.length);
        expect(percentileInterval(other, percentile)).toEqual(percentileInterval(one, percentile));
        expect(percentileDifference(other, one, percentile)).toEqual(
          percentileDifference(one, one, percentile),
        );
      },
    ),
    { numRuns: caseCount(200, 5000) },
  );
});

test('fewer counts than a weight are one value, and none are none', () => {
  expect([0, 1, 9, 10, 19, 20].map((total) => countIndependent({ counts: { total }, weight: 10 }))).toEqual([
    0, 1, 1, 1, 1, 2,
  ]);
});

test('a histogram forgets its weight with its values, and another one takes it with them', () => {
  const histogram = histogramOf({ ...sampleOf(() => 1, 1, 10), weight: 7 });
  const [copy, other] = [histogram.copy(), new Histogram({ highestTrackableValue: 2 * TOP })];
  other.record(1);
  expect(other.weight).toBeUndefined();
  other.add(histogram);
  other.add(new Histogram({ highestTrackableValue: 10 }));
  histogram.reset();
  expect([histogram.weight, copy.weight, other.weight]).toEqual([undefined, 7, 7]);
});
