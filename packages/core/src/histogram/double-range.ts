import type { Counted } from '../counted.ts';
import { nextDown, nextUp } from '../double.ts';
import { type HdrscopeError, mustBe } from '../errors.ts';
import { HdrLayout } from '../layout/hdr.ts';
import type { Layout } from '../layout/layout.ts';
import type { OutOfRangePolicy } from './out-of-range.ts';

/** How counts of doubles are kept in memory. */
export type DoubleStorage = 'dense' | 'sparse';

/** How a histogram of doubles is set up. */
export interface DoubleHistogramOptions {
  /** Decimal digits to which a value keeps its precision: an integer from 0 to 5. @default 3 */
  readonly significantDigits?: number;
  /**
   * How many times the smallest value above 0 the largest may be: an integer from 2 to below
   * 2^61 / 10^significantDigits. Without it the histogram grows with its values.
   */
  readonly highestToLowestValueRatio?: number;
  /** Whether a value that does not fit beside the others widens the range. @default only without the ratio */
  readonly autoResize?: boolean;
  /** `'dense'` is fastest and allocates everything at once, `'sparse'` only what is touched. @default 'dense' */
  readonly storage?: DoubleStorage;
  /**
   * What is done with a value that does not fit beside those that are counted, is negative or no number: it is refused
   * with an error, counted as the nearest value that fits, or not counted at all. `outliers` counts all three.
   *
   * The nearest is 0 for a negative value and for one below half of the smallest that fits. For a larger one the range
   * moves, and grows if it may, as far as the others let it: no value that fits is above what was clamped from above.
   * Discarded instead is NaN, which is near none; and what exceeds 2^1022, as long as nothing above 0 is counted: there
   * is no range yet, and no other value would fit beside such an end of one.
   * @default 'throw'
   */
  readonly outOfRange?: OutOfRangePolicy;
}

// An octave `k` holds the values from 2^k up to 2^(k + 1). A range is a run of octaves. A value is counted as the
// integer part of `value / ratio`, where the ratio is the power of two that makes `subBucketCount / 2` of the lowest
// value: then bucket 0 is used in its upper half alone, and every value keeps its digits. Zero has the slot 0.

/** The largest value that a range can reach. */
export const LARGEST_DOUBLE: number = 2 ** 1022;

/** Where a range begins that nobody has asked anything of: so high that the first value moves it down. */
const FIRST_OCTAVE = 800;

// The integers end at 2^63.
const MOST_BITS = 63;

const bytes = new DataView(new ArrayBuffer(8));

/** `floor(log2(value))` of a value from 2^-1022; -1023 below. */
export function octaveOf(value: number): number {
  bytes.setFloat64(0, value);
  return (bytes.getUint16(0) >> 4) - 1023;
}

/** The smallest value above 0 that a range can reach: from there on the ratio and its inverse are exact. */
export function smallestDouble({ halfBits }: DoubleRange): number {
  return 2 ** (halfBits - 1022);
}

/** What a range begins with. */
export interface DoubleRangeOptions {
  readonly significantDigits: number;
  readonly highestToLowestRatio: bigint;
  readonly autoResize: boolean;
  readonly octave?: number;
  /** If known: finding it out takes longer than all the rest. */
  readonly halfBits?: number;
}

/** Where a range is, what lies in it, and how both move. Holds no counts: what does not fit is found out without them. */
export class DoubleRange {
  readonly significantDigits: number;
  /** `log2` of the lowest integer that keeps its digits. In `[0, 17]`. */
  readonly halfBits: number;
  readonly autoResize: boolean;
  /** The first octave. */
  octave: number;
  /** How many octaves there are: one more than any range of the ratio touches. */
  octaves: number;
  /** In `[2, 2^62]`. */
  highestToLowestRatio: bigint;
  /** By how many octaves counts were moved upwards in the slots. */
  moved = 0;
  /** The first and last octaves in which something was counted; the first is above the last where nothing was. */
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  /**
   * @throws HdrscopeError `ERR_INVALID_OPTION` when the significant digits are none from 0 to 5.
   */
  constructor({
    significantDigits,
    highestToLowestRatio,
    autoResize,
    octave = FIRST_OCTAVE,
    halfBits = new HdrLayout({ highestTrackableValue: 2, significantDigits }).subBucketBits - 1,
  }: DoubleRangeOptions) {
    this.significantDigits = significantDigits;
    this.halfBits = halfBits;
    this.highestToLowestRatio = highestToLowestRatio;
    this.octaves = highestToLowestRatio.toString(2).length + 1;
    this.octave = octave;
    this.autoResize = autoResize;
  }

  /** The lowest value above 0. */
  get low(): number {
    return 2 ** this.octave;
  }

  /** What all values are below. Infinity where that is no double. */
  get limit(): number {
    return 2 ** (this.octave + this.octaves);
  }

  /** The value of the integer 1. */
  get ratio(): number {
    return 2 ** (this.octave - this.halfBits);
  }

  /** The layout of the integers. */
  get layout(): HdrLayout {
    return new HdrLayout({
      highestTrackableValue: 2n ** BigInt(this.halfBits + this.octaves) - 1n,
      significantDigits: this.significantDigits,
    });
  }

  /** A copy that takes note of what is counted in this one. */
  over({ layout, counts }: Counted<HdrLayout>): DoubleRange {
    const copy = this.copy();
    const first = counts.next(1);
    if (first < counts.length) {
      copy.#widen(layout.lower(first) * this.ratio);
      copy.#widen(layout.lower(counts.last) * this.ratio);
    }
    return copy;
  }

  /** The same range, with nothing in it that was moved. */
  emptied(): DoubleRange {
    const copy = this.copy();
    copy.moved = 0;
    return copy;
  }

  /**
   * Moves to where a value fits beside those that are there, and takes note of it. Returns whether it fits; where it
   * does not, nothing is noted, though the range may have moved on the way.
   * Source: HdrHistogram (Java), `DoubleHistogram.autoAdjustRangeForValue`; the steps are the same, as a range that
   * grows ends where they take it.
   */
  reach(value: number): boolean {
    if (value === 0) return true;
    if (!isPositive(value) || value > LARGEST_DOUBLE || value < smallestDouble(this)) return false;
    while (value < this.low) {
      if (!this.#stepDown(this.#stepsTo(Math.ceil(this.low / value) - 1))) return false;
    }
    while (value >= this.limit) {
      // A value at the limit belongs above it.
      if (!this.#stepUp(this.#stepsTo(Math.ceil(nextUp(value) / this.limit) - 1))) return false;
    }
    this.#widen(value);
    return true;
  }

  /** Of the values that fit, the nearest to one that does not; nothing where none is near. */
  nearest(value: number): number | undefined {
    if (typeof value === 'number' && value < 0) return 0;
    if (!isPositive(value)) return undefined;
    const octaves = this.autoResize ? MOST_BITS - this.halfBits : this.octaves;
    const smallest = Math.max(2 ** (this.#last - octaves + 1), smallestDouble(this));
    if (value < smallest) return value < smallest / 2 ? 0 : smallest;
    if (this.#last < this.#first) return undefined;
    return Math.min(nextDown(2 ** (this.#first + octaves)), LARGEST_DOUBLE);
  }

  /** What to say of a value that does not fit. */
  refusal(value: number, what: string): HdrscopeError {
    if (value !== 0 && !isPositive(value)) {
      return mustBe('ERR_INVALID_VALUE', what, 'a number from 0 to 2^1022', value);
    }
    const smallest = smallestDouble(this);
    const allowed =
      value > LARGEST_DOUBLE || value < smallest || this.#last < this.#first
        ? `0, or from ${smallest} to 2^1022`
        : `within ${this.octaves} octaves of the others, which lie from ${2 ** this.#first} to ${2 ** (this.#last + 1)}`;
    return mustBe('ERR_VALUE_OUT_OF_RANGE', what, allowed, value);
  }

  /** How many octaves at once, where a value lies beyond by so many times the end of the range. */
  #stepsTo(times: number): number {
    const ratio = Number(this.highestToLowestRatio);
    if (times > ratio) return Math.trunc(Math.log(ratio) / Math.LN2);
    return times > 2 ** 50 ? 50 : octaveOf(times) + 1;
  }

  /** Fewer steps where so many do not fit: Java then gives up, though all together might. */
  #stepDown(most: number): boolean {
    for (let steps = most; steps > 0; steps--) {
      const fits = this.#last < this.octave + this.octaves - steps;
      if (!fits && !this.#grow(steps)) continue;
      this.octave -= steps;
      if (this.#last >= this.#first) this.moved += steps;
      return true;
    }
    return false;
  }

  #stepUp(most: number): boolean {
    for (let steps = most; steps > 0; steps--) {
      if (this.#first >= this.octave + steps) {
        this.octave += steps;
        if (this.#last >= this.#first) this.moved -= steps;
        return true;
      }
      if (this.#grow(steps)) return true;
    }
    return false;
  }

  #grow(octaves: number): boolean {
    if (!this.autoResize || this.halfBits + this.octaves + octaves > MOST_BITS) return false;
    this.highestToLowestRatio <<= BigInt(octaves);
    this.octaves += octaves;
    return true;
  }

  #widen(value: number): void {
    const octave = octaveOf(value);
    this.#first = Math.min(this.#first, octave);
    this.#last = Math.max(this.#last, octave);
  }

  /** The same range, to be moved without this one. */
  copy(): DoubleRange {
    const copy = new DoubleRange(this);
    copy.moved = this.moved;
    return copy;
  }
}

function isPositive(value: unknown): value is number {
  return typeof value === 'number' && value > 0;
}

/** The range that a histogram begins with. */
export function rangeFrom({
  significantDigits = 3,
  highestToLowestValueRatio,
  autoResize = highestToLowestValueRatio === undefined,
}: DoubleHistogramOptions): DoubleRange {
  const ratio = highestToLowestValueRatio ?? 2;
  const limit = 2 ** 61 / 10 ** significantDigits;
  if (!Number.isInteger(ratio) || ratio < 2 || ratio >= limit) {
    const allowed = `an integer from 2 to below ${limit}, with ${significantDigits} significant digits`;
    throw mustBe('ERR_INVALID_OPTION', 'highestToLowestValueRatio', allowed, ratio);
  }
  return new DoubleRange({ significantDigits, highestToLowestRatio: BigInt(ratio), autoResize });
}

/** The slots of a `DoubleHistogram` in doubles: each holds the values from its lower bound up to below its upper one. */
export class DoubleLayout implements Layout {
  readonly kind = 'double';
  readonly lowerInclusive = true;
  readonly upperInclusive = false;
  readonly significantDigits: number;
  readonly slotCount: number;
  readonly subBucketCount: number;
  /** How many times the width doubles, plus one. */
  readonly bucketCount: number;
  readonly #integers: HdrLayout;
  readonly #ratio: number;

  constructor(integers: HdrLayout, ratio: number) {
    this.significantDigits = integers.significantDigits;
    this.slotCount = integers.slotCount;
    this.subBucketCount = integers.subBucketCount;
    this.bucketCount = integers.bucketCount;
    this.#integers = integers;
    this.#ratio = ratio;
  }

  slotOf(value: number): number {
    const integer = value / this.#ratio;
    // Beyond, there are no integers to compute it in.
    return integer >= 2 ** MOST_BITS ? this.slotCount : this.#integers.slotOf(integer);
  }

  lower(slot: number): number {
    return this.#integers.lower(slot) * this.#ratio;
  }

  upper(slot: number): number {
    return (this.#integers.lower(slot) + this.#integers.size(slot)) * this.#ratio;
  }

  /** Nothing but 0 is counted in slot 0, so it stands for itself. */
  midpoint(slot: number): number {
    return slot === 0 ? 0 : (this.#integers.lower(slot) + this.#integers.size(slot) / 2) * this.#ratio;
  }
}
