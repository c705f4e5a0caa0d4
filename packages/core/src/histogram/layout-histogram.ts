import type { Counted } from '../counted.ts';
import { DenseCounts } from '../counts/dense.ts';
import type { ReadonlyCounts } from '../counts/readonly-counts.ts';
import { SparseCounts } from '../counts/sparse.ts';
import type { LiveCounts } from '../counts/store.ts';
import { usedSlots } from '../counts/used-slots.ts';
import {
  type LayoutHistogramJson,
  layoutHistogramFromJson,
  layoutHistogramToJson,
} from '../encoding/layout-json.ts';
import { HdrscopeError, mustBe } from '../errors.ts';
import { assertLayout } from '../layout/checks.ts';
import type { Layout } from '../layout/layout.ts';
import { assertOptions, type OptionsOwner } from '../options.ts';
import { rebucket } from '../rebucket.ts';
import { layoutsPlaced, NO_LAYOUTS, placedFromAfter } from '../sum/placed-from.ts';
import { Inspectable, inspectionOf } from './inspection.ts';
import { assertCounted } from './operands.ts';
import { findQuantile, findQuantiles, type Quantile, type QuantileOptions } from './quantile.ts';
import { assertCount, lengthOf } from './values.ts';

/** Options of a `LayoutHistogram`. */
export interface LayoutHistogramOptions {
  /** `'dense'` is fastest and allocates everything at once, `'sparse'` allocates only what is used. @default 'dense' */
  readonly storage?: 'dense' | 'sparse';
}

const OWNER: OptionsOwner<LayoutHistogramOptions> = {
  name: 'LayoutHistogram',
  names: { storage: true },
  call: "new LayoutHistogram(explicitLayout([0.1, 0.5]), { storage: 'sparse' })",
};

/**
 * A histogram over any layout: explicit bounds, linear, log2, log-linear, decimal, exponential, HDR. For HDR layouts `Histogram` is faster
 * and has more methods; `add` moves counts from one class to the other.
 *
 * @example
 * ```ts
 * import { LayoutHistogram, logLinearLayout } from '@hdrscope/core';
 *
 * const sizes = new LayoutHistogram(logLinearLayout({ subBucketsPerOctave: 8, octaves: 20 }));
 * sizes.recordValues([100, 200, 300, 400, 5000]);
 *
 * sizes.totalCount; //=> 5
 * sizes.quantile(0.5); //=> { value: 304, lower: 288, upper: 320, open: false }
 * ```
 */
export class LayoutHistogram extends Inspectable implements Counted {
  /** Says which values share a slot. It never changes. */
  readonly layout: Layout;
  /** One count for each slot of the layout. */
  #counts: LiveCounts;
  #placedFrom: readonly Layout[] = NO_LAYOUTS;

  /**
   * @throws HdrscopeError `ERR_INVALID_OPTION` when `layout` is not a layout, or the storage is neither dense nor sparse.
   */
  constructor(layout: Layout, options: LayoutHistogramOptions = {}) {
    super();
    assertOptions(options, OWNER);
    assertLayout('the layout of a LayoutHistogram', layout);
    const { storage = 'dense' } = options;
    if (storage !== 'dense' && storage !== 'sparse') {
      throw mustBe('ERR_INVALID_OPTION', 'storage', "'dense' or 'sparse'", storage);
    }
    this.layout = layout;
    this.#counts = new (storage === 'dense' ? DenseCounts : SparseCounts)(layout.slotCount);
  }

  /** The count of every slot. */
  get counts(): ReadonlyCounts {
    return this.#counts;
  }

  /** Layouts with wider slots from which `add` has moved counts here, until `reset`: see `Histogram.placedFrom`. */
  get placedFrom(): readonly Layout[] {
    return this.#placedFrom;
  }

  /** How the counts are stored: `'dense'` has a counter for each slot, `'sparse'` for used ones only. */
  get storage(): 'dense' | 'sparse' {
    return this.#counts instanceof DenseCounts ? 'dense' : 'sparse';
  }

  /** Bytes held by the counts. */
  get byteLength(): number {
    return this.#counts.byteLength;
  }

  /** How many values were counted: exact, at most 2^53 − 1. */
  get totalCount(): number {
    return this.#counts.total;
  }

  /** The lower bound of the lowest used slot: `-Infinity` when the slot is open, `NaN` when empty. */
  get min(): number {
    return this.totalCount === 0 ? Number.NaN : this.layout.lower(this.#counts.first);
  }

  /** The upper bound of the highest used slot: `Infinity` when the slot is open, `NaN` when empty. */
  get max(): number {
    return this.totalCount === 0 ? Number.NaN : this.layout.upper(this.#counts.last);
  }

  /** The mean of the midpoints of the slots, which for open slots is their bound; `NaN` when empty. */
  get mean(): number {
    const { layout, totalCount } = this;
    let mean = 0;
    // A sum of shares, because a sum of values could exceed the largest double.
    for (const [slot, count] of usedSlots(this.#counts)) mean += layout.midpoint(slot) * (count / totalCount);
    return totalCount === 0 ? Number.NaN : mean;
  }

  /**
   * Counts a value, once or `count` times.
   *
   * @param count An integer from 0 to 2^53 − 1.
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is not a number, `ERR_VALUE_OUT_OF_RANGE` when the layout has no
   *   slot for it, `ERR_INVALID_COUNT` when the count is outside its range, `ERR_COUNT_OVERFLOW` when the total would pass
   *   2^53 − 1.
   */
  record(value: number, count = 1): void {
    assertCount(count);
    const slot = this.#slotOf(value, 'value');
    this.#counts.assertRoomFor(count);
    this.#counts.add(slot, count);
  }

  /**
   * Counts each of many values: all of them, or, when one is refused, none.
   *
   * @throws HdrscopeError as `record` does.
   */
  recordValues(values: ArrayLike<number>): void {
    lengthOf(values);
    const slots = Array.from(values, (value, i) => this.#slotOf(value, `values[${i}]`));
    this.#counts.assertRoomFor(slots.length);
    for (const slot of slots) this.#counts.increment(slot);
  }

  /**
   * Counts everything that `other` has counted. When its slots have the same bounds nothing is lost. Otherwise all counts of a
   * slot go to the slot of its midpoint: `rebucket` states the error of that.
   *
   * @throws HdrscopeError `ERR_VALUE_OUT_OF_RANGE` when the layout has no slot for a midpoint, `ERR_COUNT_OVERFLOW` when the
   *   total would pass 2^53 − 1, `ERR_INCOMPATIBLE` when `other` has no counts.
   */
  add(other: Counted): void {
    assertCounted('add', other);
    const translated = this.#translated(other);
    this.#counts.assertRoomFor(sumOf(translated));
    for (const [slot, count] of translated) this.#counts.add(slot, count);
    this.#placedFrom = placedFromAfter(this.#placedFrom, layoutsPlaced(other, this.layout));
  }

  /**
   * Takes out everything that `other` has counted: undoes `add(other)`. Takes out nothing when some of it is not here.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when a slot of `other` holds more values than its slot here,
   *   `ERR_VALUE_OUT_OF_RANGE` when the layout has no slot for a midpoint.
   */
  subtract(other: Counted): void {
    assertCounted('subtract', other);
    const translated = this.#translated(other);
    for (const [slot, count] of translated) {
      const available = this.#counts.at(slot);
      if (count > available) {
        throw new HdrscopeError(
          'ERR_INCOMPATIBLE',
          `subtract: the counts must be contained in this histogram, got ${count} and have ${available} values ` +
            `from ${this.layout.lower(slot)} to ${this.layout.upper(slot)}`,
        );
      }
    }
    for (const [slot, count] of translated) this.#counts.remove(slot, count);
    this.#counts.settleBounds();
  }

  /** An independent histogram with the same counts. It shares the layout. */
  copy(): LayoutHistogram {
    const copy = new LayoutHistogram(this.layout, { storage: this.storage });
    copy.#counts = this.#counts.clone();
    copy.#placedFrom = this.#placedFrom;
    return copy;
  }

  /**
   * Whether both have the same counts between the same bounds. Storage and unused slots may differ.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when `other` has no counts.
   */
  equals(other: Counted): boolean {
    assertCounted('equals', other);
    const { layout, counts } = other;
    if (
      layout.lowerInclusive !== this.layout.lowerInclusive ||
      layout.upperInclusive !== this.layout.upperInclusive ||
      counts.total !== this.totalCount
    ) {
      return false;
    }
    // The totals are equal, so the other histogram has no further counts.
    let at = counts.first;
    for (const [slot, count] of usedSlots(this.#counts)) {
      if (
        at >= counts.length ||
        counts.at(at) !== count ||
        layout.lower(at) !== this.layout.lower(slot) ||
        layout.upper(at) !== this.layout.upper(slot)
      ) {
        return false;
      }
      at = counts.next(at + 1);
    }
    return true;
  }

  /** Forgets all values. */
  reset(): void {
    this.#counts.clear();
    this.#placedFrom = NO_LAYOUTS;
  }

  /** The used slots as text, one a line: lower bound, upper bound, count. */
  override toString(): string {
    const { layout } = this;
    const rows = [...usedSlots(this.#counts)].map(
      ([slot, count]) => `${layout.lower(slot)}\t${layout.upper(slot)}\t${count}\n`,
    );
    return `lower\tupper\tcount\n${rows.join('')}`;
  }

  /**
   * The histogram as plain data, for `JSON.stringify` and `structuredClone`: layout and used slots.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when the layout comes from none of the functions that make layouts.
   * @example
   * ```ts
   * import { explicitLayout, LayoutHistogram } from '@hdrscope/core';
   *
   * const seconds = new LayoutHistogram(explicitLayout([0.1, 0.5]));
   * seconds.record(0.3, 2);
   * const copy = LayoutHistogram.fromJSON(JSON.parse(JSON.stringify(seconds)));
   * copy.equals(seconds); //=> true
   * ```
   */
  toJSON(): LayoutHistogramJson {
    return layoutHistogramToJson(this.layout, this.#counts);
  }

  /**
   * A histogram with the layout and counts of the one that `toJSON` was called on.
   *
   * @param json The value that `toJSON` returned, maybe after `JSON.parse` or `structuredClone`.
   * @throws HdrscopeError `ERR_DECODE` when `json` is anything else, or its layout has more than 2^24 slots; the message names
   *   the place and the fault.
   */
  static fromJSON(json: unknown, options: LayoutHistogramOptions = {}): LayoutHistogram {
    const { layout, counts } = layoutHistogramFromJson(json);
    const histogram = new LayoutHistogram(layout, options);
    histogram.#counts.addAll(counts);
    return histogram;
  }

  /**
   * The slot of a quantile, and its value: see `findQuantile`.
   *
   * @throws HdrscopeError as `findQuantile` does.
   */
  quantile(q: number, options?: QuantileOptions): Quantile {
    return findQuantile(this, q, options);
  }

  /**
   * `quantile` for several quantiles, in their order.
   *
   * @throws HdrscopeError as `findQuantile` does.
   */
  quantiles(quantiles: readonly number[], options?: QuantileOptions): Quantile[] {
    return findQuantiles(this, quantiles, options);
  }

  /**
   * How many values share the slot of `value`; 0 when the layout has no slot for it.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is not a number.
   */
  countAt(value: number): number {
    assertNumber(value, 'value');
    const slot = this.layout.slotOf(value);
    return slot >= 0 && slot < this.layout.slotCount ? this.#counts.at(slot) : 0;
  }

  /** The line that `console.log` shows: count, bounds and some percentiles. */
  protected inspection(): string {
    return inspectionOf(this, (percentile) => this.quantile(percentile / 100).value);
  }

  #slotOf(value: number, what: string): number {
    assertNumber(value, what);
    const { layout } = this;
    const slot = layout.slotOf(value);
    if (slot >= 0 && slot < layout.slotCount) return slot;
    const range = `from ${layout.lower(0)} to ${layout.upper(layout.slotCount - 1)}`;
    throw mustBe('ERR_VALUE_OUT_OF_RANGE', what, range, value);
  }

  /** The counts of another layout in the slots of this one. */
  #translated({ layout, counts }: Counted): (readonly [slot: number, count: number])[] {
    if (layout === this.layout) return [...usedSlots(counts)];
    const plan = rebucket(layout, this.layout);
    const translated = new Map<number, number>();
    for (const [slot, count] of usedSlots(counts)) {
      this.#slotOf(layout.midpoint(slot), 'the midpoint of a slot'); // `rebucket` would move it to the nearest end
      const target = plan.slotFor(slot);
      translated.set(target, (translated.get(target) ?? 0) + count);
    }
    return [...translated];
  }
}

function assertNumber(value: unknown, what: string): void {
  if (typeof value !== 'number' || Number.isNaN(value)) {
    throw mustBe('ERR_INVALID_VALUE', what, 'a number', value);
  }
}

function sumOf(counts: readonly (readonly [slot: number, count: number])[]): number {
  return counts.reduce((sum, [, count]) => sum + count, 0);
}
