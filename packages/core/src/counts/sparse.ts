import { Counts, PAGE_BITS, PAGE_SLOTS, SLOT_IN_PAGE } from './counts.ts';

// Pages are small and many: growing by an eighth keeps idle memory low, and copying stays linear in the end.
const GROWTH = 1.125;

/**
 * Pages that are allocated on first touch, one after the other in a single array: the storage of choice where there are
 * many histograms, or a wide range of which little is used.
 */
export class SparseCounts extends Counts {
  readonly storage = 'sparse';
  /** `#table[page]` is the address of the page, or -1 before its first touch. */
  #table: Int32Array<ArrayBuffer>;
  /** Words that are handed out: a multiple of the page size, at most `low.length`. */
  #used = 0;

  constructor(length: number, table: Int32Array<ArrayBuffer> = emptyTable(length)) {
    super(length, new Uint32Array(PAGE_SLOTS));
    this.#table = table;
  }

  override get byteLength(): number {
    return super.byteLength + this.#table.byteLength;
  }

  increment(slot: number): void {
    const page = this.#table[slot >> PAGE_BITS]!;
    this.incrementAt((page < 0 ? this.pageFor(slot) : page) + (slot & SLOT_IN_PAGE));
  }

  resize(length: number): void {
    const table = emptyTable(length);
    table.set(this.#table);
    this.#table = table;
    this.lengthen(length);
  }

  override clear(): void {
    super.clear();
    this.#table.fill(-1);
    this.#used = 0;
    this.low = new Uint32Array(PAGE_SLOTS);
  }

  clone(): SparseCounts {
    const copy = new SparseCounts(this.length, this.#table.slice());
    copy.#used = this.#used;
    copy.low = this.low.slice();
    return copy.adopt(this);
  }

  protected pageOf(slot: number): number {
    return this.#table[slot >> PAGE_BITS]!;
  }

  protected pageFor(slot: number): number {
    const page = slot >> PAGE_BITS;
    if (this.#table[page]! < 0) this.#table[page] = this.#newPage();
    return this.#table[page]!;
  }

  #newPage(): number {
    const address = this.#used;
    this.#used += PAGE_SLOTS;
    if (this.#used > this.low.length) {
      this.grow(Math.ceil((this.#used / PAGE_SLOTS) * GROWTH) * PAGE_SLOTS);
    }
    return address;
  }
}

function emptyTable(length: number): Int32Array<ArrayBuffer> {
  return new Int32Array(Math.ceil(length / PAGE_SLOTS)).fill(-1);
}
