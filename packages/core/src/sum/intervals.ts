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
  let lower = layout.lower(slot);
  // Slot 0 of a double layout reaches up to the range, but counts nothing except 0.
  let upper = layout.kind === 'double' && slot === 0 ? 0 : layout.upper(slot);
  const lowerInclusive = layout.lowerInclusive || layout.slotOf(lower) === slot;
  if (placedFrom.length === 0) return { lower, upper, count, lowerInclusive };
  // A fraction counts as its integer part.
  if (isHdrLayout(layout)) upper = nextDown(upper + 1);
  // Counts may have come through one layout into the one before it, so each widens what that one has widened.
  for (const from of placedFrom) {
    const end = from.slotCount - 1;
    const first = lower === Number.NEGATIVE_INFINITY ? 0 : Math.min(Math.max(from.slotOf(lower), 0), end);
    const last =
      upper === Number.POSITIVE_INFINITY ? end : Math.min(Math.max(from.slotOf(upper), first), end);
    lower = Math.min(lower, from.lower(first));
    upper = Math.max(upper, from.upper(last));
  }
  return { lower, upper, count, lowerInclusive: true };
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

/** The counts of both in intervals that do not overlap: each contains whole intervals of both. */
export function joinIntervals(a: IntervalStore, b: IntervalStore): CountedInterval[] {
  const joined: CountedInterval[] = [];
  for (const next of [...a.intervals(), ...b.intervals()].sort((x, y) => x.lower - y.lower)) {
    const last = joined.at(-1);
    if (last === undefined || next.lower >= last.upper) {
      joined.push(next);
    } else {
      joined[joined.length - 1] = {
        lower: last.lower,
        upper: Math.max(last.upper, next.upper),
        count: last.count + next.count,
        lowerInclusive: last.lowerInclusive || (next.lowerInclusive && next.lower === last.lower),
      };
    }
  }
  return joined;
}

/** The relative widths of intervals, summed over their values: how little is known of them. */
export function totalWidth(intervals: Iterable<CountedInterval>): number {
  let sum = 0;
  for (const { lower, upper, count } of intervals) {
    const largest = Math.max(Math.abs(lower), Math.abs(upper));
    // An open interval is as wide as one from -x to x.
    sum +=
      count * (lower === upper ? 0 : largest === Number.POSITIVE_INFINITY ? 2 : (upper - lower) / largest);
  }
  return sum;
}
