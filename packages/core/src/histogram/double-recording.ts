import type { ReadonlyCounts, Storage } from '../counts/readonly-counts.ts';
import { SharedCounts } from '../counts/shared.ts';
import type { CountsStore } from '../counts/store.ts';
import { usedSlots } from '../counts/used-slots.ts';
import { type HdrscopeError, mustBe } from '../errors.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import { correctedTotal } from './coordinated-omission.ts';
import { correctedDoubles, lowestCorrected, reachCorrected } from './double-correction.ts';
import { DoubleLayout } from './double-layout.ts';
import { type DoubleHistogramOptions, DoubleRange, LARGEST_DOUBLE } from './double-range.ts';
import { DoubleReading } from './double-reading.ts';
import { completeDoubleSetup } from './double-setup.ts';
import { NO_OUTLIERS, type Outliers, type OutOfRangePolicy } from './out-of-range.ts';
import { ReadingOf } from './reading.ts';
import { asNumbers } from './slot-values.ts';
import { assertCount, lengthOf } from './values.ts';

/** A value, and how often it was counted. */
export type CountedValue = readonly [value: number, count: number];

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
/** The index of the word with the exponent: 1, or 0 on big-endian machines. */
const UPPER = new Uint8Array(Uint32Array.of(1).buffer)[0]!;

/** The recording half of a `DoubleHistogram`. */
export abstract class DoubleRecording extends DoubleReading {
  /** Whether a value that does not fit beside the others widens the range. */
  readonly autoResize: boolean;
  /** The treatment of values that do not fit. */
  readonly outOfRange: OutOfRangePolicy;
  /**
   * How many values did not fit. Belongs to this instance: copies and encodings do not have it.
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
  /** When the first of the values was counted, in milliseconds since 1970; `undefined` when nobody has set it. */
  startTimeMs: number | undefined = undefined;
  /** When the last of the values was counted, in milliseconds since 1970; `undefined` when nobody has set it. */
  endTimeMs: number | undefined = undefined;
  /** The subject of the values, in an interval log. */
  tag: string | undefined = undefined;

  #range: DoubleRange;
  readonly #store: CountsStore;
  #integers: ReadingOf<number>;
  #layout: DoubleLayout;
  #low = 0;
  #limit = 0;
  // The numbers that a record needs, all small integers.
  /** Low bits of the double's upper word that no slot distinguishes. In `[3, 20]`. */
  #unusedBits = 0;
  /** The bits above those, less the slot, for any value of the range. */
  #slotZero = 0;
  /** The slot of the lowest value above 0. */
  #firstSlot = 0;
  /** Exclusive upper bound of the slots of the range, without those from 2^1022 on. Negative values lie beyond it. */
  #endSlot = 0;

  /**
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
   */
  constructor(options: DoubleHistogramOptions = {}) {
    super();
    const { range, store, outOfRange } = completeDoubleSetup(options);
    this.outOfRange = outOfRange;
    this.autoResize = range.autoResize;
    this.#range = range;
    const integers = range.layout;
    this.#store = store;
    this.#integers = this.#readingOver(integers);
    this.#layout = new DoubleLayout(integers, range.ratio);
    this.#note(range, integers);
  }

  get layout(): DoubleLayout {
    this.#follow();
    return this.#layout;
  }

  /** The buffer that other threads attach to, with shared storage only: see `DoubleHistogram.attach`. */
  get sharedBuffer(): SharedArrayBuffer | undefined {
    return this.#store instanceof SharedCounts ? this.#store.buffer : undefined;
  }

  /** How the counts are kept in memory. */
  get storage(): Storage {
    return this.#store.storage;
  }

  /** Decimal digits to which a value keeps its precision. */
  get significantDigits(): number {
    return this.#range.significantDigits;
  }

  /** The largest value divided by the smallest value above 0, at most. It is more than configured after the range has grown. */
  get highestToLowestValueRatio(): number {
    return Number(this.#range.highestToLowestRatio);
  }

  /** The smallest value above 0 that does not move the range. */
  get currentLowestTrackableNonZeroValue(): number {
    this.#follow();
    return this.#low;
  }

  /** Values below this do not move the range upwards. */
  get currentHighestTrackableValue(): number {
    this.#follow();
    return this.#limit;
  }

  get integerToDoubleValueConversionRatio(): number {
    this.#follow();
    return this.#range.ratio;
  }

  /** Bytes held by the counts. */
  get byteLength(): number {
    return this.#store.byteLength;
  }

  /**
   * Counts a value, once or `count` times. Allocates only when the range moves.
   *
   * @param value 0, or a number up to 2^1022 that is no further from the other values than the ratio, or its growth, allows.
   * @param count An integer from 0 to 2^53 − 1.
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is negative or not a number, `ERR_VALUE_OUT_OF_RANGE` when
   *   it does not fit (both only under the policy `'throw'`), `ERR_INVALID_COUNT` when the count is outside its range,
   *   `ERR_COUNT_OVERFLOW` when the total would pass 2^53 − 1.
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
   * Counts a value, and the values that were missed while the caller waited for it: `value - expectedInterval`,
   * `value - 2 * expectedInterval`, and so on down to `expectedInterval`. The correction of a clamped value starts at the value
   * that it is clamped to. Each further value that does not fit is clamped or discarded by itself.
   *
   * @param expectedInterval A finite number, in the unit of the values; 0 corrects nothing.
   * @param count How often each value is counted: an integer from 0 to 2^53 − 1.
   * @throws HdrscopeError as `record` does, also when one of the further values does not fit; then nothing is counted.
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
    this.#place([value, expectedInterval]);
    const range = this.#range.over(this.#integers);
    const admitted = this.#admitted(value, 'value', count, range);
    if (count === 0) return;
    if (admitted !== undefined) {
      // Nothing was missed during a value that was clamped to less than the interval.
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
   * @param values An array or typed array of numbers.
   * @throws HdrscopeError as `record` does.
   */
  recordValues(values: ArrayLike<number>): void {
    const length = lengthOf(values);
    this.#store.assertRoomFor(length);
    if (this.outOfRange === 'throw') this.#reachAll(values);
    for (let i = 0; i < length; i++) this.record(values[i]!);
  }

  protected get integers(): ReadingOf<number> {
    this.#follow();
    return this.#integers;
  }

  protected get range(): DoubleRange {
    this.#follow();
    return this.#range;
  }

  protected get store(): CountsStore {
    return this.#store;
  }

  /** Counts each of many values, with their correction when there is an interval: all of them, or, under any policy, none. */
  protected recordAll(values: readonly CountedValue[], interval = 0): void {
    this.#place(
      interval > 0 ? [interval, ...values.map(([value]) => value)] : values.map(([value]) => value),
    );
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
    const { significantDigits, highestToLowestRatio, autoResize, isFixed } = this.#range;
    if (!isFixed) this.#useRange(new DoubleRange({ significantDigits, highestToLowestRatio, autoResize }));
    this.outliers = NO_OUTLIERS;
    this.startTimeMs = undefined;
    this.endTimeMs = undefined;
    this.tag = undefined;
  }

  /** The slow way of a record: any value, any count, moves of the range, refusals. */
  #recordAny(value: number, count: number): void {
    assertCount(count);
    this.#store.assertRoomFor(count);
    let admitted: number | undefined = value;
    this.#place([value]);
    if (!this.#holds(value)) {
      // Only values above 0 move the range.
      const range = typeof value === 'number' && value > 0 ? this.#range.over(this.#integers) : this.#range;
      admitted = this.#admitted(value, 'value', count, range);
      if (admitted !== undefined && count > 0) this.#moveTo(range);
      this.#tallyOutlier(value, admitted, count);
    }
    if (admitted !== undefined && count > 0) this.#store.add(this.#layout.slotOf(admitted), count);
  }

  /** Whether a value fits without a move of the range. */
  #holds(value: number): boolean {
    if (typeof value !== 'number') return false;
    return value === 0 || (value >= this.#low && value < this.#limit && value <= LARGEST_DOUBLE);
  }

  /** Moves the range so that all values fit, as recording them one by one would. */
  #reachAll(values: ArrayLike<number>): void {
    const { length } = values;
    this.#place(values);
    let held = 0;
    while (held < length && this.#holds(values[held]!)) held++;
    if (held === length) return;
    const range = this.#range.over(this.#integers);
    for (let i = 0; i < length; i++) {
      if (!range.reach(values[i]!)) this.#admitted(values[i]!, `values[${i}]`, 1, range);
    }
    this.#moveTo(range);
  }

  /** The value to count for a value, after moving `range` so that it fits; `undefined` when the value is discarded. */
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

  /** Counts a value among the outliers when another value or none was counted for it. */
  #tallyOutlier(value: number, admitted: number | undefined, count: number): void {
    if (admitted === undefined) this.#tally('discarded', count);
    else if (admitted !== value) this.#tally('clamped', count);
  }

  #tally(outcome: keyof Outliers, count: number): void {
    this.outliers = { ...this.outliers, [outcome]: this.outliers[outcome] + count };
  }

  /** Counts a value that fits, and the values of its correction, of which small ones may not fit. */
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

  /** The nearest value to one below a range that reaches no further down. */
  #nearestBelow(value: number): number {
    return value < this.#low / 2 ? 0 : this.#low;
  }

  /** Moves the counts to another range, in which all of them fit. */
  #moveTo(range: DoubleRange): void {
    const store = this.#store;
    const { layout } = this.#integers;
    const up = this.#range.octave - range.octave;
    const moved: [slot: number, count: number][] = [];
    if (up !== 0) {
      for (const [slot, count] of usedSlots(store.seen())) {
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
    const isPlaced = range.isPlaced === before.isPlaced;
    if (isPlaced && range.octave === before.octave && range.octaves === before.octaves) return;
    const { layout } = range;
    this.#integers = this.#readingOver(layout);
    this.#layout = new DoubleLayout(layout, range.ratio);
    this.#note(range, layout);
  }

  #readingOver(layout: HdrLayout): ReadingOf<number> {
    const store = this.#store;
    const source = {
      layout,
      get counts(): ReadonlyCounts {
        return store.seen();
      },
    };
    return new ReadingOf(source, asNumbers);
  }

  /** Gives a fixed range its position around the values above 0, unless it has one already. */
  #place(values: ArrayLike<number>): void {
    this.#follow();
    const range = this.#range;
    if (range.isPlaced || !(this.#store instanceof SharedCounts)) return;
    let [lowest, highest] = [Number.POSITIVE_INFINITY, 0];
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      if (!range.canReach(value)) continue;
      lowest = Math.min(lowest, value);
      highest = Math.max(highest, value);
    }
    if (highest === 0) return;
    this.#useRange(range.placedAt(this.#store.claimOctave(range.octaveAround(lowest, highest))));
  }

  /** Learns the position that another thread has given to the range. */
  #follow(): void {
    if (this.#range.isPlaced || !(this.#store instanceof SharedCounts)) return;
    const { octave } = this.#store;
    if (octave !== undefined) this.#useRange(this.#range.placedAt(octave));
  }

  #note(range: DoubleRange, { slotCount }: HdrLayout): void {
    const { low, limit, octave, halfBits, isPlaced } = range;
    this.#low = isPlaced ? low : Number.POSITIVE_INFINITY;
    this.#limit = isPlaced ? limit : 0;
    this.#unusedBits = 20 - halfBits;
    this.#slotZero = (octave + 1022) << halfBits;
    this.#firstSlot = 1 << halfBits;
    this.#endSlot = isPlaced ? Math.min(slotCount, (1023 - octave) << halfBits) : 0;
  }
}

function refusalOfCorrection(range: DoubleRange, value: number, interval: number): HdrscopeError {
  return range.refusal(lowestCorrected(value, interval), 'the lowest value of the correction');
}

/**
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the interval is negative, infinite or not a number.
 */
export function assertDoubleInterval(interval: number): void {
  if (typeof interval !== 'number' || !(interval >= 0 && interval < Number.POSITIVE_INFINITY)) {
    throw mustBe('ERR_INVALID_VALUE', 'expectedInterval', 'a finite number of at least 0', interval);
  }
}
