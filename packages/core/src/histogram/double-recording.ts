import type { Counts } from '../counts/counts.ts';
import { DenseCounts } from '../counts/dense.ts';
import { SparseCounts } from '../counts/sparse.ts';
import { usedSlots } from '../counts/used-slots.ts';
import { mustBe } from '../errors.ts';
import { RECIPROCAL } from '../layout/hdr.ts';
import { correctedTotal } from './coordinated-omission.ts';
import { correctedDoubles, lowestCorrected } from './double-correction.ts';
import {
  type DoubleHistogramOptions,
  DoubleLayout,
  DoubleRange,
  type DoubleStorage,
  LARGEST_DOUBLE,
  octaveOf,
  rangeFrom,
  smallestDouble,
} from './double-range.ts';
import { DoubleReading } from './double-reading.ts';
import { HdrView } from './reading.ts';
import { asNumbers } from './slot-values.ts';

/** With a range and counts that exist already. Not for users, who could take any that do not fit each other. */
export interface DoubleParts extends DoubleHistogramOptions {
  readonly range?: DoubleRange;
  readonly store?: Counts | undefined;
}

/** A value, and how often it was counted. */
export type CountedValue = readonly [value: number, count: number];

const TWO_POW_31 = 2 ** 31;
const TWO_POW_MINUS_32 = 2 ** -32;

/** The recording half of a `DoubleHistogram`. */
export abstract class DoubleRecording extends DoubleReading {
  /** How the counts are kept in memory. */
  readonly storage: DoubleStorage;
  /** Whether a value that does not fit beside the others widens the range. */
  readonly autoResize: boolean;
  /** When the first of the values was counted, in milliseconds since 1970, if anybody said so. */
  startTimeMs: number | undefined = undefined;
  /** When the last of the values was counted, likewise. */
  endTimeMs: number | undefined = undefined;
  /** What the values are about, in an interval log. */
  tag: string | undefined = undefined;

  #range: DoubleRange;
  #store: Counts;
  #integers: HdrView<number>;
  #layout: DoubleLayout;
  // What a record needs of the range.
  #low = 0;
  #limit = 0;
  /** 1 / ratio: a power of two. */
  #toInteger = 0;
  #halfBits = 0;

  /**
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
   */
  constructor(options: DoubleHistogramOptions = {}) {
    super();
    const { storage = 'dense', range = rangeFrom(options), store }: DoubleParts = options;
    if (storage !== 'dense' && storage !== 'sparse') {
      throw mustBe('ERR_INVALID_OPTION', 'storage', "'dense' or 'sparse'", storage);
    }
    this.storage = storage;
    this.autoResize = range.autoResize;
    this.#range = range;
    const integers = range.layout;
    this.#store =
      store ??
      (storage === 'dense' ? new DenseCounts(integers.slotCount) : new SparseCounts(integers.slotCount));
    this.#integers = new HdrView({ layout: integers, counts: this.#store }, asNumbers);
    this.#layout = new DoubleLayout(integers, range.ratio);
    this.#note(range);
  }

  get layout(): DoubleLayout {
    return this.#layout;
  }

  /** Decimal digits to which a value keeps its precision. */
  get significantDigits(): number {
    return this.#range.significantDigits;
  }

  /** How many times the smallest value above 0 the largest may be; more than configured after growing. */
  get highestToLowestValueRatio(): number {
    return Number(this.#range.highestToLowestRatio);
  }

  /** The smallest value above 0 that is counted without moving the range. */
  get currentLowestTrackableNonZeroValue(): number {
    return this.#low;
  }

  /** All values below this are counted without moving the range. */
  get currentHighestTrackableValue(): number {
    return this.#limit;
  }

  get integerToDoubleValueConversionRatio(): number {
    return this.#range.ratio;
  }

  /** Bytes held by the counts. */
  get byteLength(): number {
    return this.#store.byteLength;
  }

  /**
   * Counts a value, once or `count` times. Allocates nothing, unless the range moves.
   *
   * @param value 0, or up to 2^1022 and no further from the other values than the ratio, or what it can grow to, allows.
   * @param count An integer from 0 to 2^53 − 1.
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is no number or negative, `ERR_VALUE_OUT_OF_RANGE` when
   *   it does not fit, `ERR_INVALID_COUNT` and `ERR_COUNT_OVERFLOW` when the count is wrong or would not be exact.
   */
  record(value: number, count = 1): void {
    // As `HdrLayout.slotOf`; no integer is below the upper half of bucket 0.
    if (count === 1 && typeof value === 'number' && value >= this.#low && value < this.#limit) {
      const integer = value * this.#toInteger;
      const halfBits = this.#halfBits;
      if (integer < TWO_POW_31) {
        const int = integer | 0;
        const shift = 31 - halfBits - Math.clz32(int);
        this.#store.increment((shift << halfBits) + (int >>> shift));
      } else {
        const shift = 63 - halfBits - Math.clz32((integer * TWO_POW_MINUS_32) >>> 0);
        this.#store.increment((shift << halfBits) + ((integer * RECIPROCAL[shift]!) | 0));
      }
      return;
    }
    this.#recordAny(value, count);
  }

  /**
   * Counts a value, and the values that were not seen while it was waited for: `value - expectedInterval`,
   * `value - 2 * expectedInterval`, and so on down to `expectedInterval`.
   *
   * @param expectedInterval A finite number, in the unit of the values; 0 corrects nothing.
   * @param count How often each of them is counted.
   * @throws HdrscopeError as `record` does, also when one of the other values does not fit: then none is counted.
   */
  recordCorrected(value: number, expectedInterval: number, count = 1): void {
    this.#assertValue(value, 'value');
    assertDoubleInterval(expectedInterval);
    assertCount(count);
    this.recordAll([[value, count]], expectedInterval);
  }

  /**
   * Counts each of many values: all of them, or, when one is refused, none.
   *
   * @throws HdrscopeError as `record` does.
   */
  recordValues(values: ArrayLike<number>): void {
    const { length } = values;
    this.#store.assertRoomFor(length);
    const [low, limit] = [this.#low, this.#limit];
    let fits = true;
    for (let i = 0; i < length; i++) {
      const value = values[i]!;
      if (typeof value === 'number' && value >= low && value < limit) continue;
      this.#assertValue(value, `values[${i}]`);
      fits &&= value === 0;
    }
    if (!fits) {
      const range = this.#range.over(this.#integers);
      for (let i = 0; i < length; i++) range.reach(values[i]!);
      this.#moveTo(range);
    }
    for (let i = 0; i < length; i++) this.record(values[i]!);
  }

  protected get integers(): HdrView<number> {
    return this.#integers;
  }

  protected get range(): DoubleRange {
    return this.#range;
  }

  protected get store(): Counts {
    return this.#store;
  }

  /** Counts each of many values, with correction if there is an interval: all of them or none. */
  protected recordAll(values: readonly CountedValue[], interval = 0): void {
    const range = this.#range.over(this.#integers);
    const isCorrected = (value: number): boolean => interval > 0 && value > interval;
    let total = 0;
    for (const [value, count] of values) {
      total += isCorrected(value) ? correctedTotal(value, interval) * count : count;
    }
    this.#store.assertRoomFor(total);
    for (const [value] of values) {
      range.reach(value);
      if (!isCorrected(value)) continue;
      const lowest = lowestCorrected(value, interval);
      this.#assertValue(lowest, 'the lowest value of the correction');
      // Each octave between has one of the values.
      for (let octave = octaveOf(value) - 1; octave >= octaveOf(lowest); octave--) range.reach(2 ** octave);
    }
    this.#moveTo(range);
    for (const [value, count] of values) {
      const shares = isCorrected(value)
        ? correctedDoubles(this.#layout, value, interval)
        : [[this.#layout.slotOf(value), 1] as const];
      for (const [slot, share] of shares) this.#store.add(slot, share * count);
    }
  }

  protected clear(): void {
    this.#store.clear();
    const { significantDigits, highestToLowestRatio, autoResize } = this.#range;
    this.#useRange(new DoubleRange({ significantDigits, highestToLowestRatio, autoResize }));
    this.startTimeMs = undefined;
    this.endTimeMs = undefined;
    this.tag = undefined;
  }

  #recordAny(value: number, count: number): void {
    this.#assertValue(value, 'value');
    assertCount(count);
    if (value !== 0 && !(value >= this.#low && value < this.#limit)) {
      if (count > 0) this.recordAll([[value, count]]);
      return;
    }
    this.#store.assertRoomFor(count);
    this.#store.add(this.#layout.slotOf(value), count);
  }

  /** Moves the counts to the slots of another range, which holds them all. */
  #moveTo(range: DoubleRange): void {
    const store = this.#store;
    const { layout } = this.#integers;
    const up = this.#range.octave - range.octave;
    const moved: [slot: number, count: number][] = [];
    if (up !== 0) {
      for (const [slot, count] of usedSlots(store)) {
        moved.push([slot === 0 ? 0 : layout.slotOf(layout.lower(slot) * 2 ** up), count]);
      }
      store.clear();
    }
    if (range.octaves !== this.#range.octaves) store.resize(range.layout.slotCount);
    for (const [slot, count] of moved) store.add(slot, count);
    this.#useRange(range);
  }

  #useRange(range: DoubleRange): void {
    const before = this.#range;
    this.#range = range;
    if (range.octave === before.octave && range.octaves === before.octaves) return;
    const { layout } = range;
    this.#integers = new HdrView({ layout, counts: this.#store }, asNumbers);
    this.#layout = new DoubleLayout(layout, range.ratio);
    this.#note(range);
  }

  #note({ low, limit, ratio, halfBits }: DoubleRange): void {
    this.#low = low;
    this.#limit = limit;
    this.#toInteger = 1 / ratio;
    this.#halfBits = halfBits;
  }

  #assertValue(value: number, what: string): void {
    if (typeof value !== 'number' || !(value >= 0)) {
      throw mustBe('ERR_INVALID_VALUE', what, 'a number from 0 to 2^1022', value);
    }
    const smallest = smallestDouble(this.#range);
    if (value > LARGEST_DOUBLE || (value > 0 && value < smallest)) {
      throw mustBe('ERR_VALUE_OUT_OF_RANGE', what, `0, or from ${smallest} to 2^1022`, value);
    }
  }
}

/** An interval of 0 corrects nothing. */
export function assertDoubleInterval(interval: number): void {
  if (typeof interval !== 'number' || !(interval >= 0 && interval < Number.POSITIVE_INFINITY)) {
    throw mustBe('ERR_INVALID_VALUE', 'expectedInterval', 'a finite number of at least 0', interval);
  }
}

function assertCount(count: number): void {
  if (!Number.isSafeInteger(count) || count < 0) {
    throw mustBe('ERR_INVALID_COUNT', 'count', 'an integer from 0 to 2^53 - 1', count);
  }
}
