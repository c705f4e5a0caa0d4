import fc from 'fast-check';
import { errorBudget, judgeLimit, judgeObjective } from '../src/internal.ts';

test.each([
  [{ lower: 1, upper: 2 }, 2, 'kept'],
  [{ lower: 1, upper: 2 }, 1, 'undecided'],
  [{ lower: 1, upper: 2 }, 0.5, 'missed'],
  [{ lower: 1, upper: Number.POSITIVE_INFINITY }, 5, 'undecided'],
  [{ lower: Number.NaN, upper: Number.NaN }, 5, 'undecided'],
])('that %j is at most %d is %s', (bounds, limit, verdict) => {
  expect(judgeLimit(bounds, limit)).toBe(verdict);
});

const exactly = (count: number) => ({ lower: count, upper: count });

// 99.9 / 100 is 0.9990000000000001 in doubles, and 999 / 1000 is not.
test.each([
  [exactly(999), 1000, 99.9, 'kept'],
  [exactly(998), 1000, 99.9, 'missed'],
  [exactly(999), 1000, 99.91, 'missed'],
  [exactly(1000), 1000, 100, 'kept'],
  [exactly(999), 1000, 100, 'missed'],
  [{ lower: 998, upper: 999 }, 1000, 99.9, 'undecided'],
  [exactly(0), 0, 50, 'undecided'],
])('%j of %d values, of which %d %% should be within, is %s', (within, total, percentile, verdict) => {
  expect(judgeObjective(within, total, percentile).verdict).toBe(verdict);
});

test('a verdict is that of exact fractions', () => {
  const thousandths = fc.integer({ min: 1, max: 100_000 });
  const total = fc.integer({ min: 1, max: 2 ** 44 });
  fc.assert(
    fc.property(total, thousandths, fc.integer({ min: -3, max: 3 }), (count, share, away) => {
      const near = Number((BigInt(count) * BigInt(share)) / 100_000n) + away;
      const within = Math.min(Math.max(near, 0), count);
      const isKept = within > 0 && BigInt(within) * 100_000n >= BigInt(count) * BigInt(share);
      expect(judgeObjective(exactly(within), count, share / 1000).verdict).toBe(isKept ? 'kept' : 'missed');
    }),
    { examples: [[2_199_023_255_551, 99_991, 0]] },
  );
});

test('shares and the used budget have the bounds of the counts', () => {
  const within = { lower: 3995, upper: 3997 };
  expect(judgeObjective(within, 4000, 99.9)).toEqual({
    verdict: 'undecided',
    share: { lower: 0.99875, upper: 0.99925 },
    budgetUsed: { lower: 0.75, upper: 1.25 },
  });
  expect(judgeObjective(within, 4000, 99.9, { budgetTotal: 8000 }).budgetUsed).toEqual({
    lower: 0.375,
    upper: 0.625,
  });
});

test('an error budget has no digits of rounding', () => {
  const percentiles = [50, 90, 99, 99.9, 99.95, 99.99, 99.999, 99.9999, 99.93, 12.3];
  expect(percentiles.map(errorBudget)).toEqual([
    0.5, 0.1, 0.01, 0.001, 0.0005, 0.0001, 0.00001, 0.000001, 0.0007, 0.877,
  ]);
});
