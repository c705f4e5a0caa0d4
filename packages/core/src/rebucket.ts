import type { ReadonlyCounts } from './counts/readonly-counts.ts';
import { nextDown, nextUp } from './double.ts';
import { mustBe } from './errors.ts';
import { assertLayout } from './histogram/operands.ts';
import { HdrLayout } from './layout/hdr.ts';
import type { Layout } from './layout/layout.ts';

/** Counts moved into another layout, and how far that can be trusted. */
export interface Rebucketed {
  /** The count of every slot of the new layout. Their sum is the sum of the old ones. */
  readonly counts: Float64Array<ArrayBuffer>;
  /** How many of them may lie on the wrong side of an edge, at most: the counts of straddling slots. */
  readonly maxMisplaced: number;
}

/**
 * How one layout goes into another, and what that cannot keep. What is asked of a slot is computed when it is first
 * asked, and then known to all who use the two layouts; layouts can have millions of slots, histograms use few.
 */
export interface Rebucketing {
  readonly from: Layout;
  readonly to: Layout;
  /** The slot of `to` that takes the counts of a slot of `from`. Never descends as the slot ascends. */
  slotFor(slot: number): number;
  /** Whether a slot of `from` reaches beyond the slot that takes its counts. */
  straddles(slot: number): boolean;
  /** `slotFor` of every slot: a copy of one's own. */
  readonly slots: Int32Array;
  /** The slots that straddle, ascending. */
  readonly straddling: readonly number[];
  /** Whether no value can end up in a slot that it is not in: nothing straddles. */
  readonly exact: boolean;
  /**
   * The largest relative error of a quantile that is read, after the change, as the midpoint of its slot:
   * `|midpoint - value| / value`, over all values in slots that are closed on both sides, before and after, and lie
   * above 0; in a slot that begins at 0 no relative error is bounded.
   */
  readonly worstRelativeError: number;
  /**
   * Moves counts of the layout `from`.
   *
   * @throws HdrscopeError `ERR_INVALID_COUNT` when there are not as many counts as slots.
   */
  apply(counts: ReadonlyCounts | ArrayLike<number>): Rebucketed;
}

const known = new WeakMap<Layout, WeakMap<Layout, Rebucketing>>();

/**
 * Says how counts move from one layout to another: each slot goes, whole, to where its midpoint belongs. That keeps
 * the sum, is the same for a sum of histograms as for each of them, and displaces a value by half a slot at most.
 *
 * @example
 * ```ts
 * import { explicitLayout, hdrLayout, Histogram, rebucket } from '@hdrscope/core';
 *
 * const histogram = new Histogram({ highestTrackableValue: 100_000, significantDigits: 2 });
 * for (let value = 1; value <= 1000; value++) histogram.record(value);
 *
 * const toClassic = rebucket(histogram.layout, explicitLayout([100, 500]));
 * toClassic.straddling.map((slot) => histogram.layout.lower(slot)); //=> [500]
 * const { counts, maxMisplaced } = toClassic.apply(histogram.counts);
 * [...counts]; //=> [100, 399, 501]
 * maxMisplaced; //=> 2
 * ```
 */
export function rebucket(from: Layout, to: Layout): Rebucketing {
  assertLayout('the layout to move counts from', from);
  assertLayout('the layout to move counts to', to);
  const byTarget = known.get(from) ?? new WeakMap<Layout, Rebucketing>();
  known.set(from, byTarget);
  const plan = byTarget.get(to) ?? new Plan(from, to);
  byTarget.set(to, plan);
  return plan;
}

const UNKNOWN = -1;
const STRADDLES = 1;
const FITS = 2;

class Plan implements Rebucketing {
  readonly from: Layout;
  readonly to: Layout;
  /** The slots that are known, `UNKNOWN` elsewhere. */
  readonly #slots: Int32Array<ArrayBuffer>;
  /** `STRADDLES`, `FITS`, or 0 where nobody asked. */
  readonly #fit: Uint8Array<ArrayBuffer>;
  #worstRelativeError: number | undefined;

  constructor(from: Layout, to: Layout) {
    this.from = from;
    this.to = to;
    this.#slots = new Int32Array(from.slotCount).fill(UNKNOWN);
    this.#fit = new Uint8Array(from.slotCount);
  }

  slotFor(slot: number): number {
    const slots = this.#slots;
    if (slots[slot] === UNKNOWN) slots[slot] = nearestSlot(this.to, valueWithin(this.from, slot));
    return slots[slot]!;
  }

  straddles(slot: number): boolean {
    const fit = this.#fit;
    if (fit[slot] === 0)
      fit[slot] = contains(this.to, this.slotFor(slot), this.from, slot) ? FITS : STRADDLES;
    return fit[slot] === STRADDLES;
  }

  get slots(): Int32Array {
    for (let slot = 0; slot < this.from.slotCount; slot++) this.slotFor(slot);
    return this.#slots.slice();
  }

  get straddling(): readonly number[] {
    const straddling: number[] = [];
    for (let slot = 0; slot < this.from.slotCount; slot++) if (this.straddles(slot)) straddling.push(slot);
    return straddling;
  }

  get exact(): boolean {
    return this.straddling.length === 0;
  }

  get worstRelativeError(): number {
    if (this.#worstRelativeError === undefined) {
      let worst = 0;
      for (let slot = 0; slot < this.from.slotCount; slot++) {
        worst = Math.max(worst, relativeError(this.to, this.slotFor(slot), this.from, slot));
      }
      this.#worstRelativeError = worst;
    }
    return this.#worstRelativeError;
  }

  apply(counts: ReadonlyCounts | ArrayLike<number>): Rebucketed {
    const { from, to } = this;
    if (counts.length !== from.slotCount) {
      throw mustBe(
        'ERR_INVALID_COUNT',
        'counts',
        `one for each of the ${from.slotCount} slots`,
        counts.length,
      );
    }
    const moved = new Float64Array(to.slotCount);
    let maxMisplaced = 0;
    for (const [slot, count] of used(counts)) {
      const target = this.slotFor(slot);
      moved[target] = moved[target]! + count;
      if (this.straddles(slot)) maxMisplaced += count;
    }
    return { counts: moved, maxMisplaced };
  }
}

/** A value of the slot: its midpoint, or the double beside it where that is an open slot's bound and not in the slot. */
function valueWithin(layout: Layout, slot: number): number {
  const midpoint = layout.midpoint(slot);
  const actual = layout.slotOf(midpoint);
  if (actual === slot) return midpoint;
  return actual < slot ? nextUp(midpoint) : nextDown(midpoint);
}

function nearestSlot(layout: Layout, value: number): number {
  return Math.min(Math.max(layout.slotOf(value), 0), layout.slotCount - 1);
}

/** Whether every value of `slot` in `inner` is one of `target` in `outer`. */
function contains(outer: Layout, target: number, inner: Layout, slot: number): boolean {
  const [outerLower, innerLower] = [outer.lower(target), inner.lower(slot)];
  const [outerUpper, innerUpper] = [outer.upper(target), inner.upper(slot)];
  // A bound that both have belongs to the outer slot, or not to the inner one; where both are open nothing lies on it.
  const below =
    innerLower > outerLower ||
    (innerLower === outerLower &&
      (outer.lowerInclusive || !inner.lowerInclusive || !Number.isFinite(innerLower)));
  if (!below) return false;
  // An HDR slot takes fractions for their integer part, so it reaches to the integer after its last one.
  if (outer instanceof HdrLayout) {
    const end = outer.lower(target) + outer.size(target);
    // Between two of them this integer decides, as above 2^53 the last one is no double.
    if (inner instanceof HdrLayout) return innerLower + inner.size(slot) <= end;
    return innerUpper < end || (innerUpper === end && !inner.upperInclusive);
  }
  return (
    innerUpper < outerUpper ||
    (innerUpper === outerUpper &&
      (outer.upperInclusive || !inner.upperInclusive || !Number.isFinite(innerUpper)))
  );
}

function relativeError(outer: Layout, target: number, inner: Layout, slot: number): number {
  const [lower, upper] = [inner.lower(slot), inner.upper(slot)];
  const closed = Number.isFinite(outer.lower(target)) && Number.isFinite(outer.upper(target));
  if (!closed || !(lower > 0) || !Number.isFinite(upper)) return 0;
  const read = outer.midpoint(target);
  return Math.max(Math.abs(read - lower) / lower, Math.abs(read - upper) / upper);
}

function* used(
  counts: ReadonlyCounts | ArrayLike<number>,
): Generator<readonly [slot: number, count: number], void, undefined> {
  if ('next' in counts) {
    for (let slot = counts.first; slot < counts.length; slot = counts.next(slot + 1))
      yield [slot, counts.at(slot)];
  } else {
    for (let slot = 0; slot < counts.length; slot++) if (counts[slot]! !== 0) yield [slot, counts[slot]!];
  }
}
