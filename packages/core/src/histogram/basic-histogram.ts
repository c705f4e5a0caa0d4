import { LARGEST_COUNT } from '../counts/counts.ts';
import type { CountsStore } from '../counts/store.ts';
import { type HdrscopeError, mustBe } from '../errors.ts';
import { type HdrLayout, LARGEST_VALUE } from '../layout/hdr.ts';
import { correctedCounts, correctedTotal } from './coordinated-omission.ts';
import { asBigInts, asNumbers } from './slot-values.ts';
import { HistogramState } from './state.ts';
import { assertCount, isValue, slotOfValue } from './values.ts';

const TWO_POW_31 = 2 ** 31;

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
/** Which of the words has the exponent: the second one, but on big-endian machines. */
const UPPER = new Uint8Array(Uint32Array.of(1).buffer)[0]!;
/** In that word. */
const MANTISSA_BITS = 20;
const EXPONENT_BIAS = 1023;

// Fewer corrections than these are recorded one by one, more of them slot by slot.
const FEW = 64;

/** The recording half of a `Histogram`. */
export abstract class HdrRecording extends HistogramState {
  // What one record of a small integer needs, brought to where it is read. Initialised here, and not in the constructor:
  // what was assigned but once is a constant to V8, and in a histogram that never resizes all of this is.
  #counts: CountsStore = this.store;
  #slotCount = this.knownLayout.slotCount;
  #halfBits = this.knownLayout.subBucketBits - 1;
  #unitShift = Math.min(this.knownLayout.unitMagnitude, 31);
  #mask = maskOf(this.knownLayout);
  #shiftBase = shiftBaseOf(this.knownLayout);
  #halfCount = this.knownLayout.subBucketCount / 2;
  #unusedBits = unusedBitsOf(this.knownLayout);
  #slotZero = slotZeroOf(this.knownLayout);

  /**
   * Counts a value, once or `count` times. Allocates nothing.
   *
   * @param value From 0 to the highest trackable value; fastest as a number up to 2^53 − 1.
   * @param count An integer from 0 to 2^53 − 1.
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is no number or negative, `ERR_VALUE_OUT_OF_RANGE` when
   *   it is too large (both only under the policy `'throw'`), `ERR_INVALID_COUNT` and `ERR_COUNT_OVERFLOW` when the
   *   count is wrong or would not be exact.
   */
  record(value: number | bigint, count = 1): void {
    // All of it is here, as handing a double to a method that is too large to be inlined would allocate.
    if (typeof value === 'number') {
      if (value < TWO_POW_31) {
        // As `HdrLayout.slotOf`, in 32-bit integers.
        const int = value | 0;
        const shift = this.#shiftBase - Math.clz32(int | this.#mask);
        const slot = ((shift - this.#unitShift) << this.#halfBits) + (int >>> shift);
        if (value >= 0 && slot < this.#slotCount) {
          if (count === 1) this.#counts.increment(slot);
          else this.#add(slot, count);
          return;
        }
      } else {
        // The bits of a double, its exponent and then its mantissa, number the slots from the upper half of bucket 0 on.
        // What is infinite or no number has higher bits than any value.
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
   * Counts a value, and the values that were not seen while it was waited for: `value - expectedInterval`,
   * `value - 2 * expectedInterval`, and so on down to `expectedInterval`. This undoes coordinated omission, where a
   * load generator that waits for a slow answer leaves out the requests that would have been slow too.
   *
   * @param expectedInterval An integer, in the unit of the values; 0 corrects nothing.
   * @param count How often each of them is counted.
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
    if (expectedInterval === 0 || expectedInterval === 0n || !(value > expectedInterval)) {
      this.record(value, count);
      return;
    }
    const target = this.#fits(value) ? value : this.#nearest(value);
    if (target !== undefined) this.#counts.assertRoomFor(correctedTotal(target, expectedInterval) * count);
    const admitted = this.#admitted(value, count);
    if (admitted === undefined) return;
    if (admitted <= expectedInterval) {
      // Clamped to less than the interval: nothing was missed meanwhile.
      this.#counts.add(slotOfValue(this.layout, admitted), count);
      return;
    }
    const interval = Number(expectedInterval);
    const isSmall = typeof admitted === 'number' && admitted <= LARGEST_COUNT && interval <= LARGEST_COUNT;
    if (isSmall && admitted / interval < FEW) {
      for (let rest = admitted; rest >= interval; rest -= interval) this.record(rest, count);
      return;
    }
    // Large values in bigints; the rest, which is nearly all, in numbers.
    const shares = isSmall
      ? correctedCounts(this.layout, asNumbers, admitted, interval)
      : correctedCounts(this.layout, asBigInts, BigInt(admitted), BigInt(expectedInterval));
    for (const [slot, share] of shares) this.#counts.add(slot, share * count);
  }

  /**
   * Counts each of many values: all of them, or, when one is refused, none.
   *
   * @param values An array or typed array, of bigints too.
   * @throws HdrscopeError as `record` does.
   */
  recordValues(values: ArrayLike<number> | ArrayLike<bigint>): void {
    const { length } = values;
    this.#counts.assertRoomFor(length);
    if (this.outOfRange === 'throw') {
      const { layout } = this;
      const known = Math.min(layout.largestValue, LARGEST_COUNT);
      let largest: number | bigint = 0;
      for (let i = 0; i < length; i++) {
        const value = values[i]!;
        if (!(value >= 0 && value <= known) && !this.#fits(value)) this.#outlier(value, `values[${i}]`, 1);
        if (value > largest) largest = value;
      }
      this.reach(BigInt(typeof largest === 'number' ? Math.floor(largest) : largest));
    }
    for (let i = 0; i < length; i++) this.record(values[i]!);
  }

  protected override layoutChanged(layout: HdrLayout): void {
    this.#slotCount = layout.slotCount;
    this.#halfBits = layout.subBucketBits - 1;
    this.#unitShift = Math.min(layout.unitMagnitude, 31);
    this.#mask = maskOf(layout);
    this.#shiftBase = shiftBaseOf(layout);
    this.#halfCount = layout.subBucketCount / 2;
    this.#unusedBits = unusedBitsOf(layout);
    this.#slotZero = slotZeroOf(layout);
  }

  #add(slot: number, count: number): void {
    assertCount(count);
    this.#counts.assertRoomFor(count);
    this.#counts.add(slot, count);
  }

  /** The whole way of a record: any value, any count, resizing, and what to say when it is refused. */
  #recordAny(value: number | bigint, count: number): void {
    assertCount(count);
    this.#counts.assertRoomFor(count); // Before the range is widened.
    const admitted = this.#admitted(value, count);
    if (admitted !== undefined) this.#counts.add(slotOfValue(this.layout, admitted), count);
  }

  /** The value to count in place of one, with a slot; nothing where it is discarded. */
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

  /** Does with a value what the policy says. */
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

  /** What is counted in place of a value that does not fit; nothing where that is not to be. */
  #nearest(value: number | bigint): number | bigint | undefined {
    // NaN is nowhere near any value.
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

/** An interval of 0 corrects nothing. */
export function assertInterval(interval: number | bigint): void {
  const isInteger = typeof interval === 'bigint' ? interval <= LARGEST_VALUE : Number.isSafeInteger(interval);
  if (!isInteger || interval < 0) {
    throw mustBe('ERR_INVALID_VALUE', 'expectedInterval', 'an integer from 0 to 2^63 - 1', interval);
  }
}

/** Of the upper 32 bits of a double, those at the end that are too fine to tell slots apart. */
function unusedBitsOf({ subBucketBits }: HdrLayout): number {
  return MANTISSA_BITS - (subBucketBits - 1);
}

/** What the bits before them are of the first value of the upper half of bucket 0, less its slot. */
function slotZeroOf({ unitMagnitude, subBucketBits }: HdrLayout): number {
  const halfBits = subBucketBits - 1;
  return ((EXPONENT_BIAS + unitMagnitude + halfBits) << halfBits) - (1 << halfBits);
}

// A mask that makes all values of bucket 0 look as long as its largest. Where all 31-bit integers lie in bucket 0, a
// full mask gives them all its shift.
function maskOf({ unitMagnitude, subBucketBits }: HdrLayout): number {
  return unitMagnitude + subBucketBits <= 31 ? (2 ** subBucketBits - 1) << unitMagnitude : 0x7fffffff;
}

function shiftBaseOf({ unitMagnitude, subBucketBits }: HdrLayout): number {
  return unitMagnitude + subBucketBits <= 31 ? 32 - subBucketBits : Math.min(unitMagnitude, 31) + 1;
}
