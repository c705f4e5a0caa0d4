import { slotsOfRanks } from './ranks.ts';
import type { ReadonlyCounts } from './readonly-counts.ts';
import { PAGE_SLOTS as pageSlots } from './words.ts';

// A copy: V8 reads numbers that another file exports anew at each use.
const PAGE_SLOTS = pageSlots;

/** The counts of a few slots, as two lists. */
export class ListedCounts implements ReadonlyCounts {
  readonly length: number;
  readonly total: number;
  /** Ascending. */
  readonly slots: readonly number[];
  /** Above 0, one for each slot. */
  readonly counts: readonly number[];

  /**
   * @param slots Ascending, below `length`.
   * @param counts Integers above 0, one for each slot, whose sum is at most 2^53 − 1.
   */
  constructor(length: number, slots: readonly number[], counts: readonly number[]) {
    let total = 0;
    for (let i = 0; i < counts.length; i++) total += counts[i]!;
    this.length = length;
    this.total = total;
    this.slots = slots;
    this.counts = counts;
  }

  get first(): number {
    return this.slots[0] ?? this.length;
  }

  get last(): number {
    return this.slots.at(-1) ?? -1;
  }

  get byteLength(): number {
    return (this.slots.length + this.counts.length) * Float64Array.BYTES_PER_ELEMENT;
  }

  at(slot: number): number {
    const at = this.#placeFrom(slot);
    return this.slots[at] === slot ? this.counts[at]! : 0;
  }

  next(slot: number): number {
    return this.slots[this.#placeFrom(slot)] ?? this.length;
  }

  read(slot: number, into: Float64Array): boolean {
    into.fill(0);
    let at = this.#placeFrom(slot);
    const isUsed = at < this.slots.length && this.slots[at]! < slot + into.length;
    for (; at < this.slots.length; at++) {
      const offset = this.slots[at]! - slot;
      if (offset >= into.length) break;
      into[offset] = this.counts[at]!;
    }
    return isUsed;
  }

  slotOfRank(rank: number): number {
    return this.slotsOfRanks([rank])[0]!;
  }

  slotsOfRanks(ranks: readonly number[]): number[] {
    return slotsOfRanks(this, ranks);
  }

  /** The sum over the page that begins with a slot. */
  sumOfPage(slot: number): number {
    let sum = 0;
    for (
      let at = this.#placeFrom(slot);
      at < this.slots.length && this.slots[at]! < slot + PAGE_SLOTS;
      at++
    ) {
      sum += this.counts[at]!;
    }
    return sum;
  }

  /** The place in the list of the lowest slot from `slot` on. */
  #placeFrom(slot: number): number {
    let [low, high] = [0, this.slots.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.slots[middle]! < slot) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
