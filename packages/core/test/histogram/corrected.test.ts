import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import type { ErrorCode } from '../../src/errors.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { expectRefusedUnchanged, refusalOf, stateOf } from '../support/refused.ts';
import { describeEachStorage } from '../support/storages.ts';
import { digits, LARGEST, values } from '../support/values.ts';
import { within } from '../support/within.ts';

/** The correction as in Java, one value after the other. */
function recordNaively(histogram: Histogram, value: number, interval: number): void {
  histogram.record(value);
  if (interval === 0) return;
  for (let missing = value - interval; missing >= interval; missing -= interval) histogram.record(missing);
}

describeEachStorage('recordCorrected', (storage) => {
  const make = (): Histogram => new Histogram({ storage });

  test('counts the values that were not seen while one was waited for', () => {
    const histogram = make();
    histogram.recordCorrected(1000, 250);
    expect([...histogram.recordedValues()].map((step) => step.valueIteratedTo)).toEqual([
      250, 500, 750, 1000,
    ]);
  });

  test.each([
    ['an interval of the value', 1000, 1000, 1],
    ['an interval above half of it', 1000, 501, 1],
    ['an interval of half of it', 1000, 500, 2],
    ['an interval below half of it', 1000, 499, 2],
    ['an interval larger than the value', 1000, 5000, 1],
    ['no interval', 1000, 0, 1],
    ['a value of 0', 0, 10, 1],
    ['an interval of 1', 1000, 1, 1000],
  ])('counts with %s (%d, %d) %d in all', (_what, value, interval, total) => {
    const [histogram, naive] = [make(), make()];
    histogram.recordCorrected(value, interval);
    recordNaively(naive, value, interval);
    expect(histogram.totalCount).toBe(total);
    expect(stateOf(histogram)).toEqual(stateOf(naive));
  });

  test('counts the same values as the naive loop', () => {
    const intervals = fc.tuple(values(2 ** 40), fc.integer({ min: 1, max: 100 }), fc.nat(10));
    fc.assert(
      fc.property(
        digits,
        fc.nat(20),
        fc.array(intervals, { maxLength: 4 }),
        (significantDigits, unit, all) => {
          const options = { lowestDiscernibleValue: 2 ** unit, significantDigits, storage };
          const [histogram, naive] = [new Histogram(options), new Histogram(options)];
          for (const [value, steps, beside] of all) {
            const interval = Math.max(1, Math.floor(value / steps) + beside - 5);
            if (value / interval > 300) continue;
            histogram.recordCorrected(value, interval);
            recordNaively(naive, value, interval);
          }
          expect(stateOf(histogram)).toEqual(stateOf(naive));
        },
      ),
      { numRuns: caseCount(50, 100) },
    );
  });

  test('takes a fraction for its integer part', () => {
    const [fraction, integer] = [make(), make()];
    for (const value of [1000.9, 499.5, 500.5]) {
      fraction.recordCorrected(value, 250);
      integer.recordCorrected(Math.floor(value), 250);
    }
    expect(stateOf(fraction)).toEqual(stateOf(integer));
  });

  test('takes no longer for an interval a quadrillion times smaller than the value', () => {
    const histogram = make();
    within(10_000, () => histogram.recordCorrected(LARGEST, 1));
    expect([histogram.totalCount, histogram.min, histogram.counts.at(1000)]).toEqual([LARGEST, 1, 1]);
    expect(histogram.counts.at(histogram.counts.last)).toBe(histogram.layout.size(histogram.counts.last));
  });

  test.each<[string, unknown]>([
    ['a negative interval', -1],
    ['half an interval', 2.5],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['2^53', 2 ** 53],
    ['text', '250'],
    ['nothing', undefined],
  ])('refuses %s, and changes nothing', (_what, interval) => {
    const histogram = make();
    histogram.record(42);
    expectRefusedUnchanged(
      histogram,
      () => histogram.recordCorrected(1000, interval as number),
      'ERR_INVALID_VALUE',
    );
  });

  test.each<[string, unknown, ErrorCode]>([
    ['NaN', Number.NaN, 'ERR_INVALID_VALUE'],
    ['a negative value', -5, 'ERR_INVALID_VALUE'],
    ['text', '1000', 'ERR_INVALID_VALUE'],
    ['Infinity', Number.POSITIVE_INFINITY, 'ERR_VALUE_OUT_OF_RANGE'],
    ['2^63', 2 ** 63, 'ERR_VALUE_OUT_OF_RANGE'],
  ])('refuses %s as a value, and changes nothing', (_what, value, code) => {
    const histogram = make();
    histogram.record(42);
    expectRefusedUnchanged(histogram, () => histogram.recordCorrected(value as number, 10), code);
    expectRefusedUnchanged(histogram, () => histogram.recordCorrected(value as number, 0), code);
  });

  test('refuses a value above a fixed range before it counts anything', () => {
    const histogram = new Histogram({ highestTrackableValue: 1000, storage });
    expectRefusedUnchanged(histogram, () => histogram.recordCorrected(5000, 10), 'ERR_VALUE_OUT_OF_RANGE');
  });

  test('refuses more missing values than can be counted, and does not grow', () => {
    const histogram = make();
    histogram.record(1, LARGEST - 99);
    expectRefusedUnchanged(histogram, () => histogram.recordCorrected(1e6, 1e4), 'ERR_COUNT_OVERFLOW');
    histogram.recordCorrected(99e4, 1e4);
    expect(histogram.totalCount).toBe(LARGEST);
  });

  test('has a message with the range of intervals', () => {
    expect(refusalOf(() => make().recordCorrected(1000, 2.5)).message).toBe(
      'expectedInterval must be an integer from 0 to 2^63 - 1, got 2.5',
    );
  });
});
