import { refusalOf } from '@hdrscope/testing/refusals';
import fc from 'fast-check';
import { type Axis, axisEdges, axisLayout, axisRanges } from '../../src/histogram/axis.ts';

const axis = (scale: Axis['scale'], min: number, quantSize: number, buckets: number): Axis => ({
  name: 'x',
  scale,
  min,
  quantSize,
  buckets,
});

// Computed by Ceph 16.2.15's daemon and by the unit tests of its proposed successor.
test.each([
  ['log2', 0, 1000, 4, [500, 999, 1000, 1500, 10_000], [1, 1, 2, 2, 3]],
  ['linear', 100, 50, 4, [99, 100, 175, 1000], [0, 1, 2, 3]],
  ['log2', 8, 4, 3, [7, 8, 12, 100], [0, 1, 2, 2]],
  ['log2', 0, 7, 2, [-1, 0, 1e9], [0, 1, 1]],
  ['linear', -10, 5, 4, [-11, -10, -6, -5, 0], [0, 1, 1, 2, 3]],
  ['linear', 0, 5, 1, [-1, 0, 1e9], [0, 0, 0]],
  ['log2', 0, 5, 1, [-1, 0, 1e9], [0, 0, 0]],
] as const)(
  'a %s axis from %d with a quantum of %d and %d buckets has the slots that Ceph computes for %p',
  (scale, min, quantum, buckets, values, slots) => {
    const layout = axisLayout(axis(scale, min, quantum, buckets));
    expect(values.map((value) => layout.slotOf(value))).toEqual(slots);
    expect(layout.slotCount).toBe(buckets);
  },
);

/** The slot by the rules of Ceph's documentation, in whole numbers. */
function naiveSlot({ scale, min, quantSize, buckets }: Axis, value: bigint): number {
  if (buckets === 1 || value < BigInt(min)) return 0;
  const quanta = (value - BigInt(min)) / BigInt(quantSize);
  if (scale === 'linear') return Number(quanta < BigInt(buckets - 2) ? quanta + 1n : BigInt(buckets - 1));
  for (let slot = 1; slot < buckets - 1; slot++) if (quanta < 1n << BigInt(slot - 1)) return slot;
  return buckets - 1;
}

const axes = fc
  .record({
    scale: fc.constantFrom<Axis['scale'][]>('linear', 'log2'),
    min: fc.integer({ min: -1000, max: 1000 }),
    quantSize: fc.integer({ min: 1, max: 1_000_000 }),
    buckets: fc.integer({ min: 1, max: 40 }),
  })
  .map((one) => ({ name: 'x', ...one }));

test("every integer has the slot that Ceph's rules give it", () => {
  const values = fc.oneof(fc.integer({ min: -2000, max: 5000 }), fc.maxSafeNat());
  fc.assert(
    fc.property(axes, values, (one, value) => {
      expect(axisLayout(one).slotOf(value)).toBe(naiveSlot(one, BigInt(value)));
    }),
  );
});

test('both ends of a range are in its slot, and ranges leave no gap', () => {
  fc.assert(
    fc.property(axes, (one) => {
      const ranges = axisRanges(one);
      expect(ranges).toHaveLength(one.buckets);
      for (const [slot, { min, max }] of ranges.entries()) {
        if (min !== undefined) expect(naiveSlot(one, min)).toBe(slot);
        if (max !== undefined) expect(naiveSlot(one, max)).toBe(slot);
        expect(min).toBe(slot === 0 ? undefined : ranges[slot - 1]!.max! + 1n);
      }
    }),
  );
});

test('an axis of one or two buckets has the ranges that Ceph prints', () => {
  expect(axisRanges(axis('linear', 5, 1, 1))).toEqual([{}]);
  expect(axisRanges(axis('log2', 5, 1, 2))).toEqual([{ max: 4n }, { min: 5n }]);
});

test('edges above 2^53 are exact', () => {
  const edges = axisEdges(axis('log2', 1, 100_000, 48));
  expect(edges.at(-1)).toBe(1n + 100_000n * 2n ** 45n);
  expect(BigInt(Number(edges.at(-1)))).not.toBe(edges.at(-1));
});

test('equal axes share one layout', () => {
  expect(axisLayout(axis('log2', 0, 512, 32))).toBe(axisLayout({ ...axis('log2', 0, 512, 32), name: 'y' }));
});

test('an explicit axis has the given edges', () => {
  const explicit: Axis = { ...axis('explicit', 0, 1, 3), edges: [5n, 50n] };
  expect([4, 5, 49, 50].map((value) => axisLayout(explicit).slotOf(value))).toEqual([0, 1, 1, 2]);
  expect(axisRanges(explicit)).toEqual([{ max: 4n }, { min: 5n, max: 49n }, { min: 50n }]);
});

test.each([
  [{ ...axis('log2', 0, 1, 4), scale: 'log10' as 'log2' }, /axis "x": scale must be 'linear', 'log2' or/],
  [axis('log2', 0.5, 1, 4), /axis "x": min must be an integer, got 0.5/],
  [axis('log2', 0, 0, 4), /quantSize must be an integer of at least 1, got 0/],
  [axis('log2', 0, 1, 0), /buckets must be an integer from 1 to 65536, got 0/],
  [axis('log2', 0, 100_000, 49), /buckets must be few enough for all edges to be below 2\^63, got 49/],
  [axis('log2', 0, 512, 56), /buckets must be few enough/],
  [axis('log2', 0, 1, 2000), /buckets must be few enough/],
  [axis('linear', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 4000), /buckets must be few enough/],
  [{ ...axis('log2', 0, 1, 4), unit: 'weeks' as 'ns' }, /unit must be one of ns, us, ms, s, bytes, none/],
  [{ ...axis('log2', 0, 1, 2), edges: [1n] }, /edges must be left out/],
  [axis('explicit', 0, 1, 3), /edges must be 2 ascending bigints/],
  [{ ...axis('explicit', 0, 1, 3), edges: [5n, 5n] }, /edges must be 2 ascending bigints/],
  [{ ...axis('log2', 0, 1, 2), name: 7 as unknown as string }, /name must be a string/],
])('%# refuses an axis that Ceph could not have', (one, message) => {
  expect(refusalOf(() => axisLayout(one), 'ERR_INVALID_OPTION').message).toMatch(message);
});

test.each([[axis('log2', 0, 100_000, 48)], [axis('log2', 0, 512, 55)]])(
  '%# accepts the longest axis that 64 bits allow',
  (one) => {
    expect(axisLayout(one).slotCount).toBe(one.buckets);
  },
);
