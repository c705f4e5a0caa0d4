import type { Counted } from '../counted.ts';
import type { Storage } from '../counts/readonly-counts.ts';
import { nextDown, nextUp } from '../double.ts';
import { type HdrscopeError, mustBe } from '../errors.ts';
import { HdrLayout } from '../layout/hdr.ts';
import type { OutOfRangePolicy } from './out-of-range.ts';

/** Options of a `DoubleHistogram`. */
export interface DoubleHistogramOptions {
  /** Decimal digits to which a value keeps its precision: an integer from 0 to 5. @default 3 */
  readonly significantDigits?: number;
  /**
   * The largest value divided by the smallest value above 0, at most: an integer from 2 to below 2^61 / 10^significantDigits.
   * Without it the histogram grows with its values.
   */
  readonly highestToLowestValueRatio?: number;
  /** Whether a value that does not fit beside the others widens the range. @default only without `highestToLowestValueRatio` */
  readonly autoResize?: boolean;
  /**
   * `'dense'` is fastest and allocates everything at once, `'sparse'` allocates only what is used, and many threads can
   * record into `'shared'`: see `DoubleHistogram.attach`. A shared range has the largest width, 53 octaves with 3 digits, with
   * the first value above 0 in its middle, and never moves. It takes neither `highestToLowestValueRatio` nor `autoResize`.
   * @default 'dense'
   */
  readonly storage?: Storage;
  /**
   * The treatment of a value that is negative, not a number, or does not fit beside the counted values: `'throw'` refuses it
   * with an error, `'clamp'` counts the nearest value that fits, `'discard'` does not count it. `outliers` counts all three.
   *
   * The nearest value is 0 for negative values and for values below half of the smallest one that fits. For a larger value the
   * range moves, and grows if it may, as far as the counted values allow: every value that fits is at most the clamped one.
   * `'clamp'` discards NaN, which is near no value. It also discards a value above 2^1022 while nothing above 0 is counted,
   * because beside such an end of the range no other value would fit.
   * @default 'throw'
   */
  readonly outOfRange?: OutOfRangePolicy;
}

// Octave `k` holds the values from 2^k to below 2^(k + 1). A range is a run of octaves. A value counts as the integer part of
// `value / ratio`. The ratio is the power of two that makes the lowest value the integer `subBucketCount / 2`: then values use
// only the upper half of bucket 0, and each keeps its digits. Zero has slot 0. With 2 digits, for example, and octave 0 first:
//
//   octave   values      ratio    integers        bucket
//   0        [1, 2)      2^-7     128 … 255       0, upper half
//   1        [2, 4)      2^-7     256 … 511       1
//   2        [4, 8)      2^-7     512 … 1023      2

/** The largest value that a range can reach. */
export const LARGEST_DOUBLE: number = 2 ** 1022;

/** The first octave of a new range: so high that the first value moves the range down. */
const FIRST_OCTAVE = 800;

// The integers end at 2^63.
const MOST_BITS = 63;

const bytes = new DataView(new ArrayBuffer(8));

/** `floor(log2(value))` of a value from 2^-1022; -1023 below. */
export function octaveOf(value: number): number {
  bytes.setFloat64(0, value);
  return (bytes.getUint16(0) >> 4) - 1023;
}

/** The smallest value above 0 that a range can reach. From there on the ratio and its inverse are exact doubles. */
export function smallestDouble({ halfBits }: DoubleRange): number {
  return 2 ** (halfBits - 1022);
}

/** Options of a range. */
export interface DoubleRangeOptions {
  readonly significantDigits: number;
  readonly highestToLowestRatio: bigint;
  readonly autoResize: boolean;
  readonly octave?: number;
  /** Whether the range neither moves nor grows. @default false */
  readonly isFixed?: boolean;
  /** Whether a fixed range has its position, which the first value above 0 decides. @default only when it is not fixed */
  readonly isPlaced?: boolean;
  /** `log2` of half the sub-buckets. Left out, it is computed from the digits, which takes longer than everything else. */
  readonly halfBits?: number;
}

/** The position and width of a range, the octaves in use, and how they change. It has no counts: it decides what fits without them. */
export class DoubleRange {
  readonly significantDigits: number;
  /** `log2` of the lowest integer with full precision. In `[0, 17]`. */
  readonly halfBits: number;
  readonly autoResize: boolean;
  /** Whether the range neither moves nor grows, as in shared storage. */
  readonly isFixed: boolean;
  /** Whether the range has a position. Without one no value above 0 fits. */
  readonly isPlaced: boolean;
  /** The first octave. */
  octave: number;
  /** The number of octaves: one more than values within the ratio can lie in. */
  octaves: number;
  /** In `[2, 2^62]`. */
  highestToLowestRatio: bigint;
  /** How many octaves the counts moved upwards in the slots. */
  moved = 0;
  /** The first and the last octave with counts; the first is above the last while no octave has any. */
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  /**
   * @throws HdrscopeError `ERR_INVALID_OPTION` when the significant digits are not an integer from 0 to 5.
   */
  constructor({
    significantDigits,
    highestToLowestRatio,
    autoResize,
    octave = FIRST_OCTAVE,
    isFixed = false,
    isPlaced = !isFixed,
    halfBits = new HdrLayout({ highestTrackableValue: 2, significantDigits }).subBucketBits - 1,
  }: DoubleRangeOptions) {
    this.significantDigits = significantDigits;
    this.halfBits = halfBits;
    this.highestToLowestRatio = highestToLowestRatio;
    this.octaves = highestToLowestRatio.toString(2).length + 1;
    this.octave = octave;
    this.autoResize = autoResize;
    this.isFixed = isFixed;
    this.isPlaced = isPlaced;
  }

  /** The lowest value above 0. */
  get low(): number {
    return 2 ** this.octave;
  }

  /** Exclusive upper bound of the range; `Infinity` when it exceeds the largest double. */
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

  /** A copy of this range that notes the octaves of some counts. */
  over({ layout, counts }: Counted<HdrLayout>): DoubleRange {
    const copy = this.copy();
    const first = counts.next(1);
    if (first < counts.length) {
      copy.#widen(layout.lower(first) * this.ratio);
      copy.#widen(layout.lower(counts.last) * this.ratio);
    }
    return copy;
  }

  /** A copy for a histogram whose counts have not moved. */
  emptied(): DoubleRange {
    const copy = this.copy();
    copy.moved = 0;
    return copy;
  }

  /**
   * Moves so that a value fits beside the noted octaves, and notes its octave. Returns whether it fits. When it does not, no
   * octave is noted, although the range may have moved.
   * Source: HdrHistogram (Java), `DoubleHistogram.autoAdjustRangeForValue`. The steps are Java's, because they decide where a
   * growing range ends.
   */
  reach(value: number): boolean {
    if (value === 0) return true;
    if (!this.canReach(value)) return false;
    if (this.isFixed) {
      if (!this.isPlaced || value < this.low || value >= this.limit) return false;
      this.#widen(value);
      return true;
    }
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

  /** Whether some range of these digits holds a value above 0. */
  canReach(value: number): boolean {
    return isPositive(value) && value <= LARGEST_DOUBLE && value >= smallestDouble(this);
  }

  /** The first octave of a fixed range with the values from `lowest` to `highest` in its middle. */
  octaveAround(lowest: number, highest: number): number {
    const middle = Math.floor((octaveOf(lowest) + octaveOf(highest)) / 2);
    return Math.max(middle - Math.floor(this.octaves / 2), this.halfBits - 1022);
  }

  /** The nearest value that fits to one that does not; `undefined` when no value is near. */
  nearest(value: number): number | undefined {
    if (typeof value === 'number' && value < 0) return 0;
    if (!isPositive(value) || !this.isPlaced) return undefined;
    if (this.isFixed) {
      if (value >= this.low) return Math.min(nextDown(this.limit), LARGEST_DOUBLE);
      return value < this.low / 2 ? 0 : this.low;
    }
    const octaves = this.autoResize ? MOST_BITS - this.halfBits : this.octaves;
    const smallest = Math.max(2 ** (this.#last - octaves + 1), smallestDouble(this));
    if (value < smallest) return value < smallest / 2 ? 0 : smallest;
    if (this.#last < this.#first) return undefined;
    return Math.min(nextDown(2 ** (this.#first + octaves)), LARGEST_DOUBLE);
  }

  /** The error for a value that does not fit. */
  refusal(value: number, what: string): HdrscopeError {
    if (value !== 0 && !isPositive(value)) {
      return mustBe('ERR_INVALID_VALUE', what, 'a number from 0 to 2^1022', value);
    }
    const smallest = smallestDouble(this);
    if (this.isFixed && this.isPlaced) {
      const allowed = `0, or from ${this.low} to below ${this.limit}, around the first value in shared storage`;
      return mustBe('ERR_VALUE_OUT_OF_RANGE', what, allowed, value);
    }
    const allowed =
      value > LARGEST_DOUBLE || value < smallest || this.#last < this.#first
        ? `0, or from ${smallest} to 2^1022`
        : `within ${this.octaves} octaves of the others, which lie from ${2 ** this.#first} to ${2 ** (this.#last + 1)}`;
    return mustBe('ERR_VALUE_OUT_OF_RANGE', what, allowed, value);
  }

  /** The octaves of one step, for a value that lies beyond the end of the range by a factor of `times`. */
  #stepsTo(times: number): number {
    const ratio = Number(this.highestToLowestRatio);
    if (times > ratio) return Math.trunc(Math.log(ratio) / Math.LN2);
    return times > 2 ** 50 ? 50 : octaveOf(times) + 1;
  }

  /** Moves down by `most` octaves, or by fewer when `most` do not fit. Java tries no sequence of steps beyond that. */
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

  /** A fixed range at a position. */
  placedAt(octave: number): DoubleRange {
    return new DoubleRange({ ...this.#options, octave, isFixed: true, isPlaced: true });
  }

  /** This range for a histogram of its own: one that moves. */
  released(): DoubleRange {
    const { octave, moved } = this.isPlaced ? this : { octave: FIRST_OCTAVE, moved: 0 };
    const copy = new DoubleRange({ ...this.#options, octave });
    copy.moved = moved;
    return copy;
  }

  get #options(): DoubleRangeOptions {
    const { significantDigits, highestToLowestRatio, autoResize, halfBits } = this;
    return { significantDigits, highestToLowestRatio, autoResize, halfBits };
  }

  /** A range that moves independently of this one. */
  copy(): DoubleRange {
    const copy = new DoubleRange(this);
    copy.moved = this.moved;
    return copy;
  }
}

function isPositive(value: unknown): value is number {
  return typeof value === 'number' && value > 0;
}

/** The widest range of some digits, which is fixed and has no position yet. */
export function widestRange(significantDigits: number): DoubleRange {
  const { halfBits } = new DoubleRange({ significantDigits, highestToLowestRatio: 2n, autoResize: true });
  const highestToLowestRatio = 2n ** BigInt(MOST_BITS - 2 - halfBits);
  return new DoubleRange({
    significantDigits,
    highestToLowestRatio,
    autoResize: true,
    isFixed: true,
    halfBits,
  });
}

/**
 * The range of a new histogram.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
 */
export function rangeFrom(options: DoubleHistogramOptions): DoubleRange {
  if (options.storage !== 'shared') return movingRange(options);
  for (const name of ['highestToLowestValueRatio', 'autoResize'] as const) {
    if (options[name] === undefined) continue;
    const allowed = 'absent with shared storage, whose range is as wide as possible';
    throw mustBe('ERR_INVALID_OPTION', name, allowed, options[name]);
  }
  return widestRange(options.significantDigits ?? 3);
}

function movingRange({
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
