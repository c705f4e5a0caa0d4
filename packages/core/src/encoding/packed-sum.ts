import { HdrscopeError } from '../errors.ts';
import { readVarint } from './varint.ts';

/** Used slots, ascending, and their counts. */
export interface UsedSlots {
  readonly slots: readonly number[];
  readonly counts: readonly number[];
}

/**
 * Adds up packed counts, one series after another in the same memory: many short ones in a twentieth of the time that sparse counts take.
 *
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { PackedSum, packCounts } from '@hdrscope/core/internal';
 *
 * const histogram = new Histogram({ highestTrackableValue: 1000 });
 * histogram.record(42, 7);
 * const bytes = packCounts(histogram.counts);
 * const sum = new PackedSum(histogram.counts.length);
 * sum.add(bytes, 0, bytes.length);
 * sum.add(bytes, 0, bytes.length);
 * sum.take(); //=> { slots: [42], counts: [14] }
 * sum.take(); //=> { slots: [], counts: [] }
 * ```
 */
export class PackedSum {
  readonly #sums: Float64Array;
  /** A bit for each slot whose sum is above 0: slot 35 is bit 3 of word 1. Read in order, they need no sorting. */
  readonly #used: Int32Array;
  /** The words that have bits lie between these two. */
  #firstWord = 0;
  #lastWord = -1;
  #usedCount = 0;

  constructor(slotCount: number) {
    this.#sums = new Float64Array(slotCount);
    this.#used = new Int32Array(Math.ceil(slotCount / 32));
  }

  /** How many slots have a sum above 0. */
  get usedCount(): number {
    return this.#usedCount;
  }

  /**
   * Adds the packed counts that lie in a part of some bytes. Sums are exact up to 2^53 − 1.
   *
   * @throws HdrscopeError `ERR_DECODE` when the bytes are not the packed counts of so many slots.
   */
  add(bytes: Uint8Array, from: number, to: number): void {
    const slotCount = this.#sums.length;
    let slot = 0;
    for (let at = from; at < to; ) {
      const byte = bytes[at]!;
      let number: number;
      if (byte < 128) {
        number = byte & 1 ? -(byte >> 1) - 1 : byte >> 1;
        at++;
      } else {
        const second = bytes[at + 1]!;
        if (second < 128) {
          const zigZag = (byte & 127) | (second << 7);
          number = zigZag & 1 ? -(zigZag >> 1) - 1 : zigZag >> 1;
          at += 2;
        } else ({ number, end: at } = readVarint(bytes, at));
      }
      if (number <= 0) slot += Math.max(1, -number);
      else {
        if (slot < slotCount) this.addCount(slot, number);
        slot++;
      }
    }
    if (slot <= slotCount) return;
    throw new HdrscopeError(
      'ERR_DECODE',
      `the payload must fill at most the ${slotCount} slots of its range, got ${slot}`,
    );
  }

  /**
   * Adds a count to a slot.
   *
   * @param slot At least 0, and less than the number of slots.
   * @param count Above 0.
   */
  addCount(slot: number, count: number): void {
    if (this.#sums[slot] === 0) {
      const word = slot >>> 5;
      if (this.#usedCount === 0) this.#firstWord = this.#lastWord = word;
      else if (word < this.#firstWord) this.#firstWord = word;
      else if (word > this.#lastWord) this.#lastWord = word;
      this.#used[word]! |= 1 << (slot & 31);
      this.#usedCount++;
    }
    this.#sums[slot]! += count;
  }

  /** The sums. What is added next begins new ones. */
  take(): UsedSlots {
    const [slots, counts] = [new Int32Array(this.#usedCount), new Float64Array(this.#usedCount)];
    this.takeInto(slots, counts);
    return { slots: Array.from(slots), counts: Array.from(counts) };
  }

  /**
   * Writes the used slots, ascending, and their sums from the start of two arrays on. What is added next begins new ones.
   *
   * @param slots At least as long as there are used slots, as `counts` is.
   * @returns How many slots were used.
   */
  takeInto(slots: Int32Array, counts: Float64Array): number {
    let length = 0;
    for (let word = this.#firstWord; word <= this.#lastWord; word++) {
      for (let bits = this.#used[word]!; bits !== 0; bits &= bits - 1) {
        const slot = word * 32 + 31 - Math.clz32(bits & -bits);
        slots[length] = slot;
        counts[length++] = this.#sums[slot]!;
        this.#sums[slot] = 0;
      }
      this.#used[word] = 0;
    }
    this.#usedCount = 0;
    this.#lastWord = -1;
    return length;
  }
}
