import type { Counts } from '../counts/counts.ts';
import { DenseCounts } from '../counts/dense.ts';
import { SparseCounts } from '../counts/sparse.ts';
import { usedSlots } from '../counts/used-slots.ts';
import { type HdrscopeError, mustBe } from '../errors.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import { assertOptions, type OptionsOwner } from '../options.ts';
import { correctedTotal } from './coordinated-omission.ts';
import { correctedDoubles, lowestCorrected, reachCorrected } from './double-correction.ts';
import {
  type DoubleHistogramOptions,
  DoubleLayout,
  DoubleRange,
  type DoubleStorage,
  LARGEST_DOUBLE,
  rangeFrom,
} from './double-range.ts';
import { DoubleReading } from './double-reading.ts';
import { assertPolicy, NO_OUTLIERS, type Outliers, type OutOfRangePolicy } from './out-of-range.ts';
import { ReadingOf } from './reading.ts';
import { asNumbers } from './slot-values.ts';
import { assertCount, lengthOf } from './values.ts';

/**
 * The parts that a `DoubleHistogram` starts with: a range, and counts of its integers. The constructor takes it in place of
 * options. The package exports none, so its users cannot combine parts that do not fit.
 */
export class DoubleSetup implements DoubleHistogramOptions {
  readonly range: DoubleRange;
  readonly store: Counts;
  readonly outOfRange: OutOfRangePolicy;

  constructor(range: DoubleRange, store: Counts, outOfRange: OutOfRangePolicy = 'throw') {
    this.range = range;
    this.store = store;
    this.outOfRange = outOfRange;
  }
}

/** A value, and how often it was counted. */
export type CountedValue = readonly [value: number, count: number];

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
/** Which of the words has the exponent: the second one, but on big-endian machines. */
const UPPER = new Uint8Array(Uint32Array.of(1).buffer)[0]!;

/** The recording half of a `DoubleHistogram`. */
export abstract class DoubleRecording extends DoubleReading {
  /** Whether a value that does not fit beside the others widens the range. */
  readonly autoResize: boolean;
  /** What is done with a value that does not fit. */
  readonly outOfRange: OutOfRangePolicy;
  /**
   * How many values did not fit. Kept by the instance: neither copied nor encoded.
   *
   * @example
   * ```ts
   * import { DoubleHistogram } from '@hdrscope/core';
   *
   * const seconds = new DoubleHistogram({ highestToLowestValueRatio: 1000, outOfRange: 'clamp' });
   * for (const value of [1, 1e6, Number.NaN]) seconds.record(value);
   * seconds.outliers; //=> { thrown: 0, clamped: 1, discarded: 1 }
   * ```
   */
  outliers: Outliers = NO_OUTLIERS;
  /** When the first of the values was counted, in milliseconds since 1970, if anybody said so. */
  startTimeMs: number | undefined = undefined;
  /** When the last of the values was counted, likewise. */
  endTimeMs: number | undefined = undefined;
  /** What the values are about, in an interval log. */
  tag: string | undefined = undefined;

  #range: DoubleRange;
  #store: Counts;
  #integers: ReadingOf<number>;
  #layout: DoubleLayout;
  #low = 0;
  #limit = 0;
  // What a record needs of the range, all small integers.
  /** Of the upper 32 bits of a double, those at the end that are too fine to tell slots apart. In `[3, 20]`. */
  #unusedBits = 0;
  /** What the bits before them would be of a value in slot 0: in that bucket only the upper half is used. */
  #slotZero = 0;
  /** The slot of the lowest value above 0. */
  #firstSlot = 0;
  /** Below are all slots of the range but those of 2^1022 and more. Whatever has a sign bit is not below. */
  #endSlot = 0;

  /**
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
   */
  constructor(options: DoubleHistogramOptions = {}) {
    super();
    const { range, store, outOfRange } = options instanceof DoubleSetup ? options : setupFrom(options);
    this.outOfRange = outOfRange;
    this.autoResize = range.autoResize;
    this.#range = range;
    const integers = range.layout;
    this.#store = store;
    this.#integers = new ReadingOf({ layout: integers, counts: this.#store }, asNumbers);
    this.#layout = new DoubleLayout(integers, range.ratio);
    this.#note(range, integers);
  }

  get layout(): DoubleLayout {
    return this.#layout;
  }

  /** How the counts are kept in memory. */
  get storage(): DoubleStorage {
    return this.#store.storage as DoubleStorage;
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
   *   it does not fit (both only under the policy `'throw'`), `ERR_INVALID_COUNT` and `ERR_COUNT_OVERFLOW` when the
   *   count is wrong or would not be exact.
   */
  record(value: number, count = 1): void {
    if (count === 1 && typeof value === 'number') {
      // The bits of a double, its exponent and then its mantissa, number the slots from the first octave on.
      double[0] = value;
      const slot = (words[UPPER]! >>> this.#unusedBits) - this.#slotZero;
      if (slot >= this.#firstSlot && slot < this.#endSlot) {
        this.#store.increment(slot);
        return;
      }
      if (value === 0) {
        this.#store.increment(0);
        return;
      }
    }
    this.#recordAny(value, count);
  }

  /**
   * Counts a value, and the values that were not seen while it was waited for: `value - expectedInterval`,
   * `value - 2 * expectedInterval`, and so on down to `expectedInterval`. A value that is clamped is corrected from where
   * it is clamped to; of the others each that does not fit is clamped or discarded by itself.
   *
   * @param expectedInterval A finite number, in the unit of the values; 0 corrects nothing.
   * @param count How often each of them is counted.
   * @throws HdrscopeError as `record` does, also when one of the other values does not fit: then none is counted.
   * @example
   * ```ts
   * import { DoubleHistogram } from '@hdrscope/core';
   *
   * const seconds = new DoubleHistogram();
   * seconds.recordCorrected(1, 0.25);
   * [1, 0.75, 0.5, 0.25].map((value) => seconds.countAt(value)); //=> [1, 1, 1, 1]
   * ```
   */
  recordCorrected(value: number, expectedInterval: number, count = 1): void {
    assertDoubleInterval(expectedInterval);
    assertCount(count);
    if (!(typeof value === 'number' && expectedInterval > 0 && value > expectedInterval)) {
      this.record(value, count);
      return;
    }
    const range = this.#range.over(this.#integers);
    const admitted = this.#admitted(value, 'value', count, range);
    if (count === 0) return;
    if (admitted !== undefined) {
      // Not what was clamped to less than the interval: nothing was missed meanwhile.
      const isCorrected = admitted > expectedInterval;
      this.#store.assertRoomFor(isCorrected ? correctedTotal(admitted, expectedInterval) * count : count);
      if (isCorrected && !reachCorrected(range, admitted, expectedInterval) && this.outOfRange === 'throw') {
        this.#tally('thrown', count);
        throw refusalOfCorrection(range, admitted, expectedInterval);
      }
      this.#moveTo(range);
      this.#addCorrected(admitted, count, isCorrected ? expectedInterval : 0);
    }
    this.#tallyOutlier(value, admitted, count);
  }

  /**
   * Counts each of many values: all of them, or, when one is refused, none.
   *
   * @throws HdrscopeError as `record` does.
   */
  recordValues(values: ArrayLike<number>): void {
    const length = lengthOf(values);
    this.#store.assertRoomFor(length);
    if (this.outOfRange === 'throw') this.#reachAll(values);
    for (let i = 0; i < length; i++) this.record(values[i]!);
  }

  protected get integers(): ReadingOf<number> {
    return this.#integers;
  }

  protected get range(): DoubleRange {
    return this.#range;
  }

  protected get store(): Counts {
    return this.#store;
  }

  /** Counts each of many values, with correction if there is an interval: all of them or, whatever the policy, none. */
  protected recordAll(values: readonly CountedValue[], interval = 0): void {
    const range = this.#range.over(this.#integers);
    const isCorrected = (value: number): boolean => interval > 0 && value > interval;
    let total = 0;
    for (const [value, count] of values) {
      total += isCorrected(value) ? correctedTotal(value, interval) * count : count;
    }
    this.#store.assertRoomFor(total);
    for (const [value] of values) {
      if (!range.reach(value)) throw range.refusal(value, 'value');
      if (isCorrected(value) && !reachCorrected(range, value, interval)) {
        throw refusalOfCorrection(range, value, interval);
      }
    }
    this.#moveTo(range);
    for (const [value, count] of values) this.#addCorrected(value, count, isCorrected(value) ? interval : 0);
  }

  protected clear(): void {
    this.#store.clear();
    const { significantDigits, highestToLowestRatio, autoResize } = this.#range;
    this.#useRange(new DoubleRange({ significantDigits, highestToLowestRatio, autoResize }));
    this.outliers = NO_OUTLIERS;
    this.startTimeMs = undefined;
    this.endTimeMs = undefined;
    this.tag = undefined;
  }

  /** The whole way of a record: any value, any count, moving the range, and what to say when it is refused. */
  #recordAny(value: number, count: number): void {
    assertCount(count);
    this.#store.assertRoomFor(count);
    let admitted: number | undefined = value;
    if (!this.#holds(value)) {
      // The range only moves for what is above 0.
      const range = typeof value === 'number' && value > 0 ? this.#range.over(this.#integers) : this.#range;
      admitted = this.#admitted(value, 'value', count, range);
      if (admitted !== undefined && count > 0) this.#moveTo(range);
      this.#tallyOutlier(value, admitted, count);
    }
    if (admitted !== undefined && count > 0) this.#store.add(this.#layout.slotOf(admitted), count);
  }

  /** Whether a value is counted where the range is. */
  #holds(value: number): boolean {
    if (typeof value !== 'number') return false;
    return value === 0 || (value >= this.#low && value < this.#limit && value <= LARGEST_DOUBLE);
  }

  /** Moves the range to where all values fit, as recording one after the other would. */
  #reachAll(values: ArrayLike<number>): void {
    const { length } = values;
    let held = 0;
    while (held < length && this.#holds(values[held]!)) held++;
    if (held === length) return;
    const range = this.#range.over(this.#integers);
    for (let i = 0; i < length; i++) {
      if (!range.reach(values[i]!)) this.#admitted(values[i]!, `values[${i}]`, 1, range);
    }
    this.#moveTo(range);
  }

  /** The value to count in place of one, with `range` moved to where it fits; nothing where it is discarded. */
  #admitted(value: number, what: string, count: number, range: DoubleRange): number | undefined {
    if (range.reach(value)) return value;
    if (this.outOfRange === 'throw') {
      this.#tally('thrown', count);
      throw range.refusal(value, what);
    }
    const nearest = this.outOfRange === 'clamp' ? range.nearest(value) : undefined;
    if (nearest !== undefined) range.reach(nearest);
    return nearest;
  }

  /** Takes note of what became of a value, if it was another. */
  #tallyOutlier(value: number, admitted: number | undefined, count: number): void {
    if (admitted === undefined) this.#tally('discarded', count);
    else if (admitted !== value) this.#tally('clamped', count);
  }

  #tally(outcome: keyof Outliers, count: number): void {
    this.outliers = { ...this.outliers, [outcome]: this.outliers[outcome] + count };
  }

  /** Counts a value that fits, and those of its correction, of which only the small ones may not. */
  #addCorrected(value: number, count: number, interval: number): void {
    const shares: Iterable<CountedValue> =
      interval > 0 ? correctedDoubles(this.#layout, this.#low, value, interval) : [[value, 1]];
    for (const [rest, share] of shares) {
      const fits = rest === 0 || rest >= this.#low;
      const admitted = fits ? rest : this.outOfRange === 'clamp' ? this.#nearestBelow(rest) : undefined;
      if (admitted !== undefined) this.#store.add(this.#layout.slotOf(admitted), share * count);
      if (!fits) this.#tallyOutlier(rest, admitted, share * count);
    }
  }

  /** Of a value below a range that reaches no further down. */
  #nearestBelow(value: number): number {
    return value < this.#low / 2 ? 0 : this.#low;
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
    this.#integers = new ReadingOf({ layout, counts: this.#store }, asNumbers);
    this.#layout = new DoubleLayout(layout, range.ratio);
    this.#note(range, layout);
  }

  #note(range: DoubleRange, { slotCount }: HdrLayout): void {
    const { low, limit, octave, halfBits } = range;
    this.#low = low;
    this.#limit = limit;
    this.#unusedBits = 20 - halfBits;
    this.#slotZero = (octave + 1022) << halfBits;
    this.#firstSlot = 1 << halfBits;
    this.#endSlot = Math.min(slotCount, (1023 - octave) << halfBits);
  }
}

const OWNER: OptionsOwner<DoubleHistogramOptions> = {
  name: 'DoubleHistogram',
  names: {
    significantDigits: true,
    highestToLowestValueRatio: true,
    autoResize: true,
    storage: true,
    outOfRange: true,
  },
  call: 'new DoubleHistogram({ significantDigits: 3 })',
};

function setupFrom(options: DoubleHistogramOptions): DoubleSetup {
  assertOptions(options, OWNER);
  const { storage = 'dense', outOfRange = 'throw' } = options;
  assertPolicy(outOfRange);
  const range = rangeFrom(options);
  return new DoubleSetup(range, emptyDoubleStore(storage, range), outOfRange);
}

/**
 * Counts of an empty histogram of doubles.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the storage is unknown.
 */
export function emptyDoubleStore(storage: DoubleStorage, { layout }: DoubleRange): Counts {
  if (storage === 'dense') return new DenseCounts(layout.slotCount);
  if (storage === 'sparse') return new SparseCounts(layout.slotCount);
  throw mustBe('ERR_INVALID_OPTION', 'storage', "'dense' or 'sparse'", storage satisfies never);
}

function refusalOfCorrection(range: DoubleRange, value: number, interval: number): HdrscopeError {
  return range.refusal(lowestCorrected(value, interval), 'the lowest value of the correction');
}

/** An interval of 0 corrects nothing. */
export function assertDoubleInterval(interval: number): void {
  if (typeof interval !== 'number' || !(interval >= 0 && interval < Number.POSITIVE_INFINITY)) {
    throw mustBe('ERR_INVALID_VALUE', 'expectedInterval', 'a finite number of at least 0', interval);
  }
}
