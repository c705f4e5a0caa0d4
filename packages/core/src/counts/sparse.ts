import { assertTotal, LARGEST_COUNT } from './largest-count.ts';
import { slotsOfRanks } from './ranks.ts';
import type { ReadonlyCounts } from './readonly-counts.ts';
import type { SlotRuns } from './slot-runs.ts';
import type { CountsStore } from './store.ts';
import { PAGE_BITS, PAGE_SLOTS, SLOT_IN_PAGE } from './words.ts';

/**
 * The factor by which the memory for pages grows. Pages are small and many: a sixteenth more keeps unused memory low, and the
 * total work of copying stays linear.
 */
export const GROWTH = 1.0625;

/** A table of pages, and then the pages: see `SparseCounts`. */
type Cells = Uint8Array | Uint16Array | Int32Array | Float64Array;

const LARGEST_8 = 2 ** 8 - 1;
const LARGEST_16 = 2 ** 16 - 1;

const WIDTHS = [
  { Cells: Uint8Array, largest: LARGEST_8 },
  { Cells: Uint16Array, largest: LARGEST_16 },
  // Not unsigned: V8 computes with what may exceed 2^31 as with doubles.
  { Cells: Int32Array, largest: 2 ** 31 - 1 },
  { Cells: Float64Array, largest: LARGEST_COUNT },
] as const;

/** The state of counts that were never frozen. */
const NO_STATE = 0;
let lastState = NO_STATE;

// Looking at more pages takes as long as looking at all of them.
const MOST_CHANGED = 16;
const LARGEST_CHARACTER = 0xffff;

// A countdown of small integers is the cheapest overflow check: see `#total`.
const LONGEST_COUNTDOWN = 2 ** 30 - 1;

const scratch = /* @__PURE__ */ new Float64Array(PAGE_SLOTS);

/**
 * Pages that are allocated on first use, one after the other in a single array: the storage for many histograms, or for a wide
 * range with few used slots. Counters begin with 8 bits, and all of them widen when the first one needs it: to 16, to 31, and to
 * doubles, which hold every count up to 2^53 − 1.
 *
 * The array begins with a table: cell `p` has the number of the place at which the counts of page `p` lie, in pages from the
 * start of the array, or 0 while the page does not exist. One array for both takes a third less memory than two.
 *
 * ```
 * cells   table, in whole pages  │ a page of counts │ the next one │ …
 * place   0 …                    │ tablePages       │ …
 * ```
 *
 * Frozen counts never change again, so that a snapshot need not copy them. A clone of frozen counts begins with an empty table
 * before the copied pages: the first change of each page goes the slow way, which copies the place from the table of the frozen
 * counts. So a record pays nothing, and the pages that have changed since are known: see `pagesSince`.
 */
export class SparseCounts implements CountsStore, ReadonlyCounts {
  length: number;
  // The fields that one record needs. They are only declared here: V8 treats a field that is assigned once as a constant.
  /** What a record changes. While frozen it is an empty table, so a record finds no page and takes the slow way. */
  declare private cells: Cells;
  /** The largest count that a cell holds. */
  declare private largest: number;
  /** The cells with the counts: the same array, unless frozen. */
  #kept: Cells;
  /** How many pages of the array are in use, those of the table included. */
  #used: number;
  /** Records until the next refill, in `[0, 2^30)`, and the total when it reaches 0. */
  #countdown = LONGEST_COUNTDOWN;
  #totalAtZero = LONGEST_COUNTDOWN;
  // The first and last used slots, and the total at which they were right. A record does not update them.
  #first: number;
  #last = -1;
  #boundsTotal = 0;
  #isFrozen = false;
  /** Where the places of pages are that have not changed since this was cloned from frozen counts. */
  #unchanged: Cells | undefined;
  /** The frozen counts that this was cloned from: a number, as a reference would keep all earlier counts in memory. */
  #origin = NO_STATE;
  /** The number of this state, from when it is frozen on. */
  #state = NO_STATE;
  /** The pages that differ from `#origin`, as characters, which take the least memory; `undefined` while that is not known. */
  #changed: string | undefined;

  constructor(length: number) {
    this.length = length;
    this.#first = length;
    this.#used = tablePages(length);
    this.cells = emptyTable(length);
    this.#kept = this.cells;
    this.largest = WIDTHS[0].largest;
  }

  get storage(): 'sparse' {
    return 'sparse';
  }

  get total(): number {
    return this.#totalAtZero - this.#countdown;
  }

  get first(): number {
    if (this.#boundsTotal !== this.total) this.#findBounds();
    return this.#first;
  }

  get last(): number {
    if (this.#boundsTotal !== this.total) this.#findBounds();
    return this.#last;
  }

  get byteLength(): number {
    return this.#kept.byteLength;
  }

  /** Whether the counts never change again. */
  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  seen(): this {
    return this;
  }

  /** Ends all changes of these counts. To count on, clone them. */
  freeze(): this {
    if (this.#isFrozen) return this;
    this.#changed = this.#settleTable();
    this.#state = ++lastState;
    this.#isFrozen = true;
    this.cells = emptyTable(this.length);
    return this;
  }

  /**
   * The pages in which these frozen counts may differ from others, ascending; `undefined` when that is not known. A page is 64
   * slots. It is known of counts that were frozen one after the other, while few pages have changed.
   */
  pagesSince(before: ReadonlyCounts): readonly number[] | undefined {
    const isOrigin = before instanceof SparseCounts && this.#isFrozen && before.#state === this.#origin;
    if (!isOrigin || this.#origin === NO_STATE || this.#changed === undefined) return undefined;
    const pages = new Array<number>(this.#changed.length);
    for (let i = 0; i < pages.length; i++) pages[i] = this.#changed.charCodeAt(i);
    return pages;
  }

  /** A copy that counts on. */
  clone(): SparseCounts {
    const copy = new SparseCounts(this.length);
    if (this.total > 0) {
      this.#settleTable();
      const cells = this.#kept.slice(0, this.#used << PAGE_BITS);
      copy.#keep(cells, this.#used);
      if (this.#isFrozen) {
        cells.fill(0, 0, tablePages(this.length) << PAGE_BITS);
        copy.#unchanged = this.#kept;
      }
    }
    copy.#origin = this.#state;
    copy.largest = this.largest;
    copy.#countdown = this.#countdown;
    copy.#totalAtZero = this.#totalAtZero;
    copy.#first = this.#first;
    copy.#last = this.#last;
    copy.#boundsTotal = this.#boundsTotal;
    return copy;
  }

  at(slot: number): number {
    const cells = this.#kept;
    const place = this.#placeOf(slot >> PAGE_BITS);
    return place === 0 ? 0 : cells[(place << PAGE_BITS) + (slot & SLOT_IN_PAGE)]!;
  }

  next(slot: number): number {
    if (slot <= this.first) return this.#first;
    return slot > this.#last ? this.length : this.#nextFrom(slot);
  }

  read(slot: number, into: Float64Array): boolean {
    const cells = this.#kept;
    const end = slot + into.length;
    let isUsed = false;
    for (let from = slot; from < end; ) {
      const to = Math.min((from | SLOT_IN_PAGE) + 1, end);
      const place = from < this.length ? this.#placeOf(from >> PAGE_BITS) : 0;
      if (place === 0) into.fill(0, from - slot, to - slot);
      else {
        isUsed = true;
        let address = (place << PAGE_BITS) + (from & SLOT_IN_PAGE);
        for (let i = from - slot; i < to - slot; i++, address++) into[i] = cells[address]!;
      }
      from = to;
    }
    return isUsed;
  }

  slotOfRank(rank: number): number {
    return this.slotsOfRanks([rank])[0]!;
  }

  slotsOfRanks(ranks: readonly number[]): number[] {
    return slotsOfRanks(this, ranks);
  }

  /** The sum of the counts in the page that starts at `slot`. */
  sumOfPage(slot: number): number {
    const cells = this.#kept;
    const place = this.#placeOf(slot >> PAGE_BITS);
    if (place === 0) return 0;
    let sum = 0;
    const start = place << PAGE_BITS;
    for (let address = start; address < start + PAGE_SLOTS; address++) sum += cells[address]!;
    return sum;
  }

  /**
   * Counts one value in a slot where that takes one step. Returns `false`, and counts nothing, where it takes more: the page does
   * not exist, the counter is full, or the counts are frozen.
   */
  tryIncrement(slot: number): boolean {
    const { cells, largest } = this;
    const countdown = this.#countdown;
    if (countdown === 0) return false;
    if (largest === LARGEST_8) {
      if (!incremented8(cells as Uint8Array, slot)) return false;
    } else if (largest === LARGEST_16) {
      if (!incremented16(cells as Uint16Array, slot)) return false;
    } else if (!incrementedWide(cells as Int32Array, slot, largest)) return false;
    this.#countdown = countdown - 1;
    return true;
  }

  increment(slot: number): void {
    if (this.tryIncrement(slot)) return;
    this.assertRoomFor(1);
    this.add(slot, 1);
  }

  assertRoomFor(count: number): void {
    assertTotal(this.total, count);
  }

  add(slot: number, count: number): void {
    if (count === 0) return;
    const sum = this.at(slot) + count;
    const address = this.#addressFor(slot, sum);
    this.cells[address] = sum;
    this.#setTotal(this.total + count);
  }

  addAll(other: ReadonlyCounts): void {
    // The total may be that of these counts themselves.
    const total = this.total + other.total;
    for (let slot = other.first; slot < other.length; ) {
      const page = slot & ~SLOT_IN_PAGE;
      other.read(page, scratch);
      this.#addPage(page, scratch);
      slot = other.next(page + PAGE_SLOTS);
    }
    this.#setTotal(total);
  }

  addRuns(runs: SlotRuns): void {
    this.#assertLive();
    const { slots, counts } = runs;
    const { total } = this;
    for (let length = runs.next(); length > 0; length = runs.next()) {
      this.#makePagesFor(slots, length);
      let { cells } = this;
      for (let i = 0; i < length; i++) {
        const slot = slots[i]!;
        const address = (cells[slot >> PAGE_BITS]! << PAGE_BITS) + (slot & SLOT_IN_PAGE);
        const sum = cells[address]! + counts[i]!;
        if (sum > this.largest) {
          this.#widen(sum);
          cells = this.cells;
        }
        cells[address] = sum;
      }
    }
    this.#setTotal(total + runs.total);
  }

  remove(slot: number, count: number): void {
    if (count === 0) return;
    const left = this.at(slot) - count;
    const address = this.#addressFor(slot, left);
    this.cells[address] = left;
    this.#setTotal(this.total - count);
  }

  settleBounds(): void {
    this.#findBounds();
  }

  clear(): void {
    this.#assertLive();
    this.#unchanged = undefined;
    this.#origin = NO_STATE;
    this.#keep(emptyTable(this.length), tablePages(this.length));
    this.largest = WIDTHS[0].largest;
    this.#setTotal(0);
    this.#findBounds();
  }

  resize(length: number): void {
    this.#assertLive();
    this.#settleTable();
    this.#origin = NO_STATE;
    const [before, after] = [tablePages(this.length), tablePages(length)];
    const moved = after - before;
    const pages = Math.ceil(this.length / PAGE_SLOTS);
    const old = this.#kept;
    this.length = length;
    if (this.#last < 0) this.#first = length;
    if (this.#used === before) {
      this.#keep(emptyTable(length), after);
      this.largest = WIDTHS[0].largest;
      return;
    }
    const width = widthFor(Math.max(this.largest, this.#used + moved));
    const cells = new width.Cells((this.#used + moved) << PAGE_BITS);
    for (let page = 0; page < pages; page++) {
      const place = old[page]!;
      if (place !== 0) cells[page] = place + moved;
    }
    cells.set(old.subarray(before << PAGE_BITS, this.#used << PAGE_BITS), after << PAGE_BITS);
    this.largest = width.largest;
    this.#keep(cells, this.#used + moved);
  }

  /** Whether the cells are the empty table, which all counts of this length share. */
  get #isShared(): boolean {
    return this.#kept === emptyTable(this.length);
  }

  /** The place of a page, or 0 while it does not exist. */
  #placeOf(page: number): number {
    const place = this.#kept[page]!;
    return place === 0 && this.#unchanged !== undefined ? this.#unchanged[page]! : place;
  }

  /** Completes the table. Returns the pages that were in it, if they are few: they have changed since the origin. */
  #settleTable(): string | undefined {
    const unchanged = this.#unchanged;
    if (unchanged === undefined) return undefined;
    const table = this.#kept;
    const changed: number[] = [];
    const pages = Math.ceil(this.length / PAGE_SLOTS);
    for (let page = 0; page < pages; page++) {
      if (table[page] !== 0) changed.push(page);
      else table[page] = unchanged[page]!;
    }
    this.#unchanged = undefined;
    // A page beyond the last character would become another one.
    const isText = changed.length <= MOST_CHANGED && (changed.at(-1) ?? 0) <= LARGEST_CHARACTER;
    return isText ? String.fromCharCode(...changed) : undefined;
  }

  #assertLive(): void {
    if (this.#isFrozen) throw new TypeError('frozen counts do not change: clone them');
  }

  #keep(cells: Cells, used: number): void {
    this.cells = cells;
    this.#kept = cells;
    this.#used = used;
  }

  /** The address of a slot, with a cell that is wide enough for a count. Makes the page when it does not exist. */
  #addressFor(slot: number, count: number): number {
    this.#assertLive();
    if (count > this.largest) this.#widen(count);
    const page = slot >> PAGE_BITS;
    let place = this.#placeOf(page);
    if (place === 0) {
      this.#makeRoom(1);
      place = this.#used++;
    }
    this.#kept[page] = place;
    return (place << PAGE_BITS) + (slot & SLOT_IN_PAGE);
  }

  #addPage(page: number, counts: Float64Array): void {
    const address = this.#addressFor(page, 0);
    let { cells } = this;
    for (let i = 0; i < PAGE_SLOTS; i++) {
      const sum = cells[address + i]! + counts[i]!;
      if (sum > this.largest) {
        this.#widen(sum);
        cells = this.cells;
      }
      cells[address + i] = sum;
    }
  }

  /** Makes all missing pages at once, as growing for each of them would copy all pages each time. */
  #makePagesFor(slots: Int32Array, length: number): void {
    let missing = 0;
    let before = -1;
    for (let i = 0; i < length; i++) {
      const page = slots[i]! >> PAGE_BITS;
      if (page !== before && this.#placeOf(page) === 0) missing++;
      before = page;
    }
    if (missing > 0) this.#makeRoom(missing);
    before = -1;
    for (let i = 0; i < length; i++) {
      const page = slots[i]! >> PAGE_BITS;
      if (page !== before) this.#addressFor(slots[i]!, 0);
      before = page;
    }
  }

  /** Makes sure that so many pages more have room, and that the table can hold their places. */
  #makeRoom(pages: number): void {
    const needed = this.#used + pages;
    if (needed - 1 > this.largest) this.#widen(needed - 1);
    const room = this.#kept.length >> PAGE_BITS;
    const isShared = this.#isShared;
    if (needed <= room && !isShared) return;
    const cells = new (widthFor(this.largest).Cells)(
      Math.max(needed, isShared ? 0 : Math.ceil(room * GROWTH)) << PAGE_BITS,
    );
    cells.set(this.#kept.subarray(0, this.#used << PAGE_BITS));
    this.#keep(cells, this.#used);
  }

  #widen(count: number): void {
    const { Cells, largest } = widthFor(count);
    this.largest = largest;
    if (!this.#isShared) this.#keep(Cells.from(this.#kept), this.#used);
  }

  #findBounds(): void {
    this.#boundsTotal = this.total;
    this.#first = this.#nextFrom(0);
    this.#last = -1;
    if (this.#first === this.length) return;
    const cells = this.#kept;
    for (let page = (this.length - 1) >> PAGE_BITS; this.#last < 0; page--) {
      const place = this.#placeOf(page);
      if (place === 0) continue;
      for (let i = SLOT_IN_PAGE; i >= 0; i--) {
        if (cells[(place << PAGE_BITS) + i] === 0) continue;
        this.#last = (page << PAGE_BITS) + i;
        break;
      }
    }
  }

  /** `next` without a look at the bounds. */
  #nextFrom(slot: number): number {
    const cells = this.#kept;
    const pages = Math.ceil(this.length / PAGE_SLOTS);
    let from = slot & SLOT_IN_PAGE;
    for (let page = slot >> PAGE_BITS; page < pages; page++, from = 0) {
      const place = this.#placeOf(page);
      if (place === 0) continue;
      const start = place << PAGE_BITS;
      for (let i = from; i < PAGE_SLOTS; i++) if (cells[start + i] !== 0) return (page << PAGE_BITS) + i;
    }
    return this.length;
  }

  #setTotal(total: number): void {
    this.#countdown = Math.min(LONGEST_COUNTDOWN, LARGEST_COUNT - total);
    this.#totalAtZero = total + this.#countdown;
  }
}

// One function for all widths takes a seventh longer, as V8 compiles a function that has seen several kinds of arrays to ask
// for the kind at each access.

function incremented8(cells: Uint8Array, slot: number): boolean {
  const place = cells[slot >> PAGE_BITS]!;
  const address = (place << PAGE_BITS) + (slot & SLOT_IN_PAGE);
  const count = cells[address]! + 1;
  if (place === 0 || count > LARGEST_8) return false;
  cells[address] = count;
  return true;
}

function incremented16(cells: Uint16Array, slot: number): boolean {
  const place = cells[slot >> PAGE_BITS]!;
  const address = (place << PAGE_BITS) + (slot & SLOT_IN_PAGE);
  const count = cells[address]! + 1;
  if (place === 0 || count > LARGEST_16) return false;
  cells[address] = count;
  return true;
}

function incrementedWide(cells: Int32Array | Float64Array, slot: number, largest: number): boolean {
  const place = cells[slot >> PAGE_BITS]!;
  const address = (place << PAGE_BITS) + (slot & SLOT_IN_PAGE);
  const count = cells[address]! + 1;
  if (place === 0 || count > largest) return false;
  cells[address] = count;
  return true;
}

function widthFor(count: number): (typeof WIDTHS)[number] {
  return WIDTHS.find(({ largest }) => count <= largest)!;
}

/** The pages that the table takes. */
export function tablePages(length: number): number {
  return Math.ceil(length / PAGE_SLOTS / PAGE_SLOTS);
}

const emptyTables: Uint8Array[] = [];

/** A table without pages. It is the same for all counts of a length, and nobody writes to it. */
function emptyTable(length: number): Uint8Array {
  const pages = tablePages(length);
  emptyTables[pages] ??= new Uint8Array(pages << PAGE_BITS);
  return emptyTables[pages];
}
