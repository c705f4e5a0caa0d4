import { countedIn } from '@hdrscope/core';
import { integerLayout, resolutionOf, scaledLayout } from '@hdrscope/core/internal';
import { refusalOf } from '@hdrscope/testing/refusals';
import type { Reading, RejectedCounts } from '../../src/index.ts';
import { isEmpty, readingIncrease, wholeReading } from '../../src/ingest/reading-increase.ts';
import { reading } from '../support/readings.ts';

const NONE_REJECTED: RejectedCounts = { notANumber: 0, negative: 0, tooLarge: 0, largest: 0, overflowing: 0 };

describe('a sum', () => {
  test('is the difference of both sums', () => {
    const [before, now] = [reading([1, 0, 0, 0], { sum: 0.5 }), reading([1, 2, 0, 0], { sum: 4 })];
    expect(readingIncrease(now, before, 'together').facts.sum).toBe(3.5);
  });

  test('is that of the later reading when the counter began anew', () => {
    const [before, now] = [reading([5, 0, 0, 0], { sum: 4 }), reading([1, 0, 0, 0], { sum: 0.5 })];
    expect(readingIncrease(now, before, 'together')).toMatchObject({ isReset: true, facts: { sum: 0.5 } });
  });

  test.each([
    ['negative values made it fall', { sum: 4 }, { sum: 3 }],
    ['the earlier one is not known', {}, { sum: 3 }],
    ['the later one is not known', { sum: 4 }, {}],
  ])('is not known when %s', (_, before, now) => {
    const increase = readingIncrease(reading([2, 0, 0, 0], now), reading([1, 0, 0, 0], before), 'together');
    expect(increase.facts.sum).toBeUndefined();
  });

  test('below 0 is not known: a series rejects some of its values', () => {
    expect(wholeReading(reading([2, 0, 0, 0], { sum: -1 })).facts.sum).toBeUndefined();
  });
});

describe('a sum of 32 bits', () => {
  // Microseconds that are shown in seconds.
  const layout = scaledLayout(integerLayout([0, 1, 1000], 0), resolutionOf(1e-6));
  const state = (counts: number[], sumTicks: number): Reading =>
    reading(countedIn(layout, counts), { sum: sumTicks / 1e6, counter: { counterBits: 32 } });

  test('starts again at 0 after 2^32 − 1 ticks of its layout', () => {
    const { facts, isReset } = readingIncrease(
      state([0, 3, 0, 0], 700),
      state([0, 2, 0, 0], 2 ** 32 - 300),
      'together',
    );
    expect([facts.sum, isReset]).toEqual([0.001, false]);
  });

  test('that fell in its lower half has begun anew, and is taken as it is', () => {
    const { facts } = readingIncrease(state([0, 3, 0, 0], 700), state([0, 2, 0, 0], 900), 'together');
    expect(facts.sum).toBe(0.0007);
  });

  test('is that of the later reading when the counts began anew', () => {
    const { facts, isReset } = readingIncrease(
      state([0, 1, 0, 0], 700),
      state([0, 2, 0, 0], 2 ** 32 - 300),
      'together',
    );
    expect([facts.sum, isReset]).toEqual([0.0007, true]);
  });
});

describe('a counter that never begins anew', () => {
  test.each<[what: string, before: Partial<Reading>, now: Partial<Reading>]>([
    ['the sum', { sum: 4 }, { sum: 3 }],
    ['negative', { rejected: { ...NONE_REJECTED, negative: 2 } }, { rejected: NONE_REJECTED }],
  ])('is refused when %s has fallen', (what, before, now) => {
    const refusal = refusalOf(
      () => readingIncrease(reading([2, 0, 0, 0], now), reading([1, 0, 0, 0], before), 'never'),
      'ERR_INCOMPATIBLE',
    );
    expect(refusal.details).toMatchObject({ what });
  });
});

describe('nothing is new', () => {
  test('in an equal reading', () => {
    const same = reading([1, 2, 3, 4], { sum: 7, rejected: { ...NONE_REJECTED, tooLarge: 1, largest: 9 } });
    expect(isEmpty(readingIncrease(same, same, 'together'))).toBe(true);
  });

  test.each<[what: string, now: Partial<Reading>]>([
    ['a sum that grew', { sum: 1 }],
    ['a rejected value', { rejected: { ...NONE_REJECTED, notANumber: 1 } }],
  ])('but for %s', (_, now) => {
    const empty = reading([0, 0, 0, 0], { sum: 0, rejected: NONE_REJECTED });
    expect(isEmpty(readingIncrease({ ...empty, ...now }, empty, 'together'))).toBe(false);
  });
});
