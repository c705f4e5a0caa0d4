import type { Bounds } from '../bounds.ts';
import type { Counted } from '../counted.ts';
import { DenseCounts } from '../counts/dense.ts';
import type { SlotRuns } from '../counts/slot-runs.ts';
import { SparseCounts } from '../counts/sparse.ts';
import type { LiveCounts } from '../counts/store.ts';
import { usedSlots } from '../counts/used-slots.ts';
import { nextDown } from '../double.ts';
import { isHdrLayout } from '../layout/hdr.ts';
import type { Layout } from '../layout/layout.ts';
import { fromTicks, isSameResolution, isScaledLayout, type Resolution } from '../layout/scaled.ts';

/** How many values lie between two ends, where nothing more is known of them. */
export interface CountedInterval extends Bounds {
  /** How many values: an integer of at least 1. */
  readonly count: number;
  /** Whether a value may be as small as `lower`. */
  readonly lowerInclusive: boolean;
}

/**
 * The interval of a slot with counts.
 *
 * @param placedFrom Layouts of other slots, whose counts were placed here: see `Counted`. The interval contains those of their slots
 *   that the counts may come from. A placement keeps a value of the slot, so such a slot has a value in common with this one.
 */
export function intervalOfSlot(
  layout: Layout,
  slot: number,
  count: number,
  placedFrom: readonly Layout[] = [],
): CountedInterval {
  if (isScaledLayout(layout)) {
    const { inTicks, resolution } = layout;
    const from = layoutsInTicks(placedFrom, resolution);
    // The `slotOf` of a layout in a unit rounds, so slots are looked for in ticks.
    if (from !== undefined) return toUnit(intervalOfSlot(inTicks, slot, count, from), resolution);
  }
  let lower = layout.lower(slot);
  let upper = largestIn(layout, slot);
  const lowerInclusive = layout.lowerInclusive || layout.slotOf(lower) === slot;
  if (placedFrom.length === 0) return { lower, upper, count, lowerInclusive };
  if (isScaledLayout(layout)) {
    // A value between two ticks counts at one of them.
    const tick = fromTicks(layout.resolution, 1);
    lower -= tick;
    upper += tick;
  }
  // A fraction counts as its integer part.
  if (isHdrLayout(layout)) upper = nextDown(upper + 1);
  // Counts may have come through one layout into the one before it, so each widens what that one has widened.
  for (const from of placedFrom) {
    const end = from.slotCount - 1;
    const first = lower === Number.NEGATIVE_INFINITY ? 0 : Math.min(Math.max(from.slotOf(lower), 0), end);
    const last =
      upper === Number.POSITIVE_INFINITY ? end : Math.min(Math.max(from.slotOf(upper), first), end);
    lower = Math.min(lower, from.lower(first));
    upper = Math.max(upper, largestIn(from, last));
  }
  return { lower, upper, count, lowerInclusive: true };
}

/** Slot 0 of a double layout reaches up to the range, but counts nothing except 0. */
function largestIn(layout: Layout, slot: number): number {
  return layout.kind === 'double' && slot === 0 ? 0 : layout.upper(slot);
}

/** The layouts in ticks of a resolution; `undefined` when one is not in such ticks. */
function layoutsInTicks(layouts: readonly Layout[], resolution: Resolution): readonly Layout[] | undefined {
  const inTicks: Layout[] = [];
  for (const layout of layouts) {
    if (!isScaledLayout(layout) || !isSameResolution(layout.resolution, resolution)) return undefined;
    inTicks.push(layout.inTicks);
  }
  return inTicks;
}

function toUnit({ lower, upper, ...others }: CountedInterval, resolution: Resolution): CountedInterval {
  return { ...others, lower: fromTicks(resolution, lower), upper: fromTicks(resolution, upper) };
}

/** The used slots of counts as intervals, ascending. */
export function* intervalsOf({ layout, counts, placedFrom }: Counted): Generator<CountedInterval> {
  for (const [slot, count] of usedSlots(counts)) yield intervalOfSlot(layout, slot, count, placedFrom);
}

/** Counts in intervals. */
export interface IntervalStore {
  readonly byteLength: number;
  /** Ascending by their lower ends. */
  intervals(): Iterable<CountedInterval>;
}

/** Counts whose layouts number their slots alike, and differ in range only. */
export class SlotStore implements IntervalStore, Counted {
  /** The layout with the widest range so far. */
  layout: Layout;
  readonly counts: LiveCounts;

  constructor(layout: Layout, storage: 'dense' | 'sparse') {
    this.layout = layout;
    this.counts = new (storage === 'dense' ? DenseCounts : SparseCounts)(layout.slotCount);
  }

  get byteLength(): number {
    return this.counts.byteLength;
  }

  /** @param counted Counts of alike slots. */
  add({ layout, counts }: Counted): void {
    this.#reach(layout);
    this.counts.addAll(counts);
  }

  /** @param layout Has alike slots. */
  addRuns(layout: Layout, runs: SlotRuns): void {
    this.#reach(layout);
    this.counts.addRuns(runs);
  }

  intervals(): Iterable<CountedInterval> {
    return intervalsOf(this);
  }

  #reach(layout: Layout): void {
    if (layout.slotCount <= this.counts.length) return;
    this.layout = layout;
    this.counts.resize(layout.slotCount);
  }
}

/** An interval in two maps. */
const INTERVAL_BYTES = 300;

/** Counts in any intervals. */
export class IntervalMap implements IntervalStore {
  /** By lower end, then by upper end. */
  readonly #byLower = new Map<number, Map<number, CountedInterval>>();

  get byteLength(): number {
    return INTERVAL_BYTES * this.#byLower.size;
  }

  add(counted: Counted | IntervalStore): void {
    this.addAll('intervals' in counted ? counted.intervals() : intervalsOf(counted));
  }

  addAll(intervals: Iterable<CountedInterval>): void {
    for (const interval of intervals) {
      const { lower, upper, count, lowerInclusive } = interval;
      const byUpper = this.#byLower.get(lower) ?? new Map<number, CountedInterval>();
      this.#byLower.set(lower, byUpper);
      const before = byUpper.get(upper);
      byUpper.set(
        upper,
        before === undefined
          ? interval
          : {
              lower,
              upper,
              count: before.count + count,
              lowerInclusive: before.lowerInclusive || lowerInclusive,
            },
      );
    }
  }

  *intervals(): Generator<CountedInterval> {
    for (const lower of [...this.#byLower.keys()].sort((a, b) => a - b)) {
      yield* [...this.#byLower.get(lower)!.values()].sort((a, b) => a.upper - b.upper);
    }
  }
}

/**
 * The counts of both in intervals that do not overlap: each contains whole intervals of both.
 *
 * @returns The intervals, ascending, and how many values lie in a wider one than before.
 */
export function joinIntervals(
  a: IntervalStore,
  b: IntervalStore,
): { readonly joined: CountedInterval[]; readonly widened: number } {
  const joined: CountedInterval[] = [];
  let widened = 0;
  let overlapping: CountedInterval[] = [];
  const join = (): void => {
    const one = hullOf(overlapping);
    joined.push(one);
    for (const { lower, upper, count } of overlapping) {
      if (lower !== one.lower || upper !== one.upper) widened += count;
    }
  };
  let end = Number.NEGATIVE_INFINITY;
  for (const next of [...a.intervals(), ...b.intervals()].sort((x, y) => x.lower - y.lower)) {
    if (overlapping.length > 0 && next.lower >= end) {
      join();
      overlapping = [];
    }
    overlapping.push(next);
    end = overlapping.length === 1 ? next.upper : Math.max(end, next.upper);
  }
  if (overlapping.length > 0) join();
  return { joined, widened };
}

/** One interval for all: there is at least one, and the first one has the lowest end. */
function hullOf(intervals: readonly CountedInterval[]): CountedInterval {
  const [{ lower }] = intervals as [CountedInterval];
  return intervals.reduce((hull, next) => ({
    lower,
    upper: Math.max(hull.upper, next.upper),
    count: hull.count + next.count,
    lowerInclusive: hull.lowerInclusive || (next.lowerInclusive && next.lower === lower),
  }));
}

/** The relative widths of intervals, summed over their values: how little is known of them. */
export function totalWidth(intervals: Iterable<CountedInterval>): number {
  let sum = 0;
  for (const { lower, upper, count } of intervals) {
    const largest = Math.max(Math.abs(lower), Math.abs(upper));
    // An interval that is open on a side is as wide as one from -x to x, and on both sides twice as wide.
    const open = lower === Number.NEGATIVE_INFINITY && upper === Number.POSITIVE_INFINITY ? 4 : 2;
    const width = largest === Number.POSITIVE_INFINITY ? open : (upper - lower) / largest;
    sum += count * (lower === upper ? 0 : width);
  }
  return sum;
}
