import fc from 'fast-check';
import type { IterationStep } from '../../src/histogram/iteration.ts';
import { recorded, slotsOf } from '../support/recorded.ts';
import { expectRefused, refusalOf } from '../support/refused.ts';
import { describeEachStorage } from '../support/storages.ts';
import { LARGEST, type Recording, recordings } from '../support/values.ts';

/** (10000, 2) {1, 5, 300, 300, 301, 5000}: the recording of Java's iterator golden. */
const FEW: Recording = [
  [1, 1],
  [5, 1],
  [300, 2],
  [301, 1],
  [5000, 1],
];
/** 100 times this, divided by it, is 99.99999999999999. */
const LESS_THAN_WHOLE = 9_007_199_254_740_944;

const OPTIONS = { highestTrackableValue: 10_000, significantDigits: 2 };

/** The fields of that golden: to, added, up to here, percentile, level, sum. */
const row = (step: IterationStep): number[] => [
  step.valueIteratedTo,
  step.countAddedInThisIterationStep,
  step.totalCountToThisValue,
  step.percentile,
  step.percentileLevelIteratedTo,
  step.totalValueToThisValue,
];

/** The first steps of an iteration that may never end. */
function take(steps: Iterable<IterationStep>, most: number): IterationStep[] {
  const taken: IterationStep[] = [];
  for (const step of steps) {
    taken.push(step);
    if (taken.length > most)
      throw new Error(`must end, went on after ${most} steps at ${JSON.stringify(step)}`);
  }
  return taken;
}

describeEachStorage('recordedValues', (storage) => {
  test('steps through every used slot, as in Java', () => {
    const steps = [...recorded(FEW, { ...OPTIONS, storage }).recordedValues()];
    expect(steps.map(row)).toEqual([
      [1, 1, 1, 16.666666666666668, 16.666666666666668, 1],
      [5, 1, 2, 33.333333333333336, 33.333333333333336, 6],
      [301, 3, 5, 83.33333333333333, 83.33333333333333, 909],
      [5023, 1, 6, 100, 100, 5932],
    ]);
    expect(steps.map((step) => step.valueIteratedFrom)).toEqual([0, 1, 5, 301]);
    expect(steps.map((step) => step.countAtValueIteratedTo)).toEqual([1, 1, 3, 1]);
  });

  test('steps through all counts, once', () => {
    fc.assert(
      fc.property(recordings(), (recording) => {
        const histogram = recorded(recording, { storage });
        const steps = [...histogram.recordedValues()];
        const slots = slotsOf(histogram);
        expect(steps.map((step) => step.countAtValueIteratedTo)).toEqual(slots.map(([, count]) => count));
        expect(steps.map((step) => step.valueIteratedTo)).toEqual(
          slots.map(([slot]) => histogram.layout.upper(slot)),
        );
        expect(steps.at(-1)?.totalCountToThisValue ?? 0).toBe(histogram.totalCount);
      }),
    );
  });

  test('can be gone through twice at a time', () => {
    const histogram = recorded(FEW, { ...OPTIONS, storage });
    const pairs = [...histogram.recordedValues()].flatMap(() => [...histogram.recordedValues()].length);
    expect(pairs).toEqual([4, 4, 4, 4]);
  });
});

describeEachStorage('percentiles', (storage) => {
  test('steps ever more finely towards 100 percent, as in Java', () => {
    const steps = [...recorded(FEW, { ...OPTIONS, storage }).percentiles(2)];
    expect(steps.map(row)).toEqual([
      [1, 1, 1, 16.666666666666668, 0, 1],
      [5, 1, 2, 33.333333333333336, 25, 6],
      [301, 3, 5, 83.33333333333333, 50, 909],
      [301, 0, 5, 83.33333333333333, 62.5, 909],
      [301, 0, 5, 83.33333333333333, 75, 909],
      [301, 0, 5, 83.33333333333333, 81.25, 909],
      [5023, 1, 6, 100, 87.5, 5932],
      [5023, 0, 6, 100, 100, 5932],
    ]);
    expect(steps.map((step) => step.valueIteratedFrom)).toEqual([0, 1, 5, 301, 301, 301, 301, 5023]);
  });

  test('of one zero has a step at 0 and one at 100 percent', () => {
    const steps = [...recorded([[0, 1]], { storage }).percentiles(5)];
    expect(steps.map(row)).toEqual([
      [0, 1, 1, 100, 0, 0],
      [0, 0, 1, 100, 100, 0],
    ]);
  });

  test('takes five steps per half distance by default', () => {
    const histogram = recorded(FEW, { ...OPTIONS, storage });
    expect([...histogram.percentiles()]).toEqual([...histogram.percentiles(5)]);
    expect([...histogram.percentiles()].length).toBe(16);
  });

  test('reaches each level in the first slot that is enough for it, and ends at 100', () => {
    fc.assert(
      fc.property(recordings(), fc.integer({ min: 1, max: 20 }), (recording, ticks) => {
        const histogram = recorded(recording, { storage });
        const steps = take(histogram.percentiles(ticks), 20_000);
        const walked = [...histogram.recordedValues()];
        let slot = 0;
        let level = -1;
        let added = 0;
        for (const { valueIteratedTo, percentileLevelIteratedTo, countAddedInThisIterationStep } of steps) {
          while (walked[slot]!.percentile < percentileLevelIteratedTo) slot++;
          if (
            valueIteratedTo !== walked[slot]!.valueIteratedTo ||
            (percentileLevelIteratedTo <= level && level < 100)
          ) {
            expect({ valueIteratedTo, percentileLevelIteratedTo }).toBe(`in slot ${slot}, above ${level}`);
          }
          level = percentileLevelIteratedTo;
          added += countAddedInThisIterationStep;
        }
        expect(added).toBe(histogram.totalCount);
        if (histogram.totalCount > 0) expect(steps.at(-1)!.percentileLevelIteratedTo).toBe(100);
      }),
    );
  });

  test.each([
    [5, 2 ** 52],
    [5, LARGEST - 1],
    [5, LARGEST - 2], // 100 * others / all is rounded to 100
    [5, LESS_THAN_WHOLE - 1], // 100 * all / all is rounded to less
    [200, 1e14],
  ])('ends, with %d steps per half distance and one value beside %d others', (ticks, others) => {
    // The level stops rising when a step is less than half the distance to the next double.
    const histogram = recorded(
      [
        [5, others],
        [9, 1],
      ],
      { storage },
    );
    const steps = take(histogram.percentiles(ticks), 60 * ticks);
    expect(steps.at(-1)).toMatchObject({ valueIteratedTo: 9, percentileLevelIteratedTo: 100 });
  });

  test('ends at 100 percent where 100 * total / total is rounded to less', () => {
    expect((100 * LESS_THAN_WHOLE) / LESS_THAN_WHOLE).toBeLessThan(100);
    const steps = take(recorded([[5, LESS_THAN_WHOLE]], { storage }).percentiles(), 1000);
    expect(steps.map((step) => step.percentileLevelIteratedTo)).toEqual([0, 100]);
  });

  test.each([
    ['0', 0],
    ['-1', -1],
    ['half a step', 0.5],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['text', '5'],
  ])('refuses %s as steps per half distance', (_what, ticks) => {
    for (const histogram of [recorded([], { storage }), recorded(FEW, { storage })]) {
      expectRefused(() => [...histogram.percentiles(ticks as number)], 'ERR_INVALID_OPTION');
    }
  });

  test('has a message with the range of steps', () => {
    expect(refusalOf(() => [...recorded(FEW, { storage }).percentiles(0)]).message).toBe(
      'ticksPerHalfDistance must be an integer of at least 1, got 0',
    );
  });
});
