import fc from 'fast-check';
import { Histogram, hdrLayout } from '../../src/index.ts';
import { explicitCounts, resolutionOf, scaledLayout, thresholdSlots } from '../../src/internal.ts';

// Slots are 4 wide from 512 on: 1000 to 1003 share a slot, whose middle is 1002.
const layout = hdrLayout({ highestTrackableValue: Number.MAX_SAFE_INTEGER, significantDigits: 2 });

function counted(values: readonly number[]): Histogram {
  const histogram = new Histogram({ layout, storage: 'sparse' });
  for (const value of values) histogram.record(value);
  return histogram;
}

test.each<[boundaries: number[], counts: number[]]>([
  [[1001], [3, 2]],
  [[1000], [0, 5]],
  [[1002], [5, 0]],
  [
    [1000, 1001, 1002],
    [0, 3, 2, 0],
  ],
  [
    [999, 1001, 1003],
    [0, 3, 2, 0],
  ],
])('a slot with the threshold 1001 is divided there: %j', (boundaries, counts) => {
  const { counts: slots } = counted([1000, 1001, 1001, 1002, 1003]);
  const atThresholds = { thresholds: [1001], counts: [3] };
  expect(explicitCounts(slots, { unitLayout: layout }, boundaries, atThresholds)).toEqual(counts);
});

test('parts without counts do not matter', () => {
  const { counts } = counted([7, 1003]);
  const atThresholds = { thresholds: [1001, 1002, 5000], counts: [0, 0, 0] };
  expect(explicitCounts(counts, { unitLayout: layout }, [1001, 1002, 5000], atThresholds)).toEqual([
    1, 0, 1, 0,
  ]);
});

test('thresholds have the slots of equal values; those beyond the range have the first or the last slot', () => {
  const seconds = scaledLayout(layout, resolutionOf(1e-9));
  const last = layout.slotCount - 1;
  const thresholds = [-1, 0, 0.3, 1, 2 ** 53 / 1e9, 1e300, Number.MAX_VALUE];
  expect([...thresholdSlots(thresholds, seconds)]).toEqual([
    0,
    0,
    layout.slotOf(300_000_000),
    layout.slotOf(1_000_000_000),
    last,
    last,
    last,
  ]);
});

test('slots of thresholds never fall', () => {
  const threshold = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(fc.array(threshold), fc.constantFrom(1e-9, 1e-3, 0.1, 1, 3, 1024), (list, step) => {
      const thresholds = list.sort((a, b) => a - b);
      const slots = thresholdSlots(thresholds, scaledLayout(layout, resolutionOf(step)));
      for (let i = 1; i < slots.length; i++) expect(slots[i]).toBeGreaterThanOrEqual(slots[i - 1]!);
    }),
  );
});
