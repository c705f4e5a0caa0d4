import { LARGEST_COUNT } from '../counts/largest-count.ts';
import type { CountsStore } from '../counts/store.ts';
import { type HistogramJson, histogramToJson } from '../encoding/json.ts';
import { type HdrscopeError, mustBe } from '../errors.ts';
import { type HdrLayout, LARGEST_VALUE, slotMaskOf, slotShiftOf } from '../layout/hdr.ts';
import { correctedCounts, correctedTotal } from './coordinated-omission.ts';
import { fractionHint, warnOfFractions } from './fractions.ts';
import { inspectionOf } from './inspection.ts';
import { asBigInts, asNumbers } from './slot-values.ts';
import { HistogramState } from './state.ts';
import { assertCount, isValue, lengthOf, slotOfValue } from './values.ts';

const TWO_POW_31 = 2 ** 31;

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
/** The index of the word with the exponent: 1, or 0 on big-endian machines. */
const UPPER = new Uint8Array(Uint32Array.of(1).buffer)[0]!;
/** Bits of the mantissa in that word. */
const MANTISSA_BITS = 20;
const EXPONENT_BIAS = 1023;

// Fewer corrected values than this are recorded one by one; more are counted slot by slot.
const FEW = 64;

/**
 * The part of a `Histogram` that records and reads: percentiles, moments, iteration. Encodings, sums and copies are those of
 * `Histogram`; without them a bundle for browsers is a third smaller and compresses nothing.
 *
 * @example
 * ```ts
 * import { BasicHistogram } from '@hdrscope/core';
 *
 * const frames = new BasicHistogram({ highestTrackableValue: 60_000_000, significantDigits: 2 });
 * for (const microseconds of [16_600, 16_700, 33_400]) frames.record(microseconds);
 * frames.valueAtPercentile(50); //=> 16767
 * ```
 */
export class BasicHistogram extends HistogramState {
  // The fields that one record of a small integer needs. They are initialised here and not in the constructor, because V8
  // treats a field that is assigned once as a constant: in a histogram that never resizes, all of them are.
  #counts: CountsStore = this.store;
  #slotCount = this.knownLayout.slotCount;
  #halfBits = this.knownLayout.subBucketBits - 1;
  #unitShift = Math.min(this.knownLayout.unitMagnitude, 31);
  #mask = slotMaskOf(this.knownLayout);
  #shiftBase = slotShiftOf(this.knownLayout);
  #halfCount = this.knownLayout.subBucketCount / 2;
  #unusedBits = unusedBitsOf(this.knownLayout);
  #slotZero = slotZeroOf(this.knownLayout);
  /** How many values above 0 and below 1 were recorded into this instance. */
  #fractions = 0;

  /**
   * Counts a value, once or `count` times. Allocates nothing.
   *
   * @param value From 0 to the highest trackable value; fastest as a number up to 2^53 − 1.
   * @param count An integer from 0 to 2^53 − 1.
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is negative or not a number, `ERR_VALUE_OUT_OF_RANGE` when
   *   it is too large (both only under the policy `'throw'`), `ERR_INVALID_COUNT` when the count is outside its range,
   *   `ERR_COUNT_OVERFLOW` when the total would pass 2^53 − 1.
   */
  record(value: number | bigint, count = 1): void {
    // The whole fast way is in this method: passing a double to a method that V8 does not inline would allocate.
    if (typeof value === 'number') {
      if (value < TWO_POW_31) {
        // As `HdrLayout.slotOf`, in 32-bit integers.
        const int = value | 0;
        const shift = this.#shiftBase - Math.clz32(int | this.#mask);
        const slot = ((shift - this.#unitShift) << this.#halfBits) + (int >>> shift);
        // A value above 0 and below 1 takes the slow way, which notes it; so does a negative one.
        if (slot < this.#slotCount && (int > 0 || value === 0)) {
          if (count === 1) this.#counts.increment(slot);
          else this.#add(slot, count);
          return;
        }
      } else {
        // The bits of a double, its exponent and then its mantissa, number the slots from the upper half of bucket 0 on.
        // Infinity and NaN have higher bits than any value.
        double[0] = value;
        const slot = (words[UPPER]! >>> this.#unusedBits) - this.#slotZero;
        if (slot >= this.#halfCount && slot < this.#slotCount) {
          if (count === 1) this.#counts.increment(slot);
          else this.#add(slot, count);
          return;
        }
      }
    }
    this.#recordAny(value, count);
  }

  /**
   * Counts a value, and the values that were missed while the caller waited for it: `value - expectedInterval`,
   * `value - 2 * expectedInterval`, and so on down to `expectedInterval`. This undoes coordinated omission: a load
   * generator that waits for a slow answer leaves out the requests that would have been slow too.
   *
   * @param expectedInterval An integer, in the unit of the values; 0 corrects nothing.
   * @param count How often each value is counted: an integer from 0 to 2^53 − 1.
   * @throws HdrscopeError as `record` does.
   * @example
   * ```ts
   * import { Histogram } from '@hdrscope/core';
   *
   * const histogram = new Histogram({ highestTrackableValue: 10_000 });
   * histogram.recordCorrected(1000, 250);
   * [...histogram.recordedValues()].map((step) => step.valueIteratedTo); //=> [250, 500, 750, 1000]
   * ```
   */
  recordCorrected(value: number | bigint, expectedInterval: number | bigint, count = 1): void {
    assertInterval(expectedInterval);
    assertCount(count);
    const isCorrected = expectedInterval > 0 && isValue(value) && value > expectedInterval;
    if (!isCorrected) {
      this.record(value, count);
      return;
    }
    const target = this.#fits(value) ? value : this.#nearest(value);
    if (target !== undefined) this.#counts.assertRoomFor(correctedTotal(target, expectedInterval) * count);
    const admitted = this.#admitted(value, count);
    if (admitted === undefined) return;
    if (admitted <= expectedInterval) {
      // The value was clamped to less than the interval: nothing was missed meanwhile.
      this.#counts.add(slotOfValue(this.layout, admitted), count);
      return;
    }
    const interval = Number(expectedInterval);
    const isSmall = typeof admitted === 'number' && admitted <= LARGEST_COUNT && interval <= LARGEST_COUNT;
    if (isSmall && admitted / interval < FEW) {
      for (let rest = admitted; rest >= interval; rest -= interval) this.record(rest, count);
      return;
    }
    // Large values are computed as bigints; nearly all values are small, and numbers are faster.
    const shares = isSmall
      ? correctedCounts(this.layout, asNumbers, admitted, interval)
      : correctedCounts(this.layout, asBigInts, BigInt(admitted), BigInt(expectedInterval));
    for (const [slot, share] of shares) this.#counts.add(slot, share * count);
  }

  /**
   * Counts each of many values: all of them, or, when one is refused, none.
   *
   * @param values An array or typed array of numbers or bigints.
   * @throws HdrscopeError as `record` does.
   */
  recordValues(values: ArrayLike<number> | ArrayLike<bigint>): void {
    const length = lengthOf(values);
    this.#counts.assertRoomFor(length);
    if (this.outOfRange === 'throw') {
      const { layout } = this;
      const known = Math.min(layout.largestValue, LARGEST_COUNT);
      let largest: number | bigint = 0;
      for (let i = 0; i < length; i++) {
        const value = values[i]!;
        const isKnown = isValue(value) && value <= known;
        if (!isKnown && !this.#fits(value)) this.#outlier(value, `values[${i}]`, 1);
        if (value > largest) largest = value;
      }
      this.reach(BigInt(typeof largest === 'number' ? Math.floor(largest) : largest));
    }
    for (let i = 0; i < length; i++) this.record(values[i]!);
  }

  /** Forgets all values, the outliers, the times and the tag. The range stays. */
  reset(): void {
    this.store.clear();
    this.#fractions = 0;
    this.forget();
  }

  /**
   * The histogram as plain data, for `JSON.stringify` and `structuredClone`: layout, used slots, times and tag.
   * `Histogram.fromJSON` reads it.
   *
   * @example
   * ```ts
   * import { BasicHistogram, Histogram } from '@hdrscope/core';
   *
   * const frames = new BasicHistogram({ highestTrackableValue: 60_000_000 });
   * frames.record(42, 3);
   * Histogram.fromJSON(JSON.parse(JSON.stringify(frames))).countAt(42); //=> 3
   * ```
   */
  toJSON(): HistogramJson {
    return histogramToJson(this, 0);
  }

  /** The line that `console.log` shows: count, bounds and some percentiles. */
  protected override inspection(): string {
    const hint = fractionHint(this.#fractions, this.totalCount);
    return inspectionOf(this, (percentile) => this.valueAtPercentile(percentile), hint);
  }

  /** Copies the numbers of a new layout to the fields that `record` reads. */
  protected override layoutChanged(layout: HdrLayout): void {
    this.#slotCount = layout.slotCount;
    this.#halfBits = layout.subBucketBits - 1;
    this.#unitShift = Math.min(layout.unitMagnitude, 31);
    this.#mask = slotMaskOf(layout);
    this.#shiftBase = slotShiftOf(layout);
    this.#halfCount = layout.subBucketCount / 2;
    this.#unusedBits = unusedBitsOf(layout);
    this.#slotZero = slotZeroOf(layout);
  }

  #add(slot: number, count: number): void {
    assertCount(count);
    this.#counts.assertRoomFor(count);
    this.#counts.add(slot, count);
  }

  /** The slow way of a record: any value, any count, resizing, refusals. */
  #recordAny(value: number | bigint, count: number): void {
    assertCount(count);
    this.#counts.assertRoomFor(count); // before the range is widened
    if (typeof value === 'number' && value > 0 && value < 1) {
      this.#counts.add(0, count);
      this.#fractions += count;
      warnOfFractions(this.#fractions, count, () => this.totalCount);
      return;
    }
    const admitted = this.#admitted(value, count);
    if (admitted !== undefined) this.#counts.add(slotOfValue(this.layout, admitted), count);
  }

  /** The integer to count for a value, which has a slot then; `undefined` when the value is discarded. */
  #admitted(value: number | bigint, count: number): number | bigint | undefined {
    if (!this.#fits(value)) return this.#outlier(value, 'value', count);
    const whole = typeof value === 'bigint' ? value : Math.floor(value);
    if (count > 0) this.reach(BigInt(whole));
    return whole;
  }

  #fits(value: unknown): boolean {
    if (!isValue(value) || value > LARGEST_VALUE) return false;
    return this.autoResize || slotOfValue(this.layout, value) < this.#slotCount;
  }

  /** Applies the policy to a value that does not fit. */
  #outlier(value: number | bigint, what: string, count: number): number | bigint | undefined {
    const { thrown, clamped, discarded } = this.outliers;
    if (this.outOfRange === 'throw') {
      this.outliers = { thrown: thrown + count, clamped, discarded };
      throw this.#refusal(value, what);
    }
    const nearest = this.#nearest(value);
    if (nearest === undefined) {
      this.outliers = { thrown, clamped, discarded: discarded + count };
      return undefined;
    }
    this.outliers = { thrown, clamped: clamped + count, discarded };
    if (count > 0) this.reach(BigInt(nearest));
    return nearest;
  }

  /** The value that is counted in place of one that does not fit; `undefined` when nothing is. */
  #nearest(value: number | bigint): number | bigint | undefined {
    // No value is near NaN.
    const isNear = typeof value === 'bigint' || (typeof value === 'number' && !Number.isNaN(value));
    if (this.outOfRange !== 'clamp' || !isNear) return undefined;
    return value < 0 ? 0 : this.#largest;
  }

  /** The largest value that has a slot, or gets one. */
  get #largest(): bigint {
    const { layout, autoResize } = this;
    return autoResize ? LARGEST_VALUE : layout.upperBigInt(layout.slotCount - 1);
  }

  #refusal(value: unknown, what: string): HdrscopeError {
    const { layout, autoResize } = this;
    const largest = this.#largest;
    if (!isValue(value)) return mustBe('ERR_INVALID_VALUE', what, `a number from 0 to ${largest}`, value);
    const configured = autoResize ? '' : ` (highestTrackableValue ${layout.highestTrackableBigInt})`;
    return mustBe('ERR_VALUE_OUT_OF_RANGE', what, `at most ${largest}${configured}`, value);
  }
}

/**
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the interval is not an integer from 0 to 2^63 − 1.
 */
export function assertInterval(interval: number | bigint): void {
  const isInteger = typeof interval === 'bigint' ? interval <= LARGEST_VALUE : Number.isSafeInteger(interval);
  if (!isInteger || interval < 0) {
    throw mustBe('ERR_INVALID_VALUE', 'expectedInterval', 'an integer from 0 to 2^63 - 1', interval);
  }
}

/** Low bits of the upper word of a double that no slot distinguishes. */
function unusedBitsOf({ subBucketBits }: HdrLayout): number {
  return MANTISSA_BITS - (subBucketBits - 1);
}

/** The bits above those, of the first value in the upper half of bucket 0, less the slot of that value. */
function slotZeroOf({ unitMagnitude, subBucketBits }: HdrLayout): number {
  const halfBits = subBucketBits - 1;
  return ((EXPONENT_BIAS + unitMagnitude + halfBits) << halfBits) - (1 << halfBits);
}
