import { HdrscopeError } from '../errors.ts';
import { slotsOfRanks } from './ranks.ts';
import type { ReadonlyCounts, Storage } from './readonly-counts.ts';
import type { SlotRuns } from './slot-runs.ts';
import {
  addWords,
  areZero,
  grown,
  PAGE_SLOTS,
  SLOT_IN_PAGE,
  smallSumOfPage,
  sumOfPage,
  wordsFor,
} from './words.ts';

/** The largest exact total. */
export const LARGEST_COUNT: number = Number.MAX_SAFE_INTEGER;

// A countdown of small integers is the cheapest overflow check: one comparison a record, and a refill every 2^30 records.
const LONGEST_COUNTDOWN = 2 ** 30 - 1;

const TWO_POW_31 = 2 ** 31;

const cellPage = /* @__PURE__ */ new Float64Array(PAGE_SLOTS);

/**
 * Counts, and the operations on them that are the same in every storage. A count is `high * 2^31 + low`, in two 32-bit words.
 * The high words are allocated when the first count passes 2^31, so nearly no histogram pays for them.
 *
 * A low word never wraps, although a record does not check it. Every other operation leaves it below 2^31. After at most
 * 2^30 records the countdown runs out, long before the word could reach 2^32, and all low words are settled: see `#settle`.
 *
 * The total never exceeds 2^53 − 1, so no single count can either.
 */
export abstract class Counts implements ReadonlyCounts {
  abstract readonly storage: Storage;

  /** In slots; grows with `resize`. */
  length: number;

  /**
   * Whole pages, at addresses that the storage chooses. The field is declared and not initialised, because V8 treats a field
   * that is assigned once as a constant.
   */
  declare protected low: Uint32Array<ArrayBuffer>;
  protected high: Uint32Array<ArrayBuffer> | undefined = undefined;

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

  constructor(length: number, low: Uint32Array<ArrayBuffer>) {
    this.length = length;
    this.#first = length;
    this.low = low;
  }

  abstract increment(slot: number): void;
  abstract resize(length: number): void;
  abstract clone(): Counts;
  /** The address of the page of a slot, or -1 when the page does not exist. */
  protected abstract pageOf(slot: number): number;
  /** The address of the page of a slot, which is made when it does not exist. */
  protected abstract pageFor(slot: number): number;
  /** Adds counts to `length` ascending slots. The caller updates the total. */
  protected abstract addRun(slots: Int32Array, counts: Float64Array, length: number): void;
  /** How many neighbouring slots, from the first of a page on, have neighbouring addresses: one page at least. */
  protected abstract runFrom(slot: number): number;

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
    return this.low.byteLength + (this.high?.byteLength ?? 0);
  }

  at(slot: number): number {
    const page = this.pageOf(slot);
    return page < 0 ? 0 : this.#countAt(page + (slot & SLOT_IN_PAGE));
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
    const { low, high } = this;
    for (let from = slot; from < end; ) {
      const to = Math.min((from | SLOT_IN_PAGE) + 1, end);
      const page = from < this.length ? this.pageOf(from) : -1;
      if (page < 0) into.fill(0, from - slot, to - slot);
      else {
        let address = page + (from & SLOT_IN_PAGE);
        for (let i = from - slot; i < to - slot; i++, address++) into[i] = low[address]!;
        if (high !== undefined) for (let i = from; i < to; i++) into[i - slot] = this.at(i);
      }
      from = to;
    }
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
    const page = this.pageOf(slot);
    if (page < 0) return 0;
    const { low, high } = this;
    if (high !== undefined) return sumOfPage(low, page) + sumOfPage(high, page) * TWO_POW_31;
    return this.total < TWO_POW_31 ? smallSumOfPage(low, page) : sumOfPage(low, page);
  }

  assertRoomFor(count: number): void {
    assertTotal(this.total, count);
  }

  add(slot: number, count: number): void {
    if (count === 0) return;
    const address = this.pageFor(slot) + (slot & SLOT_IN_PAGE);
    const sum = this.low[address]! + count;
    if (sum < TWO_POW_31) this.low[address] = sum;
    else this.addLarge(address, count);
    this.#setTotal(this.total + count);
  }

  addAll(other: ReadonlyCounts): void {
    if (!(other instanceof Counts)) {
      this.#addCells(other);
      return;
    }
    // Words below 2^31 do not wrap when they are added.
    this.#settleAll();
    other.#settleAll();
    // From used slot to used slot, so that no page is made where nothing is added.
    const end = wordsFor(other.last + 1);
    for (let slot = other.first; slot <= other.last; ) {
      const page = slot & ~SLOT_IN_PAGE;
      const length = Math.min(this.runFrom(page), other.runFrom(page), end - page);
      this.#addWords(this.pageFor(page), other.low, other.high, other.pageOf(page), length);
      slot = other.next(page + length);
    }
    this.#setTotal(this.total + other.total);
  }

  addRuns(runs: SlotRuns): void {
    const { slots, counts } = runs;
    for (let length = runs.next(); length > 0; length = runs.next()) this.addRun(slots, counts, length);
    this.noteAdded(runs);
  }

  remove(slot: number, count: number): void {
    if (count === 0) return;
    const address = this.pageOf(slot) + (slot & SLOT_IN_PAGE);
    this.#setCount(address, this.#countAt(address) - count);
    this.#setTotal(this.total - count);
  }

  settleBounds(): void {
    this.#first = this.length;
    this.#last = -1;
    this.#firstTotal = 0;
    this.#lastTotal = 0;
  }

  clear(): void {
    this.high = undefined;
    this.#setTotal(0);
    this.settleBounds();
  }

  /** The innermost part of a record: all numbers in it are small integers. */
  protected incrementAt(address: number): void {
    if (this.#countdown === 0) this.#refill();
    this.#countdown--;
    this.low[address]!++;
  }

  /** Adds to a count whose low word would not stay below 2^31. The caller updates the total. */
  protected addLarge(address: number, count: number): void {
    this.#setCount(address, this.#countAt(address) + count);
  }

  /** Updates the total and the bounds after counts were added to words. */
  protected noteAdded({ total, first, last }: Pick<SlotRuns, 'total' | 'first' | 'last'>): void {
    if (total === 0) return;
    // Bounds that were out of date stay out of date, but come closer.
    if (this.#firstTotal === this.total) this.#firstTotal += total;
    if (this.#lastTotal === this.total) this.#lastTotal += total;
    this.#first = Math.min(this.#first, first);
    this.#last = Math.max(this.#last, last);
    this.#setTotal(this.total + total);
  }

  /** Copies the state of `source`, except its low words, which the caller has copied. */
  protected adopt(source: Counts): this {
    this.#first = source.first;
    this.#firstTotal = source.total;
    this.#last = source.last;
    this.#lastTotal = source.total;
    this.high = source.high?.slice();
    this.#countdown = source.#countdown;
    this.#totalAtZero = source.#totalAtZero;
    return this;
  }

  /** Updates the total after all words were replaced. */
  protected sumUp(): void {
    const { low, high } = this;
    let total = 0;
    for (let page = 0; page < low.length; page += PAGE_SLOTS) {
      total += sumOfPage(low, page);
      if (high !== undefined) total += sumOfPage(high, page) * TWO_POW_31;
    }
    this.#setTotal(total);
    this.#settleAll();
  }

  /** Gives the words room for `words` addresses. */
  protected grow(words: number): void {
    this.low = grown(this.low, words);
    this.high = this.high && grown(this.high, words);
  }

  /** Sets a larger number of slots. */
  protected lengthen(length: number): void {
    this.length = length;
    if (this.#last < 0) this.#first = length;
  }

  #countAt(address: number): number {
    const { low, high } = this;
    return high === undefined ? low[address]! : low[address]! + high[address]! * TWO_POW_31;
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
    const page = this.pageOf(slot);
    return page < 0 || (areZero(this.low, page) && (this.high === undefined || areZero(this.high, page)));
  }

  /** `next` without a look at the bounds. */
  #nextFrom(slot: number): number {
    const { low, high, length } = this;
    for (let from = slot; from < length; ) {
      const to = Math.min(from | SLOT_IN_PAGE, length - 1);
      const page = this.pageOf(from);
      if (page >= 0) {
        let address = page + (from & SLOT_IN_PAGE);
        for (let at = from; at <= to; at++, address++) {
          if (low[address] !== 0 || (high !== undefined && high[address] !== 0)) return at;
        }
      }
      from = to + 1;
    }
    return length;
  }

  /** Adds counts that lie in memory in another way. */
  #addCells(other: ReadonlyCounts): void {
    const page = cellPage;
    for (let slot = other.first; slot < other.length; ) {
      const from = slot & ~SLOT_IN_PAGE;
      other.read(from, page);
      const target = this.pageFor(from);
      for (let i = 0; i < PAGE_SLOTS; i++) {
        const sum = this.low[target + i]! + page[i]!;
        if (sum < TWO_POW_31) this.low[target + i] = sum;
        else this.addLarge(target + i, page[i]!);
      }
      slot = other.next(from + PAGE_SLOTS);
    }
    this.#setTotal(this.total + other.total);
  }

  /** Adds whole pages of words below 2^31. */
  #addWords(
    target: number,
    low: Uint32Array,
    high: Uint32Array | undefined,
    source: number,
    length: number,
  ): void {
    // High words come first, because low words are settled into them, and both histograms may be the same one.
    if (high !== undefined) {
      const ownHigh = this.#highWords();
      for (let i = 0; i < length; i++) ownHigh[target + i] = ownHigh[target + i]! + high[source + i]!;
    }
    const bits = addWords(this.low.subarray(target, target + length), low.subarray(source, source + length));
    if (bits < 0) this.#settle(target, target + length);
  }

  #setCount(address: number, count: number): void {
    this.low[address] = count % TWO_POW_31;
    if (count >= TWO_POW_31 || this.high !== undefined) {
      this.#highWords()[address] = Math.floor(count / TWO_POW_31);
    }
  }

  /** Moves 2^31 of each low word that has reached it into the high word, so that all low words are below 2^31. */
  #settleAll(): void {
    if (this.total >= TWO_POW_31) this.#settle(0, this.low.length);
  }

  /** `#settleAll` for the addresses from `from` to below `to`. */
  #settle(from: number, to: number): void {
    for (let address = from; address < to; address++) {
      if (this.low[address]! >= TWO_POW_31) {
        this.low[address] = this.low[address]! - TWO_POW_31;
        this.#raiseHigh(address, 1);
      }
    }
  }

  #raiseHigh(address: number, by: number): void {
    const high = this.#highWords();
    high[address] = high[address]! + by;
  }

  #highWords(): Uint32Array {
    this.high ??= new Uint32Array(this.low.length);
    return this.high;
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

/**
 * @throws HdrscopeError `ERR_COUNT_OVERFLOW` when `total + count` would pass 2^53 − 1.
 */
export function assertTotal(total: number, count: number): void {
  if (count > LARGEST_COUNT - total) {
    throw new HdrscopeError(
      'ERR_COUNT_OVERFLOW',
      `the total count must stay at most 2^53 - 1, got ${total} + ${count}`,
    );
  }
}
