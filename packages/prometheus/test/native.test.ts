import { mergedBuckets } from '@hdrscope/core/internal';
import fc from 'fast-check';
import { type Spans, spansOf } from '../src/native.ts';
import { bucketsOf } from './support/decode.ts';

/** The spans as lists of their own. */
function listSpans(offset: number, counts: readonly number[]): Omit<Spans, 'length'> {
  const { length, offsets, lengths, starts } = spansOf(offset, counts);
  return {
    offsets: offsets.slice(0, length),
    lengths: lengths.slice(0, length),
    starts: starts.slice(0, length),
  };
}

test.each<[title: string, offset: number, counts: number[], spans: Omit<Spans, 'length'>]>([
  ['nothing', 5, [], { offsets: [], lengths: [], starts: [] }],
  ['zeros only', 5, [0, 0], { offsets: [], lengths: [], starts: [] }],
  ['one bucket: its index is one more', -1, [7], { offsets: [0], lengths: [1], starts: [0] }],
  ['leading and trailing zeros are left out', 3, [0, 2, 0], { offsets: [5], lengths: [1], starts: [1] }],
  ['a gap of 1 is filled', 0, [1, 0, 1], { offsets: [1], lengths: [3], starts: [0] }],
  ['a gap of 2 is filled', 0, [1, 0, 0, 3], { offsets: [1], lengths: [4], starts: [0] }],
  ['a gap of 3 is a new span', 0, [1, 0, 0, 0, 3], { offsets: [1, 3], lengths: [1, 1], starts: [0, 4] }],
  ['up and down', -4, [5, 2, 2, 9], { offsets: [-3], lengths: [4], starts: [0] }],
])('spans of buckets: %s', (_title, offset, counts, spans) => {
  expect(listSpans(offset, counts)).toEqual(spans);
});

const sparse = fc.array(
  fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.maxSafeNat() }),
  { maxLength: 60 },
);
const offset = fc.integer({ min: -300_000, max: 300_000 });

test('spans restore all buckets, and fill no gap longer than 2', () => {
  fc.assert(
    fc.property(offset, sparse, (first, counts) => {
      const { offsets, lengths, starts } = listSpans(first, counts);
      expect(offsets.length).toBe(lengths.length);
      expect(offsets.slice(1).every((gap) => gap > 2)).toBe(true);
      const spanned = starts.flatMap((start, i) => counts.slice(start, start + lengths[i]!)).map(BigInt);
      const buckets = bucketsOf({
        spans: offsets.map((one, i) => [one, lengths[i]!]),
        deltas: spanned.map((count, i) => count - (spanned[i - 1] ?? 0n)),
      });
      const used = [...buckets].filter(([, count]) => count !== 0n);
      expect(used).toEqual(
        [...counts.entries()]
          .filter(([, count]) => count > 0)
          .map(([i, count]) => [first + i + 1, BigInt(count)]),
      );
      expect(buckets.size - used.length).toBeLessThanOrEqual(2 * used.length);
    }),
  );
});

test('merging in two steps equals merging in one, and loses no count', () => {
  const buckets = fc.array(fc.nat({ max: 1000 }), { maxLength: 40 });
  const shift = fc.nat({ max: 6 });
  fc.assert(
    fc.property(offset, buckets, shift, shift, (first, counts, one, other) => {
      const whole = mergedBuckets({ offset: first, counts }, one + other);
      expect(mergedBuckets(mergedBuckets({ offset: first, counts }, one), other)).toEqual(whole);
      const sum = (numbers: readonly number[]): number => numbers.reduce((total, count) => total + count, 0);
      expect(sum(whole.counts)).toBe(sum(counts));
    }),
  );
});
