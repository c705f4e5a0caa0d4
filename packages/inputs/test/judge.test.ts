import { Histogram, percentileInterval } from '@hdrscope/core';
import { exactly } from '@hdrscope/core/internal';
import { createRandom } from '@hdrscope/testing/random';
import fc from 'fast-check';
import { CountedEvidence, proportionOf } from '../src/evidence.ts';
import { isFailure, judge } from '../src/judge.ts';

function integers(values: Iterable<number>): Histogram {
  const histogram = new Histogram({ significantDigits: 3 });
  for (const value of values) histogram.record(value);
  return histogram;
}

function* upTo(count: number): Generator<number, void> {
  for (let value = 1; value <= count; value++) yield value;
}

/** Values by stretches of time, each of which has every fiftieth of them: they do not depend on each other. */
function stretchesOf(values: readonly number[]): Histogram[] {
  return Array.from({ length: 50 }, (_, at) =>
    integers(values.filter((_one, index) => (index * 31) % 50 === at)),
  );
}

const evidenceOf = (count: number): CountedEvidence => {
  const values = [...upTo(count)];
  return new CountedEvidence({ values: integers(values), divisor: 1, stretches: stretchesOf(values) });
};

// Integers up to 2,048 have a slot each, so these values are exact. The interval of p99 of 2,000 at 99 % is 1,968 to 1,992.
test.each([
  [2000, 99, 3000, 'kept beyond doubt'],
  [2000, 99, 1980, 'kept'],
  [2000, 99, 1979, 'missed'],
  [2000, 99, 1000, 'missed beyond doubt'],
  // Fewer than 20 values are beyond these percentiles.
  [1000, 99, 2000, 'kept'],
  [1000, 99, 500, 'missed'],
  [1000, 99.9, 2000, 'kept'],
  [1000, 99.9, 998, 'missed'],
  [10, 99.9, 1, 'missed'],
  [100, 99.9, 100, 'cannot be judged'],
  [0, 50, 100, 'cannot be judged'],
  [1000, 100, 1000, 'kept'],
  [1000, 100, 999, 'missed beyond doubt'],
])('of %d values, p%d ≤ %d is %s', (count, percentile, threshold, verdict) => {
  expect(judge(evidenceOf(count), percentile, threshold, 0.99).verdict).toBe(verdict);
});

describe('nothing is beyond doubt', () => {
  const values = [...upTo(2000)];

  test.each([
    ['when times are not known', undefined, undefined],
    ['when all values have one time', [integers(values)], undefined],
    [
      'of too few stretches',
      Array.from({ length: 10 }, (_, at) => integers(values.filter((one) => one % 10 === at))),
      'independent pieces, and 20 are needed',
    ],
    [
      'when each stretch is like the one before',
      Array.from({ length: 50 }, (_, at) => integers(values.slice(at * 40, at * 40 + 40))),
      'as good as 1 independent piece, and 20 are needed',
    ],
  ])('%s', (_, stretches, note) => {
    const evidence = new CountedEvidence({ values: integers(values), divisor: 1, stretches });
    for (const [threshold, verdict] of [
      [2000, 'kept'],
      [1, 'missed'],
    ] as const) {
      const judged = judge(evidence, 50, threshold, 0.99);
      expect(judged.verdict).toBe(verdict);
      expect(judged.note ?? '').toContain(note ?? '');
    }
  });
});

test('the interval is that of as many independent values', () => {
  // Every value comes ten times in its stretch, as in a program that stalls.
  const random = createRandom(2026);
  const counted = Array.from({ length: 2000 }, () => Math.floor(2000 * random()));
  const stretches = Array.from({ length: 100 }, (_, at) => {
    const histogram = new Histogram({ significantDigits: 3 });
    for (const value of counted.slice(at * 20, at * 20 + 20)) histogram.record(value, 10);
    return histogram;
  });
  const whole = new Histogram({ significantDigits: 3 });
  for (const stretch of stretches) whole.add(stretch);
  const widthOf = (values: Histogram, times?: readonly Histogram[]): number => {
    const evidence = new CountedEvidence({ values, divisor: 1, stretches: times });
    const { lower, upper } = evidence.sample(50, 0.99).interval!;
    return upper - lower;
  };
  expect(widthOf(whole, stretches) / widthOf(whole)).toBeGreaterThan(2.5);
  expect(widthOf(whole, stretches) / widthOf(integers(counted))).toBeCloseTo(1, 0);
});

test('states from how many values a percentile is known', () => {
  expect(judge(evidenceOf(1000), 99.9, 1000, 0.99).note).toBe(
    'p99.9 is known from 1 value beyond it, of 1,000: a longer test knows it better',
  );
  expect(judge(evidenceOf(999), 99.9, 1000, 0.99).note).toBe(
    'p99.9 of 999 values is their maximum: at least 1,000 values are needed',
  );
  expect(judge(evidenceOf(2000), 99, 1980, 0.99).note).toBeUndefined();
});

test('a percentile in the slot of the threshold is not judged', () => {
  // 1,000,000 and 1,000,400 share a slot of three digits: 999,936 to 1,000,447.
  const values = Array.from({ length: 1000 }, () => 1_000_000);
  const evidence = new CountedEvidence({
    values: integers(values),
    divisor: 1000,
    stretches: stretchesOf(values),
  });
  const { verdict, actual, within, note } = judge(evidence, 50, 1000.2, 0.99);
  expect(verdict).toBe('cannot be judged');
  expect(actual).toEqual({ lower: 999.936, upper: 1000.447 });
  expect(within).toEqual({ lower: 0, upper: 1000 });
  expect(note).toContain('the threshold lies between them');
  expect(judge(evidence, 50, 1000.447, 0.99).verdict).toBe('kept beyond doubt');
  expect(judge(evidence, 50, 999.935, 0.99).verdict).toBe('missed beyond doubt');
});

test('counts of looked-at values decide where a slot does not', () => {
  const values = Array.from({ length: 1000 }, () => 1_000_000);
  const evidence = new CountedEvidence({
    values: integers(values),
    divisor: 1000,
    exact: new Map([[1000, 1000]]),
    stretches: stretchesOf(values),
  });
  expect(judge(evidence, 50, 1000, 0.99)).toMatchObject({
    verdict: 'kept beyond doubt',
    within: { lower: 1000, upper: 1000 },
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
        const { isSurelyWithin, isSurelyBeyond } = proportionOf(exactly(within), counted.length, asked, sure);
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
