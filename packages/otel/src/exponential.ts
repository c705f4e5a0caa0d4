import {
  type ExponentialLayout,
  exponentialIndex,
  exponentialLayout,
  type HdrLayout,
  type Layout,
  mustBe,
  rebucket,
} from '@hdrscope/core';
import type { SeriesSnapshot } from '@hdrscope/registry';
import type { ExponentialHistogramValue } from './sdk.ts';

/** A family's two layouts: in ticks, and in its unit. */
export interface FamilyLayouts {
  readonly layout: HdrLayout;
  readonly unitLayout: Layout;
}

const MIN_SCALE = -10;
const MAX_SCALE = 20;

/**
 * Shows a series as an exponential histogram: every HDR slot's count goes to the bucket that holds the slot's middle.
 *
 * The way is a table from slots to buckets of the finest scale, computed once per layout, and a shift: buckets of
 * scale `s - n` are those of scale `s`, `2 ** n` in one. So the conversion of a sum is the sum of the conversions,
 * and as the scale follows from the used range alone, it never rises while a series goes on counting.
 *
 * @param maxSize The most buckets that the result may have: at least 2.
 * @param maxScale Finer scales than `justifiedScale` only pretend precision.
 */
export function toExponential(
  { histogram, sum, min, max }: SeriesSnapshot,
  family: FamilyLayouts,
  maxSize: number,
  maxScale: number = justifiedScale(family.layout),
): ExponentialHistogramValue {
  if (!Number.isSafeInteger(maxSize) || maxSize < 2) {
    throw mustBe('ERR_INVALID_OPTION', 'maxSize', 'an integer of at least 2', maxSize);
  }
  const { counts, totalCount: count } = histogram;
  const zeroCount = count === 0 ? 0 : counts.at(0);
  const negative = { offset: 0, bucketCounts: [] };
  const range = count === 0 ? {} : { min, max };
  const firstPositive = counts.next(1);
  if (firstPositive === counts.length) {
    return {
      count,
      sum,
      scale: maxScale,
      zeroCount,
      positive: { offset: 0, bucketCounts: [] },
      negative,
      ...range,
    };
  }
  const layout = finestLayout(family, maxScale);
  const { scale: finest, minIndex } = layout;
  const toFinest = rebucket(family.unitLayout, layout);
  const indexOf = (slot: number): number => toFinest.slotFor(slot) - 1 + minIndex;
  let shift = 0;
  while (
    (indexOf(counts.last) >> shift) - (indexOf(firstPositive) >> shift) >= maxSize &&
    finest - shift > MIN_SCALE
  ) {
    shift++;
  }
  const offset = indexOf(firstPositive) >> shift;
  const bucketCounts = new Array<number>((indexOf(counts.last) >> shift) - offset + 1).fill(0);
  for (let slot = firstPositive; slot < counts.length; slot = counts.next(slot + 1)) {
    bucketCounts[(indexOf(slot) >> shift) - offset]! += counts.at(slot);
  }
  return {
    count,
    sum,
    scale: finest - shift,
    zeroCount,
    positive: { offset, bucketCounts },
    negative,
    ...range,
  };
}

/**
 * The finest scale at which an HDR slot overlaps two buckets at most, one less than the bits of half its sub-buckets:
 * 3, 6, 9, 13 and 16 for 1 to 5 digits. At finer scales empty buckets would alternate with used ones.
 */
export function justifiedScale({ subBucketBits }: HdrLayout): number {
  return Math.min(MAX_SCALE, Math.max(0, subBucketBits - 2));
}

const finestLayouts = new WeakMap<Layout, Map<number, ExponentialLayout>>();

function finestLayout({ unitLayout }: FamilyLayouts, scale: number): ExponentialLayout {
  const byScale = finestLayouts.get(unitLayout) ?? new Map<number, ExponentialLayout>();
  finestLayouts.set(unitLayout, byScale);
  let layout = byScale.get(scale);
  if (layout === undefined) {
    layout = exponentialLayout({
      scale,
      minIndex: exponentialIndex(scale, unitLayout.midpoint(1)),
      maxIndex: exponentialIndex(scale, unitLayout.midpoint(unitLayout.slotCount - 1)),
    });
    byScale.set(scale, layout);
  }
  return layout;
}
