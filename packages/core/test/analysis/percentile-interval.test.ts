import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { percentileInterval } from '../../src/analysis/percentile-interval.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { recorded, recordedOnce } from '../support/recorded.ts';
import { expectRefused, refusalOf } from '../support/refused.ts';
import { recordings } from '../support/values.ts';
import { lognormals, multiplied } from './samples.ts';

const percentiles = fc.oneof(
  fc.double({ min: 0, max: 100, noNaN: true }),
  fc.constantFrom(0, -0, 50, 99, 99.9, 100),
);
const confidences = fc.oneof(
  fc.double({ min: 0, max: 1, minExcluded: true, maxExcluded: true, noNaN: true }),
  fc.constantFrom(0.5, 0.95, 0.99, Number.MIN_VALUE, 1 - Number.EPSILON / 2),
);
const filled = recordings().map((recording) => recorded([[42, 1], ...recording], { storage: 'sparse' }));

describe('percentileInterval', () => {
  const thousand = recordedOnce(Array.from({ length: 1000 }, (_, i) => i + 1));

  // SciPy computed the ranks. order-statistics.test.ts has more of them.
  test.each([
    [50, 0.95, 469, 532],
    [50, 0.999, 448, 553],
    [10, 0.95, 82, 120],
    [99, 0.5, 988, 993],
    [99, 0.95, 983, 997],
  ])('bounds percentile %d with confidence %d by ranks', (percentile, confidence, lower, upper) => {
    expect(percentileInterval(thousand, percentile, { confidence })).toEqual({
      value: percentile * 10,
      lower,
      upper,
      confidence,
    });
  });

  test('has a confidence of 95 % by default', () => {
    expect(percentileInterval(thousand, 50)).toEqual(percentileInterval(thousand, 50, { confidence: 0.95 }));
  });

  test('reports bounds of slots', () => {
    const coarse = recorded(
      [
        [10_000, 500],
        [20_000, 500],
      ],
      { significantDigits: 1 },
    );
    expect(percentileInterval(coarse, 50)).toEqual({
      value: 10_239,
      lower: 9728,
      upper: 20_479,
      confidence: 0.95,
    });
  });

  test('takes the lowest and the highest value of a sample that is too small, and reports their lower confidence', () => {
    const ten = recordedOnce([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const { lower, upper, confidence } = percentileInterval(ten, 99);
    expect([lower, upper]).toEqual([9, 10]);
    // The 99th percentile is above the 9th of ten values unless two or more of them are, and below the 10th unless none is.
    expect(confidence).toBeCloseTo(10 * 0.99 ** 9 * 0.01, 12);
    expect(percentileInterval(ten, 50, { confidence: 0.9999 })).toMatchObject({ lower: 1, upper: 10 });
    expect(percentileInterval(ten, 50, { confidence: 0.9999 }).confidence).toBeCloseTo(1 - 2 / 2 ** 10, 12);
    expect(percentileInterval(recordedOnce([7]), 50)).toEqual({
      value: 7,
      lower: 7,
      upper: 7,
      confidence: 0,
    });
  });

  test('has no confidence in the ends of a population', () => {
    expect(percentileInterval(thousand, 0)).toEqual({ value: 1, lower: 1, upper: 1, confidence: 0 });
    expect(percentileInterval(thousand, -0)).toEqual({ value: 1, lower: 1, upper: 1, confidence: 0 });
    expect(percentileInterval(thousand, 100)).toEqual({
      value: 1000,
      lower: 1000,
      upper: 1000,
      confidence: 0,
    });
  });

  test('narrows as the square root of the count, up to 10^15 values', () => {
    const width = (histogram: Histogram): number => {
      const { lower, upper } = percentileInterval(histogram, 50);
      return upper - lower;
    };
    expect(width(thousand)).toBe(532 - 469);
    // 310 of 100,000 values to each side of the middle; each value is counted a hundred times.
    expect(width(multiplied(thousand, 100))).toBe(504 - 497);
    expect(width(multiplied(thousand, 1e12))).toBeLessThanOrEqual(1);
  });

  test('contains the value, and the interval of less confidence', () => {
    fc.assert(
      fc.property(filled, percentiles, confidences, confidences, (histogram, percentile, one, other) => {
        const less = percentileInterval(histogram, percentile, { confidence: Math.min(one, other) });
        const more = percentileInterval(histogram, percentile, { confidence: Math.max(one, other) });
        expect(less.value).toBe(histogram.valueAtPercentile(percentile));
        expect(more.lower).toBeLessThanOrEqual(less.lower);
        expect(less.lower).toBeLessThanOrEqual(less.value);
        expect(less.value).toBeLessThanOrEqual(less.upper);
        expect(less.upper).toBeLessThanOrEqual(more.upper);
        expect(less.confidence).toBeLessThanOrEqual(more.confidence);
        expect(more.confidence).toBeLessThanOrEqual(Math.max(one, other));
        expect(less.confidence).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: caseCount(100, 300) },
    );
  });

  test('contains the population’s percentile at least as often as its confidence', () => {
    const sampleOf = lognormals(1);
    const [repetitions, n] = [500, 150];
    const upperTail = { 50: 0, 90: 1.2815515655446004, 99: 2.3263478740408408 };
    const hits = { 50: 0, 90: 0, 99: 0 };
    const said = { 50: 0, 90: 0, 99: 0 };
    for (let i = 0; i < repetitions; i++) {
      const histogram = sampleOf(n, 9, 1);
      for (const percentile of [50, 90, 99] as const) {
        const truth = Math.exp(9 + upperTail[percentile]);
        const { lower, upper, confidence } = percentileInterval(histogram, percentile);
        if (lower <= truth && truth <= upper) hits[percentile]++;
        said[percentile] = confidence;
      }
    }
    for (const percentile of [50, 90, 99] as const) {
      // Allows two standard errors of the simulation.
      expect(hits[percentile] / repetitions).toBeGreaterThanOrEqual(
        said[percentile] - 2 * Math.sqrt(0.25 / repetitions),
      );
    }
    expect(said[99]).toBeLessThan(0.95);
  });

  test('refuses arguments outside their ranges', () => {
    for (const percentile of [-1, 100.1, NaN, '50']) {
      expectRefused(() => percentileInterval(thousand, percentile as number), 'ERR_INVALID_VALUE');
    }
    for (const confidence of [0, 1, -1, 95, NaN, '0.95', null]) {
      expectRefused(
        () => percentileInterval(thousand, 50, { confidence: confidence as number }),
        'ERR_INVALID_OPTION',
      );
    }
    expectRefused(() => percentileInterval(new Histogram(), 50), 'ERR_INCOMPATIBLE');
    expect(refusalOf(() => percentileInterval(new Histogram(), 50)).message).toBe(
      'percentileInterval: the count of the histogram must be at least 1, got 0',
    );
    expect(refusalOf(() => percentileInterval(thousand, 50, { confidence: 95 })).message).toBe(
      'confidence must be a number above 0 and below 1, got 95',
    );
  });
});
