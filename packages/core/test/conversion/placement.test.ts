import fc from 'fast-check';
import { type Counted, countedIn, explicitLayout, exponentialLayout, hdrLayout } from '../../src/index.ts';
import {
  type KnownRange,
  type Placement,
  placeCounts,
  placeSlot,
  resolutionOf,
  type SlotPlacement,
} from '../../src/internal.ts';

const layout = hdrLayout({ highestTrackableValue: 10_000_000, significantDigits: 2 });
const target = { layout, resolution: resolutionOf(1e-3) };

function place(
  counted: Counted,
  take: (placement: SlotPlacement, count: number) => void,
  range?: KnownRange,
): Placement {
  return placeCounts(counted.counts, (slot) => placeSlot(counted, slot, target, range), take);
}

function placed(
  bounds: readonly number[],
  counts: readonly number[],
  range?: KnownRange,
): Placement & { at: number[][] } {
  const at: number[][] = [];
  const buckets = countedIn(explicitLayout(bounds), counts);
  const placement = place(buckets, ({ ticks }, count) => at.push([ticks!, count]), range);
  return { ...placement, at };
}

test('each slot counts, whole, at its midpoint, and an open one at its bound', () => {
  expect(placed([0.1, 0.5], [1, 3, 2])).toMatchObject({
    at: [
      [100, 1],
      [300, 3],
      [500, 2],
    ],
    count: 6,
    min: 0.1,
    max: 0.5,
    open: 3,
  });
});

test('a known range narrows the slots that it ends in, and closes open ones', () => {
  const { at, min, max, open, sum } = placed([0.1, 0.5], [1, 0, 2], { min: 0.02, max: 0.9 });
  expect(at).toEqual([
    [60, 1],
    [700, 2],
  ]);
  expect([min, max, open]).toEqual([0.06, 0.7, 0]);
  expect(sum).toBeCloseTo(0.06 + 1.4, 12);
});

test('a range beside a slot that was counted does not move it', () => {
  expect(placed([0.1, 0.5], [0, 3, 0], { min: 0.7, max: 0.9 }).at).toEqual([[300, 3]]);
});

test('values below 0 and above the target are counted apart', () => {
  expect(placed([-2, -1, 0, 1e6], [1, 2, 4, 0, 8])).toMatchObject({
    at: [],
    count: 0,
    negative: 7,
    tooLarge: 8,
    largest: 1e6,
    min: Number.POSITIVE_INFINITY,
  });
});

test('the value that stands for a slot lies in the slot, although an open slot counts at a bound that it excludes', () => {
  const values: [value: number, count: number][] = [];
  const buckets = countedIn(explicitLayout([0.25, 0.75]), [1, 2, 3]);
  place(buckets, ({ inside }, count) => values.push([inside, count]));
  expect(values).toEqual([
    [0.25, 1],
    [0.5, 2],
    [0.75 + 2 ** -53, 3],
  ]);
});

test('a slot for 0 stays at 0, whatever the range is', () => {
  const buckets = exponentialLayout({ scale: 0, minIndex: 0, maxIndex: 1 });
  const at: number[][] = [];
  place(countedIn(buckets, [5, 0, 0, 0]), ({ ticks }, count) => at.push([ticks!, count]), {
    min: 0.25,
    max: 3,
  });
  expect(at).toEqual([[0, 5]]);
});

test('a slot between edges is narrowed even where its midpoint is 0', () => {
  expect(placed([0, 1], [3, 0, 0], { min: -5 })).toMatchObject({ at: [], negative: 3, open: 0 });
  expect(placed([-1, 1], [0, 3, 0], { min: 0.5, max: 0.7 }).at).toEqual([[600, 3]]);
});

test('counts are read out of the HDR slots as they were, where a midpoint of one lies in each slot', () => {
  const scale = fc.integer({ min: -1, max: 3 });
  fc.assert(
    fc.property(
      scale,
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.nat(9), { minLength: 3, maxLength: 60 }),
      (at, octave, counts) => {
        const minIndex = Math.floor(octave * 2 ** at);
        const buckets = exponentialLayout({ scale: at, minIndex, maxIndex: minIndex + counts.length - 3 });
        const read = new Array<number>(counts.length).fill(0);
        const placement = place(countedIn(buckets, counts), ({ ticks }, count) => {
          read[buckets.slotOf(layout.midpoint(layout.slotOf(ticks!)) / 1000)]! += count;
        });
        expect(placement.count + placement.tooLarge).toBe(counts.reduce((a, b) => a + b, 0));
        if (placement.tooLarge === 0) expect(read).toEqual(counts);
      },
    ),
  );
});

test('the largest value of the target has a slot, and the next tick has none', () => {
  expect(placed([10_000], [0, 2])).toMatchObject({ count: 2, tooLarge: 0 });
  expect(placed([10_000.001], [0, 2])).toMatchObject({ at: [], count: 0, tooLarge: 2, largest: 10_000.001 });
});
