import { Counts } from './counts.ts';
import { SLOT_IN_PAGE, wordsFor } from './words.ts';

/** A word for every slot, all allocated at once: the fastest storage, with a footprint that is known beforehand. */
export class DenseCounts extends Counts {
  readonly storage = 'dense';

  constructor(length: number, low: Uint32Array<ArrayBuffer> = new Uint32Array(wordsFor(length))) {
    super(length, low);
  }

  /** Counts that were copied from elsewhere: a whole number of pages of low words, and of high ones if there are any. */
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

  increment(slot: number): void {
    this.incrementAt(slot);
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
}
