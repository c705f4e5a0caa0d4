import { Histogram, percentileInterval } from '@hdrscope/core';
import { CountedEvidence, proportionOf } from '@hdrscope/inputs/internal';
import fc from 'fast-check';
import { isFailure, judge } from '../../src/commands/check/judge.ts';

function integers(values: Iterable<number>): Histogram {
  const histogram = new Histogram({ significantDigits: 3 });
  for (const value of values) histogram.record(value);
  return histogram;
}

function* upTo(count: number): Generator<number, void> {
  for (let value = 1; value <= count; value++) yield value;
}

const evidenceOf = (count: number): CountedEvidence => new CountedEvidence(integers(upTo(count)), 1);

// Integers up to 2,000 have a slot each, so these values are exact. The interval of p99 of 1,000 at 99 % is 980 to 998.
test.each([
  [1000, 99, 2000, 'kept beyond doubt'],
  [1000, 99, 990, 'kept'],
  [1000, 99, 989, 'missed'],
  [1000, 99, 500, 'missed beyond doubt'],
  [1000, 99.9, 2000, 'kept'],
  [1000, 99.9, 998, 'missed'],
  // A miss needs no values above the threshold's percentile.
  [10, 99.9, 1, 'missed beyond doubt'],
  [100, 99.9, 100, 'cannot be judged'],
  [0, 50, 100, 'cannot be judged'],
  [1000, 100, 1000, 'kept'],
  [1000, 100, 999, 'missed beyond doubt'],
])('of %d values, p%d ≤ %d is %s', (count, percentile, threshold, verdict) => {
  expect(judge(evidenceOf(count), percentile, threshold, 0.99).verdict).toBe(verdict);
});

test('states from how many values a percentile is known', () => {
  expect(judge(evidenceOf(1000), 99.9, 1000, 0.99).note).toBe(
    'p99.9 is known from 1 value beyond it, of 1,000: a longer test knows it better',
  );
  expect(judge(evidenceOf(999), 99.9, 1000, 0.99).note).toBe(
    'p99.9 of 999 values is their maximum: at least 1,000 values are needed',
  );
  expect(judge(evidenceOf(1000), 99, 990, 0.99).note).toBeUndefined();
});

test('a percentile in the slot of the threshold is not judged', () => {
  // 1,000,000 and 1,000,400 share a slot of three digits: 999,936 to 1,000,447.
  const evidence = new CountedEvidence(integers(Array.from({ length: 100 }, () => 1_000_000)), 1000);
  const { verdict, actual, within, note } = judge(evidence, 50, 1000.2, 0.99);
  expect(verdict).toBe('cannot be judged');
  expect(actual).toEqual({ lower: 999.936, upper: 1000.447 });
  expect(within).toEqual({ lower: 0, upper: 100 });
  expect(note).toContain('the threshold lies between them');
  expect(judge(evidence, 50, 1000.447, 0.99).verdict).toBe('kept beyond doubt');
  expect(judge(evidence, 50, 999.935, 0.99).verdict).toBe('missed beyond doubt');
});

test('counts of looked-at values decide where a slot does not', () => {
  const histogram = integers(Array.from({ length: 100 }, () => 1_000_000));
  const evidence = new CountedEvidence(histogram, 1000, new Map([[1000, 100]]));
  expect(judge(evidence, 50, 1000, 0.99)).toMatchObject({
    verdict: 'kept beyond doubt',
    within: { lower: 100, upper: 100 },
  });
});

test('verdicts by counts agree with the interval of the percentile', () => {
  const values = fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 400 });
  const confidence = fc.constantFrom(0.5, 0.9, 0.99);
  const percentile = fc.constantFrom(1, 25, 50, 90, 99, 99.9);
  fc.assert(
    fc.property(
      values,
      fc.integer({ min: 0, max: 500 }),
      percentile,
      confidence,
      (counted, limit, asked, sure) => {
        const histogram = integers(counted);
        const within = counted.filter((value) => value <= limit).length;
        const { isSurelyWithin, isSurelyBeyond } = proportionOf(within, counted.length, asked, sure);
        const {
          lower,
          upper,
          confidence: attained,
        } = percentileInterval(histogram, asked, { confidence: sure });
        // With enough values both ends of the interval are known, and decide.
        if (attained >= sure) {
          expect(isSurelyWithin).toBe(upper <= limit);
          expect(isSurelyBeyond).toBe(lower > limit);
        }
        expect(isSurelyWithin && isSurelyBeyond).toBe(false);
      },
    ),
  );
});

test('only some verdicts fail', () => {
  const verdicts = [
    'kept beyond doubt',
    'kept',
    'missed',
    'missed beyond doubt',
    'cannot be judged',
  ] as const;
  expect(verdicts.map((verdict) => isFailure(verdict, false))).toEqual([false, false, true, true, true]);
  expect(verdicts.map((verdict) => isFailure(verdict, true))).toEqual([false, true, true, true, true]);
});
