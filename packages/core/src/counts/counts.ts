import { HdrscopeError } from '../errors.ts';

/** What can be read of the counts of a histogram, slot by slot. */
export interface ReadonlyCounts {
  /** How many slots there are. */
  readonly length: number;
  /** The sum over all slots: at most 2^53 − 1. */
  readonly total: number;
  /** The lowest used slot, or `length` when all are empty. */
  readonly first: number;
  /** The highest used slot, or -1 when all are empty. */
  readonly last: number;
  /** Bytes held by the counts themselves. */
  readonly byteLength: number;
  /** The count of a slot. */
  at(slot: number): number;
  /** The lowest used slot from `slot` upwards, or `length` when there is none. */
  next(slot: number): number;
  /** The lowest slot up to which at least `rank` values are counted, for a rank from 1 to `total`. */
  slotOfRank(rank: number): number;
}

/** How counts are kept in memory; the behaviour is the same. */
export type Storage = 'dense' | 'sparse';

/** The largest total that is counted exactly. */
export const LARGEST_COUNT: number = Number.MAX_SAFE_INTEGER;

const TWO_POW_32 = 2 ** 32;

// A small-integer countdown is the cheapest overflow check there is: one compare a record, a refill every 2^30.
const LONGEST_COUNTDOWN = 2 ** 30 - 1;

/**
 * The bookkeeping that all storages share. A count is kept in 32-bit words, low and high apart; the high words are
 * allocated when the first count passes 2^32, so nearly no histogram pays for them, and none wraps.
 *
 * The total never exceeds 2^53 − 1, so no single count can either.
 */
export abstract class Counts implements ReadonlyCounts {
  abstract readonly storage: Storage;
  abstract readonly byteLength: number;

  /** In slots; grows with `resize`. */
  length: number;
  /** Lower bound of the used slots; exact, or `length` when empty. */
  first: number;
  /** Upper bound of the used slots; exact, or -1 when empty. */
  last = -1;

  /** Indexed by address, which is up to the storage. */
  protected low: Uint32Array<ArrayBuffer>;
  protected high: Uint32Array<ArrayBuffer> | undefined = undefined;

  /** Records until `refill`. In `[0, 2^30)`. */
  #countdown = 0;
  /** What the total will be when the countdown reaches 0. In `[0, 2^53)`. */
  #totalAtZero = 0;

  constructor(length: number, low: Uint32Array<ArrayBuffer>) {
    this.length = length;
    this.first = length;
    this.low = low;
  }

  get total(): number {
    return this.#totalAtZero - this.#countdown;
  }

  abstract at(slot: number): number;
  abstract next(slot: number): number;
  /** Counts one value in a slot in `[0, length)`. */
  abstract increment(slot: number): void;
  /** Where a slot's count is kept, made if it must be. */
  protected abstract addressFor(slot: number): number;
  protected abstract previous(slot: number): number;
  abstract resize(length: number): void;
  abstract clone(): Counts;

  /** Throws unless `count` more values can be counted exactly. */
  assertRoomFor(count: number): void {
    if (count > LARGEST_COUNT - this.total) {
      throw new HdrscopeError(
        'ERR_COUNT_OVERFLOW',
        `the total count must stay at most 2^53 - 1, got ${this.total} + ${count}`,
      );
    }
  }

  /** Counts `count` values in a slot. The caller has asserted room for them. */
  add(slot: number, count: number): void {
    if (count === 0) return;
    const address = this.addressFor(slot);
    const sum = this.wordsAt(address) + count;
    this.low[address] = sum >>> 0;
    if (sum >= TWO_POW_32) this.highWords()[address] = Math.floor(sum / TWO_POW_32);
    this.#setTotal(this.total + count);
    if (slot < this.first) this.first = slot;
    if (slot > this.last) this.last = slot;
  }

  /** Takes `count` values, at most those that are there, out of a slot. `settleBounds` must follow. */
  remove(slot: number, count: number): void {
    if (count === 0) return;
    const address = this.addressFor(slot);
    const rest = this.wordsAt(address) - count;
    this.low[address] = rest >>> 0;
    if (this.high !== undefined) this.high[address] = Math.floor(rest / TWO_POW_32);
    this.#setTotal(this.total - count);
  }

  /** Makes `first` and `last` exact again after removals. */
  settleBounds(): void {
    const from = this.first;
    this.first = -1; // or `next` would take its word for it
    this.first = this.total === 0 ? this.length : this.next(from);
    this.last = this.total === 0 ? -1 : this.previous(this.last);
  }

  clear(): void {
    this.high = undefined;
    this.first = this.length;
    this.last = -1;
    this.#setTotal(0);
  }

  slotOfRank(rank: number): number {
    const total = this.total;
    // Tails are what is asked for most: start from the nearer end.
    if (rank > total / 2) {
      let slot = this.last;
      for (let above = total - rank - this.at(slot); above >= 0; above -= this.at(slot)) {
        slot = this.previous(slot - 1);
      }
      return slot;
    }
    let slot = this.first;
    for (let missing = rank - this.at(slot); missing > 0; missing -= this.at(slot)) {
      slot = this.next(slot + 1);
    }
    return slot;
  }

  /** The hot end of a record: everything here is a small integer. */
  protected incrementAt(address: number, slot: number): void {
    if (this.#countdown === 0) this.#refill();
    this.#countdown--;
    const word = (this.low[address]! + 1) | 0;
    this.low[address] = word;
    if (word === 0) this.#carry(address);
    if (slot < this.first) this.first = slot;
    if (slot > this.last) this.last = slot;
  }

  protected wordsAt(address: number): number {
    return this.high === undefined
      ? this.low[address]!
      : this.low[address]! + this.high[address]! * TWO_POW_32;
  }

  protected highWords(): Uint32Array {
    this.high ??= new Uint32Array(this.low.length);
    return this.high;
  }

  /** Takes over the state of `source`, whose words the caller has copied. */
  protected adopt(source: Counts): this {
    this.first = source.first;
    this.last = source.last;
    this.high = source.high?.slice();
    this.#setTotal(source.total);
    return this;
  }

  #carry(address: number): void {
    const high = this.highWords();
    high[address] = high[address]! + 1;
  }

  #refill(): void {
    this.assertRoomFor(1);
    this.#countdown = Math.min(LONGEST_COUNTDOWN, LARGEST_COUNT - this.#totalAtZero);
    this.#totalAtZero += this.#countdown;
  }

  #setTotal(total: number): void {
    this.#totalAtZero = total;
    this.#countdown = 0;
  }
}
