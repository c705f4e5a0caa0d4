import fc from 'fast-check';
import { percentileDifference } from '../../src/analysis/percentile-difference.ts';
import { percentileInterval } from '../../src/analysis/percentile-interval.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { recordedOnce } from '../support/recorded.ts';
import { expectRefused, refusalOf } from '../support/refused.ts';
import { lognormals, pairs } from './samples.ts';

const upTo = (n: number, shift = 0): Histogram =>
  recordedOnce(Array.from({ length: n }, (_, i) => i + 1 + shift));
const percentiles = fc.constantFrom(0, 10, 50, 90, 99, 99.9, 100);

describe('percentileDifference', () => {
  test('combines the intervals of both', () => {
    const [a, b] = [upTo(1000, 300), upTo(500)];
    const [inA, inB] = [percentileInterval(a, 90), percentileInterval(b, 90)];
    const { difference, lower, upper, confidence, significant } = percentileDifference(a, b, 90);
    expect(difference).toBe(1200 - 450);
    expect(difference - lower).toBeCloseTo(Math.hypot(inA.value - inA.lower, inB.upper - inB.value), 9);
    expect(upper - difference).toBeCloseTo(Math.hypot(inA.upper - inA.value, inB.value - inB.lower), 9);
    expect([confidence, significant]).toEqual([0.95, true]);
  });

  test('is not significant when a sample is too small', () => {
    const { difference, lower, confidence, significant } = percentileDifference(upTo(50, 1000), upTo(50), 99);
    expect([difference, significant]).toEqual([1000, false]);
    expect(lower).toBeGreaterThan(0);
    expect(confidence).toBe(percentileInterval(upTo(50), 99).confidence);
    expect(percentileDifference(upTo(50, 1000), upTo(50), 50)).toMatchObject({
      confidence: 0.95,
      significant: true,
    });
  });

  test('of a sample from itself is 0, and not significant', () => {
    fc.assert(
      fc.property(pairs, percentiles, ([a], percentile) => {
        const { difference, lower, upper, significant } = percentileDifference(a, a.copy(), percentile);
        expect([difference, significant]).toEqual([0, false]);
        expect(lower).toBeLessThanOrEqual(0);
        expect(upper).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test('changes its sign when the samples are swapped', () => {
    fc.assert(
      fc.property(pairs, percentiles, ([a, b], percentile) => {
        const [one, other] = [percentileDifference(a, b, percentile), percentileDifference(b, a, percentile)];
        expect([one.difference, one.lower, one.upper]).toEqual(
          [other.difference, other.upper, other.lower].map((value) => 0 - value),
        );
        expect([one.confidence, one.significant]).toEqual([other.confidence, other.significant]);
      }),
    );
  });

  test('contains the difference, and widens with confidence', () => {
    fc.assert(
      fc.property(pairs, percentiles, ([a, b], percentile) => {
        const [less, more] = [0.8, 0.99].map((confidence) =>
          percentileDifference(a, b, percentile, { confidence }),
        ) as [ReturnType<typeof percentileDifference>, ReturnType<typeof percentileDifference>];
        const ascending = [more.lower, less.lower, less.difference, less.upper, more.upper];
        expect(ascending).toEqual([...ascending].sort((x, y) => x - y));
      }),
    );
  });

  // Two samples of lognormal values, like latencies. The second is wider and higher.
  test.each([
    [500, 400, 400],
    [200, 700, 150],
  ])('contains the true difference as often as it says, of %d and %d values', (n, m, repetitions) => {
    const sampleOf = lognormals(2);
    const hits = { 50: 0, 99: 0 };
    const said = { 50: 1, 99: 1 };
    for (let i = 0; i < repetitions; i++) {
      const [a, b] = [sampleOf(n, 9, 1), sampleOf(m, 9.2, 1.2)];
      for (const [percentile, z] of [
        [50, 0],
        [99, 2.3263478740408408],
      ] as const) {
        const truth = Math.exp(9 + z) - Math.exp(9.2 + 1.2 * z);
        const { lower, upper, confidence } = percentileDifference(a, b, percentile);
        if (lower <= truth && truth <= upper) hits[percentile]++;
        said[percentile] = confidence;
      }
    }
    for (const percentile of [50, 99] as const) {
      expect(hits[percentile] / repetitions).toBeGreaterThanOrEqual(said[percentile] - 0.02);
    }
  });

  test('refuses arguments outside their ranges', () => {
    const [some, none] = [upTo(10), new Histogram()];
    expectRefused(() => percentileDifference(some, some, 101), 'ERR_INVALID_VALUE');
    expectRefused(() => percentileDifference(some, some, 50, { confidence: 1 }), 'ERR_INVALID_OPTION');
    for (const [a, b] of [
      [some, none],
      [none, some],
      [none, none],
    ] as const) {
      expect(refusalOf(() => percentileDifference(a, b, 50)).message).toBe(
        'percentileDifference: the count of each histogram must be at least 1, got 0',
      );
    }
  });
});

test('where counts came from wider slots, the interval contains the difference wherever the values lie in them', () => {
  const inWideSlots = (value: number): Histogram => {
    const wide = new Histogram({ highestTrackableValue: 1_000_000, significantDigits: 1 });
    wide.record(value, 1000);
    const fine = new Histogram({ highestTrackableValue: 1_000_000, significantDigits: 4 });
    fine.add(wide);
    return fine;
  };
  // Both ends of one slot of 1 digit.
  const { lower, upper, significant } = percentileDifference(inWideSlots(65_536), inWideSlots(69_631), 50);
  expect(lower).toBeLessThanOrEqual(65_536 - 69_631);
  expect(upper).toBeGreaterThanOrEqual(69_631 - 65_536);
  expect(significant).toBe(false);
});
