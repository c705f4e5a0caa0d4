import { Counts } from './counts.ts';

const PAGE_BITS = 6;
const PAGE_SLOTS = 2 ** PAGE_BITS;
const SLOT_IN_PAGE = PAGE_SLOTS - 1;

// Pages are small and many: growing by an eighth keeps idle memory low, and copying stays linear in the end.
const GROWTH = 1.125;

/**
 * Pages of 64 slots, allocated on first touch, one after the other in a single array: the storage of choice where
 * there are many histograms, or a wide range of which little is used.
 */
export class SparseCounts extends Counts {
  readonly storage = 'sparse';
  /** `#table[page]` is the address of the page's first slot in `low`, or -1 before its first touch. */
  #table: Int32Array<ArrayBuffer>;
  /** Words of `low` that are handed out: a multiple of the page size, at most `low.length`. */
  #used = 0;

  constructor(length: number) {
    super(length, new Uint32Array(PAGE_SLOTS));
    this.#table = new Int32Array(pagesFor(length)).fill(-1);
  }

  get byteLength(): number {
    return this.#table.byteLength + this.low.byteLength + (this.high?.byteLength ?? 0);
  }

  increment(slot: number): void {
    const page = this.#table[slot >> PAGE_BITS]!;
    this.incrementAt(page < 0 ? this.addressFor(slot) : page + (slot & SLOT_IN_PAGE), slot);
  }

  at(slot: number): number {
    const page = this.#table[slot >> PAGE_BITS]!;
    return page < 0 ? 0 : this.wordsAt(page + (slot & SLOT_IN_PAGE));
  }

  next(slot: number): number {
    if (slot <= this.first) return this.first;
    while (slot <= this.last) {
      const page = this.#table[slot >> PAGE_BITS]!;
      if (page < 0) slot = (slot | SLOT_IN_PAGE) + 1;
      else if (this.wordsAt(page + (slot & SLOT_IN_PAGE)) !== 0) return slot;
      else slot++;
    }
    return this.length;
  }

  resize(length: number): void {
    const table = new Int32Array(pagesFor(length)).fill(-1);
    table.set(this.#table);
    this.#table = table;
    if (this.last < 0) this.first = length;
    this.length = length;
  }

  override clear(): void {
    super.clear();
    this.#table.fill(-1);
    this.#used = 0;
    this.low = new Uint32Array(PAGE_SLOTS);
  }

  clone(): SparseCounts {
    const copy = new SparseCounts(this.length);
    copy.#table = this.#table.slice();
    copy.#used = this.#used;
    copy.low = this.low.slice();
    return copy.adopt(this);
  }

  protected addressFor(slot: number): number {
    const page = slot >> PAGE_BITS;
    if (this.#table[page]! < 0) this.#table[page] = this.#newPage();
    return this.#table[page]! + (slot & SLOT_IN_PAGE);
  }

  protected sumOfGroup(slot: number): number {
    const page = this.#table[slot >> PAGE_BITS]!;
    return page < 0 ? 0 : this.sumOfGroupAt(page + (slot & SLOT_IN_PAGE));
  }

  protected previous(slot: number): number {
    while (slot > 0 && this.at(slot) === 0) {
      slot = this.#table[slot >> PAGE_BITS]! < 0 ? (slot & ~SLOT_IN_PAGE) - 1 : slot - 1;
    }
    return Math.max(0, slot);
  }

  #newPage(): number {
    const address = this.#used;
    this.#used += PAGE_SLOTS;
    if (this.#used > this.low.length) {
      const pages = Math.ceil((this.#used / PAGE_SLOTS) * GROWTH);
      this.low = grown(this.low, pages * PAGE_SLOTS);
      this.high = this.high && grown(this.high, pages * PAGE_SLOTS);
    }
    return address;
  }
}

function pagesFor(length: number): number {
  return Math.ceil(length / PAGE_SLOTS);
}

function grown(words: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  const copy = new Uint32Array(length);
  copy.set(words);
  return copy;
}
