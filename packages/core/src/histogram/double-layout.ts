import type { HdrLayout } from '../layout/hdr.ts';
import type { Layout } from '../layout/layout.ts';

// The integers end there, as in `DoubleRange`.
const INTEGERS_END = 2 ** 63;

/** The slots of a `DoubleHistogram` as doubles. A slot holds the values from its lower bound to below its upper bound. */
export class DoubleLayout implements Layout {
  /** Marks the slots of a `DoubleHistogram`. */
  readonly kind = 'double';
  /** The lower bound of a slot belongs to it. */
  readonly lowerInclusive = true;
  /** The upper bound of a slot belongs to the next slot. */
  readonly upperInclusive = false;
  /** Decimal digits to which a value keeps its precision: an integer from 0 to 5. */
  readonly significantDigits: number;
  /** How many slots cover the range. */
  readonly slotCount: number;
  /** Sub-buckets per bucket: a power of two from 2 to 2^18. */
  readonly subBucketCount: number;
  /** How many times the width doubles, plus one. */
  readonly bucketCount: number;
  readonly #integers: HdrLayout;
  readonly #ratio: number;

  /**
   * @param integers The layout of the values divided by `ratio`.
   * @param ratio One unit of the integers, in the unit of the values: a power of two.
   */
  constructor(integers: HdrLayout, ratio: number) {
    this.significantDigits = integers.significantDigits;
    this.slotCount = integers.slotCount;
    this.subBucketCount = integers.subBucketCount;
    this.bucketCount = integers.bucketCount;
    this.#integers = integers;
    this.#ratio = ratio;
  }

  /** The slot of a number: `slotCount` or more for a value above the range, -1 for a negative one. */
  slotOf(value: number): number {
    const integer = value / this.#ratio;
    return integer >= INTEGERS_END ? this.slotCount : this.#integers.slotOf(integer);
  }

  /** Lower bound of a slot, in the unit of the values. It belongs to the slot. */
  lower(slot: number): number {
    return this.#integers.lower(slot) * this.#ratio;
  }

  /** Upper bound of a slot, in the unit of the values. It belongs to the next slot. */
  upper(slot: number): number {
    return (this.#integers.lower(slot) + this.#integers.size(slot)) * this.#ratio;
  }

  /** The middle of a slot; 0 for slot 0, which counts 0 only. */
  midpoint(slot: number): number {
    return slot === 0 ? 0 : (this.#integers.lower(slot) + this.#integers.size(slot) / 2) * this.#ratio;
  }
}
