import fc from 'fast-check';
import { countedIn, hdrLayout } from '../../src/index.ts';
import { PackedSum, packCounts, packedRuns, SparseCounts, usedSlots } from '../../src/internal.ts';

const layout = hdrLayout({ highestTrackableValue: 1_000_000, significantDigits: 2 });

const counts = fc
  .array(
    fc.tuple(fc.nat(layout.slotCount - 1), fc.oneof(fc.integer({ min: 1, max: 300 }), fc.maxSafeNat())),
    {
      maxLength: 40,
    },
  )
  .map((pairs) => {
    const all = new Array<number>(layout.slotCount).fill(0);
    for (const [slot, count] of pairs) all[slot] = Math.floor(count / 64) + 1;
    return countedIn(layout, all).counts;
  });

test('packed counts are the same counts again, and add up', () => {
  fc.assert(
    fc.property(counts, counts, (one, other) => {
      const sum = new SparseCounts(layout.slotCount);
      for (const each of [one, other]) sum.addRuns(packedRuns(packCounts(each), layout.slotCount));
      expect(sum.total).toBe(one.total + other.total);
      const slots = Array.from({ length: layout.slotCount }, (_, slot) => slot);
      expect(slots.filter((slot) => sum.at(slot) !== one.at(slot) + other.at(slot))).toEqual([]);
    }),
    { numRuns: 50 },
  );
});

test('counts of nothing take a byte', () => {
  expect(packCounts(new SparseCounts(layout.slotCount))).toHaveLength(1);
});

test('bytes with more slots than the counts have are refused', () => {
  const bytes = packCounts(countedIn(layout, [1, 2, 3], { from: 500 }).counts);
  expect(() => packedRuns(bytes, 100)).toThrow(expect.objectContaining({ code: 'ERR_DECODE' }));
});

test('sums of packed counts are those of sparse counts, one series after another', () => {
  const sum = new PackedSum(layout.slotCount);
  fc.assert(
    fc.property(fc.array(counts, { maxLength: 4 }), (all) => {
      const expected = new SparseCounts(layout.slotCount);
      for (const each of all) {
        const bytes = packCounts(each);
        expected.addRuns(packedRuns(bytes, layout.slotCount));
        // They lie between others.
        sum.add(Uint8Array.of(7, ...bytes, 9), 1, bytes.length + 1);
      }
      const used = [...usedSlots(expected)];
      expect(sum.usedCount).toBe(used.length);
      const { slots, counts: found } = sum.take();
      expect(slots.map((slot, i) => [slot, found[i]])).toEqual(used);
      expect(sum.usedCount).toBe(0);
    }),
    { numRuns: 50 },
  );
});

test('a sum refuses bytes with more slots than it has', () => {
  const bytes = packCounts(countedIn(layout, [1, 2, 3], { from: 500 }).counts);
  for (const slotCount of [100, 502])
    expect(() => new PackedSum(slotCount).add(bytes, 0, bytes.length)).toThrow(
      expect.objectContaining({ code: 'ERR_DECODE' }),
    );
});
