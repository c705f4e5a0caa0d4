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
  /** The same for several ranks, ascending, in one pass. */
  slotsOfRanks(ranks: readonly number[]): number[];
}

/** How counts are kept in memory; the behaviour is the same. */
export type Storage = 'dense' | 'sparse';

/** The largest total that is counted exactly. */
export const LARGEST_COUNT: number = Number.MAX_SAFE_INTEGER;

const TWO_POW_32 = 2 ** 32;

// Ranks are sought in strides: eight additions that do not wait for one another.
export const GROUP_SLOTS = 8;
const SLOT_IN_GROUP: number = GROUP_SLOTS - 1;

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

  /** Indexed by address, which is up to the storage. Their length is a multiple of eight. */
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
    // Tails are what is asked for most: start from the nearer end.
    const above = this.total - rank;
    return above < rank ? this.#slotWithAbove(above) : this.slotsOfRanks([rank])[0]!;
  }

  slotsOfRanks(ranks: readonly number[]): number[] {
    const slots: number[] = [];
    let group = this.first & ~SLOT_IN_GROUP;
    let before = 0;
    for (const rank of ranks) {
      for (let sum = this.sumOfGroup(group); before + sum < rank; sum = this.sumOfGroup(group)) {
        before += sum;
        group += GROUP_SLOTS;
      }
      let slot = group;
      for (let upTo = before + this.at(slot); upTo < rank; upTo += this.at(slot)) slot++;
      slots.push(slot);
    }
    return slots;
  }

  /** The highest slot above which at most `above` values are counted. */
  #slotWithAbove(above: number): number {
    let rest = above;
    let group = this.last & ~SLOT_IN_GROUP;
    for (let sum = this.sumOfGroup(group); sum <= rest; sum = this.sumOfGroup(group)) {
      rest -= sum;
      group -= GROUP_SLOTS;
    }
    let slot = Math.min(group + SLOT_IN_GROUP, this.last);
    for (let count = this.at(slot); count <= rest; count = this.at(slot)) {
      rest -= count;
      slot--;
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

  /** The sum of the eight slots from `slot`, a multiple of eight; slots that do not exist count as empty. */
  protected abstract sumOfGroup(slot: number): number;

  protected sumOfGroupAt(address: number): number {
    const { low, high } = this;
    const sum = sumOfEight(low, address);
    return high === undefined ? sum : sum + sumOfEight(high, address) * TWO_POW_32;
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

function sumOfEight(words: Uint32Array, address: number): number {
  return (
    words[address]! +
    words[address + 1]! +
    (words[address + 2]! + words[address + 3]!) +
    (words[address + 4]! + words[address + 5]! + (words[address + 6]! + words[address + 7]!))
  );
}
