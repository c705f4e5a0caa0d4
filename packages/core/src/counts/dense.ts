import { Counts } from './counts.ts';
import { SLOT_IN_PAGE, wordsFor } from './words.ts';

const TWO_POW_31 = 2 ** 31;

/** One word for each slot, all allocated at once: the fastest storage, of a size that is known from the start. */
export class DenseCounts extends Counts {
  readonly storage = 'dense';

  constructor(length: number, low: Uint32Array<ArrayBuffer> = new Uint32Array(wordsFor(length))) {
    super(length, low);
  }

  /** Counts in existing words: whole pages of low words, and as many high words or none. */
  static holding(
    length: number,
    low: Uint32Array<ArrayBuffer>,
    high: Uint32Array<ArrayBuffer> | undefined,
  ): DenseCounts {
    const counts = new DenseCounts(length, low);
    counts.high = high;
    counts.sumUp();
    return counts;
  }

  /** Counts below 2^31 in whole pages of existing words, whose total and bounds are known. */
  static holdingSmall(
    length: number,
    low: Uint32Array<ArrayBuffer>,
    known: { readonly total: number; readonly first: number; readonly last: number },
  ): DenseCounts {
    const counts = new DenseCounts(length, low);
    counts.noteAdded(known);
    return counts;
  }

  increment(slot: number): void {
    this.incrementAt(slot);
  }

  override read(slot: number, into: Float64Array): boolean {
    const end = slot + into.length;
    const { low } = this;
    if (this.high !== undefined || end > low.length || end <= this.first || slot > this.last) {
      return super.read(slot, into);
    }
    into.set(low.subarray(slot, end));
    return true;
  }

  /**
   * Fills `into` with the counts from `slot` upwards, and with 0 beyond the last slot. Returns `false`, and leaves `into` as it
   * is, when a count may need more than 32 bits.
   */
  readWords(slot: number, into: Uint32Array): boolean {
    if (this.high !== undefined) return false;
    const words = this.low.subarray(slot, slot + into.length);
    into.set(words);
    if (words.length < into.length) into.fill(0, words.length);
    return true;
  }

  resize(length: number): void {
    this.grow(wordsFor(length));
    this.lengthen(length);
  }

  override clear(): void {
    super.clear();
    this.low.fill(0);
  }

  clone(): DenseCounts {
    return new DenseCounts(this.length, this.low.slice()).adopt(this);
  }

  protected pageOf(slot: number): number {
    return slot & ~SLOT_IN_PAGE;
  }

  protected pageFor(slot: number): number {
    return slot & ~SLOT_IN_PAGE;
  }

  protected addRun(slots: Int32Array, counts: Float64Array, length: number): void {
    const { low } = this;
    for (let i = 0; i < length; i++) {
      const slot = slots[i]!;
      const count = counts[i]!;
      const sum = low[slot]! + count;
      if (sum < TWO_POW_31) low[slot] = sum;
      else this.addLarge(slot, count);
    }
  }

  protected runFrom(slot: number): number {
    return this.low.length - slot;
  }
}
