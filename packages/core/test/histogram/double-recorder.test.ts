import fc from 'fast-check';
import { DoubleHistogram } from '../../src/histogram/double-histogram.ts';
import { DoubleRecorder } from '../../src/histogram/double-recorder.ts';
import { expectRefused } from '../support/refused.ts';

/** A clock that advances by a second with each call. */
function ticking(): () => number {
  let now = 0;
  return () => {
    now += 1000;
    return now;
  };
}

describe.each(['dense', 'sparse'] as const)('a recorder of doubles, with %s intervals,', (storage) => {
  const make = (histogram: DoubleHistogram = new DoubleHistogram()): DoubleRecorder =>
    new DoubleRecorder(histogram, { clock: ticking(), storage });

  test('gives every value to exactly one interval, and all to its histogram', () => {
    const recorder = make();
    recorder.record(0.25, 3);
    recorder.recordValues([1e-9, 4]);
    const first = recorder.intervalHistogram();
    expect([first.totalCount, first.countAt(0.25), first.countAt(4), first.storage]).toEqual([
      5,
      3,
      1,
      storage,
    ]);
    recorder.recordCorrected(1, 0.25);
    const second = recorder.intervalHistogram();
    expect([1, 0.75, 0.5, 0.25, 4].map((value) => second.countAt(value))).toEqual([1, 1, 1, 1, 0]);
    expect([recorder.intervalHistogram().totalCount, recorder.histogram.totalCount]).toEqual([0, 9]);
  });

  test('joins its intervals without a gap, and labels them', () => {
    const histogram = new DoubleHistogram();
    histogram.tag = 'reads';
    const recorder = make(histogram);
    const [first, second] = [recorder.intervalHistogram(), recorder.intervalHistogram()];
    expect([first.startTimeMs, first.endTimeMs, second.startTimeMs, second.endTimeMs, second.tag]).toEqual([
      1000,
      2000,
      2000,
      3000,
      'reads',
    ]);
    expect([histogram.startTimeMs, histogram.endTimeMs]).toEqual([1000, 3000]);
  });

  test('forgets all when reset, the current interval too, but not the tag', () => {
    const histogram = new DoubleHistogram();
    histogram.tag = 'reads';
    const recorder = make(histogram);
    recorder.record(5);
    recorder.intervalHistogram();
    recorder.record(6);
    recorder.reset();
    recorder.record(7);
    const { totalCount, tag } = recorder.intervalHistogram();
    expect([totalCount, tag, recorder.histogram.totalCount]).toEqual([1, 'reads', 1]);
  });

  test('refuses the next interval after counts were taken out of its histogram, and loses no count', () => {
    const histogram = new DoubleHistogram();
    const recorder = make(histogram);
    recorder.record(5);
    const taken = recorder.intervalHistogram();
    histogram.subtract(taken);
    expectRefused(() => recorder.intervalHistogram(), 'ERR_CONCURRENT_MODIFICATION');
    histogram.add(taken);
    histogram.record(6);
    expect(recorder.intervalHistogram().totalCount).toBe(1);
  });
});

test('all intervals of doubles together are the histogram', () => {
  const values = fc.array(fc.array(fc.double({ min: 1e-6, max: 1e6, noNaN: true })), { maxLength: 5 });
  fc.assert(
    fc.property(values, (lists) => {
      const recorder = new DoubleRecorder();
      const sum = new DoubleHistogram();
      for (const list of lists) {
        recorder.recordValues(list);
        sum.add(recorder.intervalHistogram());
      }
      expect(sum.equals(recorder.histogram as DoubleHistogram)).toBe(true);
    }),
  );
});
