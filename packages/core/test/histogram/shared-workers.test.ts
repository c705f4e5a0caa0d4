import { usedSlots } from '../../src/counts/used-slots.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { Recorder } from '../../src/histogram/recorder.ts';
import { RecordingThreads } from '../support/recording-threads.ts';

const TWO_POW_31 = 2 ** 31;

let threads: RecordingThreads;
beforeAll(() => {
  threads = new RecordingThreads();
});
afterAll(() => {
  threads.remove();
});

/** Takes intervals as fast as it can until `running` ends, then the last one. */
async function intervalsDuring(recorder: Recorder, running: Promise<void>): Promise<Histogram[]> {
  let isRunning = true;
  const ended = running.finally(() => {
    isRunning = false;
  });
  const intervals: Histogram[] = [];
  while (isRunning) {
    const interval = recorder.intervalHistogram();
    if (interval.totalCount > 0) intervals.push(interval);
    await new Promise(setImmediate);
  }
  await ended;
  intervals.push(recorder.intervalHistogram());
  return intervals;
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

/** What the threads record, counted in one thread. */
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

describe('threads that record into one histogram', () => {
  test('lose no value, and every value is in exactly one interval', async () => {
    const rounds = 100_000;
    const histogram = new Histogram({ highestTrackableValue: 1_000_000, storage: 'shared' });
    const running = threads.run(histogram.sharedBuffer!, LISTS, { rounds });
    const intervals = await intervalsDuring(new Recorder(histogram), running);
    const expected = countedAlone(LISTS, { rounds });
    expectSameSlots(sumOf(intervals), expected);
    expectSameSlots(histogram.copy({ storage: 'dense' }), expected);
    expect(intervals.length).toBeGreaterThan(2);
  });

  test('widen its range at once without losing a value', async () => {
    const rounds = 20;
    // Every thread climbs through all widths, each by steps of its own.
    const lists = [2, 3, 5].map((base) => {
      const values: number[] = [];
      for (let value = base; value < 2 ** 53; value *= base) values.push(value);
      return values;
    });
    for (let attempt = 0; attempt < 5; attempt++) {
      const histogram = new Histogram({ storage: 'shared', significantDigits: 1 });
      const recorder = new Recorder(histogram);
      const intervals = await intervalsDuring(
        recorder,
        threads.run(histogram.sharedBuffer!, lists, { rounds }),
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
    // Near enough that the threads carry in the middle of their work, each of these at another moment.
    for (const [value, below] of [
      [1, 1000],
      [2, 20_000],
      [8, 50_000],
      [1_000_000, 77_777],
    ] as const) {
      before.record(value, TWO_POW_31 - below);
    }
    histogram.add(before);
    const running = threads.run(histogram.sharedBuffer!, LISTS, { rounds, bulk });
    const intervals = await intervalsDuring(new Recorder(histogram), running);
    const expected = countedAlone(LISTS, { rounds, bulk });
    expected.add(before);
    expectSameSlots(sumOf(intervals), expected);
    expect(intervals.length).toBeGreaterThan(2);
  });
});
