import type { Bounds } from '../bounds.ts';
import type { Counted } from '../counted.ts';
import type { ReadonlyCounts } from '../counts/readonly-counts.ts';
import { middle } from '../double.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import type { Layout } from '../layout/layout.ts';
import { fromTicks, type Resolution } from '../layout/scaled.ts';
import { valueInside } from '../layout/value-inside.ts';
import { intervalOfSlot } from '../sum/intervals.ts';

/** The HDR slots that counts go to: a layout of ticks, and how large a tick is. */
export interface PlacementTarget {
  readonly layout: HdrLayout;
  readonly resolution: Resolution;
}

/** The range that all counted values are known to lie in. A bound that is left out is not known. */
export interface KnownRange {
  /** No value is below it, in the unit of the layout. */
  readonly min?: number | undefined;
  /** No value is above it, in the unit of the layout. */
  readonly max?: number | undefined;
}

/** Where counts went, in the unit of their layout. */
export interface Placement {
  /** How many values have a slot in the target. */
  readonly count: number;
  /** The sum of the placed values, each at the value that stands for its slot. */
  readonly sum: number;
  /** The smallest of those values; `Infinity` when nothing was placed. */
  readonly min: number;
  /** The largest of those values; `-Infinity` when nothing was placed. */
  readonly max: number;
  /** How many values lie below 0. */
  readonly negative: number;
  /** How many values lie above the largest one that the target can count. */
  readonly tooLarge: number;
  /** The largest of those, or 0. */
  readonly largest: number;
  /** How many values were in slots that are open on a side and that `range` does not close: they may lie far beyond. */
  readonly open: number;
}

/** The placement of no counts. */
export const NOTHING_PLACED: Placement = {
  count: 0,
  sum: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
  negative: 0,
  tooLarge: 0,
  largest: 0,
  open: 0,
};

/** Where the values of one slot go. */
export interface SlotPlacement {
  /** Stands for the values, in the unit of their layout: the midpoint of the slot, or the middle of what a range leaves of it. */
  readonly value: number;
  /** Whether the slot is open on a side that the range does not close: the values may lie far beyond `value`. */
  readonly isOpen: boolean;
  /** A value of the target's layout, whose slot takes the counts; `undefined` when the target has no slot for `value`. */
  readonly ticks: number | undefined;
  /** `value`, or the double beside it where `value` is a bound that the slot excludes. */
  readonly inside: number;
  /** The bounds of the values in ticks, not rounded, and infinite on an open side. */
  readonly within: Bounds;
}

/**
 * Finds where the counts of a slot go: the whole slot, at its midpoint, or at the middle of what `range` leaves of it. Where the midpoint
 * of that HDR slot lies outside of the slot and that of the one beside it does not, that one takes the counts, so that the same slots are
 * read out again.
 *
 * @param range Holds all values of the counts. A range that contains the slot changes nothing.
 */
export function placeSlot(
  { layout, placedFrom }: Pick<Counted, 'layout' | 'placedFrom'>,
  slot: number,
  target: PlacementTarget,
  range: KnownRange = {},
): SlotPlacement {
  const { resolution } = target;
  const { value, isOpen } = valueFor(layout, slot, range);
  const ticks = Math.round(ticksOf(value, resolution));
  const hasSlot = value >= 0 && ticks <= target.layout.highestTrackableValue;
  const within = narrowedTo(range, intervalOfSlot(layout, slot, 1, placedFrom));
  return {
    value,
    isOpen,
    ticks: hasSlot ? fittingTicks(ticks, layout, slot, target) : undefined,
    inside: valueInside(layout, slot, value),
    within: { lower: ticksOf(within.lower, resolution), upper: ticksOf(within.upper, resolution) },
  };
}

/**
 * Places counts of any layout into HDR slots.
 *
 * @param find Finds the placement of a slot: see `placeSlot`.
 * @param place Takes the counts of a slot that has a slot in the target.
 * @example
 * ```ts
 * import { countedIn, explicitLayout, hdrLayout } from '@hdrscope/core';
 * import { placeCounts, placeSlot, resolutionOf } from '@hdrscope/core/internal';
 *
 * const layout = hdrLayout({ highestTrackableValue: 1_000_000, significantDigits: 2 });
 * const target = { layout, resolution: resolutionOf(1e-3) };
 * const buckets = countedIn(explicitLayout([0.1, 0.5]), [0, 3, 1]);
 * const placed: [ticks: number | undefined, count: number][] = [];
 * const { sum, max } = placeCounts(
 *   buckets.counts,
 *   (slot) => placeSlot(buckets, slot, target, { max: 0.7 }),
 *   ({ ticks }, count) => placed.push([ticks, count]),
 * );
 * placed; //=> [[300, 3], [600, 1]]
 * [sum.toFixed(3), max]; //=> ['1.500', 0.6]
 * ```
 */
export function placeCounts<P extends SlotPlacement>(
  counts: ReadonlyCounts,
  find: (slot: number) => P,
  place: (placement: P, count: number) => void,
): Placement {
  let { count, sum, min, max, negative, tooLarge, largest, open } = NOTHING_PLACED;
  for (let slot = counts.first; slot < counts.length; slot = counts.next(slot + 1)) {
    const added = counts.at(slot);
    const placement = find(slot);
    const { value } = placement;
    if (placement.isOpen) open += added;
    if (placement.ticks !== undefined) {
      place(placement, added);
      count += added;
      sum += value * added;
      min = Math.min(min, value);
      max = Math.max(max, value);
    } else if (value < 0) negative += added;
    else {
      tooLarge += added;
      largest = Math.max(largest, value);
    }
  }
  return { count, sum, min, max, negative, tooLarge, largest, open };
}

/** What a range that holds all values leaves of some bounds. A range beside them leaves all. */
function narrowedTo({ min, max }: KnownRange, { lower, upper }: Bounds): Bounds {
  const [from, to] = [Math.max(lower, min ?? lower), Math.min(upper, max ?? upper)];
  return from <= to ? { lower: from, upper: to } : { lower, upper };
}

/** The value that stands for a slot. */
function valueFor(
  layout: Layout,
  slot: number,
  { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: KnownRange,
): { readonly value: number; readonly isOpen: boolean } {
  const midpoint = layout.midpoint(slot);
  const [lower, upper] = [layout.lower(slot), layout.upper(slot)];
  const [from, to] = [Math.max(lower, min), Math.min(upper, max)];
  const isNarrowed = (from > lower || to < upper) && from <= to;
  // A slot for 0 holds what was rounded to it; between edges, 0 is a middle or a bound like any other.
  const isZero = midpoint === 0 && !('edges' in layout);
  // A logarithm may have put extremes beside their slot.
  if (!isNarrowed || isZero) {
    return { value: midpoint, isOpen: !Number.isFinite(lower) || !Number.isFinite(upper) };
  }
  if (Number.isFinite(from) && Number.isFinite(to)) return { value: middle(from, to), isOpen: false };
  return { value: Number.isFinite(from) ? from : to, isOpen: true };
}

/** The ticks, or those of a slot beside theirs where only its midpoint lies in the slot of the other layout. */
function fittingTicks(
  ticks: number,
  from: Layout,
  fromSlot: number,
  { layout, resolution }: PlacementTarget,
): number {
  const slot = layout.slotOf(ticks);
  // Whoever reads the counts out again goes by the midpoints of slots.
  const isReadBack = (other: number): boolean =>
    other >= 0 &&
    other < layout.slotCount &&
    from.slotOf(fromTicks(resolution, layout.midpoint(other))) === fromSlot;
  if (isReadBack(slot)) return ticks;
  if (isReadBack(slot + 1)) return layout.lower(slot + 1);
  return isReadBack(slot - 1) ? layout.lower(slot - 1) : ticks;
}

/** Not rounded, but for the error of the multiplication. */
function ticksOf(value: number, { ticksPerUnit, unitsPerTick }: Resolution): number {
  const ticks = (value * ticksPerUnit) / unitsPerTick;
  const nearest = Math.round(ticks);
  return Math.abs(ticks - nearest) <= 1e-9 * nearest ? nearest : ticks;
}
