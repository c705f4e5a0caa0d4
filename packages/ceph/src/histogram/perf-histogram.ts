import {
  countedIn,
  type EdgeLayout,
  HdrscopeError,
  LayoutHistogram,
  type QuantileOptions,
} from '@hdrscope/core';
import { assertOptions, mustBe, type OptionsOwner, visible } from '@hdrscope/core/internal';
import { type Axis, axisDifference, axisLayout } from './axis.ts';
import { Cells } from './cells.ts';
import { type SlotSpan, sumsByAxis } from './projection.ts';
import { slotSpanOf, type ValueRange } from './value-range.ts';

/** A quantile of an axis: the bounds of the slot that holds it, and an estimate within them. */
export interface AxisQuantile {
  /** The estimate, by the chosen interpolation. Absent when the slot is open, since the value can lie anywhere in it. */
  readonly value?: number;
  /** Inclusive lower bound: `-Infinity` in the underflow, `NaN` when the histogram is empty. */
  readonly lower: number;
  /** Exclusive upper bound: `Infinity` in the overflow, `NaN` when the histogram is empty. */
  readonly upper: number;
  /** Whether the slot is the underflow or the overflow. */
  readonly open: boolean;
}

/** The options of a quantile. */
export interface AxisQuantileOptions extends QuantileOptions {
  /** Counts only values within these ranges. @default all values */
  readonly where?: readonly ValueRange[];
}

/** The counts between two readings of one histogram. */
export interface PerfIncrease {
  readonly increase: PerfHistogram;
  /** Whether a count of the later reading is lower: the counters began anew, and all counts of it are new. */
  readonly isReset: boolean;
}

// 64 MiB. The histograms of Ceph have 1024 cells each.
const MOST_CELLS = 2 ** 23;

/**
 * A histogram of one or more dimensions, as Ceph's daemons keep it: a count of 64 bits for every combination of slots, row
 * by row.
 *
 * @example
 * ```ts
 * import { PerfHistogram } from '@hdrscope/ceph';
 *
 * const writes = new PerfHistogram([
 *   { name: 'Latency (nsec)', scale: 'log2', min: 0, quantSize: 1024, buckets: 32, unit: 'ns' },
 *   { name: 'Request size (bytes)', scale: 'log2', min: 0, quantSize: 512, buckets: 32, unit: 'bytes' },
 * ]);
 * for (let i = 0; i < 100; i++) writes.record(30_000 + i, 4096);
 * writes.record(5_000_000, 1_048_576);
 *
 * writes.totalCount; //=> 101
 * writes.quantile('Latency (nsec)', 0.5); //=> { value: 24576, lower: 16384, upper: 32768, open: false }
 * const large = { axis: 'Request size (bytes)', from: 524_288 };
 * writes.quantile('Latency (nsec)', 0.5, { where: [large] }).lower; //=> 4194304
 * ```
 */
export class PerfHistogram {
  readonly axes: readonly Axis[];
  /** The slots of each axis. */
  readonly layouts: readonly EdgeLayout[];
  // The fields of the record path. They are only declared, as V8 treats a field that is assigned once as a constant.
  declare private readonly first: EdgeLayout;
  declare private readonly second: EdgeLayout | undefined;
  /** The number of cells of one slot of the first axis. */
  declare private readonly rowLength: number;
  declare private readonly counts: Cells;

  /**
   * @throws HdrscopeError `ERR_INVALID_OPTION` when there is no axis, or Ceph could not have one of them; `ERR_TOO_LARGE`
   *   for more than 2^23 cells.
   */
  constructor(axes: readonly Axis[]) {
    if (!Array.isArray(axes) || axes.length === 0) {
      throw mustBe('ERR_INVALID_OPTION', 'axes', 'at least one axis', axes);
    }
    this.layouts = Object.freeze(axes.map(axisLayout));
    const cells = this.layouts.reduce((product, { slotCount }) => product * slotCount, 1);
    if (cells > MOST_CELLS)
      throw mustBe('ERR_TOO_LARGE', 'the number of cells', `at most ${MOST_CELLS}`, cells);
    this.axes = Object.freeze(axes.map((axis) => Object.freeze({ ...axis })));
    this.first = this.layouts[0]!;
    this.second = this.layouts[1];
    this.rowLength = cells / this.first.slotCount;
    this.counts = new Cells(cells);
  }

  /** A copy of the counts of all cells, row by row: the last axis runs fastest. */
  get cells(): BigUint64Array<ArrayBuffer> {
    return this.counts.all.slice();
  }

  /** The number of values; above 2^53 the nearest double. */
  get totalCount(): number {
    return Number(this.counts.all.reduce((sum, count) => sum + count, 0n));
  }

  /**
   * Counts one value for each axis. Values in Ceph are integers; a fraction has the slot of the integer below it.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` unless there is one number for each axis.
   */
  record(...values: [value: number, ...others: number[]]): void;
  record(value: number, second?: number, ...others: number[]): void {
    const { first, second: across, layouts } = this;
    if (others.length > 0 || layouts.length > 2 || (second === undefined) !== (across === undefined)) {
      this.#recordAll(second === undefined ? [value] : [value, second, ...others]);
      return;
    }
    assertNumber(value);
    let cell = first.slotOf(value) * this.rowLength;
    if (across !== undefined) {
      assertNumber(second);
      cell += across.slotOf(second);
    }
    this.counts.increment(cell);
  }

  /**
   * Counts `count` values in a cell.
   *
   * @param slots The slot of the cell on each axis.
   * @param count From 0 to 2^64 − 1; a bigint above 2^53 − 1.
   * @throws HdrscopeError `ERR_VALUE_OUT_OF_RANGE` when there is no such cell; `ERR_INVALID_COUNT`; `ERR_COUNT_OVERFLOW`.
   */
  addAt(slots: readonly number[], count: number | bigint): void {
    const isCount = typeof count === 'bigint' ? count >= 0n : Number.isSafeInteger(count) && count >= 0;
    if (!isCount) throw mustBe('ERR_INVALID_COUNT', 'count', 'an integer of at least 0', count);
    this.counts.addAt(this.#cellAt(slots), BigInt(count));
  }

  /**
   * Adds a count to each cell, row by row as in `cells`: all counts, or none when one is refused.
   *
   * @throws HdrscopeError `ERR_INVALID_COUNT` unless there is one count for each cell; `ERR_COUNT_OVERFLOW`.
   */
  addCells(counts: BigUint64Array): void {
    if (counts.length !== this.counts.length) {
      const allowed = `one for each of the ${this.counts.length} cells`;
      throw mustBe('ERR_INVALID_COUNT', 'counts', allowed, counts.length);
    }
    this.counts.add(counts);
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
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when its axes differ; `ERR_COUNT_OVERFLOW`.
   */
  add(other: PerfHistogram): void {
    this.#assertEqualAxes(other, 'add');
    this.counts.add(other.counts.all);
  }

  /**
   * The counts since an earlier reading of the same histogram. A cell that has fallen shows that the counters began anew
   * in between, by `perf reset` or a restart. A reset after which no cell is lower than before is not seen.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when the axes differ.
   */
  subtract(earlier: PerfHistogram): PerfIncrease {
    this.#assertEqualAxes(earlier, 'subtract');
    const [now, then] = [this.counts.all, earlier.counts.all];
    const isReset = now.some((count, cell) => count < then[cell]!);
    const increase = new PerfHistogram(this.axes);
    increase.counts.add(isReset ? now : now.map((count, cell) => count - then[cell]!));
    return { increase, isReset };
  }

  /** An independent histogram with the same counts. */
  copy(): PerfHistogram {
    const copy = new PerfHistogram(this.axes);
    copy.counts.add(this.counts.all);
    return copy;
  }

  /** Sets all counts to 0. */
  reset(): void {
    this.counts.all.fill(0n);
  }

  /**
   * The distribution of one axis.
   *
   * @param axis The name of the axis, or its index from 0.
   * @param where Counts only values within these ranges. @default all values
   * @throws HdrscopeError `ERR_INVALID_OPTION` when there is no such axis, or a range ends within a slot;
   *   `ERR_COUNT_OVERFLOW` when the sum of the counts exceeds 2^53 − 1.
   */
  marginal(axis: string | number, where: readonly ValueRange[] = []): LayoutHistogram {
    const at = this.#indexOf(axis);
    const sums = sumsByAxis(this.counts.all, this.layouts, at, this.#spansOf(where));
    const layout = this.layouts[at]!;
    assertExact(sums);
    const marginal = new LayoutHistogram(layout);
    marginal.add(countedIn(layout, sums.map(Number)));
    return marginal;
  }

  /**
   * The histogram of the other axes, for the values within a range of one axis.
   *
   * @throws HdrscopeError `ERR_INVALID_OPTION` as `marginal` does, or when there is no other axis; `ERR_COUNT_OVERFLOW`.
   */
  slice(range: ValueRange): PerfHistogram {
    const at = this.#indexOf(range.axis);
    const [spans, { slotCount }] = [this.#spansOf([range]), this.layouts[at]!];
    const slice = new PerfHistogram(this.axes.filter((_, i) => i !== at));
    const after = this.layouts.slice(at + 1).reduce((product, layout) => product * layout.slotCount, 1);
    const span = spans[at]!;
    for (const [cell, count] of this.counts.all.entries()) {
      const slot = Math.floor(cell / after) % slotCount;
      if (count === 0n || slot < span.from || slot >= span.to) continue;
      slice.counts.addAt(Math.floor(cell / (after * slotCount)) * after + (cell % after), count);
    }
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

  #recordAll(values: readonly unknown[]): void {
    const { layouts } = this;
    if (values.length !== layouts.length) {
      const allowed = `${layouts.length} numbers, one for each axis`;
      throw mustBe('ERR_INVALID_VALUE', 'values', allowed, values.length);
    }
    let cell = 0;
    for (const [i, value] of values.entries()) {
      assertNumber(value);
      const layout = layouts[i]!;
      cell = cell * layout.slotCount + layout.slotOf(value);
    }
    this.counts.increment(cell);
  }

  #cellAt(slots: readonly number[]): number {
    const { layouts } = this;
    const areSlots =
      slots.length === layouts.length &&
      layouts.every(
        ({ slotCount }, i) => Number.isInteger(slots[i]) && slots[i]! >= 0 && slots[i]! < slotCount,
      );
    if (!areSlots) {
      const allowed = `a slot of each axis, out of ${layouts.map(({ slotCount }) => slotCount).join(' x ')}`;
      throw mustBe('ERR_VALUE_OUT_OF_RANGE', 'slots', allowed, `[${slots.join(', ')}]`);
    }
    return layouts.reduce((cell, { slotCount }, i) => cell * slotCount + slots[i]!, 0);
  }

  #indexOf(axis: string | number): number {
    const at = typeof axis === 'string' ? this.axes.findIndex(({ name }) => name === axis) : axis;
    if (Number.isInteger(at) && at >= 0 && at < this.axes.length) return at;
    const names = this.axes.map(({ name }) => JSON.stringify(name)).join(', ');
    throw mustBe(
      'ERR_INVALID_OPTION',
      'axis',
      `a number from 0 to ${this.axes.length - 1} or one of ${names}`,
      axis,
    );
  }

  #spansOf(where: readonly ValueRange[]): SlotSpan[] {
    const spans = this.layouts.map(({ slotCount }): SlotSpan => ({ from: 0, to: slotCount }));
    for (const range of where) {
      const at = this.#indexOf(range.axis);
      const [{ name }, { from, to }] = [this.axes[at]!, spans[at]!];
      const span = slotSpanOf(this.layouts[at]!, range, name);
      spans[at] = { from: Math.max(from, span.from), to: Math.min(to, span.to) };
    }
    return spans;
  }

  #assertEqualAxes({ axes }: PerfHistogram, what: string): void {
    if (axes.length !== this.axes.length) {
      throw mustBe('ERR_INCOMPATIBLE', `${what}: the number of axes`, `${this.axes.length}`, axes.length);
    }
    for (const [i, axis] of this.axes.entries()) {
      const difference = axisDifference(axis, axes[i]!);
      if (difference === undefined) continue;
      const names = `"${axis.name}" and "${axes[i]!.name}"`;
      throw new HdrscopeError(
        'ERR_INCOMPATIBLE',
        visible(`${what}: the axes must be equal, ${names} differ in ${difference}`),
      );
    }
  }
}

const QUANTILE: OptionsOwner<AxisQuantileOptions> = {
  name: 'PerfHistogram.quantile',
  names: { where: true, interpolation: true },
  call: "histogram.quantile(0, 0.99, { interpolation: 'exclusive' })",
};

function assertNumber(value: unknown): asserts value is number {
  if (typeof value !== 'number' || Number.isNaN(value))
    throw mustBe('ERR_INVALID_VALUE', 'value', 'a number', value);
}

function assertExact(counts: readonly bigint[]): void {
  const total = counts.reduce((sum, count) => sum + count, 0n);
  if (total > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw mustBe('ERR_COUNT_OVERFLOW', 'the number of values', 'at most 2^53 - 1', total);
  }
}
