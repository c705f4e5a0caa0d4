import { type Bounds, countedIn, HdrscopeError, type Layout, LayoutHistogram } from '@hdrscope/core';
import {
  assertFollows,
  assertOptions,
  computeStrides,
  haveSameSlots,
  Inspectable,
  listOf,
  mustBe,
  type OptionRule,
  type OptionsOwner,
  object,
  type QuantileOptions,
  visible,
} from '@hdrscope/core/internal';
import { Cells } from './cells.ts';
import { type SlotSpan, visitCells, visitRows } from './grid.ts';
import { assertRange, slotSpanOf, type ValueRange } from './value-range.ts';
import { sumInto, sumsWithout, without } from './without-axis.ts';

/** A quantile of an axis: the bounds of the slot that holds it, and an estimate within them. */
export interface AxisQuantile extends Bounds {
  /** The estimate, by the chosen interpolation. Absent when the slot is open, since the value can lie anywhere in it. */
  readonly value?: number;
  /** Whether the slot is open on a side. */
  readonly open: boolean;
}

/** The options of a quantile of an axis. */
export interface AxisQuantileOptions extends QuantileOptions {
  /** Counts only values within these ranges. @default all values */
  readonly where?: readonly ValueRange[] | undefined;
}

/** The counts between two readings of one histogram. */
export interface JointIncrease<H> {
  /** The counts that were added in between, over the same axes. All counts of the later reading after a reset. */
  readonly increase: H;
  /** Whether a count of the later reading is lower: the counters began anew, and all counts of it are new. */
  readonly isReset: boolean;
}

/** The unit of the values of an axis. */
export type AxisUnit = 'ns' | 'us' | 'ms' | 's' | 'bytes' | 'none';

/** All values of `AxisUnit`. */
export const AXIS_UNITS: readonly AxisUnit[] = ['ns', 'us', 'ms', 's', 'bytes', 'none'];

/** What every axis has. */
export interface NamedAxis {
  /** Name of the axis, by which methods select it: different from those of the other axes. */
  readonly name: string;
  /** The unit of the values. @default 'none' */
  readonly unit?: AxisUnit;
}

// 64 MiB.
const MOST_CELLS = 2 ** 23;

/**
 * Counts over the combinations of slots of several axes, in cells of 64 bits, row by row: the slot of the last axis changes
 * fastest. Histograms whose axes are described in another way extend it.
 */
export abstract class JointBase<Axis extends NamedAxis> extends Inspectable {
  /** The axes, in the order of `record`'s values. */
  readonly axes: readonly Axis[];
  /** The slots of each axis. */
  readonly layouts: readonly Layout[];
  // The fields of the record path. They are only declared, as V8 treats a field that is assigned once as a constant.
  declare private readonly first: Layout;
  declare private readonly second: Layout | undefined;
  /** The number of cells of one slot of the first axis: `strides[0]`. */
  declare private readonly rowLength: number;
  declare private readonly counts: Cells;
  declare private readonly strides: readonly number[];
  /** The slots of the values that are being recorded. */
  declare private readonly slots: Uint32Array<ArrayBuffer>;
  /** For each axis, the sums of its values by the slots of all other axes. Absent before the first record. */
  declare private sums: readonly Float64Array<ArrayBuffer>[] | undefined;
  /** Whether all counts came with their values. */
  declare private isSummed: boolean;
  #resets = 0;

  /**
   * @param layouts One for each axis.
   * @throws HdrscopeError `ERR_TOO_LARGE` when they have more than 2^23 combinations of slots.
   */
  protected constructor(axes: readonly Axis[], layouts: readonly Layout[]) {
    super();
    const cells = layouts.reduce((product, { slotCount }) => product * slotCount, 1);
    if (!(cells <= MOST_CELLS))
      throw mustBe('ERR_TOO_LARGE', 'the number of cells', `at most ${MOST_CELLS}`, cells);
    this.axes = Object.freeze(axes.map((axis) => Object.freeze({ ...axis })));
    this.layouts = Object.freeze([...layouts]);
    this.first = layouts[0]!;
    this.second = layouts[1];
    this.counts = new Cells(cells);
    this.strides = computeStrides(layouts.map(({ slotCount }) => slotCount));
    this.rowLength = this.strides[0]!;
    this.slots = new Uint32Array(layouts.length);
    this.sums = undefined;
    this.isSummed = true;
  }

  /** An empty histogram of the same kind. */
  protected abstract over(axes: readonly Axis[]): this;

  /** The first property that keeps the counts of two axes apart; `undefined` when their counts can be added. */
  protected axisDifference(ours: number, theirs: Axis, layout: Layout): string | undefined {
    const own = this.axes[ours]!;
    if (own.name !== theirs.name) return 'name';
    if ((own.unit ?? 'none') !== (theirs.unit ?? 'none')) return 'unit';
    return haveSameSlots(this.layouts[ours]!, layout) ? undefined : 'slots';
  }

  /** A copy of the counts of all cells, row by row: the last axis runs fastest. */
  get cells(): BigUint64Array<ArrayBuffer> {
    return this.counts.all.slice();
  }

  /** The number of values; above 2^53 the nearest double. */
  get totalCount(): number {
    return Number(this.counts.all.reduce((sum, count) => sum + count, 0n));
  }

  /** How often `reset` was called. */
  get resets(): number {
    return this.#resets;
  }

  /** Bytes held by the counts and, from the first record on, by the sums. */
  get byteLength(): number {
    const sums = this.sums ?? [];
    return sums.reduce((bytes, { byteLength }) => bytes + byteLength, this.counts.all.byteLength);
  }

  /**
   * Counts one event, with a value for each axis.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` unless there is one number for each axis; `ERR_VALUE_OUT_OF_RANGE` when an axis has
   *   no slot for its value. Nothing is counted then.
   */
  record(...values: [value: number, ...others: number[]]): void;
  record(value: number, second?: number, ...others: number[]): void {
    const { first, second: across, sums } = this;
    const isUsual = others.length === 0 && sums?.length === (second === undefined ? 1 : 2);
    const slot = isUsual && isNumber(value) ? first.slotOf(value) : -1;
    if (slot >= 0 && slot < first.slotCount) {
      if (across === undefined) {
        this.counts.increment(slot);
        sums![0]![0]! += value;
        return;
      }
      const slotAcross = isNumber(second) ? across.slotOf(second) : -1;
      if (slotAcross >= 0 && slotAcross < this.rowLength) {
        this.counts.increment(slot * this.rowLength + slotAcross);
        sums![0]![slotAcross]! += value;
        sums![1]![slot]! += second!;
        return;
      }
    }
    this.#recordAll(second === undefined ? [value] : [value, second, ...others]);
  }

  /**
   * Counts `count` events in a cell. Their values are not known, so there are no sums from then on.
   *
   * @param slots The slot of the cell on each axis.
   * @param count From 0 to 2^64 − 1; a bigint above 2^53 − 1.
   * @throws HdrscopeError `ERR_VALUE_OUT_OF_RANGE` when there is no such cell; `ERR_INVALID_COUNT` when the count is
   *   not an integer of at least 0; `ERR_COUNT_OVERFLOW` when the cell would exceed 2^64 − 1.
   */
  addAt(slots: readonly number[], count: number | bigint): void {
    const isCount = typeof count === 'bigint' ? count >= 0n : Number.isSafeInteger(count) && count >= 0;
    if (!isCount) throw mustBe('ERR_INVALID_COUNT', 'count', 'an integer of at least 0', count);
    this.counts.addAt(this.#cellAt(slots), BigInt(count));
    if (count > 0) this.isSummed = false;
  }

  /**
   * Adds a count to each cell, row by row as in `cells`: all counts, or none when one is refused. The values are not known, so
   * there are no sums from then on.
   *
   * @throws HdrscopeError `ERR_INVALID_COUNT` unless there is one count for each cell; `ERR_COUNT_OVERFLOW` when a cell would exceed
   *   2^64 − 1.
   */
  addCells(counts: BigUint64Array): void {
    if (!(counts instanceof BigUint64Array) || counts.length !== this.counts.length) {
      const allowed = `one for each of the ${this.counts.length} cells`;
      throw mustBe('ERR_INVALID_COUNT', 'counts', allowed, (counts as BigUint64Array | undefined)?.length);
    }
    this.counts.add(counts);
    if (counts.some((count) => count > 0n)) this.isSummed = false;
  }

  /**
   * The count of a cell.
   *
   * @param slots The slot of the cell on each axis.
   * @throws HdrscopeError `ERR_VALUE_OUT_OF_RANGE` when there is no such cell.
   */
  countAt(slots: readonly number[]): bigint {
    return this.counts.all[this.#cellAt(slots)]!;
  }

  /**
   * Adds all counts of `other`.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when its axes differ; `ERR_COUNT_OVERFLOW` when a cell would exceed 2^64 − 1.
   */
  add(other: this): void {
    this.#assertEqualAxes(other, 'add');
    this.counts.add(other.counts.all);
    this.isSummed &&= other.isSummed;
    this.#changeSums(other, (ours, theirs) => ours + theirs);
  }

  /**
   * The counts since an earlier reading of the same histogram. A cell that has fallen shows that the counters began anew
   * in between, by a reset or a restart. A reset after which no cell is lower than before is not seen.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when the axes differ.
   */
  subtract(earlier: this): JointIncrease<this> {
    this.#assertEqualAxes(earlier, 'subtract');
    const [now, then] = [this.counts.all, earlier.counts.all];
    const isReset = now.some((count, cell) => count < then[cell]!);
    const increase = this.copy();
    if (isReset) return { increase, isReset };
    for (let cell = 0; cell < then.length; cell++) increase.counts.all[cell]! -= then[cell]!;
    increase.isSummed &&= earlier.isSummed;
    increase.#changeSums(earlier, (ours, theirs) => ours - theirs);
    return { increase, isReset };
  }

  /** An independent histogram with the same counts. */
  copy(): this {
    const copy = this.over(this.axes);
    copy.counts.add(this.counts.all);
    copy.isSummed = this.isSummed;
    copy.sums = this.sums?.map((sums) => sums.slice());
    return copy;
  }

  /** Sets all counts to 0. */
  reset(): void {
    this.counts.all.fill(0n);
    this.sums = undefined;
    this.isSummed = true;
    this.#resets++;
  }

  /**
   * The distribution of one axis, whatever the other axes are, or under conditions on them.
   *
   * @param axis The name of the axis, or its index from 0.
   * @param where Counts only values within these ranges. @default all values
   * @throws HdrscopeError `ERR_INVALID_OPTION` when there is no such axis, or a range ends within a slot;
   *   `ERR_COUNT_OVERFLOW` when the sum of the counts exceeds 2^53 − 1.
   */
  marginal(axis: string | number, where: readonly ValueRange[] = []): LayoutHistogram {
    const at = this.#indexOf(axis);
    const layout = this.layouts[at]!;
    const counts = new Float64Array(layout.slotCount);
    const { counts: cells } = this;
    // Along a row, only the slot of the last axis changes.
    const step = at === this.axes.length - 1 ? 1 : 0;
    visitRows(this.#slotCounts(), this.#spansOf(where), (first, length, slots) => {
      const slot = slots[at]!;
      for (let i = 0; i < length; i++) counts[slot + i * step]! += cells.numberAt(first + i);
    });
    assertExact(counts);
    const marginal = new LayoutHistogram(layout);
    marginal.add(countedIn(layout, counts));
    return marginal;
  }

  /**
   * The sum of the values of one axis, whatever the other axes are, or under conditions on them: the sum of the doubles that were
   * recorded. For integers it is exact up to 2^53.
   *
   * @param axis The name of the axis, or its index from 0.
   * @param where Adds only values within these ranges. @default all values
   * @returns `undefined` where it is not known: counts were added without their values, or `where` limits the axis itself.
   * @throws HdrscopeError `ERR_INVALID_OPTION` as `marginal` does.
   */
  sum(axis: string | number, where: readonly ValueRange[] = []): number | undefined {
    const at = this.#indexOf(axis);
    const spans = this.#spansOf(where);
    const { from, to } = spans[at]!;
    if (!this.isSummed || from > 0 || to < this.layouts[at]!.slotCount) return undefined;
    const sums = this.sums?.[at];
    if (sums === undefined) return 0;
    let sum = 0;
    visitCells(without(this.#slotCounts(), at), without(spans, at), (place) => {
      sum += sums[place]!;
    });
    // Infinite values of both signs have no sum.
    return Number.isNaN(sum) ? undefined : sum;
  }

  /**
   * The histogram of the other axes, for the values within a range of one axis.
   *
   * @throws HdrscopeError `ERR_INVALID_OPTION` as `marginal` does, or when there is no other axis; `ERR_COUNT_OVERFLOW` when
   *   a cell would exceed 2^64 − 1.
   */
  slice(range: ValueRange): this {
    assertRange(range);
    const at = this.#indexOf(range.axis);
    if (this.axes.length === 1) throw mustBe('ERR_INVALID_OPTION', 'axes', 'at least one axis', []);
    const slice = this.over(without(this.axes, at));
    const summed = { slotCounts: this.#slotCounts(), spans: this.#spansOf([range]), at };
    sumInto(slice.counts, this.counts.all, summed);
    slice.isSummed = this.isSummed;
    slice.sums =
      this.sums && without([...this.sums.keys()], at).map((of) => sumsWithout(this.sums![of]!, of, summed));
    return slice;
  }

  /**
   * A quantile of one axis. Its bounds are certain.
   *
   * @param axis The name of the axis, or its index from 0.
   * @param q From 0 to 1.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist; as `marginal` does; `ERR_INVALID_VALUE` when
   *   `q` is outside [0, 1].
   */
  quantile(axis: string | number, q: number, options: AxisQuantileOptions = {}): AxisQuantile {
    assertOptions(options, QUANTILE);
    const { where, ...interpolated } = options;
    const { value, lower, upper, open } = this.marginal(axis, where).quantile(q, interpolated);
    return open || Number.isNaN(value) ? { lower, upper, open } : { value, lower, upper, open };
  }

  /** The line that `console.log` shows: the total count, and the slots of each axis. */
  protected inspection(): string {
    const axes = this.axes.map(
      ({ name }, i) => `${JSON.stringify(name)}: ${this.layouts[i]!.slotCount} slots`,
    );
    return visible(`${this.constructor.name} { totalCount: ${this.totalCount}, ${axes.join(', ')} }`);
  }

  #recordAll(values: readonly unknown[]): void {
    const { layouts, slots, strides } = this;
    const axes = layouts.length;
    if (values.length !== axes) {
      throw mustBe('ERR_INVALID_VALUE', 'values', `${axes} numbers, one for each axis`, values.length);
    }
    let cell = 0;
    for (let i = 0; i < axes; i++) {
      const one = values[i];
      if (!isNumber(one)) throw mustBe('ERR_INVALID_VALUE', 'value', 'a number', one);
      const layout = layouts[i]!;
      const slot = layout.slotOf(one);
      if (!(slot >= 0 && slot < layout.slotCount)) throw this.#withoutSlot(i, one);
      slots[i] = slot;
      cell += slot * strides[i]!;
    }
    this.counts.increment(cell);
    const sums = this.sums ?? this.#startSums();
    for (let i = 0; i < axes; i++) {
      // The place among the cells without this axis: those of the axes before it, and those of the axes after it.
      const stride = strides[i]!;
      const after = cell % stride;
      const before = (cell - after - slots[i]! * stride) / layouts[i]!.slotCount;
      sums[i]![before + after]! += values[i] as number;
    }
  }

  #startSums(): readonly Float64Array<ArrayBuffer>[] {
    const sums = this.layouts.map(({ slotCount }) => new Float64Array(this.counts.length / slotCount));
    this.sums = sums;
    return sums;
  }

  #changeSums({ sums: theirs }: this, change: (ours: number, theirs: number) => number): void {
    if (theirs === undefined || !this.isSummed) return;
    for (const [axis, sums] of (this.sums ?? this.#startSums()).entries()) {
      for (let place = 0; place < sums.length; place++) {
        sums[place] = change(sums[place]!, theirs[axis]![place]!);
      }
    }
  }

  #withoutSlot(at: number, value: number): HdrscopeError {
    const layout = this.layouts[at]!;
    const range = `from ${layout.lower(0)} to ${layout.upper(layout.slotCount - 1)}`;
    return mustBe('ERR_VALUE_OUT_OF_RANGE', `the value of "${this.axes[at]!.name}"`, range, value);
  }

  #slotCounts(): number[] {
    return this.layouts.map(({ slotCount }) => slotCount);
  }

  #cellAt(slots: readonly number[]): number {
    const { layouts } = this;
    const areSlots =
      Array.isArray(slots) &&
      slots.length === layouts.length &&
      layouts.every(
        ({ slotCount }, i) => Number.isInteger(slots[i]) && slots[i]! >= 0 && slots[i]! < slotCount,
      );
    if (!areSlots) {
      const allowed = `a slot of each axis, out of ${layouts.map(({ slotCount }) => slotCount).join(' x ')}`;
      const got = Array.isArray(slots) ? `[${slots.map(String).join(', ')}]` : slots;
      throw mustBe('ERR_VALUE_OUT_OF_RANGE', 'slots', allowed, got);
    }
    return layouts.reduce((cell, { slotCount }, i) => cell * slotCount + slots[i]!, 0);
  }

  #indexOf(axis: string | number, place = 'axis'): number {
    const at = typeof axis === 'string' ? this.axes.findIndex(({ name }) => name === axis) : axis;
    if (Number.isInteger(at) && at >= 0 && at < this.axes.length) return at;
    const names = this.axes.map(({ name }) => JSON.stringify(name)).join(', ');
    throw mustBe(
      'ERR_INVALID_OPTION',
      place,
      `a number from 0 to ${this.axes.length - 1} or one of ${names}`,
      axis,
    );
  }

  #spansOf(where: readonly ValueRange[]): SlotSpan[] {
    assertFollows('where', RANGES, where);
    const spans = this.layouts.map(({ slotCount }): SlotSpan => ({ from: 0, to: slotCount }));
    for (const [i, range] of where.entries()) {
      assertRange(range);
      const at = this.#indexOf(range.axis, `where[${i}].axis`);
      const [{ name }, { from, to }] = [this.axes[at]!, spans[at]!];
      const span = slotSpanOf(this.layouts[at]!, range, name);
      spans[at] = { from: Math.max(from, span.from), to: Math.min(to, span.to) };
    }
    return spans;
  }

  #assertEqualAxes(other: this, what: string): void {
    if (!(other instanceof JointBase)) {
      throw mustBe('ERR_INCOMPATIBLE', what, 'a histogram with the same axes', other);
    }
    const { axes, layouts } = other;
    if (axes.length !== this.axes.length) {
      throw mustBe('ERR_INCOMPATIBLE', `${what}: the number of axes`, `${this.axes.length}`, axes.length);
    }
    for (const [i, axis] of this.axes.entries()) {
      const difference = this.axisDifference(i, axes[i]!, layouts[i]!);
      if (difference === undefined) continue;
      const names = `"${axis.name}" and "${axes[i]!.name}"`;
      throw new HdrscopeError(
        'ERR_INCOMPATIBLE',
        visible(`${what}: the axes must be equal, ${names} differ in ${difference}`),
      );
    }
  }
}

const RANGES: OptionRule<readonly ValueRange[]> = listOf(object<ValueRange>(), 'ranges');

const QUANTILE: OptionsOwner<AxisQuantileOptions> = {
  name: 'quantile',
  names: { where: true, interpolation: true },
  call: "histogram.quantile(0, 0.99, { interpolation: 'linear' })",
};

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && !Number.isNaN(value);
}

/** Sums of doubles are exact up to 2^53, and rounding never brings a larger sum below it. */
function assertExact(counts: Float64Array): void {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total > Number.MAX_SAFE_INTEGER) {
    throw mustBe('ERR_COUNT_OVERFLOW', 'the number of values', 'at most 2^53 - 1', total);
  }
}
