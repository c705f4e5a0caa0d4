import {
  addFewPlaced,
  addFewTo,
  appendFew,
  countFew,
  emptyFew,
  type FewValues,
  findFewBounds,
  findNextFew,
  listFew,
  MOST_VALUES as mostValues,
  sortFew,
} from './few-values.ts';
import * as largest from './largest-count.ts';
import { ListedCounts } from './listed.ts';
import { slotsOfRanks } from './ranks.ts';
import type { PlaceTable, ReadonlyCounts } from './readonly-counts.ts';
import type { SlotRuns } from './slot-runs.ts';
import type { LiveCounts } from './store.ts';
import * as words from './words.ts';

/**
 * The factor by which the memory for pages grows. Pages are small and many: a sixteenth more keeps unused memory low, and the
 * total work of copying stays linear.
 */
export const GROWTH = 1.0625;

// Copies: V8 reads numbers that a file exports anew at each use, which makes a record a quarter slower.
const PAGE_BITS = words.PAGE_BITS;
const PAGE_SLOTS = words.PAGE_SLOTS;
const SLOT_IN_PAGE = words.SLOT_IN_PAGE;
const LARGEST_COUNT = largest.LARGEST_COUNT;
const MOST_VALUES = mostValues;

/** The largest number of a cell. */
const FULL = 2 ** 8 - 1;

/** The state of counts that were never frozen. */
const NO_STATE = 0;
let lastState = NO_STATE;

// Looking at more pages takes as long as looking at all of them.
const MOST_CHANGED = 16;
const LARGEST_CHARACTER = 0xffff;
const LARGEST_PAGE = 2 ** 30;

// A countdown of small integers is the cheapest overflow check: see `total`.
const LONGEST_COUNTDOWN = 2 ** 30 - 1;

const scratch = /* @__PURE__ */ new Float64Array(PAGE_SLOTS);

/** Slots from the first to the last one; none when the last one is lower. */
export type SlotRange = readonly [first: number, last: number];

const NO_SLOTS: SlotRange = [0, -1];

/**
 * Pages that are allocated on first use, one after the other in a single array: the storage for many histograms, or for a wide
 * range with few used slots.
 *
 * A cell is a byte, from 1 to 255 in a used slot. A cell that is full begins again at 1 and leaves 255 to the carries, which are
 * counts of the same kind: count = cell + 255 × carries. So a busy slot needs more memory for its own page only, and each
 * record meets one kind of array, which takes a fifth less time than with several kinds.
 *
 * The array begins with a table: cell `p` has the number of the place at which the counts of page `p` lie, in pages from the
 * start of the array, or 0 while the page does not exist. Pages from place 256 on are far: a second table has their places, and
 * a record that finds 0 looks there.
 *
 * ```
 * cells   table, in whole pages  │ a page of counts │ the next one │ …
 * place   0 …                    │ tablePages       │ …
 * ```
 *
 * Up to 64 values are a list of their slots instead, since most series have few values, each in a page of its own. The table is empty
 * then, and all ways to change the counts but `add` of few values begin with `#unfold`.
 *
 * Frozen counts never change again, so that a snapshot need not copy them. A clone of frozen counts, and counts with a mark, *close*
 * their pages: a copy of the table, among the pages, has their places from then on, and the table at the start is empty. The first
 * change of each page goes the slow way, which opens it. So a record pays nothing, and the pages that have changed since are known: see
 * `listedSince` and `mark`.
 */
export class SparseCounts implements LiveCounts {
  length: number;
  // The fields that one record needs. They are only declared here: V8 treats a field that is assigned once as a constant.
  /** The cells that a record changes. While frozen they are an empty table, so a record finds no page and takes the slow way. */
  declare private cells: Uint8Array;
  /** The slots of the values, while these are few: then there is no page. */
  #few: FewValues | undefined;
  /** The cells with the counts: the same array, unless frozen. */
  #kept: Uint8Array;
  /** How many pages of the array are in use, those of the table included. */
  #used: number;
  /** How often each cell was full. Frozen counts and their clone share them until the next carry. */
  #carries: SparseCounts | undefined;
  /** The places of open far pages, by page, and 0 for other pages. Counts with fewer than 256 pages do not need this table. */
  #far: Uint32Array | undefined;
  /** Those of all far pages: the same table until pages are closed. */
  #allFar: Uint32Array | undefined;
  /** The place of the table of all pages: that at the start until pages are closed. */
  #tableOfAll = 0;
  /** Records until the next refill, in `[0, 2^30)`, and the total when it reaches 0. */
  #countdown = LONGEST_COUNTDOWN;
  #totalAtZero = LONGEST_COUNTDOWN;
  // The first and last used slots, and the total at which they were right. A record does not update them.
  #first: number;
  #last = -1;
  #boundsTotal = 0;
  #isFrozen = false;
  // The first and the last page that have changed since the last mark.
  #firstOpened = LARGEST_PAGE;
  #lastOpened = -1;
  /** The frozen counts that this was cloned from: a number, as a reference would keep all earlier counts in memory. */
  #origin = NO_STATE;
  /** The number of this state, from when it is frozen on. */
  #state = NO_STATE;
  /**
   * The pages that differ from `#origin`, as characters, which take the least memory, without those that are open; `undefined` when
   * they are not known.
   */
  #changed: string | undefined;

  constructor(length: number) {
    this.length = length;
    this.#first = length;
    this.#few = emptyFew(length);
    this.#used = tablePages(length);
    this.cells = emptyTable(length);
    this.#kept = this.cells;
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
    if (this.#few !== undefined) return 2 * this.#few.length;
    const far = (this.#allFar?.byteLength ?? 0) * (this.#far === this.#allFar ? 1 : 2);
    return this.#kept.byteLength + far + (this.#carries?.byteLength ?? 0);
  }

  seen(): this {
    return this;
  }

  /** Ends all changes of these counts. To count on, clone them. */
  freeze(): this {
    if (this.#isFrozen) return this;
    this.#noteOpenPages();
    this.#state = ++lastState;
    this.#isFrozen = true;
    this.cells = emptyTable(this.length);
    this.#carries?.freeze();
    return this;
  }

  /**
   * The increase of these frozen counts since those that they were cloned from. The work is a look at the pages that have changed.
   *
   * @returns `undefined` when a count has fallen, or when the changed pages are not known: they are while counts are frozen one after
   *   the other, and few pages change in between.
   */
  listedSince(before: ReadonlyCounts): ListedCounts | undefined {
    if (this.#few !== undefined) {
      const few = this.#fewSince(before);
      return few === undefined ? undefined : listFew(few, this.length);
    }
    const changed = this.#pagesSince(before);
    if (changed === undefined || !(before instanceof SparseCounts)) return undefined;
    const slots: number[] = [];
    const counts: number[] = [];
    const [cells, cellsBefore] = [this.#kept, before.#kept];
    const haveSameCarries = this.#carries === before.#carries;
    for (let i = 0; i < changed.length; i++) {
      const page = changed.charCodeAt(i);
      const address = this.#placeOf(page) << PAGE_BITS;
      // Where the page did not exist, all of its counts were 0, unless they are a list.
      const placeBefore = before.#placeOf(page);
      const addressBefore = placeBefore << PAGE_BITS;
      for (let at = 0; at < PAGE_SLOTS; at++) {
        const slot = (page << PAGE_BITS) + at;
        const cellBefore = placeBefore > 0 ? cellsBefore[addressBefore + at]! : before.#countInList(slot);
        if (cells[address + at] === cellBefore && haveSameCarries) continue;
        const count = this.at(slot) - before.at(slot);
        if (count < 0) return undefined;
        if (count > 0) {
          slots.push(slot);
          counts.push(count);
        }
      }
    }
    return new ListedCounts(this.length, slots, counts);
  }

  /**
   * Begins anew to note which slots change: see `changedSlots`.
   *
   * @example
   * ```ts
   * import { SparseCounts } from '@hdrscope/core/internal';
   *
   * const counts = new SparseCounts(1000);
   * for (const slot of [3, 500]) counts.increment(slot);
   * counts.mark();
   * counts.increment(501);
   * counts.changedSlots; //=> [448, 511]
   * ```
   */
  mark(): void {
    if (!this.#isFrozen) {
      this.#noteOpenPages();
      this.#closePages();
    }
    this.#firstOpened = LARGEST_PAGE;
    this.#lastOpened = -1;
  }

  /** Slots among which are all that have changed since the last `mark`. */
  get changedSlots(): SlotRange {
    return this.#slotsOfPages(this.#firstOpened, this.#lastOpened);
  }

  /** Slots among which are all that differ from frozen counts before these; `undefined` where `listedSince` is. */
  changedSince(before: ReadonlyCounts): SlotRange | undefined {
    if (this.#few !== undefined) {
      const few = this.#fewSince(before);
      return few === undefined ? undefined : findFewBounds(few, this.length);
    }
    const changed = this.#pagesSince(before);
    if (changed === undefined) return undefined;
    return this.#slotsOfPages(changed.charCodeAt(0), changed.charCodeAt(changed.length - 1));
  }

  #slotsOfPages(first: number, last: number): SlotRange {
    if (!(last >= 0)) return NO_SLOTS;
    return [first << PAGE_BITS, Math.min((last << PAGE_BITS) + SLOT_IN_PAGE, this.length - 1)];
  }

  /** The values of the list since frozen counts that these were cloned from; `undefined` when they are not known. */
  #fewSince(before: ReadonlyCounts): FewValues | undefined {
    return this.#isSince(before) ? this.#few?.slice(before.total) : undefined;
  }

  #pagesSince(before: ReadonlyCounts): string | undefined {
    return this.#isSince(before) ? this.#changed : undefined;
  }

  /** Whether these frozen counts are a clone of those, which counted on. */
  #isSince(before: ReadonlyCounts): boolean {
    const isOrigin = before instanceof SparseCounts && before.#state === this.#origin;
    return isOrigin && this.#isFrozen && this.#origin !== NO_STATE;
  }

  /** A copy that counts on. */
  clone(): SparseCounts {
    const copy = new SparseCounts(this.length);
    copy.#few = this.#few;
    if (this.#few === undefined && this.total > 0) {
      copy.#keep(this.#kept.slice(0, this.#used << PAGE_BITS), this.#used);
      copy.#tableOfAll = this.#tableOfAll;
      copy.#allFar = this.#allFar?.slice();
      if (this.#isFrozen) {
        copy.#closePages();
        copy.#carries = this.#carries;
      } else {
        copy.#far = this.#far === this.#allFar ? copy.#allFar : this.#far?.slice();
        copy.#carries = this.#carries?.clone();
      }
    }
    copy.#firstOpened = this.#firstOpened;
    copy.#lastOpened = this.#lastOpened;
    copy.#origin = this.#state;
    copy.#changed = '';
    copy.#countdown = this.#countdown;
    copy.#totalAtZero = this.#totalAtZero;
    copy.#first = this.#first;
    copy.#last = this.#last;
    copy.#boundsTotal = this.#boundsTotal;
    return copy;
  }

  at(slot: number): number {
    if (this.#few !== undefined) return this.#countInList(slot);
    const place = this.#placeOf(slot >> PAGE_BITS);
    if (place === 0) return 0;
    const cell = this.#kept[(place << PAGE_BITS) + (slot & SLOT_IN_PAGE)]!;
    return this.#carries === undefined ? cell : cell + FULL * this.#carries.at(slot);
  }

  next(slot: number): number {
    if (slot <= this.first) return this.#first;
    return slot > this.#last ? this.length : this.#nextFrom(slot);
  }

  read(slot: number, into: Float64Array): boolean {
    into.fill(0);
    return this.#addTo(into, slot, 1);
  }

  slotOfRank(rank: number): number {
    return this.slotsOfRanks([rank])[0]!;
  }

  slotsOfRanks(ranks: readonly number[]): number[] {
    return slotsOfRanks(this, ranks);
  }

  /** The sum of the counts in the page that starts at `slot`. */
  sumOfPage(slot: number): number {
    if (this.#few !== undefined) return countFew(this.#few, slot, slot + SLOT_IN_PAGE);
    const cells = this.#kept;
    const place = this.#placeOf(slot >> PAGE_BITS);
    if (place === 0) return 0;
    let sum = 0;
    const start = place << PAGE_BITS;
    for (let address = start; address < start + PAGE_SLOTS; address++) sum += cells[address]!;
    return this.#carries === undefined ? sum : sum + FULL * this.#carries.sumOfPage(slot);
  }

  /**
   * Counts one value in a slot where that takes one step. Returns `false`, and counts nothing, where it takes more: the page does
   * not exist, the cell is full, the counts are frozen, or the total is to be checked.
   */
  tryIncrement(slot: number): boolean {
    const { cells } = this;
    const countdown = this.#countdown;
    if (countdown === 0) return false;
    const place = cells[slot >> PAGE_BITS]!;
    const address = (place << PAGE_BITS) + (slot & SLOT_IN_PAGE);
    const cell = cells[address]!;
    if (place === 0 || cell === FULL) return this.#far !== undefined && this.#tryIncrementFar(slot);
    this.#countdown = countdown - 1;
    cells[address] = cell + 1;
    return true;
  }

  increment(slot: number): void {
    if (this.tryIncrement(slot)) return;
    this.assertRoomFor(1);
    this.add(slot, 1);
  }

  assertRoomFor(count: number): void {
    largest.assertTotal(this.total, count);
  }

  add(slot: number, count: number): void {
    if (count === 0 || this.#addFew(slot, count)) return;
    const address = this.#addressFor(slot);
    const sum = this.cells[address]! + count;
    this.cells[address] = sum <= FULL ? sum : this.#carry(slot, sum);
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
    for (let length = runs.next(); length > 0; length = runs.next()) {
      this.#addRun(runs.slots, runs.counts, length);
    }
  }

  /** Adds a run. What is carried is a run too, so its pages are made at once. */
  #addRun(slots: Int32Array, counts: Float64Array, length: number): void {
    let added = 0;
    for (let i = 0; i < length; i++) added += counts[i]!;
    if (this.#few !== undefined && this.total + added <= MOST_VALUES) {
      for (let i = 0; i < length; i++) this.#addFew(slots[i]!, counts[i]!);
      return;
    }
    this.#unfold();
    this.#makePagesFor(slots, length);
    const { cells } = this;
    let carriedSlots = slots;
    let carriedCounts = counts;
    let carried = 0;
    let page = -1;
    let start = 0;
    for (let i = 0; i < length; i++) {
      const slot = slots[i]!;
      if (slot >> PAGE_BITS !== page) {
        page = slot >> PAGE_BITS;
        start = this.#placeOf(page) << PAGE_BITS;
      }
      const address = start + (slot & SLOT_IN_PAGE);
      const sum = cells[address]! + counts[i]!;
      const carries = sum <= FULL ? 0 : carriesOf(sum);
      cells[address] = sum - FULL * carries;
      if (carries === 0) continue;
      if (carried === 0) {
        carriedSlots = slots.slice();
        carriedCounts = counts.slice();
      }
      carriedSlots[carried] = slot;
      carriedCounts[carried++] = carries;
    }
    this.#setTotal(this.total + added);
    if (carried > 0) this.#ownCarries().#addRun(carriedSlots, carriedCounts, carried);
  }

  remove(slot: number, count: number): void {
    if (count === 0) return;
    this.#assertLive();
    this.#unfold();
    const left = this.at(slot) - count;
    const carried = carriesOf(left);
    this.cells[this.#addressFor(slot)] = left - FULL * carried;
    if (this.#carries !== undefined) this.#ownCarries().remove(slot, this.#carries.at(slot) - carried);
    this.#setTotal(this.total - count);
  }

  settleBounds(): void {
    this.#findBounds();
  }

  clear(): void {
    this.#assertLive();
    this.#origin = NO_STATE;
    this.#carries = undefined;
    this.#forgetPlaces();
    this.#few = emptyFew(this.length);
    this.#keep(emptyTable(this.length), tablePages(this.length));
    this.#openAll();
    this.#setTotal(0);
    this.#findBounds();
  }

  resize(length: number): void {
    this.#assertLive();
    this.#origin = NO_STATE;
    if (emptyFew(length) === undefined) this.#unfold();
    const [before, after] = [tablePages(this.length), tablePages(length)];
    const places = Array.from({ length: pagesOf(this.length) }, (_, page) => this.#placeOf(page));
    const old = this.#kept;
    this.length = length;
    this.#openAll();
    if (this.#last < 0) this.#first = length;
    if (this.#used === before) {
      this.#keep(emptyTable(length), after);
      return;
    }
    const used = this.#used + after - before;
    const cells = new Uint8Array(used << PAGE_BITS);
    cells.set(old.subarray(before << PAGE_BITS, this.#used << PAGE_BITS), after << PAGE_BITS);
    this.#keep(cells, used);
    this.#forgetPlaces();
    for (const [page, place] of places.entries()) if (place > 0) this.#open(page, place + after - before);
    if (this.#carries !== undefined) this.#ownCarries().resize(length);
  }

  /** Adds values to the list. Returns whether there is one, and has the room. */
  #addFew(slot: number, count: number): boolean {
    if (this.#few === undefined || this.#few.length + count > MOST_VALUES) return false;
    this.#assertLive();
    this.#few = appendFew(this.#few, slot, count);
    this.#noteOpened(slot >> PAGE_BITS);
    this.#setTotal(this.#few.length);
    return true;
  }

  #countInList(slot: number): number {
    return this.#few === undefined ? 0 : countFew(this.#few, slot, slot);
  }

  /** Makes pages of the list. All of them are open: more of them may have changed than have. */
  #unfold(): void {
    if (this.#few === undefined) return;
    const slots = sortFew(this.#few);
    this.#few = undefined;
    this.#makePagesFor(slots, slots.length);
    for (const slot of slots) this.cells[this.#addressFor(slot)]! += 1;
  }

  /** The place of a page, or 0 while it does not exist. */
  #placeOf(page: number): number {
    const place = this.#kept[(this.#tableOfAll << PAGE_BITS) + page]!;
    return place === 0 && this.#allFar !== undefined ? this.#allFar[page]! : place;
  }

  /** Lets records find a page, which is at this place. */
  #open(page: number, place: number): void {
    this.#noteOpened(page);
    if (place <= FULL) {
      this.#kept[page] = place;
      this.#kept[(this.#tableOfAll << PAGE_BITS) + page] = place;
      return;
    }
    this.#allFar ??= this.#far = new Uint32Array(pagesOf(this.length));
    this.#far ??= new Uint32Array(pagesOf(this.length));
    this.#allFar[page] = place;
    this.#far[page] = place;
  }

  #noteOpened(page: number): void {
    if (page < this.#firstOpened) this.#firstOpened = page;
    if (page > this.#lastOpened) this.#lastOpened = page;
  }

  /** Lets the next change of each page go the slow way. */
  #closePages(): void {
    const pages = tablePages(this.length);
    if (this.#used === pages) return;
    if (this.#tableOfAll === 0) {
      this.#makeRoom(pages);
      this.#tableOfAll = this.#used;
      this.#used += pages;
      this.#kept.copyWithin(this.#tableOfAll << PAGE_BITS, 0, pages << PAGE_BITS);
    }
    this.#kept.fill(0, 0, pages << PAGE_BITS);
    this.#far = undefined;
  }

  #forgetPlaces(): void {
    this.#far = undefined;
    this.#allFar = undefined;
    this.#tableOfAll = 0;
  }

  /** All slots may have changed since the last mark. */
  #openAll(): void {
    this.#firstOpened = 0;
    this.#lastOpened = pagesOf(this.length) - 1;
  }

  /** `tryIncrement` in a far page. */
  #tryIncrementFar(slot: number): boolean {
    const place = this.#far![slot >> PAGE_BITS]!;
    const address = (place << PAGE_BITS) + (slot & SLOT_IN_PAGE);
    const cell = this.#kept[address]!;
    if (place === 0 || cell === FULL || this.#isFrozen) return false;
    this.#kept[address] = cell + 1;
    this.#countdown--;
    return true;
  }

  /** Adds the open pages to those that differ from the origin, while these are few. */
  #noteOpenPages(): void {
    if (this.#origin === NO_STATE || this.#changed === undefined) return;
    let changed = this.#changed;
    const pages = pagesOf(this.length);
    for (let page = 0; page < pages; page++) {
      if (this.#kept[page] === 0 && !this.#far?.[page]) continue;
      const character = String.fromCharCode(page);
      if (!changed.includes(character)) changed += character;
      // A page beyond the last character would become another one.
      if (changed.length > MOST_CHANGED || page > LARGEST_CHARACTER) {
        this.#changed = undefined;
        return;
      }
    }
    // Ascending: slots are listed in this order.
    this.#changed = this.#changed === '' ? changed : [...changed].sort().join('');
  }

  #assertLive(): void {
    if (this.#isFrozen) throw new TypeError('frozen counts do not change: clone them');
  }

  #keep(cells: Uint8Array, used: number): void {
    this.cells = cells;
    this.#kept = cells;
    this.#used = used;
  }

  /** The address of a slot. Makes the page when it does not exist. */
  #addressFor(slot: number): number {
    this.#assertLive();
    this.#unfold();
    const page = slot >> PAGE_BITS;
    let place = this.#placeOf(page);
    if (place === 0) {
      this.#makeRoom(1);
      place = this.#used++;
    }
    this.#open(page, place);
    return (place << PAGE_BITS) + (slot & SLOT_IN_PAGE);
  }

  /** Adds a page of counts, in place of which it leaves what was carried. */
  #addPage(page: number, counts: Float64Array): void {
    const address = this.#addressFor(page);
    const { cells } = this;
    let carried = 0;
    for (let i = 0; i < PAGE_SLOTS; i++) {
      const sum = cells[address + i]! + counts[i]!;
      const carries = sum <= FULL ? 0 : carriesOf(sum);
      cells[address + i] = sum - FULL * carries;
      counts[i] = carries;
      carried += carries;
    }
    if (carried === 0) return;
    const carries = this.#ownCarries();
    carries.#addPage(page, counts);
    carries.#setTotal(carries.total + carried);
  }

  /** Adds to `into` the counts from a slot upwards, as often as `factor` says. Returns whether any of the pages exists. */
  #addTo(into: Float64Array, slot: number, factor: number): boolean {
    if (this.#few !== undefined) return addFewTo(this.#few, into, slot, factor);
    const cells = this.#kept;
    const end = Math.min(slot + into.length, this.length);
    let isUsed = false;
    for (let from = slot; from < end; ) {
      const to = Math.min((from | SLOT_IN_PAGE) + 1, end);
      const place = this.#placeOf(from >> PAGE_BITS);
      if (place !== 0) {
        isUsed = true;
        let address = (place << PAGE_BITS) + (from & SLOT_IN_PAGE);
        for (let i = from - slot; i < to - slot; i++, address++) into[i]! += cells[address]! * factor;
      }
      from = to;
    }
    if (isUsed && this.#carries !== undefined) this.#carries.#addTo(into, slot, factor * FULL);
    return isUsed;
  }

  /** Adds the counts of slots to `into`, each at the place that a table has for it. */
  addPlaced(into: Float64Array | number[], first: number, last: number, table: PlaceTable): void {
    this.#addPlaced(into, first, last, table, 1);
  }

  #addPlaced(
    into: Float64Array | number[],
    first: number,
    last: number,
    table: PlaceTable,
    factor: number,
  ): void {
    if (this.#few !== undefined) {
      addFewPlaced(this.#few, into, first, last, table, factor);
      return;
    }
    const { shift, offset } = table;
    const cells = this.#kept;
    for (let slot = first; slot <= last; ) {
      const page = slot >> PAGE_BITS;
      const stop = Math.min(last, slot | SLOT_IN_PAGE);
      const place = this.#placeOf(page);
      if (place !== 0) {
        const places = table.placesOf(page);
        const start = place << PAGE_BITS;
        const end = stop & SLOT_IN_PAGE;
        // Neighbours share a place, and the processor cannot guess which cells are 0.
        let sum = 0;
        let at = (places[slot & SLOT_IN_PAGE]! >> shift) - offset;
        for (let i = slot & SLOT_IN_PAGE; i <= end; i++) {
          const next = (places[i]! >> shift) - offset;
          if (next !== at) {
            into[at]! += sum * factor;
            sum = 0;
            at = next;
          }
          sum += cells[start + i]!;
        }
        into[at]! += sum * factor;
      }
      slot = stop + 1;
    }
    if (this.#carries !== undefined) this.#carries.#addPlaced(into, first, last, table, factor * FULL);
  }

  /** Counts the carries of a slot. Returns what is left for its cell. */
  #carry(slot: number, sum: number): number {
    const carried = carriesOf(sum);
    this.#ownCarries().add(slot, carried);
    return sum - FULL * carried;
  }

  /** The carries, to change. */
  #ownCarries(): SparseCounts {
    if (this.#carries === undefined) this.#carries = new SparseCounts(this.length);
    else if (this.#carries.#isFrozen) this.#carries = this.#carries.clone();
    return this.#carries;
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
      if (page !== before) this.#addressFor(slots[i]!);
      before = page;
    }
  }

  /** Makes sure that so many pages more have room. */
  #makeRoom(pages: number): void {
    const needed = this.#used + pages;
    const isShared = this.#kept === emptyTable(this.length);
    const room = this.#kept.length >> PAGE_BITS;
    if (needed <= room && !isShared) return;
    const cells = new Uint8Array(Math.max(needed, isShared ? 0 : Math.floor(room * GROWTH)) << PAGE_BITS);
    cells.set(this.#kept.subarray(0, this.#used << PAGE_BITS));
    this.#keep(cells, this.#used);
  }

  #findBounds(): void {
    this.#boundsTotal = this.total;
    if (this.#few !== undefined) {
      [this.#first, this.#last] = findFewBounds(this.#few, this.length);
      return;
    }
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
    if (this.#few !== undefined) return findNextFew(this.#few, slot, this.length);
    const cells = this.#kept;
    const pages = pagesOf(this.length);
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

/** How often a cell was full at a count: none of the used cells is 0. */
function carriesOf(count: number): number {
  return count === 0 ? 0 : Math.floor((count - 1) / FULL);
}

function pagesOf(length: number): number {
  return (length + SLOT_IN_PAGE) >> PAGE_BITS;
}

/** `byteLength` of sparse counts at most, when all slots are used and no count exceeds 2^31 − 1. */
export function mostSparseBytes(length: number): number {
  const room = Math.floor((tablePages(length) + pagesOf(length)) * GROWTH);
  const far = room > FULL + 1 ? pagesOf(length) * Uint32Array.BYTES_PER_ELEMENT : 0;
  // A count of 2^31 − 1 has four digits in base 255.
  return 4 * ((room << PAGE_BITS) + far);
}

/** The pages that the table takes. */
function tablePages(length: number): number {
  return pagesOf(pagesOf(length));
}

const emptyTables: Uint8Array[] = [];

/** A table without pages. It is the same for all counts of a length, and nobody writes to it. */
function emptyTable(length: number): Uint8Array {
  const pages = tablePages(length);
  emptyTables[pages] ??= new Uint8Array(pages << PAGE_BITS);
  return emptyTables[pages];
}
