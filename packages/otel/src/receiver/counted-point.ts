import { type Counted, countedIn, explicitLayout, exponentialLayout, type Layout } from '@hdrscope/core';
import type { BucketRun, IndexRange } from '@hdrscope/core/internal';
import type { ExplicitPoint, ExponentialPoint } from './received.ts';

/** The counts of a checked point over the layout of its buckets. */
export function countedPoint(point: ExplicitPoint | ExponentialPoint): Counted {
  if (point.count === 0) return NOTHING;
  return 'bounds' in point
    ? countedIn(layoutFor(explicitLayout, point.bounds), point.counts)
    : countedExponential(point);
}

// A point that has counted nothing may have no buckets.
const NOTHING: Counted = countedIn(explicitLayout([0]), [0, 0]);
// A layout has a bucket above zero. A point may lack one.
const UNUSED_BUCKET: IndexRange = { minIndex: 0, maxIndex: 0 };

function countedExponential(point: ExponentialPoint): Counted {
  const { scale, zeroThreshold } = point;
  const [positive, negative] = [usedRange(point.positive), usedRange(point.negative)];
  const range = positive ?? UNUSED_BUCKET;
  const layout = layoutFor(exponentialLayout, { scale, zeroThreshold, ...range, negative });
  const { zeroSlot } = layout;
  const counts = new Float64Array(layout.slotCount);
  counts[zeroSlot] = point.zeroCount;
  fill(counts, zeroSlot, 1, point.positive, positive);
  fill(counts, zeroSlot, -1, point.negative, negative);
  return countedIn(layout, counts);
}

// Neighbouring points often have equal buckets. With one layout for them, the plan that moves their counts is made once.
let last: { readonly key: string; readonly layout: Layout } | undefined;

/** @param options What the layout is made from: finite numbers. */
function layoutFor<Options, Made extends Layout>(make: (options: Options) => Made, options: Options): Made {
  const key = JSON.stringify(options);
  if (last?.key !== key) last = { key, layout: make(options) };
  return last.layout as Made;
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
