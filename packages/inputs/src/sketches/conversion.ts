import { type Counted, countedIn, HdrscopeError, type Layout, rebucket } from '@hdrscope/core';
import { intervalOfSlot, usedSlots } from '@hdrscope/core/internal';
import {
  type CountedRange,
  countRanges,
  findNominal,
  type Sketch,
  type SketchTarget,
  type SlotBounds,
} from './sketch.ts';

// The range of a sketch, from which slots of another form are planned.

/** The values of a sketch, each in the middle of its slot. */
export interface ValueRange {
  /** The smallest absolute value above 0; 1 when there is none. */
  readonly least: number;
  /** The largest absolute value; 1 when none is above 0. */
  readonly most: number;
  /** The distance from 0 that values of slots around 0 may have: at least 0. */
  readonly aroundZero: number;
  readonly hasNegative: boolean;
  /** The least ratio of the bounds of a slot; `Infinity` when no slot is wider than one value. */
  readonly narrowest: number;
}

/** Measures where the values of a sketch lie. */
export function measureRange({ layout, counts, placedFrom }: Counted): ValueRange {
  let [least, most, aroundZero, narrowest] = [Number.POSITIVE_INFINITY, 0, 0, Number.POSITIVE_INFINITY];
  let hasNegative = false;
  for (const [slot] of usedSlots(counts)) {
    const { lower, upper } = findNominal(layout, slot) ?? intervalOfSlot(layout, slot, 1, placedFrom);
    const middle = Math.abs(layout.midpoint(slot));
    if (lower < 0 && upper <= 0) hasNegative = true;
    if (middle === 0 || (lower < 0 && upper > 0)) aroundZero = Math.max(aroundZero, -lower, upper);
    else [least, most] = [Math.min(least, middle), Math.max(most, middle)];
    const [near, far] = lower < 0 ? [-upper, -lower] : [lower, upper];
    if (near > 0 && far > near) narrowest = Math.min(narrowest, far / near);
  }
  return most === 0
    ? { least: 1, most: 1, aroundZero, hasNegative, narrowest }
    : { least, most, aroundZero, hasNegative, narrowest };
}

/** Closes slots that are open on a side, where the smallest and the largest value do so. */
export function closeSketch(sketch: Sketch): Sketch {
  const { counted, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = sketch;
  const { layout, counts } = counted;
  if (counts.total === 0) return sketch;
  const mayBeNarrowed = 'nominal' in layout && (sketch.min !== undefined || sketch.max !== undefined);
  const [first, last] = [layout.lower(counts.first), layout.upper(counts.last)];
  const isClosed =
    (first > Number.NEGATIVE_INFINITY || min === first) && (last < Number.POSITIVE_INFINITY || max === last);
  if (isClosed && !mayBeNarrowed) return sketch;
  const ranges: CountedRange[] = Array.from(usedSlots(counts), ([slot, count]) => {
    const [lower, upper] = [layout.lower(slot), layout.upper(slot)];
    const nominal = findNominal(layout, slot);
    if (nominal !== undefined) return narrowRange({ lower, upper, count, nominal }, min, max);
    // An extreme beside its slot says nothing of it.
    const from = lower === Number.NEGATIVE_INFINITY && min <= upper ? min : lower;
    const to = upper === Number.POSITIVE_INFINITY && max >= from ? max : upper;
    // An extreme may be the finite bound of its slot, which has one value then.
    return { lower: from, upper: to > from ? to : nextAbove(from), count };
  });
  return { ...sketch, counted: countRanges(ranges, layout.lowerInclusive ? 'lower' : 'upper') };
}

/** Bounds a slot that may have taken values from beside it by the extremes. */
function narrowRange(range: NominalRange, min: number, max: number): CountedRange {
  const { count, nominal } = range;
  const lower = min < range.upper ? Math.max(range.lower, Math.min(min, nominal.lower)) : range.lower;
  const upper = max > range.lower ? Math.min(range.upper, Math.max(max, nominal.upper)) : range.upper;
  const isNominal = lower === nominal.lower && upper === nominal.upper;
  return isNominal ? { lower, upper, count } : { lower, upper, count, nominal };
}

type NominalRange = CountedRange & { readonly nominal: SlotBounds };

function nextAbove(value: number): number {
  return value + Math.max(Math.abs(value) * Number.EPSILON, Number.MIN_VALUE);
}

// Conversion.

/** How far values may be from where a layout shows them: in the middle of their slots. */
export interface PositionError {
  /** The largest distance as a share of the value, over all slots on one side of 0: at least 0, and `Infinity` when a slot with values has no bound. */
  readonly relative: number;
  /** The largest distance of values in slots that contain 0, of which a share says nothing. At least 0. */
  readonly aroundZero: number;
}

/** A sketch in another form. */
export interface Conversion {
  /** What was written: a text, or bytes where the form is binary. */
  readonly content: string | Uint8Array;
  /** The counts as the other form has them. */
  readonly counted: Counted;
  /** The error of the sketch in its own form. */
  readonly before: PositionError;
  /** The error of the sketch in the other form, by the widths of the slots of both. */
  readonly after: PositionError;
  /** How many values may be in a slot beside theirs: those of slots that reach beyond the one that takes their counts. A bound that
   * two slots share counts as within both. */
  readonly misplaced: number;
  /** How many values are in slots that may have taken values from beside them. The errors hold for them only if the slots have not. */
  readonly mayBeCollapsed: number;
}

/**
 * Converts a sketch: all counts of a slot go to the slot of its middle.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when the form has no slot for some of the values.
 */
export function convertSketch(sketch: Sketch, target: SketchTarget): Conversion {
  const { counted, sum, min, max } = sketch;
  const { layout } = counted;
  const plan = rebucket(layout, target.layout);
  for (const [slot, count] of usedSlots(counted.counts))
    assertSlot(target, layout, slot, plan.slotFor(slot), count);
  const { counts } = plan.apply(counted.counts);
  const moved = countedIn(target.layout, counts);
  return {
    content: target.write(moved.counts, { sum, min, max }),
    counted: moved,
    before: measureError(counted, (slot) => layout.midpoint(slot)),
    after: measureError(counted, (slot) => target.layout.midpoint(plan.slotFor(slot))),
    misplaced: countMisplaced(counted, plan),
    mayBeCollapsed: countCollapsible(counted),
  };
}

function assertSlot(
  { layout, openSlots }: SketchTarget,
  from: Layout,
  slot: number,
  to: number,
  count: number,
): void {
  const [lower, upper] = [from.lower(slot), from.upper(slot)];
  const [isLast, isFirst] = [
    layout.upper(to) === Number.POSITIVE_INFINITY,
    layout.lower(to) === Number.NEGATIVE_INFINITY,
  ];
  const mayBeAbove = upper < Number.POSITIVE_INFINITY || (isLast && layout.lower(to) >= lower);
  const mayBeBelow = lower > Number.NEGATIVE_INFINITY || (isFirst && layout.upper(to) <= upper);
  if (!mayBeAbove || !mayBeBelow) {
    const side = mayBeAbove ? `below ${upper}` : `above ${lower}`;
    const message = `${count} values are in a slot without a bound ${side}, and nothing states the ${mayBeAbove ? 'smallest' : 'largest'} value`;
    throw new HdrscopeError('ERR_INCOMPATIBLE', message);
  }
  const value = from.midpoint(slot);
  const actual = layout.slotOf(value);
  const isIn = (!isLast || openSlots !== undefined) && (!isFirst || openSlots === 'both');
  if (isIn && actual >= 0 && actual < layout.slotCount) return;
  const message = `${count} values from ${lower} to ${upper} have no slot in this form`;
  throw new HdrscopeError('ERR_INCOMPATIBLE', value < 0 ? `${message}, which has none below 0` : message);
}

function countCollapsible({ layout, counts }: Counted): number {
  let sum = 0;
  for (const [slot, count] of usedSlots(counts)) if (findNominal(layout, slot) !== undefined) sum += count;
  return sum;
}

function countMisplaced({ layout, counts, placedFrom }: Counted, plan: ReturnType<typeof rebucket>): number {
  let misplaced = 0;
  for (const [slot, count] of usedSlots(counts)) {
    const { lower, upper } = findNominal(layout, slot) ?? intervalOfSlot(layout, slot, count, placedFrom);
    const to = plan.slotFor(slot);
    const isWithin = lower >= plan.to.lower(to) && upper <= plan.to.upper(to);
    if (!isWithin && (placedFrom !== undefined || plan.straddles(slot))) misplaced += count;
  }
  return misplaced;
}

/** @param readAt Where the other form shows the values of a slot. */
function measureError(
  { layout, counts, placedFrom }: Counted,
  readAt: (slot: number) => number,
): PositionError {
  let [relative, aroundZero] = [0, 0];
  for (const [slot] of usedSlots(counts)) {
    const { lower, upper } = findNominal(layout, slot) ?? intervalOfSlot(layout, slot, 1, placedFrom);
    const read = readAt(slot);
    const [below, above] = [Math.abs(read - lower), Math.abs(upper - read)];
    if (!Number.isFinite(lower) || !Number.isFinite(upper)) relative = Number.POSITIVE_INFINITY;
    else if (lower > 0 || upper < 0) {
      relative = Math.max(relative, below / Math.abs(lower), above / Math.abs(upper));
    } else aroundZero = Math.max(aroundZero, below, above);
  }
  return { relative, aroundZero };
}
