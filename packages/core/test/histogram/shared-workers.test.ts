import { caseCount } from '@hdrscope/testing/case-count';
import { usedSlots } from '../../src/counts/used-slots.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { Recorder } from '../../src/histogram/recorder.ts';
import { recordInThreads } from '../support/recording-threads.ts';

const TWO_POW_31 = 2 ** 31;

/** Repeats an action until `running` ends. */
async function whileRunning(running: Promise<unknown>, again: () => void): Promise<void> {
  let isRunning = true;
  void Promise.allSettled([running]).then(() => {
    isRunning = false;
  });
  while (isRunning) {
    again();
    await new Promise(setImmediate);
  }
  await running;
}

/** Takes intervals as fast as it can until `running` ends, then the last one. */
async function intervalsDuring(recorder: Recorder, running: Promise<unknown>): Promise<Histogram[]> {
  const intervals: Histogram[] = [];
  await whileRunning(running, () => {
    const interval = recorder.intervalHistogram();
    if (interval.totalCount > 0) intervals.push(interval);
  });
  return [...intervals, recorder.intervalHistogram()];
}

/** Reads the total as often as it can until `running` ends, and once more. */
async function totalsDuring(histogram: Histogram, running: Promise<unknown>): Promise<number[]> {
  const totals: number[] = [];
  await whileRunning(running, () => totals.push(histogram.totalCount));
  return [...totals, histogram.totalCount];
}

function sumOf(intervals: readonly Histogram[]): Histogram {
  const { significantDigits } = intervals[0]!.layout;
  const sum = new Histogram({ significantDigits });
  for (const interval of intervals) sum.add(interval);
  return sum;
}

interface Work {
  readonly rounds: number;
  readonly bulk?: number;
}

/** The values that the threads record, counted in one thread. */
function countedAlone(
  lists: readonly (readonly number[])[],
  { rounds, bulk = 0 }: Work,
  expected: Histogram = new Histogram(),
): Histogram {
  for (const values of lists) {
    for (const value of values) expected.record(value, rounds);
    for (let round = 0; round < rounds && bulk > 0; round++) {
      expected.record(values[round % values.length]!, bulk);
    }
  }
  return expected;
}

function expectSameSlots(actual: Histogram, expected: Histogram): void {
  expect([...usedSlots(actual.counts)]).toEqual([...usedSlots(expected.counts)]);
  expect(actual.totalCount).toBe(expected.totalCount);
}

const LISTS = [
  [1, 1, 2, 3, 5, 8, 13, 1_000_000],
  [1, 2, 4, 8, 16, 32, 64, 1_000_000],
  [1, 1, 1, 1_000, 10_000, 100_000],
] as const;

/** Long enough for the threads to count at the same time on a busy machine, too. */
const LONG_WORK = { rounds: 1000, leastMs: 250 };

describe('threads that record into one histogram', () => {
  test('lose no record of one value that all of them record', async () => {
    const values = Array<number>(1000).fill(7);
    const histogram = new Histogram({ highestTrackableValue: 1000, storage: 'shared' });
    const rounds = await recordInThreads(histogram.sharedBuffer!, [values, values, values], LONG_WORK);
    const expected = rounds.reduce((sum, each) => sum + each * values.length, 0);
    expect(expected).toBeGreaterThanOrEqual(3_000_000);
    expect([histogram.countAt(7), histogram.totalCount]).toEqual([expected, expected]);
  });

  test('lose no value, and every value is in exactly one interval', async () => {
    const histogram = new Histogram({ highestTrackableValue: 1_000_000, storage: 'shared' });
    // Long enough for several intervals, also where the threads leave this one little time.
    const running = recordInThreads(histogram.sharedBuffer!, LISTS, { ...LONG_WORK, leastMs: 500 });
    const intervals = await intervalsDuring(new Recorder(histogram), running);
    const rounds = await running;
    const expected = new Histogram();
    for (const [at, values] of LISTS.entries()) countedAlone([values], { rounds: rounds[at]! }, expected);
    expectSameSlots(sumOf(intervals), expected);
    expectSameSlots(histogram.copy({ storage: 'dense' }), expected);
    expect(intervals.length).toBeGreaterThan(2);
  });

  test('widen its range at once without losing a value', async () => {
    const rounds = 20;
    // Every thread goes through all widths, with steps of its own.
    const lists = [2, 3, 5].map((base) => {
      const values: number[] = [];
      for (let value = base; value < 2 ** 53; value *= base) values.push(value);
      return values;
    });
    for (let attempt = 0; attempt < caseCount(2, 5); attempt++) {
      const histogram = new Histogram({ storage: 'shared', significantDigits: 1 });
      const recorder = new Recorder(histogram);
      const intervals = await intervalsDuring(
        recorder,
        recordInThreads(histogram.sharedBuffer!, lists, { rounds }),
      );
      expectSameSlots(
        sumOf(intervals),
        countedAlone(lists, { rounds }, new Histogram({ significantDigits: 1 })),
      );
      expect(intervals.at(-1)!.layout.slotCount).toBe(histogram.layout.slotCount);
    }
  });

  test.each([0, 2 ** 29 + 1])('carry past 2^31 together, with %d more at once', async (bulk) => {
    const rounds = 50_000;
    const histogram = new Histogram({ highestTrackableValue: 1_000_000, storage: 'shared' });
    const before = new Histogram();
    // So near to a carry that the threads carry in the middle of their work, each slot at another moment.
    for (const [value, below] of [
      [1, 1000],
      [2, 20_000],
      [8, 50_000],
      [1_000_000, 77_777],
    ] as const) {
      before.record(value, TWO_POW_31 - below);
    }
    histogram.add(before);
    const running = recordInThreads(histogram.sharedBuffer!, LISTS, { rounds, bulk });
    const intervals = await intervalsDuring(new Recorder(histogram), running);
    const expected = countedAlone(LISTS, { rounds, bulk });
    expected.add(before);
    expectSameSlots(sumOf(intervals), expected);
    expect(intervals.length).toBeGreaterThan(2);
  });

  test('that end in the middle of a carry delay a reader, and not for ever', () => {
    const histogram = new Histogram({ storage: 'shared' });
    histogram.record(1);
    // The word with the number of changes that began.
    new Int32Array(histogram.sharedBuffer!)[5]! += 1;
    const startMs = performance.now();
    expect(histogram.totalCount).toBe(1);
    expect(performance.now() - startMs).toBeGreaterThan(500);
  });

  test('are never seen in the middle of a carry', async () => {
    const histogram = new Histogram({ highestTrackableValue: 100_000, storage: 'shared' });
    const before = new Histogram({ highestTrackableValue: 100_000 });
    const values: number[] = [];
    for (let slot = 1000; slot < 3000; slot++) {
      const value = before.layout.lower(slot);
      before.record(value, TWO_POW_31 - 1);
      // A reader waits for the pauses between the carries.
      values.push(value, ...Array<number>(1000).fill(1));
    }
    histogram.add(before);
    const running = recordInThreads(histogram.sharedBuffer!, [values], { rounds: 1 });
    const totals = await totalsDuring(histogram, running);
    expect(totals).toEqual(totals.toSorted((a, b) => a - b));
    expect(totals.at(-1)).toBe(before.totalCount + values.length);
    expect(new Set(totals).size).toBeGreaterThan(2);
  });
});
