import type { ReadonlyCounts } from '../counts/readonly-counts.ts';
import { mustBe } from '../errors.ts';
import { type ExponentialLayout, exponentialIndex, exponentialLayout } from '../layout/exponential.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import type { Layout } from '../layout/layout.ts';
import { rebucket } from '../rebucket.ts';

/** An HDR layout in ticks, and the same in a unit: see `scaledLayout`. */
export interface UnitLayouts {
  readonly layout: HdrLayout;
  readonly unitLayout: Layout;
}

/** Exponential buckets in a row. */
export interface BucketRun {
  /** `counts[i]` is of the bucket `(base ** (offset + i), base ** (offset + i + 1)]`. */
  readonly offset: number;
  readonly counts: readonly number[];
}

/** Counts in buckets of base `2 ** 2 ** -scale`. */
export interface ExponentialBuckets extends BucketRun {
  readonly scale: number;
  /** What was counted at 0, or rounded to it. */
  readonly zeroCount: number;
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
 * The counts of an HDR layout in exponential buckets: those of every slot go to the bucket that holds its middle.
 *
 * The way is a table from slots to buckets of the finest scale, computed once per layout, and a shift: buckets of
 * scale `s - n` are those of scale `s`, `2 ** n` in one. So the conversion of a sum is the sum of the conversions,
 * and as the scale follows from the used range alone, it never rises while a histogram goes on counting.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { exponentialBuckets } from '@hdrscope/core/internal';
 *
 * const bytes = new Histogram({ highestTrackableValue: 1_000_000 });
 * bytes.record(1000);
 * exponentialBuckets(bytes.counts, { layout: bytes.layout, unitLayout: bytes.layout }, { maxScale: 0 });
 * //=> { scale: 0, zeroCount: 0, offset: 9, counts: [1] }
 * ```
 */
export function exponentialBuckets(
  counts: ReadonlyCounts,
  { layout, unitLayout }: UnitLayouts,
  { maxSize = DEFAULT_MAX_SIZE, maxScale = justifiedScale(layout) }: ExponentialOptions = {},
): ExponentialBuckets {
  if (!Number.isSafeInteger(maxSize) || maxSize < 2) {
    throw mustBe('ERR_INVALID_OPTION', 'maxSize', 'an integer of at least 2', maxSize);
  }
  const zeroCount = counts.total === 0 ? 0 : counts.at(0);
  const first = counts.next(1);
  if (first === counts.length) return { scale: maxScale, zeroCount, offset: 0, counts: [] };
  const { last } = counts;
  const table = tableOf(unitLayout, maxScale);
  const [lowest, highest] = [table.indexOf(first), table.indexOf(last)];
  let shift = 0;
  while ((highest >> shift) - (lowest >> shift) >= maxSize && maxScale - shift > MIN_SCALE) shift++;
  const offset = lowest >> shift;
  const buckets = new Array<number>((highest >> shift) - offset + 1).fill(0);
  for (let from = first - (first % PAGE_SLOTS); from <= last; from += PAGE_SLOTS) {
    if (!counts.read(from, page)) continue;
    const indexes = table.indexesOfPage(from / PAGE_SLOTS);
    // Slot 0 is the zero count's.
    for (let i = from === 0 ? 1 : 0; i < PAGE_SLOTS; i++) {
      const count = page[i]!;
      if (count !== 0) buckets[(indexes[i]! >> shift) - offset]! += count;
    }
  }
  return { scale: maxScale - shift, zeroCount, offset, counts: buckets };
}

/** Buckets `2 ** shift` times as wide: each takes whole ones of the finer scale, so nothing is misplaced. */
export function mergedBuckets({ offset, counts }: BucketRun, shift: number): BucketRun {
  if (counts.length === 0) return { offset: 0, counts: [] };
  if (shift === 0) return { offset, counts };
  const first = offset >> shift;
  const wider = new Array<number>(((offset + counts.length - 1) >> shift) - first + 1).fill(0);
  for (let i = 0; i < counts.length; i++) wider[((offset + i) >> shift) - first]! += counts[i]!;
  return { offset: first, counts: wider };
}

/**
 * The finest scale at which an HDR slot overlaps two buckets at most, one less than the bits of half its sub-buckets:
 * 3, 6, 9, 13 and 16 for 1 to 5 digits. At finer scales empty buckets would alternate with used ones.
 */
export function justifiedScale({ subBucketBits }: HdrLayout): number {
  return Math.min(MAX_SCALE, Math.max(0, subBucketBits - 2));
}

// As many slots as are read at a time. Known to V8, as the array belongs to this module and is not exported.
const PAGE_SLOTS = 64;
const page = /* @__PURE__ */ new Float64Array(PAGE_SLOTS);

/** The buckets of the slots of a layout at a scale, page by page as they are asked for. */
class SlotTable {
  readonly #pages: Int32Array[] = [];
  readonly #slotCount: number;
  readonly #bucketOf: (slot: number) => number;

  constructor(layout: Layout, buckets: ExponentialLayout) {
    this.#slotCount = layout.slotCount;
    const change = rebucket(layout, buckets);
    // The first slot of an exponential layout is that of what is below its buckets.
    this.#bucketOf = (slot) => change.slotFor(slot) - 1 + buckets.minIndex;
  }

  indexOf(slot: number): number {
    return this.indexesOfPage(Math.floor(slot / PAGE_SLOTS))[slot % PAGE_SLOTS]!;
  }

  indexesOfPage(number: number): Int32Array {
    const known = this.#pages[number];
    if (known !== undefined) return known;
    const computed = this.#computed(number);
    this.#pages[number] = computed;
    return computed;
  }

  #computed(number: number): Int32Array {
    const first = number * PAGE_SLOTS;
    return Int32Array.from({ length: PAGE_SLOTS }, (_, i) =>
      this.#bucketOf(Math.min(first + i, this.#slotCount - 1)),
    );
  }
}

const tables = new WeakMap<Layout, Map<number, SlotTable>>();

function tableOf(unitLayout: Layout, scale: number): SlotTable {
  const byScale = tables.get(unitLayout) ?? new Map<number, SlotTable>();
  tables.set(unitLayout, byScale);
  let table = byScale.get(scale);
  if (table === undefined) {
    const buckets = exponentialLayout({
      scale,
      minIndex: exponentialIndex(scale, unitLayout.midpoint(1)),
      maxIndex: exponentialIndex(scale, unitLayout.midpoint(unitLayout.slotCount - 1)),
    });
    table = new SlotTable(unitLayout, buckets);
    byScale.set(scale, table);
  }
  return table;
}
