import { mustBe } from '../errors.ts';
import { HdrLayout, LARGEST_VALUE } from '../layout/hdr.ts';
import { assertTotal, type Counts, LARGEST_COUNT } from './counts.ts';
import { DenseCounts } from './dense.ts';
import type { SlotRuns } from './slot-runs.ts';
import type { CountsStore } from './store.ts';
import { wordsFor } from './words.ts';

// The buffer, in 32-bit words: a header, then the low words, then the high words. All that attach agree on it.
const MAGIC = 0;
const DIGITS = 1;
const AUTO_RESIZE = 2;
/** Slots that are in use: `length`. */
const LENGTH = 3;
/** Slots that there is room for: a multiple of the page size. */
const CAPACITY = 4;
/** Changes of more than one word that were begun, and that were ended: equal while none is under way. */
const BEGUN = 5;
const ENDED = 6;
/** Whether any high word is in use. */
const HAS_HIGH = 7;
/** Three 64-bit numbers. */
const LOWEST = 8;
const HIGHEST = 10;
/** What has been counted, and what is leased to those who count: at most 2^53 − 1. */
const RESERVED = 12;
const HEADER_WORDS = 16;

const MAGIC_NUMBER = 0x68647231; // "hdr1"
const WORD_BYTES = 4;
/** What a shared buffer holds besides counts. */
export const SHARED_HEADER_BYTES: number = HEADER_WORDS * WORD_BYTES;
const TOP_BIT = -(2 ** 31);
const LOW_BITS = 2 ** 31 - 1;
const TWO_POW_31 = 2 ** 31;
const LONGEST_LEASE = 2 ** 30 - 1;
const LONGEST_WAIT_MS = 100;

/** What a shared buffer says about its histogram. */
export interface SharedSetup {
  readonly layout: HdrLayout;
  readonly autoResize: boolean;
}

/**
 * Counts in a `SharedArrayBuffer`: any number of threads count in it at once, each through an instance of its own, and
 * no count is lost. One atomic addition a record, no lock.
 *
 * A count is `high * 2^31 + low`. The record that raises a low word to 2^31 moves that much into the high word; until
 * it has, others have 2^31 records to go before the word would wrap. Whoever reads waits for such a move to end.
 *
 * The bound of the total is kept by leases: who has used up its lease takes another 2^30 out of what is left.
 */
export class SharedCounts implements CountsStore {
  readonly storage = 'shared';
  readonly buffer: SharedArrayBuffer;
  readonly #header: Int32Array<SharedArrayBuffer>;
  readonly #low: Int32Array<SharedArrayBuffer>;
  readonly #high: Int32Array<SharedArrayBuffer>;
  readonly #reserved: BigInt64Array<SharedArrayBuffer>;
  /** Records that are reserved for this instance. In `[0, 2^30)`. */
  #lease = 0;

  private constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.#header = new Int32Array(buffer, 0, HEADER_WORDS);
    this.#reserved = new BigInt64Array(buffer, RESERVED * WORD_BYTES, 1);
    const capacity = this.#header[CAPACITY]!;
    this.#low = new Int32Array(buffer, SHARED_HEADER_BYTES, capacity);
    this.#high = new Int32Array(buffer, (HEADER_WORDS + capacity) * WORD_BYTES, capacity);
  }

  /** A buffer cannot grow under those who use it, so one that resizes has room for all values; unused, it costs nothing. */
  static of({ layout, autoResize }: SharedSetup): SharedCounts {
    const widest = autoResize ? layout.reaching(LARGEST_VALUE) : layout;
    const capacity = wordsFor(widest.slotCount);
    const buffer = new SharedArrayBuffer((HEADER_WORDS + 2 * capacity) * WORD_BYTES);
    const header = new Int32Array(buffer, 0, HEADER_WORDS);
    header[MAGIC] = MAGIC_NUMBER;
    header[DIGITS] = layout.significantDigits;
    header[AUTO_RESIZE] = Number(autoResize);
    header[LENGTH] = layout.slotCount;
    header[CAPACITY] = capacity;
    const wide = new BigInt64Array(buffer, 0, HEADER_WORDS / 2);
    wide[LOWEST / 2] = layout.lowestDiscernibleBigInt;
    wide[HIGHEST / 2] = layout.highestTrackableBigInt;
    return new SharedCounts(buffer);
  }

  /**
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when the buffer is not one that `of` has made.
   */
  static attach(buffer: SharedArrayBuffer): SharedCounts {
    if (!isShared(buffer) || !isSetUp(buffer)) {
      throw mustBe(
        'ERR_INCOMPATIBLE',
        'buffer',
        'the sharedBuffer of a histogram with shared storage',
        buffer,
      );
    }
    return new SharedCounts(buffer);
  }

  /** The layout as it was made, before anybody widened it: `length` says how far it reaches now. */
  get setup(): SharedSetup {
    const header = this.#header;
    const wide = new BigInt64Array(this.buffer, 0, HEADER_WORDS / 2);
    return {
      layout: new HdrLayout({
        significantDigits: header[DIGITS]!,
        lowestDiscernibleValue: wide[LOWEST / 2]!,
        highestTrackableValue: wide[HIGHEST / 2]!,
      }),
      autoResize: header[AUTO_RESIZE] === 1,
    };
  }

  get length(): number {
    return Atomics.load(this.#header, LENGTH);
  }

  get byteLength(): number {
    return this.buffer.byteLength;
  }

  seen(): DenseCounts {
    const header = this.#header;
    const deadline = performance.now() + LONGEST_WAIT_MS;
    for (;;) {
      const begun = Atomics.load(header, BEGUN);
      // A thread that was ended in the middle of a change never ends the change: one cannot wait forever.
      const isOverdue = performance.now() >= deadline;
      if (begun === Atomics.load(header, ENDED) || isOverdue) {
        const { length } = this;
        const low = copied(this.#low, length);
        const high = Atomics.load(header, HAS_HIGH) === 0 ? undefined : copied(this.#high, length);
        // Adding nothing, and not loading: what was copied is read before that on every processor.
        if (begun === Atomics.add(header, BEGUN, 0) || isOverdue) {
          if (high !== undefined) settleDebts(low, high);
          return DenseCounts.holding(length, low, high);
        }
      }
    }
  }

  increment(slot: number): void {
    if (this.#lease === 0) this.#renewLease();
    this.#lease--;
    if (Atomics.add(this.#low, slot, 1) === LOW_BITS) this.#carry(slot);
  }

  assertRoomFor(count: number): void {
    this.#returnLease();
    assertTotal(Number(Atomics.load(this.#reserved, 0)), count);
  }

  add(slot: number, count: number): void {
    if (count === 0) return;
    this.#returnLease();
    this.#reserve(count);
    this.#change(slot, count);
  }

  addAll(other: Counts): void {
    this.#returnLease();
    this.#reserve(other.total);
    for (let slot = other.first; slot < other.length; slot = other.next(slot + 1))
      this.#change(slot, other.at(slot));
  }

  /** The total is known before the first run: room for all is reserved before any is counted. */
  addRuns(runs: SlotRuns): void {
    this.#returnLease();
    this.#reserve(runs.total);
    for (let length = runs.next(); length > 0; length = runs.next()) {
      for (let i = 0; i < length; i++) this.#change(runs.slots[i]!, runs.counts[i]!);
    }
  }

  remove(slot: number, count: number): void {
    if (count === 0) return;
    this.#change(slot, -count);
    Atomics.sub(this.#reserved, 0, BigInt(count));
  }

  /** Nothing to do: what is seen knows its bounds. */
  settleBounds(): void {}

  /** What is counted meanwhile is counted before or after. */
  clear(): void {
    const seen = this.seen();
    for (let slot = seen.first; slot < seen.length; slot = seen.next(slot + 1))
      this.remove(slot, seen.at(slot));
  }

  resize(length: number): void {
    for (let known = this.length; known < length; known = this.length) {
      Atomics.compareExchange(this.#header, LENGTH, known, length);
    }
  }

  #carry(slot: number): void {
    Atomics.add(this.#header, BEGUN, 1);
    this.#addHigh(slot, 1);
    Atomics.add(this.#low, slot, TOP_BIT);
    Atomics.add(this.#header, ENDED, 1);
  }

  /** Adds `delta`, an integer between ±2^53, to a count that does not become negative by it. */
  #change(slot: number, delta: number): void {
    // Mostly the low word is all there is to change, and then nobody who reads need wait.
    if (Math.abs(delta) < TWO_POW_31) {
      const before = Atomics.load(this.#low, slot);
      const sum = (before & LOW_BITS) + delta;
      const stays = sum >= 0 && sum < TWO_POW_31;
      if (stays && Atomics.compareExchange(this.#low, slot, before, sum | (before & TOP_BIT)) === before)
        return;
    }
    Atomics.add(this.#header, BEGUN, 1);
    for (;;) {
      const before = Atomics.load(this.#low, slot);
      const sum = (before & LOW_BITS) + (delta % TWO_POW_31);
      const carried = Math.floor(sum / TWO_POW_31);
      // The top bit belongs to a record that is about to carry it.
      const after = (sum - carried * TWO_POW_31) | (before & TOP_BIT);
      if (Atomics.compareExchange(this.#low, slot, before, after) === before) {
        this.#addHigh(slot, Math.trunc(delta / TWO_POW_31) + carried);
        break;
      }
    }
    Atomics.add(this.#header, ENDED, 1);
  }

  #addHigh(slot: number, by: number): void {
    if (by === 0) return;
    Atomics.store(this.#header, HAS_HIGH, 1);
    Atomics.add(this.#high, slot, by);
  }

  #renewLease(): void {
    const left = LARGEST_COUNT - Number(Atomics.load(this.#reserved, 0));
    const wanted = Math.max(1, Math.min(LONGEST_LEASE, left));
    this.#reserve(wanted);
    this.#lease = wanted;
  }

  #returnLease(): void {
    if (this.#lease === 0) return;
    Atomics.sub(this.#reserved, 0, BigInt(this.#lease));
    this.#lease = 0;
  }

  #reserve(count: number): void {
    for (;;) {
      const before = Atomics.load(this.#reserved, 0);
      assertTotal(Number(before), count);
      if (Atomics.compareExchange(this.#reserved, 0, before, before + BigInt(count)) === before) return;
    }
  }
}

/** A high word is -1 where a record is about to carry what was taken out meanwhile: then its low word makes up for it. */
function settleDebts(low: Uint32Array, high: Uint32Array): void {
  for (let slot = high.indexOf(2 ** 32 - 1); slot >= 0; slot = high.indexOf(2 ** 32 - 1, slot)) {
    low[slot]! -= TWO_POW_31;
    high[slot] = 0;
  }
}

/** By its kind: a buffer may come from another realm. */
function isShared(buffer: unknown): boolean {
  return Object.prototype.toString.call(buffer) === '[object SharedArrayBuffer]';
}

function isSetUp(buffer: SharedArrayBuffer): boolean {
  if (buffer.byteLength < SHARED_HEADER_BYTES) return false;
  const header = new Int32Array(buffer, 0, HEADER_WORDS);
  return (
    header[MAGIC] === MAGIC_NUMBER &&
    buffer.byteLength === (HEADER_WORDS + 2 * header[CAPACITY]!) * WORD_BYTES
  );
}

/** As one block: nothing is faster, and aligned words are never torn. */
function copied(
  { buffer, byteOffset }: Int32Array<SharedArrayBuffer>,
  length: number,
): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(new Uint32Array(buffer, byteOffset, wordsFor(length)));
  // The last page may be in use beyond the slots, when they become more at this moment.
  return words.fill(0, length);
}
