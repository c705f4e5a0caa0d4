import fc from 'fast-check';
import { Histogram } from '../src/index.ts';
import { bucketsAtScale, type ExponentialBuckets, exponentialBuckets, sumBuckets } from '../src/internal.ts';

const values = fc.array(fc.integer({ min: 0, max: 1_000_000_000 }), { maxLength: 60 });
const sizes = fc.integer({ min: 2, max: 200 });

function bucketsOf(recorded: readonly number[], maxSize: number): ExponentialBuckets {
  const histogram = new Histogram({ highestTrackableValue: 1_000_000_000, significantDigits: 2 });
  for (const value of recorded) histogram.record(value);
  const { counts, layout } = histogram;
  return exponentialBuckets(counts, { layout, unitLayout: layout }, { maxSize });
}

/** The same buckets without empty ones at the ends. */
function shown({ scale, zeroCount, offset, counts }: ExponentialBuckets): object {
  const used = [...counts.entries()].filter(([, count]) => count > 0);
  return { scale, zeroCount, used: used.map(([at, count]) => [offset + at, count]) };
}

test('the sum of the buckets of two histograms is that of the buckets of both together', () => {
  fc.assert(
    fc.property(values, values, sizes, (first, second, maxSize) => {
      const sum = sumBuckets(bucketsOf(first, maxSize), bucketsOf(second, maxSize), maxSize);
      const whole = bucketsOf([...first, ...second], maxSize);

      expect(sum.counts.length).toBeLessThanOrEqual(maxSize);
      if (sum.counts.length > 0) expect(sum.scale).toBe(whole.scale);
      expect(shown(sum)).toEqual(shown({ ...whole, scale: sum.scale }));
    }),
  );
});

test('buckets at a coarser scale hold the same counts, and are left as they were', () => {
  fc.assert(
    fc.property(values, fc.integer({ min: 0, max: 8 }), (recorded, coarser) => {
      const buckets = bucketsOf(recorded, 160);
      const before = structuredClone(buckets);
      const { scale, zeroCount, counts } = bucketsAtScale(buckets, buckets.scale - coarser);
      counts.fill(0);

      expect([scale, zeroCount]).toEqual([buckets.scale - coarser, buckets.zeroCount]);
      expect(buckets).toEqual(before);
    }),
  );
});
