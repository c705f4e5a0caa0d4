import { assertTotal, LARGEST_COUNT as largestCount } from './largest-count.ts';
import { slotsOfRanks } from './ranks.ts';
import type { ReadonlyCounts } from './readonly-counts.ts';
import type { SlotRuns } from './slot-runs.ts';
import type { LiveCounts } from './store.ts';
import {
  addWords,
  areZero,
  grown,
  PAGE_SLOTS as pageSlots,
  SLOT_IN_PAGE as slotInPage,
  smallSumOfPage,
  sumOfPage,
  wordsFor,
} from './words.ts';

// Copies: V8 reads numbers that another file exports anew at each use.
const LARGEST_COUNT = largestCount;
const PAGE_SLOTS = pageSlots;
const SLOT_IN_PAGE = slotInPage;

// A countdown of small integers is the cheapest overflow check: one comparison a record, and a refill every 2^30 records.
const LONGEST_COUNTDOWN = 2 ** 30 - 1;

const TWO_POW_31 = 2 ** 31;

const readPage = /* @__PURE__ */ new Float64Array(PAGE_SLOTS);

/**
 * One count for each slot, all allocated at once: the fastest storage, of a size that is known from the start. A count is
 * `high * 2^31 + low`, in two 32-bit words. The high words are allocated when the first count passes 2^31, so nearly no histogram
 * pays for them.
 *
 * A low word never wraps, although a record does not check it. Every other operation leaves it below 2^31. After at most
 * 2^30 records the countdown runs out, long before the word could reach 2^32, and all low words are settled: see `#settle`.
 *
 * The total never exceeds 2^53 − 1, so no single count can either.
 */
export class DenseCounts implements LiveCounts {
  /** In slots; grows with `resize`. */
  length: number;
  /** Whole pages. The field is declared and not initialised, because V8 treats a field that is assigned once as a constant. */
  declare private low: Uint32Array<ArrayBuffer>;
  #high: Uint32Array<ArrayBuffer> | undefined;

  /** Records until the next refill. In `[0, 2^30)`. */
  #countdown = LONGEST_COUNTDOWN;
  /** The total when the countdown reaches 0. In `[0, 2^53)`. */
  #totalAtZero = LONGEST_COUNTDOWN;

  // The first and last used slots, and the totals at which they were right. A record does not update them, which would take
  // a seventh of its time. Their getters look for newer slots beyond them. Only `remove` takes counts out.
  #first: number;
  #firstTotal = 0;
  #last = -1;
  #lastTotal = 0;

  constructor(length: number, low: Uint32Array<ArrayBuffer> = new Uint32Array(wordsFor(length))) {
    this.length = length;
    this.#first = length;
    this.low = low;
  }

  /** Counts in existing words: whole pages of low words, and as many high words or none. */
  static holding(
    length: number,
    low: Uint32Array<ArrayBuffer>,
    high: Uint32Array<ArrayBuffer> | undefined,
  ): DenseCounts {
    const counts = new DenseCounts(length, low);
    counts.#high = high;
    counts.#sumUp();
    return counts;
  }

  /** Counts below 2^31 in whole pages of existing words, whose total and bounds are known. */
  static holdingSmall(
    length: number,
    low: Uint32Array<ArrayBuffer>,
    known: { readonly total: number; readonly first: number; readonly last: number },
  ): DenseCounts {
    const counts = new DenseCounts(length, low);
    counts.#noteAdded(known);
    return counts;
  }

  get storage(): 'dense' {
    return 'dense';
  }

  seen(): this {
    return this;
  }

  get total(): number {
    return this.#totalAtZero - this.#countdown;
  }

  get first(): number {
    if (this.#firstTotal !== this.total) this.#lowerFirst();
    return this.#first;
  }

  get last(): number {
    if (this.#lastTotal !== this.total) this.#raiseLast();
    return this.#last;
  }

  get byteLength(): number {
    return this.low.byteLength + (this.#high?.byteLength ?? 0);
  }

  at(slot: number): number {
    const { low } = this;
    const high = this.#high;
    return high === undefined ? low[slot]! : low[slot]! + high[slot]! * TWO_POW_31;
  }

  next(slot: number): number {
    if (slot <= this.first) return this.#first;
    return slot > this.last ? this.length : this.#nextFrom(slot);
  }

  read(slot: number, into: Float64Array): boolean {
    const end = slot + into.length;
    if (end <= this.first || slot > this.last) {
      into.fill(0);
      return false;
    }
    const words = this.low.subarray(slot, end);
    into.set(words);
    if (words.length < into.length) into.fill(0, words.length);
    if (this.#high !== undefined) for (let i = 0; i < words.length; i++) into[i] = this.at(slot + i);
    return true;
  }

  /**
   * Fills `into` with the counts from `slot` upwards, and with 0 beyond the last slot. Returns `false`, and leaves `into` as it
   * is, when a count may need more than 32 bits.
   */
  readWords(slot: number, into: Uint32Array): boolean {
    if (this.#high !== undefined) return false;
    const words = this.low.subarray(slot, slot + into.length);
    into.set(words);
    if (words.length < into.length) into.fill(0, words.length);
    return true;
  }

  slotOfRank(rank: number): number {
    return this.slotsOfRanks([rank])[0]!;
  }

  slotsOfRanks(ranks: readonly number[]): number[] {
    return slotsOfRanks(this, ranks);
  }

  /** The sum of the counts in the page that starts at `slot`. */
  sumOfPage(slot: number): number {
    const { low } = this;
    const high = this.#high;
    if (high !== undefined) return sumOfPage(low, slot) + sumOfPage(high, slot) * TWO_POW_31;
    return this.total < TWO_POW_31 ? smallSumOfPage(low, slot) : sumOfPage(low, slot);
  }

  /** The innermost part of a record: all numbers in it are small integers. */
  increment(slot: number): void {
    if (this.#countdown === 0) this.#refill();
    this.#countdown--;
    this.low[slot]!++;
  }

  assertRoomFor(count: number): void {
    assertTotal(this.total, count);
  }

  add(slot: number, count: number): void {
    if (count === 0) return;
    const sum = this.low[slot]! + count;
    if (sum < TWO_POW_31) this.low[slot] = sum;
    else this.#setCount(slot, this.at(slot) + count);
    this.#setTotal(this.total + count);
  }

  addAll(other: ReadonlyCounts): void {
    if (other instanceof DenseCounts) this.#addDense(other);
    else this.#addPages(other);
  }

  addRuns(runs: SlotRuns): void {
    const { slots, counts } = runs;
    const { low } = this;
    for (let length = runs.next(); length > 0; length = runs.next()) {
      for (let i = 0; i < length; i++) {
        const slot = slots[i]!;
        const sum = low[slot]! + counts[i]!;
        if (sum < TWO_POW_31) low[slot] = sum;
        else this.#setCount(slot, this.at(slot) + counts[i]!);
      }
    }
    this.#noteAdded(runs);
  }

  remove(slot: number, count: number): void {
    if (count === 0) return;
    this.#setCount(slot, this.at(slot) - count);
    this.#setTotal(this.total - count);
  }

  settleBounds(): void {
    this.#first = this.length;
    this.#last = -1;
    this.#firstTotal = 0;
    this.#lastTotal = 0;
  }

  clear(): void {
    this.low.fill(0);
    this.#high = undefined;
    this.#setTotal(0);
    this.settleBounds();
  }

  resize(length: number): void {
    const words = wordsFor(length);
    this.low = grown(this.low, words);
    this.#high = this.#high && grown(this.#high, words);
    this.length = length;
    if (this.#last < 0) this.#first = length;
  }

  clone(): DenseCounts {
    const copy = new DenseCounts(this.length, this.low.slice());
    copy.#first = this.first;
    copy.#firstTotal = this.total;
    copy.#last = this.last;
    copy.#lastTotal = this.total;
    copy.#high = this.#high?.slice();
    copy.#countdown = this.#countdown;
    copy.#totalAtZero = this.#totalAtZero;
    return copy;
  }

  #addDense(other: DenseCounts): void {
    // Words below 2^31 do not wrap when they are added.
    this.#settleAll();
    other.#settleAll();
    const from = other.first & ~SLOT_IN_PAGE;
    const to = wordsFor(other.last + 1);
    if (from < to) this.#addWords(other, from, to);
    this.#setTotal(this.total + other.total);
  }

  /** Adds counts that lie in memory in another way. */
  #addPages(other: ReadonlyCounts): void {
    const page = readPage;
    for (let slot = other.first; slot < other.length; ) {
      const from = slot & ~SLOT_IN_PAGE;
      other.read(from, page);
      for (let i = 0; i < PAGE_SLOTS; i++) {
        const sum = this.low[from + i]! + page[i]!;
        if (sum < TWO_POW_31) this.low[from + i] = sum;
        else this.#setCount(from + i, this.at(from + i) + page[i]!);
      }
      slot = other.next(from + PAGE_SLOTS);
    }
    this.#setTotal(this.total + other.total);
  }

  /** Adds words below 2^31. */
  #addWords(other: DenseCounts, from: number, to: number): void {
    const high = other.#high;
    // High words come first, because low words are settled into them, and both histograms may be the same one.
    if (high !== undefined) {
      const ownHigh = this.#highWords();
      for (let slot = from; slot < to; slot++) ownHigh[slot] = ownHigh[slot]! + high[slot]!;
    }
    const sums = this.low.subarray(from, to);
    if (addWords(sums, other.low.subarray(from, to)) < 0) this.#settle(from, to);
  }

  /** Updates the total and the bounds after counts were added to words. */
  #noteAdded({ total, first, last }: Pick<SlotRuns, 'total' | 'first' | 'last'>): void {
    if (total === 0) return;
    // Bounds that were out of date stay out of date, but come closer.
    if (this.#firstTotal === this.total) this.#firstTotal += total;
    if (this.#lastTotal === this.total) this.#lastTotal += total;
    this.#first = Math.min(this.#first, first);
    this.#last = Math.max(this.#last, last);
    this.#setTotal(this.total + total);
  }

  /** Updates the total after all words were replaced. */
  #sumUp(): void {
    const { low } = this;
    const high = this.#high;
    let total = 0;
    for (let page = 0; page < low.length; page += PAGE_SLOTS) {
      total += sumOfPage(low, page);
      if (high !== undefined) total += sumOfPage(high, page) * TWO_POW_31;
    }
    this.#setTotal(total);
    this.#settleAll();
  }

  /** Finds the first used slot at or below the known one. The counts are not empty. */
  #lowerFirst(): void {
    let below = 0;
    while (below < this.#first && this.#isPageEmpty(below)) below += PAGE_SLOTS;
    if (below < this.#first) this.#first = this.#nextFrom(below);
    this.#firstTotal = this.total;
  }

  /** Finds the last used slot at or above the known one. The counts are not empty. */
  #raiseLast(): void {
    let above = (this.length - 1) & ~SLOT_IN_PAGE;
    while (above > this.#last && this.#isPageEmpty(above)) above -= PAGE_SLOTS;
    for (let slot = Math.min(above + SLOT_IN_PAGE, this.length - 1); slot > this.#last; slot--) {
      if (this.at(slot) !== 0) this.#last = slot;
    }
    this.#lastTotal = this.total;
  }

  #isPageEmpty(slot: number): boolean {
    const high = this.#high;
    return areZero(this.low, slot) && (high === undefined || areZero(high, slot));
  }

  /** `next` without a look at the bounds. */
  #nextFrom(slot: number): number {
    const { low, length } = this;
    const high = this.#high;
    for (let at = slot; at < length; at++) {
      if (low[at] !== 0 || (high !== undefined && high[at] !== 0)) return at;
    }
    return length;
  }

  #setCount(slot: number, count: number): void {
    this.low[slot] = count % TWO_POW_31;
    if (count >= TWO_POW_31 || this.#high !== undefined) {
      this.#highWords()[slot] = Math.floor(count / TWO_POW_31);
    }
  }

  /** Moves 2^31 of each low word that has reached it into the high word, so that all low words are below 2^31. */
  #settleAll(): void {
    if (this.total >= TWO_POW_31) this.#settle(0, this.low.length);
  }

  /** `#settleAll` for the slots from `from` to below `to`. */
  #settle(from: number, to: number): void {
    for (let slot = from; slot < to; slot++) {
      if (this.low[slot]! >= TWO_POW_31) {
        this.low[slot] = this.low[slot]! - TWO_POW_31;
        const high = this.#highWords();
        high[slot] = high[slot]! + 1;
      }
    }
  }

  #highWords(): Uint32Array {
    this.#high ??= new Uint32Array(this.low.length);
    return this.#high;
  }

  #refill(): void {
    this.assertRoomFor(1);
    this.#settleAll();
    this.#countdown = Math.min(LONGEST_COUNTDOWN, LARGEST_COUNT - this.#totalAtZero);
    this.#totalAtZero += this.#countdown;
  }

  /** The countdown goes on, as it keeps low words from wrapping. Near the limit of the total it becomes shorter. */
  #setTotal(total: number): void {
    this.#countdown = Math.min(this.#countdown, LARGEST_COUNT - total);
    this.#totalAtZero = total + this.#countdown;
  }
}
