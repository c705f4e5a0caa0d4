import { Counts, GROUP_SLOTS } from './counts.ts';

/** One word a slot, all allocated at once: the fastest storage, with a footprint that is known beforehand. */
export class DenseCounts extends Counts {
  readonly storage = 'dense';

  constructor(length: number, low: Uint32Array<ArrayBuffer> = new Uint32Array(wordsFor(length))) {
    super(length, low);
  }

  get byteLength(): number {
    return this.low.byteLength + (this.high?.byteLength ?? 0);
  }

  increment(slot: number): void {
    this.incrementAt(slot, slot);
  }

  at(slot: number): number {
    return this.wordsAt(slot);
  }

  next(slot: number): number {
    const { low, high, last, length } = this;
    if (slot <= this.first) return this.first;
    if (high !== undefined) {
      while (slot <= last && low[slot] === 0 && high[slot] === 0) slot++;
    } else {
      while (slot <= last && low[slot] === 0) slot++;
    }
    return slot <= last ? slot : length;
  }

  resize(length: number): void {
    const grow = (words: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> => {
      const grown = new Uint32Array(wordsFor(length));
      grown.set(words);
      return grown;
    };
    this.low = grow(this.low);
    this.high = this.high && grow(this.high);
    if (this.last < 0) this.first = length;
    this.length = length;
  }

  override clear(): void {
    super.clear();
    this.low.fill(0);
  }

  clone(): DenseCounts {
    return new DenseCounts(this.length, this.low.slice()).adopt(this);
  }

  protected addressFor(slot: number): number {
    return slot;
  }

  protected sumOfGroup(slot: number): number {
    return this.sumOfGroupAt(slot);
  }

  protected previous(slot: number): number {
    while (slot > 0 && this.wordsAt(slot) === 0) slot--;
    return slot;
  }
}

/** One a slot, and as many empty ones as make the last group whole. */
function wordsFor(length: number): number {
  return Math.ceil(length / GROUP_SLOTS) * GROUP_SLOTS;
}
