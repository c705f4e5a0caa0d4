import { Histogram } from '../../src/histogram/histogram.ts';
import { type JavaCase, type JavaNumber, javaFixture, made, reasonToSkip } from '../support/java.ts';
import { toRead } from '../support/recorded.ts';
import { expectRefused } from '../support/refused.ts';
import { describeEachStorage } from '../support/storages.ts';
import { LARGEST_BIGINT } from '../support/values.ts';

interface CountedCase extends JavaCase {
  readonly minNonZero: JavaNumber;
  readonly highestTrackableValue: JavaNumber;
  readonly atValues: readonly (readonly [value: JavaNumber, count: number, percentile: number])[];
  readonly between: readonly (readonly [low: JavaNumber, high: JavaNumber, count: number])[];
}

interface EquivalenceCase extends JavaCase {
  readonly values: readonly (readonly JavaNumber[])[];
}

const counted = (javaFixture<CountedCase>('histograms')?.cases ?? []).filter(
  (one) => reasonToSkip(one) === undefined,
);
const equivalence = javaFixture<EquivalenceCase>('equivalence')?.cases ?? [];

describeEachStorage('counts at and between values are those of Java', (storage) => {
  test.each(counted.map((one) => [one.name, one] as const))('%s', (_name, one) => {
    const histogram = toRead(made(one, storage));
    const { layout } = histogram;
    const atValues = one.atValues.map(([value]) => [
      value,
      histogram.countAt(BigInt(value)),
      histogram.percentileAtOrBelow(BigInt(value)),
    ]);
    // For a value above all slots, Java looks at its last slot.
    const isWithin = (value: JavaNumber): boolean => layout.slotOfBigInt(BigInt(value)) < layout.slotCount;
    expect(atValues).toEqual(
      one.atValues.map(([value, count, percentile]) => [value, isWithin(value) ? count : 0, percentile]),
    );
    const between = one.between.map(([low, high]) => [
      low,
      high,
      histogram.countBetween(BigInt(low), BigInt(high)),
    ]);
    expect(between).toEqual(one.between);
    const minNonZero = BigInt(one.minNonZero);
    expect(histogram.exact.minNonZero).toBe(minNonZero === LARGEST_BIGINT ? 0n : minNonZero);
  });
});

describe('equivalent values are those of Java', () => {
  test.each(equivalence.map((one) => [one.name, one] as const))('%s', (_name, one) => {
    const { exact } = made({ ...one, recorded: [] }, 'sparse');
    for (const row of one.values) {
      const [value, , size, lowest, highest, median, next] = row.map(BigInt) as [bigint, ...bigint[]];
      expect([
        exact.sizeOfEquivalentValueRange(value),
        exact.lowestEquivalentValue(value),
        exact.highestEquivalentValue(value),
        exact.medianEquivalentValue(value),
        BigInt.asIntN(64, exact.nextNonEquivalentValue(value)),
      ]).toEqual([size, lowest, highest, median, next]);
      expect(exact.valuesAreEquivalent(lowest!, highest!)).toBe(true);
    }
  });
});

describe('asking of values', () => {
  const histogram = new Histogram({ highestTrackableValue: 10_000, significantDigits: 2 });
  for (const value of [0, 1, 300, 301, 5000]) histogram.record(value);

  test('takes whole slots, and counts nothing above the last slot', () => {
    expect([300, 301, 302].map((value) => histogram.countAt(value))).toEqual([2, 2, 0]);
    expect(histogram.countBetween(301, 5000)).toBe(3);
    expect(histogram.countBetween(1e6, 1e9)).toBe(0);
    expect(histogram.countBetween(0, Number.POSITIVE_INFINITY)).toBe(5);
    expect(histogram.countBetween(5000, 1)).toBe(0);
  });

  test('has the percentage at or below a value', () => {
    expect([0, 299, 300, 1e9].map((value) => histogram.percentileAtOrBelow(value))).toEqual([
      20, 40, 80, 100,
    ]);
    expect(new Histogram().percentileAtOrBelow(7)).toBe(100);
  });

  test('knows the smallest value above zero', () => {
    expect(histogram.minNonZero).toBe(1);
    const zeros = new Histogram();
    zeros.record(0, 3);
    expect(zeros.minNonZero).toBe(0);
  });

  test('has the same values as numbers and as bigints', () => {
    expect([histogram.lowestEquivalentValue(301), histogram.highestEquivalentValue(300n)]).toEqual([
      300, 301,
    ]);
    expect([histogram.exact.max, histogram.exact.valueAtPercentile(100)]).toEqual([5023n, 5023n]);
    const large = new Histogram({ highestTrackableValue: LARGEST_BIGINT });
    large.record(LARGEST_BIGINT);
    expect([large.exact.max, large.max]).toEqual([LARGEST_BIGINT, 2 ** 63]);
    expect(large.exact.nextNonEquivalentValue(LARGEST_BIGINT)).toBe(2n ** 63n);
  });

  test.each([
    ['NaN', Number.NaN, 'ERR_INVALID_VALUE'],
    ['a negative number', -1, 'ERR_INVALID_VALUE'],
    ['a negative bigint', -1n, 'ERR_INVALID_VALUE'],
    ['text', '7', 'ERR_INVALID_VALUE'],
  ] as const)('refuses %s', (_what, value, code) => {
    const given = value as number;
    expectRefused(() => histogram.countAt(given), code);
    expectRefused(() => histogram.countBetween(0, given), code);
    expectRefused(() => histogram.percentileAtOrBelow(given), code);
    expectRefused(() => histogram.lowestEquivalentValue(given), code);
  });

  test('refuses values that no slot can hold', () => {
    expectRefused(() => histogram.nextNonEquivalentValue(2 ** 63), 'ERR_VALUE_OUT_OF_RANGE');
    expectRefused(() => histogram.highestEquivalentValue(2n ** 63n), 'ERR_VALUE_OUT_OF_RANGE');
  });

  test('refuses steps that lead nowhere before the first is taken', () => {
    expectRefused(() => histogram.linearValues(0), 'ERR_INVALID_OPTION');
    expectRefused(() => histogram.linearValues(1.5), 'ERR_INVALID_OPTION');
    expectRefused(() => histogram.logarithmicValues(0, 2), 'ERR_INVALID_OPTION');
    expectRefused(() => histogram.logarithmicValues(1, 1), 'ERR_INVALID_OPTION');
    expectRefused(() => histogram.percentiles(0), 'ERR_INVALID_OPTION');
  });

  test('notices that the histogram changes on the way', () => {
    const changing = new Histogram();
    changing.record(1);
    changing.record(100);
    const steps = changing.recordedValues();
    steps.next();
    changing.record(50);
    expectRefused(() => steps.next(), 'ERR_CONCURRENT_MODIFICATION');
  });
});

describeEachStorage('histograms are equal', (storage) => {
  const make = (highestTrackableValue: number, ...values: number[]): Histogram => {
    const histogram = new Histogram({ highestTrackableValue, significantDigits: 2, storage });
    histogram.recordValues(values);
    return histogram;
  };

  test('when they count the same, whatever their range, storage, times and tag', () => {
    const [a, b] = [make(10_000, 1, 300, 5000), make(1e9, 1, 301, 5000)];
    b.tag = 'b';
    b.startTimeMs = 7;
    expect([a.equals(b), b.equals(a), a.equals(a.copy({ storage: 'dense' }))]).toEqual([true, true, true]);
  });

  test('only then', () => {
    const a = make(10_000, 1, 300, 5000);
    for (const other of [
      make(10_000, 1, 300),
      make(10_000, 1, 303, 5000),
      make(1e9, 1, 300, 1e6),
      make(10_000),
    ]) {
      expect([a.equals(other), other.equals(a)]).toEqual([false, false]);
    }
    const finer = new Histogram({ highestTrackableValue: 10_000, significantDigits: 3 });
    finer.recordValues([1, 300, 5000]);
    expect(a.equals(finer)).toBe(false);
  });
});
