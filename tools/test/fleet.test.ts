import { createRandom } from '@hdrscope/testing/random';
import { MICROS, Truth } from '../fleet/hosts.js';
import { findDifferences, readLines } from '../fleet/questions.js';

describe('an answer', () => {
  const truth = new Truth(2);
  for (let entry = 1000; entry < 2000; entry++) truth.add(0, entry);
  const seconds = (entry: number): number => MICROS[entry]! / 1e6;
  const exactly = (value: number) => ({ lower: value, upper: value });
  const right = {
    route: '/r0',
    count: 1000,
    mean: exactly(truth.sums[0]! / 1000 / 1e6),
    max: exactly(seconds(1999)),
    percentiles: [exactly(seconds(1499)), exactly(seconds(1989)), exactly(seconds(1998))],
  };

  test('that is right has no differences, by route and as a whole', () => {
    expect(findDifferences([right], truth, true)).toEqual([]);
    expect(findDifferences([{ ...right, route: undefined }], truth, false)).toEqual([]);
  });

  test.each([
    ['a count', { count: 999 }, '1000 values were sent, and the answer has 999'],
    ['a maximum', { max: exactly(seconds(1998)) }, 'the maximum is'],
    ['a mean', { mean: exactly(seconds(1500) * 2) }, 'the mean is'],
    [
      'a percentile above the truth',
      { percentiles: [exactly(seconds(1500)), ...right.percentiles.slice(1)] },
      'p50 is',
    ],
    [
      'a percentile below the truth',
      { percentiles: [...right.percentiles.slice(0, 2), { lower: 0, upper: seconds(1997) }] },
      'p99.9 is',
    ],
  ])('that is wrong in %s is found', (_, wrong, problem) => {
    expect(findDifferences([{ ...right, ...wrong }], truth, true)).toEqual([
      expect.stringContaining(`/r0: ${problem}`),
    ]);
  });

  test('may lack any of the values at risk, and no other', () => {
    const random = createRandom(3);
    for (let round = 0; round < 50; round++) {
      const [sent, risk] = [new Truth(1), new Truth(1)];
      const kept: number[] = [];
      const lost = random() < 0.5 ? 0.2 : 0.9;
      for (let count = 0; count < 400; count++) {
        const entry = Math.floor(random() ** 3 * MICROS.length);
        sent.add(0, entry);
        const isAtRisk = random() < 0.3;
        if (isAtRisk) risk.add(0, entry);
        if (!isAtRisk || random() > lost) kept.push(entry);
      }
      kept.sort((a, b) => a - b);
      const atRank = (rank: number) => exactly(seconds(kept[Math.ceil(rank) - 1]!));
      const line = {
        ...{ route: '/r0', count: kept.length, max: atRank(kept.length) },
        mean: exactly(kept.reduce((sum, entry) => sum + seconds(entry), 0) / kept.length),
        percentiles: [0.5, 0.99, 0.999].map((part) => atRank(part * kept.length)),
      };
      expect(findDifferences([line], sent, true, risk)).toEqual([]);
      const least =
        sent.counts[0]!.reduce((sum, one) => sum + one, 0) -
        risk.counts[0]!.reduce((sum, one) => sum + one, 0);
      const fewer = { ...line, count: least - 1 };
      expect(findDifferences([fewer], sent, true, risk)).toEqual([
        expect.stringContaining('values were sent'),
      ]);
    }
  });

  test('that lacks a group, or has one too many, is found', () => {
    expect(findDifferences([], truth, true)).toHaveLength(2);
    expect(findDifferences([right, { ...right, route: '/r1' }], truth, true)).toEqual([
      'there are 2 lines and 1 groups',
    ]);
  });
});

test('an answer of an engine whose bucket has no end has no upper bound', () => {
  const row = {
    ...{ group1: '/r0', count: '2', sum_lower: 1, sum_upper: null, max_lower: 1, max: null },
    ...{ p50_lower: 1, p50_upper: 2, p99_lower: 1, p99_upper: null, p99_9_lower: 1, p99_9_upper: 'Infinity' },
  };
  expect(readLines([row])).toEqual([
    {
      route: '/r0',
      count: 2,
      mean: { lower: 0.5, upper: Number.POSITIVE_INFINITY },
      max: { lower: 1, upper: Number.POSITIVE_INFINITY },
      percentiles: [2, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY].map((upper) => ({
        lower: 1,
        upper,
      })),
    },
  ]);
});
