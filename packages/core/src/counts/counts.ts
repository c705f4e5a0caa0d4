import { HdrscopeError } from '../errors.ts';
import { slotsOfRanks } from './ranks.ts';
import type { ReadonlyCounts, Storage } from './readonly-counts.ts';
import type { SlotRuns } from './slot-runs.ts';
import { areZero, grown, PAGE_SLOTS, SLOT_IN_PAGE, smallSumOfPage, sumOfPage, wordsFor } from './words.ts';

/** The largest total that is counted exactly. */
export const LARGEST_COUNT: number = Number.MAX_SAFE_INTEGER;

// A small-integer countdown is the cheapest overflow check there is: one compare a record, a refill every 2^30.
const LONGEST_COUNTDOWN = 2 ** 30 - 1;

const TWO_POW_31 = 2 ** 31;

/**
 * Counts, and all that does not depend on how they are stored. A count is `high * 2^31 + low`, of two 32-bit words; the
 * high words are allocated when the first count passes 2^31, so nearly no histogram pays for them.
 *
 * A low word never wraps, though a record does not look: whatever else is done leaves it below 2^31, and before 2^30
 * records could have raised it beyond 2^32, the countdown has run out and all of them are settled.
 *
 * The total never exceeds 2^53 − 1, so no single count can either.
 */
export abstract class Counts implements ReadonlyCounts {
  abstract readonly storage: Storage;

  /** In slots; grows with `resize`. */
  length: number;

  /** Whole pages, at the addresses that the storage gives them. Declared only: what is assigned once is a constant to V8. */
  declare protected low: Uint32Array<ArrayBuffer>;
  protected high: Uint32Array<ArrayBuffer> | undefined = undefined;

  /** Records until `refill`. In `[0, 2^30)`. */
  #countdown = LONGEST_COUNTDOWN;
  /** What the total will be when the countdown reaches 0. In `[0, 2^53)`. */
  #totalAtZero = LONGEST_COUNTDOWN;

  // The first and last used slots as of a total. A record does not keep them, as that would cost it a seventh of its
  // time: who asks looks whether something was counted beyond them since. Counts are taken out by `remove` alone.
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
  /** The address of the page of a slot, or -1 where it was never touched. */
  protected abstract pageOf(slot: number): number;
  /** The same, made if need be. */
  protected abstract pageFor(slot: number): number;
  /** Adds counts to `length` slots, ascending, without a note of it in the total. */
  protected abstract addRun(slots: Int32Array, counts: Float64Array, length: number): void;
  /** How many slots lie side by side from the first of a page on: one page at least. */
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

  /** The sum over the page that begins with a slot. */
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

  addAll(other: Counts): void {
    // Words below 2^31 do not wrap when they are added.
    this.#settleAll();
    other.#settleAll();
    // From used slot to used slot: where nothing is added, a page need not be made either.
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

  /** The hot end of a record: everything here is a small integer. */
  protected incrementAt(address: number): void {
    if (this.#countdown === 0) this.#refill();
    this.#countdown--;
    this.low[address]!++;
  }

  /** Adds to a count whose low word would not stay below 2^31, without a note of it in the total. */
  protected addLarge(address: number, count: number): void {
    this.#setCount(address, this.#countAt(address) + count);
  }

  /** Takes note of counts that were added to words. */
  protected noteAdded({ total, first, last }: Pick<SlotRuns, 'total' | 'first' | 'last'>): void {
    if (total === 0) return;
    // Bounds that were out of date stay so, but they are known better.
    if (this.#firstTotal === this.total) this.#firstTotal += total;
    if (this.#lastTotal === this.total) this.#lastTotal += total;
    this.#first = Math.min(this.#first, first);
    this.#last = Math.max(this.#last, last);
    this.#setTotal(this.total + total);
  }

  /** Takes over the state of `source`, whose low words the caller has copied. */
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

  /** Takes note of words that came from elsewhere. */
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

  /** Takes note of more slots. */
  protected lengthen(length: number): void {
    this.length = length;
    if (this.#last < 0) this.#first = length;
  }

  #countAt(address: number): number {
    const { low, high } = this;
    return high === undefined ? low[address]! : low[address]! + high[address]! * TWO_POW_31;
  }

  /** Looks for used slots below the known ones. There is a used slot somewhere. */
  #lowerFirst(): void {
    let below = 0;
    while (below < this.#first && this.#isPageEmpty(below)) below += PAGE_SLOTS;
    if (below < this.#first) this.#first = this.#nextFrom(below);
    this.#firstTotal = this.total;
  }

  /** Looks for used slots above the known ones, likewise. */
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

  /** As `next`, without the bounds. */
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

  /** Adds whole pages of words below 2^31. */
  #addWords(
    target: number,
    low: Uint32Array,
    high: Uint32Array | undefined,
    source: number,
    length: number,
  ): void {
    // Before low words are settled into them: both may be the same words.
    if (high !== undefined) {
      const ownHigh = this.#highWords();
      for (let i = 0; i < length; i++) ownHigh[target + i] = ownHigh[target + i]! + high[source + i]!;
    }
    const own = this.low;
    let bits = 0;
    // In fours, which takes half the time.
    for (let to = target, from = source; to < target + length; to += 4, from += 4) {
      const first = (own[to]! + low[from]!) | 0;
      const second = (own[to + 1]! + low[from + 1]!) | 0;
      const third = (own[to + 2]! + low[from + 2]!) | 0;
      const fourth = (own[to + 3]! + low[from + 3]!) | 0;
      own[to] = first;
      own[to + 1] = second;
      own[to + 2] = third;
      own[to + 3] = fourth;
      bits |= first | second | third | fourth;
    }
    if (bits < 0) this.#settle(target, target + length);
  }

  #setCount(address: number, count: number): void {
    this.low[address] = count % TWO_POW_31;
    if (count >= TWO_POW_31 || this.high !== undefined) {
      this.#highWords()[address] = Math.floor(count / TWO_POW_31);
    }
  }

  /** Leaves all low words below 2^31. */
  #settleAll(): void {
    if (this.total >= TWO_POW_31) this.#settle(0, this.low.length);
  }

  /** Leaves the low words from one address to another below 2^31. */
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

  /** The countdown goes on, as it is what keeps the low words from wrapping; it is shorter where the limit is near. */
  #setTotal(total: number): void {
    this.#countdown = Math.min(this.#countdown, LARGEST_COUNT - total);
    this.#totalAtZero = total + this.#countdown;
  }
}

/** Throws unless `count` more than `total` values can be counted exactly. */
export function assertTotal(total: number, count: number): void {
  if (count > LARGEST_COUNT - total) {
    throw new HdrscopeError(
      'ERR_COUNT_OVERFLOW',
      `the total count must stay at most 2^53 - 1, got ${total} + ${count}`,
    );
  }
}
