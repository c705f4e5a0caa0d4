import type { PackedSum } from '@hdrscope/core/internal';

/** How many values are at most in each used slot. It keeps its memory for the next sums. */
export class CumulativeCounts {
  /** The used slots, ascending: the first `#length` of them. */
  #slots = new Int32Array(256);
  /** For each of them, how many values are in it or below. */
  #sums = new Float64Array(256);
  #length = 0;

  /** Takes all counts of a sum in place of those that it has. */
  take(sum: PackedSum): void {
    if (sum.usedCount > this.#slots.length) {
      this.#slots = new Int32Array(2 * sum.usedCount);
      this.#sums = new Float64Array(2 * sum.usedCount);
    }
    this.#length = sum.takeInto(this.#slots, this.#sums);
    for (let i = 1; i < this.#length; i++) this.#sums[i]! += this.#sums[i - 1]!;
  }

  /** The number of values. */
  get count(): number {
    return this.#length === 0 ? 0 : this.#sums[this.#length - 1]!;
  }

  /** How many values are above a slot. */
  countAbove(slot: number): number {
    let [from, to] = [0, this.#length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#slots[middle]! > slot) to = middle;
      else from = middle + 1;
    }
    return this.count - (from === 0 ? 0 : this.#sums[from - 1]!);
  }

  /** The slot of a rank: the first one with at least so many values in it or below, or the last one that is used. There is one. */
  slotAt(rank: number): number {
    let [from, to] = [0, this.#length - 1];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#sums[middle]! >= rank) to = middle;
      else from = middle + 1;
    }
    return this.#slots[from]!;
  }

  /** Adds each count to the slot of a sum that a function names. */
  addTo(sum: PackedSum, slotFor: (slot: number) => number = (slot) => slot): void {
    let before = 0;
    for (let i = 0; i < this.#length; i++) {
      const upTo = this.#sums[i]!;
      sum.addCount(slotFor(this.#slots[i]!), upTo - before);
      before = upTo;
    }
  }
}
