import {
  type ExponentialLayout,
  exponentialIndex,
  exponentialLayout,
  type HdrLayout,
  type Layout,
  mustBe,
  type ReadonlyCounts,
  rebucket,
} from '@hdrscope/core';

/** A family's two layouts: in ticks, and in its unit. */
export interface FamilyLayouts {
  readonly layout: HdrLayout;
  readonly unitLayout: Layout;
}

/** Counts in buckets of base `2 ** 2 ** -scale`. */
export interface ExponentialBuckets {
  readonly scale: number;
  /** What was counted at 0, or rounded to it. */
  readonly zeroCount: number;
  /** `counts[i]` is of the bucket `(base ** (offset + i), base ** (offset + i + 1)]`. */
  readonly offset: number;
  readonly counts: number[];
}

/** How fine the buckets are. */
export interface ExponentialOptions {
  /** The most buckets there may be: at least 2. @default 160, OpenTelemetry's */
  readonly maxSize?: number | undefined;
  /** The finest scale: an integer from -10 to 20. @default what the digits justify, see `justifiedScale` */
  readonly maxScale?: number | undefined;
}

const DEFAULT_MAX_SIZE = 160;
const MIN_SCALE = -10;
const MAX_SCALE = 20;

/**
 * The counts of a family's series in exponential buckets: those of every HDR slot go to the bucket that holds the slot's middle.
 *
 * The way is a table from slots to buckets of the finest scale, computed once per layout, and a shift: buckets of
 * scale `s - n` are those of scale `s`, `2 ** n` in one. So the conversion of a sum is the sum of the conversions,
 * and as the scale follows from the used range alone, it never rises while a series goes on counting.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
 * @example
 * ```ts
 * import { createRegistry, exponentialBuckets } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * registry.histogram({ name: 'size', unit: 'By' }).with({}).record(1000);
 * const [family] = (await registry.gather()).families;
 * exponentialBuckets(family!.series[0]!.histogram.counts, family!, { maxScale: 0 });
 * //=> { scale: 0, zeroCount: 0, offset: 9, counts: [1] }
 * ```
 */
export function exponentialBuckets(
  counts: ReadonlyCounts,
  family: FamilyLayouts,
  { maxSize = DEFAULT_MAX_SIZE, maxScale = justifiedScale(family.layout) }: ExponentialOptions = {},
): ExponentialBuckets {
  if (!Number.isSafeInteger(maxSize) || maxSize < 2) {
    throw mustBe('ERR_INVALID_OPTION', 'maxSize', 'an integer of at least 2', maxSize);
  }
  const zeroCount = counts.total === 0 ? 0 : counts.at(0);
  const first = counts.next(1);
  if (first === counts.length) return { scale: maxScale, zeroCount, offset: 0, counts: [] };
  const indexOf = finestIndexes(family, maxScale);
  const { last } = counts;
  const [lowest, highest] = [indexOf(first), indexOf(last)];
  let shift = 0;
  while ((highest >> shift) - (lowest >> shift) >= maxSize && maxScale - shift > MIN_SCALE) shift++;
  const offset = lowest >> shift;
  const buckets = new Array<number>((highest >> shift) - offset + 1).fill(0);
  for (let slot = first; slot <= last; slot = counts.next(slot + 1)) {
    buckets[(indexOf(slot) >> shift) - offset]! += counts.at(slot);
  }
  return { scale: maxScale - shift, zeroCount, offset, counts: buckets };
}

/**
 * The finest scale at which an HDR slot overlaps two buckets at most, one less than the bits of half its sub-buckets:
 * 3, 6, 9, 13 and 16 for 1 to 5 digits. At finer scales empty buckets would alternate with used ones.
 */
export function justifiedScale({ subBucketBits }: HdrLayout): number {
  return Math.min(MAX_SCALE, Math.max(0, subBucketBits - 2));
}

/** The bucket of a slot at a scale. */
function finestIndexes({ unitLayout }: FamilyLayouts, scale: number): (slot: number) => number {
  const layout = finestLayout(unitLayout, scale);
  const toFinest = rebucket(unitLayout, layout);
  return (slot) => toFinest.slotFor(slot) - 1 + layout.minIndex;
}

const finestLayouts = new WeakMap<Layout, Map<number, ExponentialLayout>>();

function finestLayout(unitLayout: Layout, scale: number): ExponentialLayout {
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
