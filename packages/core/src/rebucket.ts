import type { ReadonlyCounts } from './counts/readonly-counts.ts';
import { usedSlots } from './counts/used-slots.ts';
import { mustBe } from './errors.ts';
import { assertLayout } from './layout/checks.ts';
import { isHdrLayout } from './layout/hdr.ts';
import type { Layout } from './layout/layout.ts';
import { valueInside } from './layout/value-inside.ts';

/** Counts in another layout, and the number of them that may be misplaced. */
export interface RebucketedCounts {
  /** The count of each slot of the new layout. The sum is that of the old counts. */
  readonly counts: Float64Array<ArrayBuffer>;
  /** The most counts that may lie on the wrong side of an edge: those of straddling slots. */
  readonly maxMisplaced: number;
}

/**
 * The way from one layout to another, and its loss. The answer for a slot is computed when it is first asked for, and kept for
 * all users of the two layouts: layouts can have millions of slots, of which histograms use few.
 */
export interface Rebucketing {
  /** The layout of the counts that `apply` takes. */
  readonly from: Layout;
  /** The layout of the counts that `apply` returns. */
  readonly to: Layout;
  /** The slot of `to` that takes the counts of a slot of `from`. It never falls when the slot rises. */
  slotFor(slot: number): number;
  /** Whether a slot of `from` reaches beyond the slot that takes its counts. */
  straddles(slot: number): boolean;
  /** `slotFor` of every slot: a new array. */
  readonly slots: Int32Array;
  /** All straddling slots, ascending. */
  readonly straddling: readonly number[];
  /** Whether no slot straddles: every value stays in a slot that holds it. */
  readonly exact: boolean;
  /**
   * The largest relative error, `|midpoint - value| / value`, of a quantile that is read as the midpoint of its new slot. It
   * covers values above 0 in slots that are closed on both sides, before and after; in a slot that begins at 0 a relative
   * error has no bound.
   */
  readonly worstRelativeError: number;
  /**
   * Moves counts of the layout `from`.
   *
   * @throws HdrscopeError `ERR_INVALID_COUNT` when there is not one count for each slot.
   */
  apply(counts: ReadonlyCounts | ArrayLike<number>): RebucketedCounts;
}

const known = new WeakMap<Layout, WeakMap<Layout, Rebucketing>>();

/**
 * The way from one layout to another: all counts of a slot go to the slot of its midpoint. That keeps the sum, displaces a value
 * by half a slot at most, and gives the same for a sum of histograms as for each of them.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an argument is not a layout.
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
  /** The result of `slotFor` by slot, or `UNKNOWN` before it is computed. */
  readonly #slots: Int32Array<ArrayBuffer>;
  /** `STRADDLES` or `FITS` by slot, or 0 before it is computed. */
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
    if (slots[slot] === UNKNOWN) {
      const { from, to } = this;
      slots[slot] = nearestSlot(to, valueInside(from, slot, from.midpoint(slot)));
    }
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

  apply(counts: ReadonlyCounts | ArrayLike<number>): RebucketedCounts {
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

function nearestSlot(layout: Layout, value: number): number {
  return Math.min(Math.max(layout.slotOf(value), 0), layout.slotCount - 1);
}

/** Whether slot `target` of `outer` holds every value of `slot` of `inner`. */
function contains(outer: Layout, target: number, inner: Layout, slot: number): boolean {
  const [outerLower, innerLower] = [outer.lower(target), inner.lower(slot)];
  const [outerUpper, innerUpper] = [outer.upper(target), inner.upper(slot)];
  // A common bound must belong to the outer slot, or not to the inner one. No value lies on an infinite bound.
  const mayShare = (bound: number): boolean =>
    !Number.isFinite(bound) || outer.slotOf(bound) === target || inner.slotOf(bound) !== slot;
  if (!(innerLower > outerLower || (innerLower === outerLower && mayShare(innerLower)))) return false;
  // An HDR slot counts fractions as their integer part, so it reaches to the integer after its last one.
  if (isHdrLayout(outer)) {
    const end = outer.lower(target) + outer.size(target);
    // Between two HDR slots this integer decides, because above 2^53 the last integer of a slot is not a double.
    if (isHdrLayout(inner)) return innerLower + inner.size(slot) <= end;
    return innerUpper < end || (innerUpper === end && inner.slotOf(end) !== slot);
  }
  return innerUpper < outerUpper || (innerUpper === outerUpper && mayShare(innerUpper));
}

function relativeError(outer: Layout, target: number, inner: Layout, slot: number): number {
  const [lower, upper] = [inner.lower(slot), inner.upper(slot)];
  const closed = Number.isFinite(outer.lower(target)) && Number.isFinite(outer.upper(target));
  if (!closed || !(lower > 0) || !Number.isFinite(upper)) return 0;
  const read = outer.midpoint(target);
  return Math.max(Math.abs(read - lower) / lower, Math.abs(read - upper) / upper);
}

function used(counts: ReadonlyCounts | ArrayLike<number>): Iterable<readonly [slot: number, count: number]> {
  return 'next' in counts ? usedSlots(counts) : usedIn(counts);
}

function* usedIn(
  counts: ArrayLike<number>,
): Generator<readonly [slot: number, count: number], void, undefined> {
  for (let slot = 0; slot < counts.length; slot++) if (counts[slot]! !== 0) yield [slot, counts[slot]!];
}
