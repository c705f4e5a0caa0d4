import {
  type Counted,
  countedIn,
  type EdgeLayout,
  type ExponentialLayout,
  explicitLayout,
  exponentialLayout,
} from '@hdrscope/core';
import type { BucketRun, IndexRange } from '@hdrscope/core/internal';
import type { ExplicitPoint, ExponentialPoint } from './received.ts';

/** The counts of a checked point over the layout of its buckets. */
export function countedPoint(point: ExplicitPoint | ExponentialPoint): Counted {
  if (point.count === 0) return NOTHING;
  return 'bounds' in point
    ? countedIn(explicitLayoutFor(point.bounds), point.counts)
    : countedExponential(point);
}

// A point that has counted nothing may have no buckets.
const NOTHING: Counted = countedIn(explicitLayout([0]), [0, 0]);
// A layout has a bucket above zero. A point may lack one.
const UNUSED_BUCKET: IndexRange = { minIndex: 0, maxIndex: 0 };

function countedExponential(point: ExponentialPoint): Counted {
  const { scale, zeroThreshold, zeroCount } = point;
  const [positive, negative] = [usedRange(point.positive), usedRange(point.negative)];
  const layout = exponentialLayoutFor(scale, zeroThreshold, positive ?? UNUSED_BUCKET, negative);
  const { zeroSlot } = layout;
  if (zeroCount === 0 && negative === undefined && positive !== undefined) {
    const { offset, counts } = point.positive;
    const isWhole = positive.minIndex === offset && positive.maxIndex === offset + counts.length - 1;
    return countedIn(
      layout,
      isWhole ? counts : counts.slice(positive.minIndex - offset, positive.maxIndex - offset + 1),
      FROM_FIRST_BUCKET,
    );
  }
  const counts = new Float64Array(layout.slotCount);
  counts[zeroSlot] = zeroCount;
  fill(counts, zeroSlot, 1, point.positive, positive);
  fill(counts, zeroSlot, -1, point.negative, negative);
  return countedIn(layout, counts);
}

/** Without negative buckets, slot 0 is the one of 0. */
const FROM_FIRST_BUCKET = { from: 1 };

// Points often have the buckets of points before them. Series that share a layout take less memory, and are compared in less time.
const KNOWN_LAYOUTS = 256;
const exponentials: (ExponentialLayout | undefined)[] = new Array(KNOWN_LAYOUTS).fill(undefined);
const explicits: (EdgeLayout | undefined)[] = new Array(KNOWN_LAYOUTS).fill(undefined);

function exponentialLayoutFor(
  scale: number,
  zeroThreshold: number,
  { minIndex, maxIndex }: IndexRange,
  negative: IndexRange | undefined,
): ExponentialLayout {
  const at = (minIndex * 31 + maxIndex * 17 + scale) & (KNOWN_LAYOUTS - 1);
  const known = exponentials[at];
  if (
    known !== undefined &&
    known.scale === scale &&
    known.minIndex === minIndex &&
    known.maxIndex === maxIndex &&
    known.zeroThreshold === zeroThreshold &&
    known.negative?.minIndex === negative?.minIndex &&
    known.negative?.maxIndex === negative?.maxIndex
  ) {
    return known;
  }
  const made = exponentialLayout({ scale, zeroThreshold, minIndex, maxIndex, negative });
  exponentials[at] = made;
  return made;
}

function explicitLayoutFor(bounds: readonly number[]): EdgeLayout {
  const { length } = bounds;
  const at = (length + Math.trunc(bounds[length >> 1]! * 1024)) & (KNOWN_LAYOUTS - 1);
  const known = explicits[at];
  if (known !== undefined && areEqual(known.edges, bounds)) return known;
  const made = explicitLayout(bounds);
  explicits[at] = made;
  return made;
}

function areEqual(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** The indexes from the first to the last bucket with a count. Senders may add empty buckets beyond the range of doubles. */
function usedRange({ offset, counts }: BucketRun): IndexRange | undefined {
  let from = 0;
  let to = counts.length - 1;
  while (from <= to && counts[from] === 0) from++;
  while (to > from && counts[to] === 0) to--;
  return from > to ? undefined : { minIndex: offset + from, maxIndex: offset + to };
}

/** Writes the counts of buckets beside the zero slot, upwards or downwards. */
function fill(
  slots: Float64Array,
  zeroSlot: number,
  direction: 1 | -1,
  { offset, counts }: BucketRun,
  range: IndexRange | undefined,
): void {
  if (range === undefined) return;
  const { minIndex, maxIndex } = range;
  for (let index = minIndex; index <= maxIndex; index++) {
    slots[zeroSlot + direction * (index - minIndex + 1)] = counts[index - offset]!;
  }
}
