import { Histogram } from '../../src/histogram/histogram.ts';
import type { Outliers, OutOfRangePolicy } from '../../src/histogram/out-of-range.ts';
import type { HistogramOptions } from '../../src/histogram/setup.ts';
import { expectRefused, expectRefusedUnchanged } from '../support/refused.ts';
import { describeEachStorage } from '../support/storages.ts';

const NONE: Outliers = { thrown: 0, clamped: 0, discarded: 0 };
/** The last slot of a range up to 1000 holds 2047: two digits more than are asked for fit. */
const LAST = 2047;

function usedOf(histogram: Histogram): [number, number][] {
  return [...histogram.recordedValues()].map((step) => [step.valueIteratedTo, step.countAtValueIteratedTo]);
}

describeEachStorage('a value out of range', (storage) => {
  const make = (outOfRange?: OutOfRangePolicy, options: HistogramOptions = {}): Histogram =>
    new Histogram({ storage, highestTrackableValue: 1000, ...options, ...(outOfRange && { outOfRange }) });

  const OUTSIDE = [-1, -1n, -0.5, LAST + 1, 2n ** 64n, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

  test.each([undefined, 'throw'] as const)('is refused with an error under the policy %s', (policy) => {
    const histogram = make(policy);
    histogram.record(5);
    for (const value of [LAST + 1, 2n ** 64n, Number.POSITIVE_INFINITY]) {
      expectRefusedUnchanged(histogram, () => histogram.record(value), 'ERR_VALUE_OUT_OF_RANGE');
    }
    for (const value of [-1, -1n, Number.NaN, '7' as unknown as number]) {
      expectRefusedUnchanged(histogram, () => histogram.record(value, 2), 'ERR_INVALID_VALUE');
    }
    expect(histogram.outliers).toEqual({ ...NONE, thrown: 3 + 4 * 2 });
  });

  test('is counted as the nearest value that has a slot when it is clamped', () => {
    const histogram = make('clamp');
    for (const value of OUTSIDE) histogram.record(value);
    histogram.record(LAST + 1, 10);
    expect(usedOf(histogram)).toEqual([
      [0, 4],
      [LAST, 13],
    ]);
    expect(histogram.outliers).toEqual({ ...NONE, clamped: 17 });
  });

  test('is not counted when it is discarded', () => {
    const histogram = make('discard');
    for (const value of OUTSIDE) histogram.record(value);
    histogram.record(Number.NaN, 3);
    histogram.record(7);
    expect(usedOf(histogram)).toEqual([[7, 1]]);
    expect(histogram.outliers).toEqual({ ...NONE, discarded: OUTSIDE.length + 3 });
  });

  test('is discarded when it is not a number, though others are clamped', () => {
    const histogram = make('clamp');
    for (const value of [Number.NaN, undefined, '7', {}]) histogram.record(value as number);
    expect([histogram.totalCount, histogram.outliers]).toEqual([0, { ...NONE, discarded: 4 }]);
  });

  test.each(['throw', 'clamp', 'discard'] as const)('has no slot, under %s', (policy) => {
    const histogram = make(policy);
    for (const value of [0, -0, 0.5, 1n, LAST, LAST + 0.5]) histogram.record(value);
    expect([histogram.totalCount, histogram.outliers]).toEqual([6, NONE]);
  });

  test.each(['throw', 'clamp', 'discard'] as const)('is no excuse for a wrong count, under %s', (policy) => {
    const histogram = make(policy);
    for (const count of [-1, 0.5, Number.NaN, 2 ** 53]) {
      expectRefusedUnchanged(histogram, () => histogram.record(5000, count), 'ERR_INVALID_COUNT');
    }
    expect(histogram.outliers).toEqual(NONE);
  });

  test('widens a range that may grow, and is clamped at its end only', () => {
    const histogram = make('clamp', { autoResize: true });
    histogram.record(1_000_000);
    expect(histogram.outliers).toEqual(NONE);
    histogram.record(2n ** 63n, 0);
    expect(histogram.layout.highestTrackableValue).toBeLessThan(2 ** 21);
    histogram.record(2n ** 63n);
    expect([histogram.exact.max, histogram.totalCount]).toEqual([2n ** 63n - 1n, 2]);
  });

  describe('with correction', () => {
    test('is refused, counts as one outlier, and nothing is corrected', () => {
      const histogram = make('throw');
      const record = (): void => histogram.recordCorrected(3000, 1000, 2);
      expectRefusedUnchanged(histogram, record, 'ERR_VALUE_OUT_OF_RANGE');
      expect(histogram.outliers).toEqual({ ...NONE, thrown: 2 });
    });

    test('is corrected from the value it is clamped to', () => {
      const histogram = make('clamp');
      histogram.recordCorrected(3000, 1000, 2);
      histogram.recordCorrected(-5, 1000);
      expect(usedOf(histogram)).toEqual([
        [0, 1],
        [1047, 2],
        [LAST, 2],
      ]);
      expect(histogram.outliers).toEqual({ ...NONE, clamped: 3 });
    });

    test.each([5000, 5000n, LAST + 1, LAST])(
      'is counted though it is clamped to no more than the interval %d',
      (interval) => {
        const histogram = make('clamp');
        histogram.recordCorrected(1_000_000, interval, 3);
        expect([usedOf(histogram), histogram.outliers]).toEqual([[[LAST, 3]], { ...NONE, clamped: 3 }]);
      },
    );

    test('is discarded with all that it would have corrected', () => {
      const histogram = make('discard');
      histogram.recordCorrected(3000, 1000, 2);
      histogram.recordCorrected(Number.NaN, 1000);
      expect([histogram.totalCount, histogram.outliers]).toEqual([0, { ...NONE, discarded: 3 }]);
    });
  });

  describe('among many', () => {
    const VALUES = [1, 5000, 2, -1, Number.NaN, 3];

    test('refuses all of them with an error that names its place', () => {
      const histogram = make('throw');
      histogram.record(9);
      expectRefusedUnchanged(histogram, () => histogram.recordValues(VALUES), 'ERR_VALUE_OUT_OF_RANGE');
      expect(() => histogram.recordValues(VALUES)).toThrow(/^values\[1\] must be at most 2047/);
      expect(histogram.outliers).toEqual({ ...NONE, thrown: 2 });
    });

    test.each<[string, unknown]>([
      ['text', '5'],
      ['true', true],
      ['a date', new Date(5)],
    ])('and %s, which only looks like a number, refuses all of them', (_what, value) => {
      const histogram = make('throw');
      const values = [1, value as number];
      expectRefusedUnchanged(histogram, () => histogram.recordValues(values), 'ERR_INVALID_VALUE');
      expect(() => histogram.recordValues(values)).toThrow(/^values\[1\] must be a number/);
    });

    test('does not widen the range for the others either', () => {
      const histogram = make('throw', { autoResize: true });
      expectRefusedUnchanged(histogram, () => histogram.recordValues([1_000_000, -1]), 'ERR_INVALID_VALUE');
    });

    test('is clamped, and the others are counted', () => {
      const histogram = make('clamp');
      histogram.recordValues(VALUES);
      expect(usedOf(histogram)).toEqual([0, 1, 2, 3, LAST].map((value) => [value, 1]));
      expect(histogram.outliers).toEqual({ thrown: 0, clamped: 2, discarded: 1 });
    });

    test('is discarded, and the others are counted', () => {
      const histogram = make('discard');
      histogram.recordValues(BigInt64Array.of(1n, 5000n, 2n, -1n));
      expect(usedOf(histogram)).toEqual([1, 2].map((value) => [value, 1]));
      expect(histogram.outliers).toEqual({ ...NONE, discarded: 2 });
    });
  });

  test('is tallied by the instance: copies begin anew, and so does a reset', () => {
    const histogram = make('discard');
    histogram.record(5000);
    const copy = histogram.copy();
    expect([copy.outOfRange, copy.outliers]).toEqual(['discard', NONE]);
    histogram.reset();
    expect(histogram.outliers).toEqual(NONE);
  });
});

test('the policy is one of three', () => {
  const make = (outOfRange: unknown): unknown =>
    new Histogram({ outOfRange: outOfRange as OutOfRangePolicy });
  for (const policy of ['ignore', null, 1]) expectRefused(() => make(policy), 'ERR_INVALID_OPTION');
});

test('each attachment of a shared histogram has a policy and a tally of its own', () => {
  const ours = new Histogram({ storage: 'shared', highestTrackableValue: 1000, outOfRange: 'clamp' });
  const theirs = Histogram.attach(ours.sharedBuffer!, { outOfRange: 'discard' });
  ours.record(5000);
  theirs.record(5000, 2);
  expect([ours.totalCount, theirs.totalCount]).toEqual([1, 1]);
  expect([
    ours.outliers.clamped,
    theirs.outliers.discarded,
    Histogram.attach(ours.sharedBuffer!).outOfRange,
  ]).toEqual([1, 2, 'throw']);
});
