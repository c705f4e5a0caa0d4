import { Histogram } from '../../src/histogram/histogram.ts';
import type { HistogramOptions } from '../../src/histogram/setup.ts';
import { hdrLayout } from '../../src/layout/hdr.ts';
import { expectRefused, refusalOf } from '../support/refused.ts';
import { describeEachStorage } from '../support/storages.ts';
import { LARGEST, LARGEST_BIGINT } from '../support/values.ts';

describeEachStorage('a new histogram', (storage) => {
  test('is empty', () => {
    const histogram = new Histogram({ storage });
    const { totalCount, min, max, mean, standardDeviation } = histogram;
    expect({ totalCount, min, max, mean, standardDeviation }).toEqual({
      totalCount: 0,
      min: 0,
      max: 0,
      mean: 0,
      standardDeviation: 0,
    });
    expect(histogram.valueAtPercentile(50)).toBe(0);
    expect(histogram.valuesAtPercentiles([0, 50, 100])).toEqual([0, 0, 0]);
    expect([...histogram.recordedValues()]).toEqual([]);
    expect([...histogram.percentiles()]).toEqual([]);
  });

  test('keeps its counts in the chosen storage', () => {
    const histogram = new Histogram({ storage });
    expect([histogram.storage, histogram.copy().storage]).toEqual([storage, storage]);
  });
});

describe('options', () => {
  test('default to three digits, dense counts and the smallest range that grows', () => {
    const histogram = new Histogram();
    const { significantDigits, lowestDiscernibleValue, highestTrackableValue, slotCount } = histogram.layout;
    expect([significantDigits, lowestDiscernibleValue, highestTrackableValue, slotCount]).toEqual([
      3, 1, 2, 2048,
    ]);
    expect([histogram.storage, histogram.autoResize]).toEqual(['dense', true]);
  });

  test.each<[string, HistogramOptions, boolean]>([
    ['no range', {}, true],
    ['a unit only', { lowestDiscernibleValue: 1000 }, true],
    ['a range', { highestTrackableValue: 1000 }, false],
    ['a range that may grow', { highestTrackableValue: 1000, autoResize: true }, true],
    ['a layout', { layout: hdrLayout({ highestTrackableValue: 1000 }) }, false],
    [
      'a layout that may grow',
      { layout: hdrLayout({ highestTrackableValue: 1000 }), autoResize: true },
      true,
    ],
    ['no range that may not grow', { autoResize: false }, false],
  ])('with %s decide whether it resizes itself', (_what, options, autoResize) => {
    expect(new Histogram(options).autoResize).toBe(autoResize);
  });

  test('take a layout that exists, which histograms share', () => {
    const layout = hdrLayout({ highestTrackableValue: 1000 });
    expect(new Histogram({ layout }).layout).toBe(layout);
  });

  test.each<[string, HistogramOptions]>([
    ['a unit of 2^40', { lowestDiscernibleValue: 2 ** 40 }],
    [
      'a unit of 2^52 as a number, whose double is no safe integer',
      { lowestDiscernibleValue: 2 ** 52, significantDigits: 0 },
    ],
    ['the largest unit as a number', { lowestDiscernibleValue: LARGEST, significantDigits: 2 }],
    ['the largest unit', { lowestDiscernibleValue: 2n ** 62n - 1n, significantDigits: 0 }],
    ['the largest range', { highestTrackableValue: LARGEST_BIGINT }],
  ])('allow %s', (_what, options) => {
    const histogram = new Histogram({ ...options, storage: 'sparse' });
    histogram.record(5);
    expect(histogram.totalCount).toBe(1);
  });

  test.each<[string, object]>([
    ['an unknown storage', { storage: 'packed' }],
    ['no lowest value', { lowestDiscernibleValue: 0 }],
    ['text as lowest value', { lowestDiscernibleValue: 'one' }],
    ['null as lowest value', { lowestDiscernibleValue: null }],
    ['a highest value below twice the lowest', { lowestDiscernibleValue: 10, highestTrackableValue: 19 }],
    ['NaN as highest value', { highestTrackableValue: Number.NaN }],
    ['2^53 as a number', { highestTrackableValue: 2 ** 53 }],
    ['too many digits', { significantDigits: 6 }],
  ])('refuse %s', (_what, options) => {
    expectRefused(() => new Histogram(options as HistogramOptions), 'ERR_INVALID_OPTION');
  });

  test('name the storages', () => {
    const packed = { storage: 'packed' } as unknown as HistogramOptions;
    expect(refusalOf(() => new Histogram(packed)).message).toBe(
      `storage must be 'dense', 'sparse' or 'shared', got "packed"`,
    );
  });
});
