import {
  type EdgeLayout,
  HdrscopeError,
  LayoutHistogram,
  mustBe,
  type QuantileOptions,
} from '@hdrscope/core';
import { type Axis, axisDifference, axisLayout } from './axis.ts';
import { Cells } from './cells.ts';
import { type SlotSpan, sumsByAxis } from './projection.ts';
import { spanOf, type ValueRange } from './value-range.ts';

/** Where a quantile of an axis lies. */
export interface AxisQuantile {
  /** By the interpolation asked for; left out where the slot is open, as nothing is known of where in it the value lies. */
  readonly value?: number;
  /** The first value of the slot: `-Infinity` in the underflow. `NaN` when nothing was counted. */
  readonly lower: number;
  /** Where the next slot begins: `Infinity` in the overflow. */
  readonly upper: number;
  /** Whether the slot is the underflow or the overflow. */
  readonly open: boolean;
}

/** Which quantile is asked for. */
export interface AxisQuantileOptions extends QuantileOptions {
  /** Only of what lies in these ranges of other axes. @default all */
  readonly where?: readonly ValueRange[];
}

/** What was counted between two readings. */
export interface Increase {
  readonly increase: PerfHistogram;
  /** Whether the later reading has counts that are lower: it began anew, and all that it has is new. */
  readonly isReset: boolean;
}

// 64 MiB of cells. Ceph's own have 1024 each.
const MOST_CELLS = 2 ** 23;

/**
 * A histogram of one or more dimensions, as Ceph's daemons keep them: a cell for every combination of slots, row by row,
 * each a count of 64 bits.
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
  /** Those of the axes. */
  readonly layouts: readonly EdgeLayout[];
  // What a record needs. Declared only: what is assigned once is a constant to V8.
  declare private readonly first: EdgeLayout;
  declare private readonly second: EdgeLayout | undefined;
  /** How many cells a slot of the first axis has. */
  declare private readonly rowLength: number;
  declare private readonly counts: Cells;

  /**
   * @throws HdrscopeError `ERR_INVALID_OPTION` when there is no axis, or one that Ceph could not have; `ERR_TOO_LARGE`
   *   when there would be more than 2^23 cells.
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

  /** The count of every cell, row by row: the last axis runs fastest. */
  get cells(): BigUint64Array<ArrayBuffer> {
    return this.counts.all.slice();
  }

  /** How many values were counted; the nearest double where that exceeds 2^53. */
  get totalCount(): number {
    return Number(this.counts.all.reduce((sum, count) => sum + count, 0n));
  }

  /**
   * Counts one value for each axis. Ceph's are integers; a fraction has the slot of the integer below it.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when there are not as many numbers as axes.
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
   * Counts `count` values in a cell, told by the slot on each axis.
   *
   * @param count From 0 to 2^64 − 1; a bigint above 2^53 − 1.
   * @throws HdrscopeError `ERR_VALUE_OUT_OF_RANGE` when there is no such cell, `ERR_INVALID_COUNT`, `ERR_COUNT_OVERFLOW`.
   */
  addAt(slots: readonly number[], count: number | bigint): void {
    const isCount = typeof count === 'bigint' ? count >= 0n : Number.isSafeInteger(count) && count >= 0;
    if (!isCount) throw mustBe('ERR_INVALID_COUNT', 'count', 'an integer of at least 0', count);
    this.counts.addAt(this.#cellAt(slots), BigInt(count));
  }

  /**
   * Counts as many values in each cell as are told for it, row by row as in `cells`: all of them, or none.
   *
   * @throws HdrscopeError `ERR_INVALID_COUNT` when there are not as many counts as cells, `ERR_COUNT_OVERFLOW`.
   */
  addCells(counts: BigUint64Array): void {
    if (counts.length !== this.counts.length) {
      const allowed = `one for each of the ${this.counts.length} cells`;
      throw mustBe('ERR_INVALID_COUNT', 'counts', allowed, counts.length);
    }
    this.counts.add(counts);
  }

  /** The count of a cell. */
  countAt(slots: readonly number[]): bigint {
    return this.counts.all[this.#cellAt(slots)]!;
  }

  /**
   * Counts everything that `other` has counted.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when its axes are not equal, `ERR_COUNT_OVERFLOW`.
   */
  add(other: PerfHistogram): void {
    this.#assertEqualAxes(other, 'add');
    this.counts.add(other.counts.all);
  }

  /**
   * What was counted since an earlier reading of the same histogram. A cell that has fallen tells that the counting began
   * anew in between, by `perf reset` or a restart; without one that cannot be seen.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when its axes are not equal.
   */
  subtract(earlier: PerfHistogram): Increase {
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

  /** Forgets all values. */
  reset(): void {
    this.counts.all.fill(0n);
  }

  /**
   * The distribution of one axis: of all values, or of those in ranges of other axes.
   *
   * @param axis Its name, or its place from 0.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when there is no such axis, or a range ends within a slot;
   *   `ERR_COUNT_OVERFLOW` when the counts exceed 2^53 − 1 together.
   */
  marginal(axis: string | number, where: readonly ValueRange[] = []): LayoutHistogram {
    const at = this.#placeOf(axis);
    const sums = sumsByAxis(this.counts.all, this.layouts, at, this.#spansOf(where));
    const layout = this.layouts[at]!;
    const marginal = new LayoutHistogram(layout);
    // The lower bound of a slot is in it, also where that is -Infinity.
    for (const [slot, count] of sums.entries()) marginal.record(layout.lower(slot), exactCount(count));
    return marginal;
  }

  /**
   * The histogram of the other axes: of all values in a range of this one.
   *
   * @throws HdrscopeError `ERR_INVALID_OPTION` as `marginal` does, or when there is no other axis; `ERR_COUNT_OVERFLOW`.
   */
  slice(range: ValueRange): PerfHistogram {
    const at = this.#placeOf(range.axis);
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
   * Where a quantile of an axis lies: of all values, or of those in ranges of other axes. The bounds are certain.
   *
   * @param q From 0 to 1.
   * @throws HdrscopeError as `marginal` does; `ERR_INVALID_VALUE` when `q` is outside its range.
   */
  quantile(axis: string | number, q: number, { where, ...options }: AxisQuantileOptions = {}): AxisQuantile {
    const { value, lower, upper, open } = this.marginal(axis, where).quantile(q, options);
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
      const allowed = `a slot of each axis, of ${layouts.map(({ slotCount }) => slotCount).join(' x ')}`;
      throw mustBe('ERR_VALUE_OUT_OF_RANGE', 'slots', allowed, `[${slots.join(', ')}]`);
    }
    return layouts.reduce((cell, { slotCount }, i) => cell * slotCount + slots[i]!, 0);
  }

  #placeOf(axis: string | number): number {
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
      const at = this.#placeOf(range.axis);
      const [{ name }, { from, to }] = [this.axes[at]!, spans[at]!];
      const span = spanOf(this.layouts[at]!, range, name);
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
        `${what}: the axes must be equal, ${names} differ in ${difference}`,
      );
    }
  }
}

function assertNumber(value: unknown): asserts value is number {
  if (typeof value !== 'number' || Number.isNaN(value))
    throw mustBe('ERR_INVALID_VALUE', 'value', 'a number', value);
}

function exactCount(count: bigint): number {
  if (count > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new HdrscopeError(
      'ERR_COUNT_OVERFLOW',
      `the counts of a slot must be at most 2^53 - 1, got ${count}`,
    );
  }
  return Number(count);
}
