import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { BuiltPackages } from '@hdrscope/testing';
import fc from 'fast-check';
import { DoubleHistogram } from '../../src/histogram/double-histogram.ts';
import { DoubleRecorder } from '../../src/histogram/double-recorder.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { expectRefused, refusalOf } from '../support/refused.ts';

const shared = (): DoubleHistogram => new DoubleHistogram({ storage: 'shared' });
const attached = (histogram: DoubleHistogram): DoubleHistogram =>
  DoubleHistogram.attach(histogram.sharedBuffer!);

describe('a histogram of doubles with shared storage', () => {
  const values = fc.array(fc.oneof(fc.constant(0), fc.double({ min: 1e-7, max: 1e7, noNaN: true })));

  test('counts as one with dense storage does', () => {
    fc.assert(
      fc.property(values, values, fc.integer({ min: 1, max: 2 ** 35 }), (first, second, count) => {
        const [dense, ours] = [new DoubleHistogram(), shared()];
        for (const histogram of [dense, ours]) {
          // The first value is in the middle of the range.
          histogram.record(1);
          for (const value of first) histogram.record(value, count);
          histogram.recordValues(second);
        }
        expect(ours.equals(dense) && dense.equals(ours)).toBe(true);
        const read = (histogram: DoubleHistogram): unknown => [
          histogram.min,
          histogram.minNonZero,
          [...histogram.percentiles()].map((step) => step.totalCountToThisValue),
        ];
        expect(read(ours)).toEqual(read(dense));
        // Upper ends of slots differ by one step of the conversion ratio.
        expect(ours.max / dense.max).toBeCloseTo(1, 2);
      }),
    );
  });

  test('is seen by every instance that is attached to it, whoever counts first', () => {
    const ours = shared();
    const theirs = attached(ours);
    theirs.record(0.25, 2);
    theirs.record(0);
    expect([ours.totalCount, ours.countAt(0.25), ours.min, ours.minNonZero]).toEqual([3, 2, 0, 0.25]);
    ours.record(1e-3);
    expect([theirs.totalCount, theirs.countAt(1e-3), attached(theirs).totalCount]).toEqual([4, 1, 4]);
    expect([ours.storage, theirs.storage]).toEqual(['shared', 'shared']);
  });

  test('has its first value in the middle of a range that never moves', () => {
    const histogram = shared();
    expect(histogram.totalCount).toBe(0);
    histogram.record(1);
    const [low, limit] = [
      histogram.currentLowestTrackableNonZeroValue,
      histogram.currentHighestTrackableValue,
    ];
    expect([low, limit]).toEqual([2 ** -26, 2 ** 27]);
    histogram.record(low);
    histogram.record(limit / 2);
    expect(refusalOf(() => histogram.record(limit))).toMatchObject({
      code: 'ERR_VALUE_OUT_OF_RANGE',
      message: `value must be 0, or from ${low} to below ${limit}, around the first value in shared storage, got ${limit}`,
    });
    expectRefused(() => histogram.record(low / 2), 'ERR_VALUE_OUT_OF_RANGE');
    expect(histogram.totalCount).toBe(3);
  });

  test('has many values of the first call in the middle together', () => {
    const histogram = shared();
    histogram.recordValues([2 ** -50, 1]);
    expect([histogram.totalCount, histogram.countAt(2 ** -50)]).toEqual([2, 1]);
    const corrected = shared();
    corrected.recordCorrected(2 ** 20, 2 ** 15);
    expect(corrected.totalCount).toBe(32);
  });

  test.each([1e-308, 2 ** -1011, 2 ** 1022, 1e-300, 1e300])('counts %d as its first value', (value) => {
    const histogram = shared();
    const fits = value >= 2 ** -1012;
    if (fits) histogram.record(value);
    else expectRefused(() => histogram.record(value), 'ERR_VALUE_OUT_OF_RANGE');
    expect(histogram.totalCount).toBe(fits ? 1 : 0);
  });

  test('clamps to its range, and discards values that are not numbers', () => {
    const histogram = new DoubleHistogram({ storage: 'shared', outOfRange: 'clamp' });
    for (const value of [1, 1e30, 1e-30, -5, Number.NaN]) histogram.record(value);
    expect(histogram.outliers).toEqual({ thrown: 0, clamped: 3, discarded: 1 });
    expect([histogram.totalCount, histogram.countAt(0)]).toEqual([4, 2]);
  });

  test('is added to, subtracted from, copied and reset', () => {
    const other = new DoubleHistogram();
    other.recordValues([1e-6, 0.5, 0, 3e6]);
    const histogram = shared();
    histogram.add(other);
    expect(histogram.equals(other)).toBe(true);
    for (const storage of ['dense', 'sparse', 'shared'] as const) {
      const copy = histogram.copy({ storage });
      expect([copy.storage, copy.equals(histogram)]).toEqual([storage, true]);
      copy.record(copy.max * 2);
      expect(copy.totalCount).toBe(5);
    }
    expect(other.copy({ storage: 'shared' }).equals(other)).toBe(true);
    histogram.subtract(other);
    expect(histogram.totalCount).toBe(0);
    histogram.record(2);
    histogram.reset();
    expect([histogram.totalCount, attached(histogram).totalCount]).toEqual([0, 0]);
  });

  test('is encoded and decoded, also as JSON', () => {
    const histogram = shared();
    histogram.recordValues([0.25, 7, 0]);
    for (const storage of ['dense', 'sparse', 'shared'] as const) {
      expect(DoubleHistogram.decode(histogram.toBase64(), { storage }).equals(histogram)).toBe(true);
      expect(DoubleHistogram.fromJSON(histogram.toJSON(), { storage }).equals(histogram)).toBe(true);
    }
    expect(DoubleHistogram.decode(shared().encode(), { storage: 'shared' }).totalCount).toBe(0);
  });

  test('is read in intervals by a recorder', () => {
    const histogram = shared();
    const recorder = new DoubleRecorder(histogram);
    attached(histogram).record(5);
    recorder.record(7);
    expect([recorder.intervalHistogram().totalCount, recorder.intervalHistogram().totalCount]).toEqual([
      2, 0,
    ]);
  });

  test.each([
    ['a ratio', { highestToLowestValueRatio: 1000 }],
    ['autoResize', { autoResize: false }],
  ])('takes no %s, as its range is the widest', (_what, options) => {
    expectRefused(() => new DoubleHistogram({ storage: 'shared', ...options }), 'ERR_INVALID_OPTION');
  });

  test('attaches to buffers of doubles only, and integers to theirs', () => {
    const integers = new Histogram({ storage: 'shared' }).sharedBuffer!;
    expectRefused(() => DoubleHistogram.attach(integers), 'ERR_INCOMPATIBLE');
    expectRefused(() => DoubleHistogram.attach(new SharedArrayBuffer(64)), 'ERR_INCOMPATIBLE');
    expectRefused(() => Histogram.attach(shared().sharedBuffer!), 'ERR_INCOMPATIBLE');
  });
});

test('threads that count doubles at once lose no count, and agree on the range', async () => {
  const built = new BuiltPackages(['core']);
  try {
    const script = built.script(
      'count',
      `import { workerData } from 'node:worker_threads';
       import { DoubleHistogram } from '@hdrscope/core';
       const histogram = DoubleHistogram.attach(workerData.buffer);
       for (let i = 0; i < 100_000; i++) histogram.record(workerData.value);`,
    );
    const histogram = shared();
    const values = [0.5, 0.25, 1000];
    const threads = values.map(
      (value) => new Worker(script, { workerData: { buffer: histogram.sharedBuffer, value } }),
    );
    const codes = await Promise.all(threads.map((thread) => once(thread, 'exit')));
    expect(codes).toEqual([[0], [0], [0]]);
    expect(values.map((value) => histogram.countAt(value))).toEqual([100_000, 100_000, 100_000]);
    expect(histogram.totalCount).toBe(300_000);
  } finally {
    built.remove();
  }
});
