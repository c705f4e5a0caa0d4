import { Histogram } from '../../src/histogram/histogram.ts';
import { Recorder } from '../../src/histogram/recorder.ts';
import { expectRefused, expectRefusedUnchanged } from '../support/refused.ts';
import { describeEachStorage } from '../support/storages.ts';

/** A clock that advances by a second with each call. */
function ticking(): () => number {
  let now = 0;
  return () => {
    now += 1000;
    return now;
  };
}

function valuesOf(histogram: Histogram): [value: number, count: number][] {
  return [...histogram.recordedValues()].map((step) => [step.valueIteratedTo, step.countAtValueIteratedTo]);
}

describeEachStorage('a recorder', (storage) => {
  const make = (): Recorder =>
    new Recorder({ storage, highestTrackableValue: 100_000 }, { clock: ticking() });

  test('gives every value to exactly one interval, and all to its histogram', () => {
    const recorder = make();
    recorder.record(5);
    recorder.record(7, 3);
    expect(valuesOf(recorder.intervalHistogram())).toEqual([
      [5, 1],
      [7, 3],
    ]);
    recorder.record(5);
    recorder.recordValues([9, 90_000]);
    recorder.recordCorrected(200, 100);
    const second = recorder.intervalHistogram();
    expect(second.counts.total).toBe(5);
    expect([5, 7, 9, 100, 200, 90_000].map((value) => second.countAt(value))).toEqual([1, 0, 1, 1, 1, 1]);
    expect(recorder.histogram.totalCount).toBe(9);
  });

  test('has empty intervals without values', () => {
    const recorder = make();
    recorder.record(5);
    recorder.intervalHistogram();
    const { totalCount, min, max } = recorder.intervalHistogram();
    expect([totalCount, min, max, recorder.histogram.totalCount]).toEqual([0, 0, 0, 1]);
  });

  test('joins its intervals without a gap', () => {
    const recorder = make();
    const times = [1, 2, 3].map(() => {
      const { startTimeMs, endTimeMs } = recorder.intervalHistogram();
      return [startTimeMs, endTimeMs];
    });
    expect(times).toEqual([
      [1000, 2000],
      [2000, 3000],
      [3000, 4000],
    ]);
    expect([recorder.histogram.startTimeMs, recorder.histogram.endTimeMs]).toEqual([1000, 4000]);
  });

  test('has the earlier counts of its histogram in its first interval', () => {
    const histogram = new Histogram({ storage });
    histogram.record(3);
    const recorder = new Recorder(histogram);
    recorder.record(4);
    expect(valuesOf(recorder.intervalHistogram())).toEqual([
      [3, 1],
      [4, 1],
    ]);
    expect(histogram.totalCount).toBe(2);
  });

  test('gives intervals the layout that its histogram has at the time', () => {
    const recorder = new Recorder({ storage, significantDigits: 2 });
    recorder.record(3);
    const first = recorder.intervalHistogram();
    recorder.record(1_000_000);
    const second = recorder.intervalHistogram();
    recorder.record(3);
    const third = recorder.intervalHistogram(first);
    const slots = [first, second, third].map((interval) => interval.layout.slotCount);
    expect(slots).toEqual([256, recorder.histogram.layout.slotCount, recorder.histogram.layout.slotCount]);
    expect([valuesOf(second).length, second.countAt(1_000_000), valuesOf(third)]).toEqual([1, 1, [[3, 1]]]);
  });

  test('takes intervals of counts beyond 2^32', () => {
    const recorder = make();
    recorder.record(5, 2 ** 32 - 1);
    const totals = [recorder.intervalHistogram().countAt(5)];
    recorder.record(5);
    recorder.record(5);
    totals.push(recorder.intervalHistogram().countAt(5));
    recorder.record(5, 2 ** 40);
    totals.push(recorder.intervalHistogram().countAt(5));
    expect(totals).toEqual([2 ** 32 - 1, 2, 2 ** 40]);
  });

  test('forgets all counts when reset, also those of no interval yet, but keeps its tag', () => {
    const histogram = new Histogram({ storage });
    histogram.tag = 'reads';
    const recorder = new Recorder(histogram, { clock: ticking() });
    recorder.record(5, 2);
    recorder.intervalHistogram();
    recorder.record(6);
    recorder.reset();
    recorder.record(5);
    const interval = recorder.intervalHistogram();
    expect([valuesOf(interval), interval.startTimeMs, interval.tag]).toEqual([[[5, 1]], 3000, 'reads']);
    expect([recorder.histogram.totalCount, recorder.histogram.startTimeMs]).toEqual([1, 3000]);
  });

  test('refuses an interval when counts were taken out elsewhere, until it is reset', () => {
    const histogram = new Histogram({ storage });
    const recorder = new Recorder(histogram);
    recorder.record(5);
    recorder.record(90, 2);
    recorder.intervalHistogram();
    const less = new Histogram();
    less.record(90);
    histogram.subtract(less);
    recorder.record(6, 10);
    expectRefused(() => recorder.intervalHistogram(), 'ERR_CONCURRENT_MODIFICATION');
    histogram.reset();
    expectRefused(() => recorder.intervalHistogram(), 'ERR_CONCURRENT_MODIFICATION');
    recorder.reset();
    recorder.record(7);
    expect(valuesOf(recorder.intervalHistogram())).toEqual([[7, 1]]);
  });

  test('fills a histogram of another kind, which forgets its counts', () => {
    const recorder = make();
    const target = new Histogram({ highestTrackableValue: 1000, significantDigits: 2 });
    target.record(77);
    recorder.record(1000);
    recorder.intervalHistogramInto(target);
    expect([target.totalCount, target.countAt(1000), target.countAt(77)]).toEqual([1, 1, 0]);
    expect([target.startTimeMs, target.endTimeMs]).toEqual([1000, 2000]);
    recorder.intervalHistogramInto(target);
    expect([target.totalCount, target.startTimeMs]).toEqual([0, 2000]);
  });

  test('keeps an interval that does not fit into a histogram for the next one', () => {
    const recorder = make();
    const target = new Histogram({ highestTrackableValue: 1000 });
    target.record(77);
    recorder.record(90_000);
    expectRefusedUnchanged(target, () => recorder.intervalHistogramInto(target), 'ERR_VALUE_OUT_OF_RANGE');
    const interval = recorder.intervalHistogram();
    expect([interval.countAt(90_000), interval.startTimeMs]).toEqual([1, 1000]);
  });
});

describe('a recycled interval', () => {
  test('is used again, and forgets its counts', () => {
    const recorder = new Recorder({ highestTrackableValue: 1000 });
    recorder.record(5);
    const first = recorder.intervalHistogram();
    first.tag = 'seen';
    const second = recorder.intervalHistogram();
    recorder.record(6);
    expect(recorder.intervalHistogram(first)).toBe(first);
    expect([valuesOf(first), first.tag]).toEqual([[[6, 1]], undefined]);
    expect(recorder.intervalHistogram(second)).toBe(second);
    expect(recorder.intervalHistogram(first)).toBe(first);
  });

  test('must be an interval of the same recorder', () => {
    const recorder = new Recorder({ highestTrackableValue: 1000 });
    recorder.record(5);
    const foreign = new Recorder({ highestTrackableValue: 1000 }).intervalHistogram();
    const like = new Histogram({ highestTrackableValue: 1000, storage: 'sparse' });
    for (const histogram of [foreign, like, like.copy()]) {
      expectRefusedUnchanged(histogram, () => recorder.intervalHistogram(histogram), 'ERR_INCOMPATIBLE');
    }
    expect(recorder.intervalHistogram().totalCount).toBe(1);
  });

  test('is not the one that was filled, nor one that was replaced when the range grew', () => {
    const recorder = new Recorder();
    const filled = new Histogram();
    recorder.intervalHistogramInto(filled);
    expectRefused(() => recorder.intervalHistogram(filled), 'ERR_INCOMPATIBLE');
    const narrow = recorder.intervalHistogram();
    recorder.record(1_000_000);
    expect(recorder.intervalHistogram(narrow)).not.toBe(narrow);
    expectRefused(() => recorder.intervalHistogram(narrow), 'ERR_INCOMPATIBLE');
  });

  test('is still good when the interval could not be taken', () => {
    const histogram = new Histogram({ highestTrackableValue: 1000 });
    const recorder = new Recorder(histogram);
    recorder.record(5);
    const interval = recorder.intervalHistogram();
    histogram.reset();
    const take = (): unknown => recorder.intervalHistogram(interval);
    expectRefusedUnchanged(interval, take, 'ERR_CONCURRENT_MODIFICATION');
    recorder.reset();
    expect(recorder.intervalHistogram(interval)).toBe(interval);
  });
});

describe('the histogram of a recorder', () => {
  test('is not filled with its own interval, not through another attachment either', () => {
    const histogram = new Histogram({ storage: 'shared' });
    const recorder = new Recorder(histogram);
    recorder.record(5);
    const attached = Histogram.attach(histogram.sharedBuffer!);
    for (const target of [histogram, attached]) {
      expectRefusedUnchanged(histogram, () => recorder.intervalHistogramInto(target), 'ERR_INCOMPATIBLE');
    }
  });

  test('may be recorded into by an attachment, also beyond the range', () => {
    const histogram = new Histogram({ storage: 'shared' });
    const recorder = new Recorder(histogram);
    const attached = Histogram.attach(histogram.sharedBuffer!);
    attached.record(5);
    recorder.intervalHistogram();
    attached.record(10_000_000);
    expect(recorder.intervalHistogram().countAt(10_000_000)).toBe(1);
  });
});

test('intervals are kept as they are asked to be, but never shared', () => {
  const storageOf = (storage?: 'dense' | 'sparse'): string =>
    new Recorder({ storage: 'shared' }, storage && { storage }).intervalHistogram().storage;
  expect([storageOf(), storageOf('dense'), storageOf('sparse')]).toEqual(['sparse', 'dense', 'sparse']);
  expectRefused(() => storageOf('shared' as 'dense'), 'ERR_INVALID_OPTION');
});
