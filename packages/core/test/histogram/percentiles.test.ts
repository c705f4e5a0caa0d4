import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { findRank } from '../../src/histogram/percentiles.ts';
import { recorded, recordedOnce, slotsOf, stall } from '../support/recorded.ts';
import { expectRefused, refusalOf } from '../support/refused.ts';
import { describeEachStorage } from '../support/storages.ts';
import { digits, LARGEST, recordings, values } from '../support/values.ts';

/** Percentiles with three decimals, as people write them: `thousandths / 1000`. */
const thousandths = fc.oneof(
  fc.integer({ min: 0, max: 100_000 }),
  fc.constantFrom(0, 1, 50_000, 99_999, 100_000),
);

/** The rank of a decimal percentile, without rounding. */
function exactRank(percentileThousandths: number, total: bigint): bigint {
  const scaled = BigInt(percentileThousandths) * total;
  const rank = (scaled + 99_999n) / 100_000n;
  return rank > 1n ? rank : 1n;
}

describeEachStorage('valueAtPercentile', (storage) => {
  // Java HdrHistogram.
  test.each([
    [[1, 2], 0, 1],
    [[1, 2], 49.9, 1],
    [[1, 2], 50, 1],
    [[1, 2], 50.00000000000001, 1],
    [[1, 2], 50.0000000000001, 2],
    [[1, 2], 99, 2],
    [[1, 2], 100, 2],
    [[1, 2], 150, 2],
    [[1, 2], Number.POSITIVE_INFINITY, 2],
    [[1, 2], -5, 1],
    [[1, 2], Number.NEGATIVE_INFINITY, 1],
    [[1, 2], -0, 1],
    [[1, 2], Number.MIN_VALUE, 1],
    [[1, 2, 2, 2, 2], 20, 1],
    [[1, 2, 2, 2, 2], 20.00001, 2],
    [[1, 2, 2, 2, 2], 25, 2],
    [[1, 2, 2, 2, 2], 30, 2],
    [[10, 20, 30], 33.333333333333336, 10],
    [[10, 20, 30], 66.66666666666667, 20],
  ])('of %j at %d is %d, as in Java', (all, percentile, expected) => {
    expect(recordedOnce(all, { storage }).valueAtPercentile(percentile)).toBe(expected);
  });

  test('is the lower bound of the lowest slot at 0, the upper bound of the highest at 100', () => {
    const histogram = recordedOnce([1_000_000, 5_000_000], { significantDigits: 1, storage });
    expect(histogram.valueAtPercentile(0)).toBe(histogram.min);
    expect(histogram.valueAtPercentile(0)).toBe(983_040);
    expect(histogram.valueAtPercentile(1)).toBe(1_015_807);
    expect(histogram.valueAtPercentile(100)).toBe(histogram.max);
  });

  test('sees a stall as it was measured, and as it was felt', () => {
    const [raw, felt] = [stall(0, storage), stall(10_000, storage)];
    expect([raw.totalCount, felt.totalCount]).toEqual([10_001, 20_000]);
    // Java's HistogramDataAccessTest, within 0.1 %.
    const near = (value: number, expected: number): void => {
      expect(Math.abs(value - expected)).toBeLessThanOrEqual(expected * 0.001);
    };
    near(raw.valueAtPercentile(99.99), 1000);
    near(raw.valueAtPercentile(99.999), 1e8);
    for (const [percentile, expected] of [
      [30, 1000],
      [50, 1000],
      [75, 5e7],
      [90, 8e7],
      [99, 9.8e7],
      [99.999, 1e8],
      [100, 1e8],
    ] as const) {
      near(felt.valueAtPercentile(percentile), expected);
    }
  });

  test('is in the slot of the exact order statistic where counts are large', () => {
    const large = fc.integer({ min: 1, max: 2 ** 33 });
    const all = fc.array(fc.tuple(values(), large), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(all, thousandths, (recording, percentile) => {
        const histogram = recorded(recording, { highestTrackableValue: LARGEST, storage });
        const rank = exactRank(percentile, BigInt(histogram.totalCount));
        let upTo = 0n;
        const slot = slotsOf(histogram).find(([, count]) => {
          upTo += BigInt(count);
          return upTo >= rank;
        })![0];
        const bound = percentile === 0 ? histogram.layout.lower(slot) : histogram.layout.upper(slot);
        expect(histogram.valueAtPercentile(percentile / 1000)).toBe(bound);
      }),
      { numRuns: caseCount(100, 300) },
    );
  });

  test('never falls when the percentile rises', () => {
    const percentile = fc.double({ min: 0, max: 100, noNaN: true });
    fc.assert(
      fc.property(recordings(), percentile, percentile, (recording, a, b) => {
        const histogram = recorded(recording, { storage });
        const [less, more] = [Math.min(a, b), Math.max(a, b)];
        expect(histogram.valueAtPercentile(less)).toBeLessThanOrEqual(histogram.valueAtPercentile(more));
      }),
    );
  });

  test('lies between minimum and maximum, and reaches both', () => {
    fc.assert(
      fc.property(recordings(), fc.double({ min: 0, max: 100, noNaN: true }), (recording, percentile) => {
        const histogram = recorded(recording, { storage });
        const value = histogram.valueAtPercentile(percentile);
        expect(value).toBeGreaterThanOrEqual(histogram.min);
        expect(value).toBeLessThanOrEqual(histogram.max);
        expect([histogram.valueAtPercentile(0), histogram.valueAtPercentile(100)]).toEqual([
          histogram.min,
          histogram.max,
        ]);
      }),
    );
  });

  test.each([
    ['NaN', Number.NaN],
    ['text', '50'],
    ['nothing', undefined],
    ['null', null],
    ['a bigint', 50n],
  ])('refuses %s', (_what, percentile) => {
    for (const histogram of [recordedOnce([], { storage }), recordedOnce([1, 2], { storage })]) {
      expectRefused(() => histogram.valueAtPercentile(percentile as number), 'ERR_INVALID_VALUE');
      expectRefused(() => histogram.valuesAtPercentiles([50, percentile as number]), 'ERR_INVALID_VALUE');
    }
  });

  test('has a message with the range of percentiles', () => {
    expect(refusalOf(() => recordedOnce([1], { storage }).valueAtPercentile(Number.NaN)).message).toBe(
      'percentile must be a number from 0 to 100, got NaN',
    );
  });
});

test('a percentile is in the slot of the exact order statistic, whatever the digits', () => {
  const all = fc.array(values(), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(digits, all, thousandths, (significantDigits, raw, percentile) => {
      const histogram = recordedOnce(raw, {
        significantDigits,
        highestTrackableValue: LARGEST,
        storage: 'sparse',
      });
      const sorted = [...raw].sort((a, b) => a - b);
      const value = sorted[Number(exactRank(percentile, BigInt(raw.length))) - 1]!;
      const slot = histogram.layout.slotOf(value);
      const bound = percentile === 0 ? histogram.layout.lower(slot) : histogram.layout.upper(slot);
      expect(histogram.valueAtPercentile(percentile / 1000)).toBe(bound);
    }),
    { numRuns: caseCount(100, 300) },
  );
});

describeEachStorage('valuesAtPercentiles', (storage) => {
  test('equals valueAtPercentile for each of several percentiles, in any order', () => {
    const percentiles = fc.array(
      fc.oneof(
        fc.double({ min: -1, max: 101, noNaN: true }),
        fc.constantFrom(0, -0, 50, 100, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
      ),
      { maxLength: 10 },
    );
    fc.assert(
      fc.property(recordings(), percentiles, (recording, asked) => {
        const histogram = recorded(recording, { storage });
        expect(histogram.valuesAtPercentiles(asked)).toEqual(
          asked.map((one) => histogram.valueAtPercentile(one)),
        );
      }),
      { numRuns: caseCount(60, 200) },
    );
  });

  test('stays at the maximum above 100 percent where total * 100 / 100 is rounded to more', () => {
    const histogram = recorded([[5, 3_021_571_029_646_113]], { storage });
    expect(histogram.valuesAtPercentiles([100, 101, 150])).toEqual([5, 5, 5]);
    expect([100, 101, 150].map((percentile) => histogram.valueAtPercentile(percentile))).toEqual([5, 5, 5]);
  });

  test('leaves the given percentiles in their order', () => {
    const asked = [99, 50, 99, 0];
    expect(recordedOnce([1, 2, 3], { storage }).valuesAtPercentiles(asked)).toEqual([3, 2, 3, 1]);
    expect(asked).toEqual([99, 50, 99, 0]);
  });

  test('is empty without percentiles', () => {
    expect(recordedOnce([1], { storage }).valuesAtPercentiles([])).toEqual([]);
  });
});

describe('the rank of a percentile', () => {
  test('is exact for whole percentiles up to 2^44 values', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 100 }),
        fc.integer({ min: 1, max: 2 ** 44 }),
        (percentile, total) => {
          expect(BigInt(findRank(percentile, total))).toBe(exactRank(percentile * 1000, BigInt(total)));
        },
      ),
      { numRuns: caseCount(200, 1000) },
    );
  });

  test('is that of the last value at 100 percent, up to 2^51 values', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 51 }), (total) => expect(findRank(100, total)).toBe(total)),
    );
  });

  test('is never below 1 and never above the total', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.integer({ min: 1, max: LARGEST }), (percentile, total) => {
        expect(findRank(percentile, total)).toBeGreaterThanOrEqual(1);
        expect(findRank(percentile, total)).toBeLessThanOrEqual(total);
      }),
      { examples: [[100.00000000000001, 3_021_571_029_646_113]] },
    );
  });
});
