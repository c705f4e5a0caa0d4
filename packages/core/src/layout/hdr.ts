import { mustBe } from '../errors.ts';
import { assertOptions, type OptionsOwner } from '../options.ts';
import type { Layout } from './layout.ts';

/** Options of an HDR layout. */
export interface HdrLayoutOptions {
  /** The smallest difference between values that must stay visible: an integer of at least 1. @default 1 */
  readonly lowestDiscernibleValue?: number | bigint;
  /** The largest value that must fit: an integer from twice the lowest discernible value to 2^63 − 1. */
  readonly highestTrackableValue: number | bigint;
  /** Decimal digits to which a value keeps its precision: an integer from 0 to 5. @default 3 */
  readonly significantDigits?: number;
}

/** The largest value that a histogram can count. */
export const LARGEST_VALUE: bigint = 2n ** 63n - 1n;

// ceil(log2(2 * 10^digits)) for 0 to 5 digits: enough sub-buckets to distinguish units up to 2 * 10^digits.
const SUB_BUCKET_BITS = [1, 5, 8, 11, 15, 18] as const;

// A multiplication by one of these shifts a double exactly. `2 ** k` would call a function on every read and record.
const POWER = /* @__PURE__ */ Float64Array.from({ length: 64 }, (_, k) => 2 ** k);
const RECIPROCAL = /* @__PURE__ */ Float64Array.from({ length: 64 }, (_, k) => 2 ** -k);
const TWO_POW_31 = 2 ** 31;
const TWO_POW_MINUS_32 = 2 ** -32;

/**
 * HdrHistogram's layout: buckets that double in width, each cut into equally many sub-buckets, so that a value
 * keeps its significant digits over the whole range. Values are integers; a slot holds the integers from
 * `lower(slot)` to `upper(slot)`, both included.
 *
 * Bucket 0 uses all its sub-buckets; in every later one the lower half is covered by the buckets before it.
 * With 2 digits and unit 1, for example:
 * ```
 * bucket 0:  0 … 255    in steps of 1     slots   0 … 255
 * bucket 1:  256 … 511  in steps of 2     slots 256 … 383
 * bucket 2:  512 … 1023 in steps of 4     slots 384 … 511
 * ```
 */
export class HdrLayout implements Layout {
  /** Marks HdrHistogram's layout. */
  readonly kind = 'hdr';
  /** The lower bound of a slot belongs to it. */
  readonly lowerInclusive = true;
  /** The upper bound of a slot belongs to it too: values are integers. */
  readonly upperInclusive = true;
  // The numbers are only declared here: a field that has held `undefined` is slower to read ever after.
  /** Decimal digits to which a value keeps its precision: an integer from 0 to 5. */
  declare readonly significantDigits: number;
  /** The option as a number; `lowestDiscernibleBigInt` is exact above 2^53 − 1 too. */
  declare readonly lowestDiscernibleValue: number;
  /** The exact option `lowestDiscernibleValue`: at least 1, below `2 ** (63 - subBucketBits)`. */
  readonly lowestDiscernibleBigInt: bigint;
  /** The option as a number; `highestTrackableBigInt` is exact above 2^53 − 1 too. */
  declare readonly highestTrackableValue: number;
  /** The exact option `highestTrackableValue`: at least twice the lowest discernible value, at most 2^63 − 1. */
  readonly highestTrackableBigInt: bigint;
  /** `floor(log2(lowestDiscernibleValue))`: slots of bucket 0 are `2 ** unitMagnitude` wide. In `[0, 61]`. */
  declare readonly unitMagnitude: number;
  /** `log2(subBucketCount)`. In `[1, 18]`; with `unitMagnitude` at most 62. */
  declare readonly subBucketBits: number;
  /** Sub-buckets per bucket: a power of two from 2 to 2^18. */
  declare readonly subBucketCount: number;
  /** How many times the width doubles, plus one. */
  declare readonly bucketCount: number;
  /** `(bucketCount + 1) * subBucketCount / 2`. */
  declare readonly slotCount: number;
  /** The largest value with a slot, as a number: at least `highestTrackableValue`. */
  declare readonly largestValue: number;
  // The numbers that `slotOf` needs for values below 2^31: see `BasicHistogram`, which has them too.
  declare private readonly halfBits: number;
  declare private readonly unitShift: number;
  declare private readonly mask: number;
  declare private readonly shiftBase: number;

  /** @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it. */
  constructor({
    lowestDiscernibleValue = 1,
    highestTrackableValue,
    significantDigits = 3,
  }: HdrLayoutOptions) {
    const lowest = integerOption('lowestDiscernibleValue', lowestDiscernibleValue, 1n, LARGEST_VALUE / 2n);
    const highest = integerOption('highestTrackableValue', highestTrackableValue, 2n * lowest, LARGEST_VALUE);
    if (!Number.isInteger(significantDigits) || significantDigits < 0 || significantDigits > 5) {
      throw mustBe('ERR_INVALID_OPTION', 'significantDigits', 'an integer from 0 to 5', significantDigits);
    }
    this.significantDigits = significantDigits;
    this.lowestDiscernibleValue = Number(lowest);
    this.lowestDiscernibleBigInt = lowest;
    this.highestTrackableValue = Number(highest);
    this.highestTrackableBigInt = highest;
    this.unitMagnitude = lowest.toString(2).length - 1;
    this.subBucketBits = SUB_BUCKET_BITS[significantDigits]!;
    if (this.unitMagnitude + this.subBucketBits > 62) {
      throw mustBe(
        'ERR_INVALID_OPTION',
        'lowestDiscernibleValue',
        `below 2^${63 - this.subBucketBits} with ${significantDigits} significant digits`,
        lowestDiscernibleValue,
      );
    }
    this.subBucketCount = 2 ** this.subBucketBits;
    this.bucketCount = Math.max(1, highest.toString(2).length - this.unitMagnitude - this.subBucketBits + 1);
    this.slotCount = (this.bucketCount + 1) * (this.subBucketCount / 2);
    this.largestValue = this.upper(this.slotCount - 1);
    this.halfBits = this.subBucketBits - 1;
    this.unitShift = Math.min(this.unitMagnitude, 31);
    this.mask = slotMaskOf(this);
    this.shiftBase = slotShiftOf(this);
  }

  /** The slot of a value: exact for integers up to 2^53 − 1. A fraction has the slot of its integer part, a negative value -1. */
  slotOf(value: number): number {
    if (value < 0) return -1;
    if (value < TWO_POW_31) return this.slotOfInt(value | 0);
    const high = (value * TWO_POW_MINUS_32) >>> 0;
    const bitLength = high === 0 ? 32 - Math.clz32(value) : 64 - Math.clz32(high);
    const shift = Math.max(this.unitMagnitude, bitLength - this.subBucketBits);
    return (
      ((shift - this.unitMagnitude) << (this.subBucketBits - 1)) + Math.floor(value * RECIPROCAL[shift]!)
    );
  }

  /** The slot of an integer in `[0, 2^31)`, in 32-bit integers, which take half of the time. */
  slotOfInt(int: number): number {
    const shift = this.shiftBase - Math.clz32(int | this.mask);
    return ((shift - this.unitShift) << this.halfBits) + (int >>> shift);
  }

  /** The slot of a bigint in `[0, 2^63 − 1]`. */
  slotOfBigInt(value: bigint): number {
    const shift = Math.max(this.unitMagnitude, value.toString(2).length - this.subBucketBits);
    return ((shift - this.unitMagnitude) << (this.subBucketBits - 1)) + Number(value >> BigInt(shift));
  }

  /** How many consecutive integers share the slot: a power of two. */
  size(slot: number): number {
    return POWER[this.unitMagnitude + Math.max(0, (slot >> (this.subBucketBits - 1)) - 1)]!;
  }

  /** The lowest equivalent value: exact, also above 2^53, where it is a multiple of a large power of two. */
  lower(slot: number): number {
    const halfBits = this.subBucketBits - 1;
    const bucket = (slot >> halfBits) - 1;
    if (bucket < 0) return slot * POWER[this.unitMagnitude]!;
    const half = 1 << halfBits;
    return ((slot & (half - 1)) + half) * POWER[bucket + this.unitMagnitude]!;
  }

  /** The highest equivalent value; rounded where it exceeds 2^53 − 1. */
  upper(slot: number): number {
    return this.lower(slot) + (this.size(slot) - 1);
  }

  /** The highest equivalent value, exact. */
  upperBigInt(slot: number): bigint {
    return BigInt(this.lower(slot)) + BigInt(this.size(slot)) - 1n;
  }

  /** The median equivalent value: the upper of the two middle integers, or the value itself in a slot of one integer. */
  midpoint(slot: number): number {
    return this.lower(slot) + Math.floor(this.size(slot) / 2);
  }

  /** Whether slots of both layouts have the same numbers, so that counts move slot by slot. The ranges may differ. */
  sharesSlotsWith(other: HdrLayout): boolean {
    return this.unitMagnitude === other.unitMagnitude && this.subBucketBits === other.subBucketBits;
  }

  /** Whether each slot of another layout, up to the range, lies in one slot of this one. */
  contains(other: HdrLayout): boolean {
    return this.unitMagnitude >= other.unitMagnitude && this.subBucketBits <= other.subBucketBits;
  }

  /** This layout with another range, up to `highestTrackableValue`. Slots keep their numbers. */
  reaching(highestTrackableValue: bigint): HdrLayout {
    return new HdrLayout({
      lowestDiscernibleValue: this.lowestDiscernibleBigInt,
      highestTrackableValue,
      significantDigits: this.significantDigits,
    });
  }
}

type Shape = Pick<HdrLayout, 'unitMagnitude' | 'subBucketBits'>;

// The slot of an integer below 2^31: `shift = slotShift - clz32(int | slotMask)` is that of its bucket. The mask gives all values of
// bucket 0 the bit length of its largest value. Where all 31-bit integers lie in bucket 0, a full mask gives each of them the shift
// of bucket 0.

export function slotMaskOf({ unitMagnitude, subBucketBits }: Shape): number {
  return unitMagnitude + subBucketBits <= 31 ? (2 ** subBucketBits - 1) << unitMagnitude : 0x7fffffff;
}

export function slotShiftOf({ unitMagnitude, subBucketBits }: Shape): number {
  return unitMagnitude + subBucketBits <= 31 ? 32 - subBucketBits : Math.min(unitMagnitude, 31) + 1;
}

const OWNER: OptionsOwner<HdrLayoutOptions> = {
  name: 'hdrLayout',
  names: { lowestDiscernibleValue: true, highestTrackableValue: true, significantDigits: true },
};

/**
 * The HDR layout of a range.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
 * @example
 * ```ts
 * import { hdrLayout } from '@hdrscope/core';
 *
 * const oneHourInMicroseconds = 3_600_000_000;
 * const layout = hdrLayout({ highestTrackableValue: oneHourInMicroseconds, significantDigits: 3 });
 * layout.slotCount; //=> 23552
 * const slot = layout.slotOf(10_007);
 * [layout.lower(slot), layout.midpoint(slot), layout.upper(slot)]; //=> [10000, 10004, 10007]
 * ```
 */
export function hdrLayout(options: HdrLayoutOptions): HdrLayout {
  assertOptions(options, OWNER);
  return new HdrLayout(options);
}

function integerOption(name: string, given: number | bigint, from: bigint, to: bigint): bigint {
  const allowed = `an integer from ${from} to ${to}`;
  if (typeof given !== 'bigint' && !Number.isSafeInteger(given)) {
    const cure = Number.isInteger(given) ? `${allowed}, as a bigint when above 2^53 - 1` : allowed;
    throw mustBe('ERR_INVALID_OPTION', name, cure, given);
  }
  const value = BigInt(given);
  if (value < from || value > to) throw mustBe('ERR_INVALID_OPTION', name, allowed, given);
  return value;
}

/** Whether a layout numbers its slots as HdrHistogram does, in integers. */
export function isHdrLayout(layout: Layout): layout is HdrLayout {
  // A class of another copy of this package has other identity, and an HDR layout in a unit is no longer one of integers.
  return layout.kind === 'hdr' && 'subBucketBits' in layout;
}
