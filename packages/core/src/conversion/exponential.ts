import { ListedCounts } from '../counts/listed.ts';
import type { ReadonlyCounts } from '../counts/readonly-counts.ts';
import type { SlotRange, SparseCounts } from '../counts/sparse.ts';
import { mustBe } from '../errors.ts';
import {
  type ExponentialLayout,
  exponentialIndex,
  exponentialLayout,
  MAX_SCALE,
  MIN_SCALE,
} from '../layout/exponential.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import type { Layout } from '../layout/layout.ts';
import { rebucket } from '../rebucket.ts';
import { divideSlot, type ThresholdCounts, thresholdSlots } from './thresholds.ts';

/** An HDR layout in ticks, and the same layout in a unit: see `scaledLayout`. */
export interface UnitLayouts {
  readonly layout: HdrLayout;
  readonly unitLayout: Layout;
}

/** Neighbouring exponential buckets. */
export interface BucketRun {
  /** Index of the first bucket: an integer. */
  readonly offset: number;
  /** `counts[i]` is the count of the bucket `(base ** (offset + i), base ** (offset + i + 1)]`. */
  readonly counts: readonly number[];
}

/** Counts in buckets of base `2 ** 2 ** -scale`. */
export interface ExponentialBuckets extends BucketRun {
  readonly scale: number;
  /** The count of values that are 0, or were rounded to 0. */
  readonly zeroCount: number;
  readonly counts: number[];
}

/** Options of exponential buckets. */
export interface ExponentialOptions {
  /** The largest number of buckets: at least 2. @default 160, as in OpenTelemetry */
  readonly maxSize?: number | undefined;
  /** The finest scale: an integer from -10 to 20. @default `justifiedScale` */
  readonly maxScale?: number | undefined;
}

const DEFAULT_MAX_SIZE = 160;

/**
 * The counts of an HDR layout in exponential buckets: all counts of a slot go to the bucket that holds its middle, but for a slot with
 * thresholds, whose values lie on the same side of each threshold as their buckets do, as far as a bucket ends there.
 *
 * A table, computed once for each layout, has the bucket of each slot at the finest scale. A shift leads to coarser scales, since
 * a bucket of scale `s - n` is `2 ** n` buckets of scale `s`. So the conversion of a sum is the sum of the conversions. The scale
 * depends on the used range only, so it never rises while a histogram goes on counting.
 *
 * @param atThresholds How the counts divide at thresholds. Left out, the middle of its slot decides for every value.
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
  atThresholds?: ThresholdCounts,
): ExponentialBuckets {
  if (!Number.isSafeInteger(maxSize) || maxSize < 2) {
    throw mustBe('ERR_INVALID_OPTION', 'maxSize', 'an integer of at least 2', maxSize);
  }
  const zeroCount = counts.total === 0 ? 0 : counts.at(0);
  const first = counts.next(1);
  if (first === counts.length) return { scale: maxScale, zeroCount, offset: 0, counts: [] };
  const { last } = counts;
  const table = tableOf(unitLayout, maxScale);
  let moves = NO_MOVES;
  if (atThresholds !== undefined) {
    const { firsts } = dividingThresholds(atThresholds.thresholds, unitLayout, maxScale);
    moves = movesAt(atThresholds, counts, unitLayout, table, maxScale, firsts);
  }
  const [firstMiddle, lastMiddle] = [table.indexOf(first), table.indexOf(last)];
  const hasMoves = moves.length > 0;
  const lowest = hasMoves ? bucketsOfSlot(first, counts, table, moves)[0] : firstMiddle;
  const highest = hasMoves ? bucketsOfSlot(last, counts, table, moves)[1] : lastMiddle;
  let shift = 0;
  while ((highest >> shift) - (lowest >> shift) >= maxSize && maxScale - shift > MIN_SCALE) shift++;
  // Counts that move to other buckets may begin outside of those that are left.
  const from = Math.min(lowest, firstMiddle) >> shift;
  const buckets = new Array<number>((Math.max(highest, lastMiddle) >> shift) - from + 1).fill(0);
  if (counts instanceof ListedCounts) addListed(buckets, counts, table, shift, from);
  else if ('addPlaced' in counts) {
    // Not by its class, which programs without sparse counts need not bundle.
    const sparse = counts as ReadonlyCounts as SparseCounts;
    // Slot 0 belongs to the zero count.
    sparse.addPlaced(buckets, first, last, {
      placesOf: (page) => table.indexesOfPage(page),
      shift,
      offset: from,
    });
  } else addPages(buckets, counts, table, shift, from);
  const scale = maxScale - shift;
  if (!hasMoves) return { scale, zeroCount, offset: from, counts: buckets };
  for (const move of moves) {
    buckets[(move.from >> shift) - from]! -= move.count;
    buckets[(move.to >> shift) - from]! += move.count;
  }
  const offset = lowest >> shift;
  const left = buckets.slice(offset - from, (highest >> shift) - from + 1);
  return { scale, zeroCount, offset, counts: left };
}

/** Where the buckets of a histogram are. */
export interface BucketPlaces {
  readonly scale: number;
  /** Index of the first bucket. */
  readonly offset: number;
  /** How many buckets there are. */
  readonly length: number;
}

/** The counts of neighbouring buckets. The next call of `recountBuckets` makes others of them. */
export interface RecountedBuckets {
  /** Index of the first of them. */
  readonly offset: number;
  readonly length: number;
  /** The first `length` are theirs. */
  readonly counts: Float64Array;
}

const recounted = { offset: 0, length: 0, counts: /* @__PURE__ */ new Float64Array(256) };

/**
 * Counts anew the buckets of slots that may have changed. With those of an earlier state in all other places they are what
 * `exponentialBuckets` makes of all counts.
 *
 * @param earlier The places of the buckets of the earlier state.
 * @param changed Slots among which are all that have changed since.
 * @returns `undefined` when a value lies outside of the earlier buckets, or so much may have changed that all buckets take no longer.
 */
export function recountBuckets(
  earlier: BucketPlaces,
  counts: SparseCounts,
  { layout, unitLayout }: UnitLayouts,
  maxScale: number = justifiedScale(layout),
  changed: SlotRange,
  atThresholds?: ThresholdCounts,
): RecountedBuckets | undefined {
  // Slot 0 has no bucket.
  const first = Math.max(changed[0], 1);
  const last = changed[1];
  recounted.length = 0;
  if (last < first) return recounted;
  const table = tableOf(unitLayout, maxScale);
  const shift = maxScale - earlier.scale;
  let lowest = table.indexOf(first) >> shift;
  let highest = table.indexOf(last) >> shift;
  let moves = NO_MOVES;
  if (atThresholds !== undefined) {
    const { firsts, lows, highs } = dividingThresholds(atThresholds.thresholds, unitLayout, maxScale);
    let from = 0;
    let to = -1;
    for (let i = 0; i < firsts.length; i++) {
      const low = lows[i]! >> shift;
      const high = highs[i]! >> shift;
      if (high < lowest || low > highest) continue;
      // Their values may lie in several buckets: all of these are counted. A lower threshold may share one of them.
      if (to < from) from = i;
      to = i;
      if (high > highest) highest = high;
      if (low < lowest) {
        lowest = low;
        while (from > 0 && highs[from - 1]! >> shift >= lowest)
          lowest = Math.min(lowest, lows[--from]! >> shift);
      }
    }
    if (from <= to)
      moves = movesAt(atThresholds, counts, unitLayout, table, maxScale, firsts.slice(from, to + 1));
  }
  const length = highest - lowest + 1;
  if (length > 2 * (earlier.length + PAGE_SLOTS)) return undefined;
  if (length > recounted.counts.length) recounted.counts = new Float64Array(length);
  const buckets = recounted.counts.fill(0, 0, length);
  counts.addPlaced(buckets, table.firstSlotIn(lowest, shift, first), table.lastSlotIn(highest, shift, last), {
    placesOf: (page) => table.indexesOfPage(page),
    shift,
    offset: lowest,
  });
  for (const move of moves) {
    buckets[(move.from >> shift) - lowest]! -= move.count;
    buckets[(move.to >> shift) - lowest]! += move.count;
  }
  // How many of them are below and above the earlier buckets.
  const below = Math.max(0, earlier.offset - lowest);
  const above = Math.max(0, highest - (earlier.offset + earlier.length - 1));
  for (let i = 0; i < below; i++) if (buckets[i] !== 0) return undefined;
  for (let i = Math.max(0, length - above); i < length; i++) if (buckets[i] !== 0) return undefined;
  recounted.offset = lowest + below;
  recounted.length = Math.max(0, length - below - above);
  if (below > 0) buckets.copyWithin(0, below, length);
  return recounted;
}

/** Counts of a slot that belong to another bucket than its middle. */
interface Move {
  readonly slot: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

const NO_MOVES: readonly Move[] = [];

/** @param firsts The first threshold of each slot that is looked at: those of `dividingThresholds`, or some of them. */
function movesAt(
  atThresholds: ThresholdCounts,
  counts: ReadonlyCounts,
  unitLayout: Layout,
  table: SlotTable,
  scale: number,
  firsts: readonly number[],
): readonly Move[] {
  const slots = thresholdSlots(atThresholds.thresholds, unitLayout);
  let moves = NO_MOVES as Move[];
  for (const first of firsts) {
    const slot = slots[first]!;
    const count = counts.at(slot);
    if (count === 0) continue;
    const from = table.indexOf(slot);
    divideSlot(atThresholds, unitLayout, first, count, (value, part) => {
      const to = exponentialIndex(scale, value);
      if (to === from) return;
      if (moves === NO_MOVES) moves = [];
      moves.push({ slot, from, to, count: part });
    });
  }
  return moves;
}

/** The slots with thresholds whose values may lie in several buckets. Most thresholds are not the end of a bucket. */
interface Dividing {
  readonly unitLayout: Layout;
  /** The first threshold of each of these slots, ascending. */
  readonly firsts: readonly number[];
  /** The lowest and the highest bucket of each of them. */
  readonly lows: readonly number[];
  readonly highs: readonly number[];
}

/** By thresholds and scale. */
const dividing = new WeakMap<readonly number[], Map<number, Dividing>>();

function dividingThresholds(thresholds: readonly number[], unitLayout: Layout, scale: number): Dividing {
  const byScale = dividing.get(thresholds) ?? new Map<number, Dividing>();
  const earlier = byScale.get(scale);
  if (earlier?.unitLayout === unitLayout) return earlier;
  const slots = thresholdSlots(thresholds, unitLayout);
  const [firsts, lows, highs]: [number[], number[], number[]] = [[], [], []];
  for (const [i, slot] of slots.entries()) {
    // Slot 0 belongs to the zero count.
    if (slot === 0 || slots[i - 1] === slot) continue;
    const low = exponentialIndex(scale, unitLayout.lower(slot));
    const high = exponentialIndex(scale, unitLayout.upper(slot));
    if (low === high) continue;
    firsts.push(i);
    lows.push(low);
    highs.push(high);
  }
  const found = { unitLayout, firsts, lows, highs };
  dividing.set(thresholds, byScale.set(scale, found));
  return found;
}

/** The lowest and the highest bucket with counts of a slot. */
function bucketsOfSlot(
  slot: number,
  counts: ReadonlyCounts,
  table: SlotTable,
  moves: readonly Move[],
): readonly [lowest: number, highest: number] {
  const middle = table.indexOf(slot);
  let left = counts.at(slot);
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { slot: from, to, count } of moves) {
    if (from !== slot) continue;
    left -= count;
    [lowest, highest] = [Math.min(lowest, to), Math.max(highest, to)];
  }
  return left > 0 ? [Math.min(lowest, middle), Math.max(highest, middle)] : [lowest, highest];
}

function addListed(
  buckets: number[],
  { slots, counts }: ListedCounts,
  table: SlotTable,
  shift: number,
  offset: number,
): void {
  // Slot 0 belongs to the zero count.
  for (let i = slots[0] === 0 ? 1 : 0; i < slots.length; i++) {
    buckets[(table.indexOf(slots[i]!) >> shift) - offset]! += counts[i]!;
  }
}

function addPages(
  buckets: number[],
  counts: ReadonlyCounts,
  table: SlotTable,
  shift: number,
  offset: number,
): void {
  const { first, last } = counts;
  for (let from = first - (first % PAGE_SLOTS); from <= last; from += PAGE_SLOTS) {
    if (!counts.read(from, page)) continue;
    const indexes = table.indexesOfPage(from / PAGE_SLOTS);
    // Slot 0 belongs to the zero count.
    for (let i = from === 0 ? 1 : 0; i < PAGE_SLOTS; i++) {
      const count = page[i]!;
      if (count !== 0) buckets[(indexes[i]! >> shift) - offset]! += count;
    }
  }
}

/** Buckets of a scale that is `shift` coarser: each consists of whole buckets of the finer scale, so nothing is misplaced. */
export function mergedBuckets({ offset, counts }: BucketRun, shift: number): BucketRun {
  if (counts.length === 0) return { offset: 0, counts: [] };
  if (shift === 0) return { offset, counts };
  const first = offset >> shift;
  const wider = new Array<number>(((offset + counts.length - 1) >> shift) - first + 1).fill(0);
  for (let i = 0; i < counts.length; i++) wider[((offset + i) >> shift) - first]! += counts[i]!;
  return { offset: first, counts: wider };
}

/**
 * The finest scale at which an HDR slot overlaps at most two buckets: `subBucketBits - 2`, which is 3, 6, 9, 13 and 16 for 1 to 5
 * digits. At finer scales empty buckets would alternate with used ones.
 */
export function justifiedScale({ subBucketBits }: HdrLayout): number {
  return Math.min(MAX_SCALE, Math.max(0, subBucketBits - 2));
}

// Slots are read in pages. `words.ts` has the same numbers, but V8 treats a number as a constant only in the file that declares it.
const PAGE_BITS = 6;
const PAGE_SLOTS = 2 ** PAGE_BITS;
const SLOT_IN_PAGE = PAGE_SLOTS - 1;
const page = /* @__PURE__ */ new Float64Array(PAGE_SLOTS);

/** The buckets of the slots of a layout at a scale, computed page by page on demand. */
class SlotTable {
  readonly #pages: Int32Array[] = [];
  readonly #slotCount: number;
  readonly #bucketOf: (slot: number) => number;

  constructor(layout: Layout, buckets: ExponentialLayout) {
    this.#slotCount = layout.slotCount;
    const change = rebucket(layout, buckets);
    // Slot 0 of an exponential layout holds values below its buckets.
    this.#bucketOf = (slot) => change.slotFor(slot) - 1 + buckets.minIndex;
  }

  indexOf(slot: number): number {
    return this.indexesOfPage(slot >>> PAGE_BITS)[slot & SLOT_IN_PAGE]!;
  }

  /** The first slot whose bucket is not below one of a coarser scale. @param from A slot that is not below it. */
  firstSlotIn(bucket: number, shift: number, from: number): number {
    let slot = from;
    while (slot > 1 && this.indexOf(slot - 1) >> shift >= bucket) slot--;
    return slot;
  }

  /** The last slot whose bucket is not above one of a coarser scale. @param from A slot that is not above it. */
  lastSlotIn(bucket: number, shift: number, from: number): number {
    let slot = from;
    while (slot + 1 < this.#slotCount && this.indexOf(slot + 1) >> shift <= bucket) slot++;
    return slot;
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
// The table that was used last: all series of a family have one.
let last: { readonly unitLayout: Layout; readonly scale: number; readonly table: SlotTable } | undefined;

function tableOf(unitLayout: Layout, scale: number): SlotTable {
  if (last?.unitLayout !== unitLayout || last.scale !== scale) {
    last = { unitLayout, scale, table: knownTable(unitLayout, scale) };
  }
  return last.table;
}

function knownTable(unitLayout: Layout, scale: number): SlotTable {
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
