import { Counts } from './counts.ts';
import { PAGE_BITS, PAGE_SLOTS, SLOT_IN_PAGE, wordsFor } from './words.ts';

/**
 * The factor by which the memory for pages grows. Pages are small and many: an eighth more keeps unused memory low, and the
 * total work of copying stays linear.
 */
export const GROWTH = 1.125;

// Less than minus the number of slots of any layout, so that its sum with a slot is below 0.
const MISSING = -(2 ** 30);

const TWO_POW_31 = 2 ** 31;

/**
 * Pages that are allocated on first use, one after the other in a single array: the storage for many histograms, or for a wide
 * range with few used slots.
 */
export class SparseCounts extends Counts {
  readonly storage = 'sparse';
  /**
   * `table[page] + slot` is the address of a slot of the page, or below 0 when the page does not exist. The field is declared
   * and not initialised, as `low` is: only a resize replaces it.
   */
  declare private table: Int32Array<ArrayBuffer>;
  /** The number of words in use: a multiple of the page size, at most `low.length`. */
  #used = 0;

  constructor(
    length: number,
    table: Int32Array<ArrayBuffer> = emptyTable(length),
    low: Uint32Array<ArrayBuffer> = new Uint32Array(PAGE_SLOTS),
  ) {
    super(length, low);
    this.table = table;
  }

  override get byteLength(): number {
    return super.byteLength + this.table.byteLength;
  }

  increment(slot: number): void {
    const address = this.table[slot >> PAGE_BITS]! + slot;
    if (address >= 0) this.incrementAt(address);
    else this.incrementAt(this.pageFor(slot) + (slot & SLOT_IN_PAGE));
  }

  resize(length: number): void {
    const table = emptyTable(length);
    table.set(this.table);
    this.table = table;
    this.lengthen(length);
  }

  override clear(): void {
    super.clear();
    this.table.fill(MISSING);
    this.#used = 0;
    this.low = new Uint32Array(PAGE_SLOTS);
  }

  clone(): SparseCounts {
    const copy = new SparseCounts(this.length, this.table.slice(), this.low.slice());
    copy.#used = this.#used;
    return copy.adopt(this);
  }

  protected pageOf(slot: number): number {
    const page = slot & ~SLOT_IN_PAGE;
    return Math.max(this.table[slot >> PAGE_BITS]! + page, -1);
  }

  protected pageFor(slot: number): number {
    const known = this.pageOf(slot);
    if (known >= 0) return known;
    const page = this.#newPage();
    this.table[slot >> PAGE_BITS] = page - (slot & ~SLOT_IN_PAGE);
    return page;
  }

  protected runFrom(): number {
    return PAGE_SLOTS;
  }

  protected addRun(slots: Int32Array, counts: Float64Array, length: number): void {
    this.#makePagesFor(slots, length);
    const { low, table } = this;
    for (let i = 0; i < length; i++) {
      const slot = slots[i]!;
      const count = counts[i]!;
      const address = table[slot >> PAGE_BITS]! + slot;
      const sum = low[address]! + count;
      if (sum < TWO_POW_31) low[address] = sum;
      else this.addLarge(address, count);
    }
  }

  /** Makes all missing pages at once, as growing for each of them would copy all words each time. */
  #makePagesFor(slots: Int32Array, length: number): void {
    let missing = 0;
    let before = -1;
    for (let i = 0; i < length; i++) {
      const page = slots[i]! >> PAGE_BITS;
      if (page !== before && this.table[page] === MISSING) missing++;
      before = page;
    }
    const needed = this.#used + missing * PAGE_SLOTS;
    // To what is needed, but by an eighth at least.
    if (needed > this.low.length) this.grow(Math.max(needed, wordsFor(this.low.length * GROWTH)));
    for (let i = 0; missing > 0; i++) {
      const page = slots[i]! >> PAGE_BITS;
      if (this.table[page] !== MISSING) continue;
      this.pageFor(slots[i]!);
      missing--;
    }
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
  return new Int32Array(Math.ceil(length / PAGE_SLOTS)).fill(MISSING);
}
