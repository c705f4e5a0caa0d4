import { mustBe } from '../errors.ts';
import { HdrLayout, LARGEST_VALUE } from '../layout/hdr.ts';
import { DenseCounts } from './dense.ts';
import { assertTotal, LARGEST_COUNT as largestCount } from './largest-count.ts';
import type { ReadonlyCounts } from './readonly-counts.ts';
import type { SlotRuns } from './slot-runs.ts';
import type { CountsStore } from './store.ts';
import { wordsFor } from './words.ts';

// A copy: V8 reads numbers that another file exports anew at each use.
const LARGEST_COUNT = largestCount;

// The layout of the buffer in 32-bit words: a header, then the low words, then the high words.
const MAGIC = 0;
const DIGITS = 1;
const AUTO_RESIZE = 2;
/** The number of slots in use: `length`. */
const LENGTH = 3;
/** The number of slots that the buffer has room for: a multiple of the page size. */
const CAPACITY = 4;
/** How many changes of two words began, and how many ended: equal while no change is under way. */
const BEGUN = 5;
const ENDED = 6;
/** Whether any high word is in use. */
const HAS_HIGH = 7;
// The last three take two words each.
const LOWEST = 8;
const HIGHEST = 10;
/** The total, plus the counts that threads have leased: at most 2^53 − 1. */
const RESERVED = 12;
/** The first octave of a histogram of doubles, plus `OCTAVE_BIAS`; 0 before its first value above 0. */
const OCTAVE = 14;
/** Whether the counts are of doubles. */
const IS_DOUBLE = 15;
const HEADER_WORDS = 16;

const OCTAVE_BIAS = 2048;
const MAGIC_NUMBER = 0x68647231; // "hdr1"
const WORD_BYTES = 4;
/** Bytes of a shared buffer besides its counts. */
export const SHARED_HEADER_BYTES: number = HEADER_WORDS * WORD_BYTES;
const TOP_BIT = -(2 ** 31);
const LOW_BITS = 2 ** 31 - 1;
const TWO_POW_31 = 2 ** 31;
const LONGEST_LEASE = 2 ** 30 - 1;
// A thread that waits for a processor of a busy machine goes on within some hundred milliseconds.
const LONGEST_WAIT_MS = 1000;

/** The options of a histogram that a shared buffer holds. */
export interface SharedSetup {
  readonly layout: HdrLayout;
  readonly autoResize: boolean;
  /** Whether the integers of the layout stand for doubles. @default false */
  readonly isDouble?: boolean;
}

/**
 * Counts in a `SharedArrayBuffer`. Any number of threads count in it at once, each through an instance of its own. No count is
 * lost, and a record is one atomic addition without a lock.
 *
 * A count is `high * 2^31 + low`. The record that raises a low word to 2^31 moves 2^31 into the high word. Meanwhile other
 * threads can record 2^31 more values before the word would wrap. A reader waits until such a move has ended.
 *
 * Leases keep the total below its limit: an instance that has used up its lease takes up to 2^30 of the remaining counts.
 */
export class SharedCounts implements CountsStore {
  readonly storage = 'shared';
  readonly buffer: SharedArrayBuffer;
  readonly #header: Int32Array<SharedArrayBuffer>;
  readonly #low: Int32Array<SharedArrayBuffer>;
  readonly #high: Int32Array<SharedArrayBuffer>;
  readonly #reserved: BigInt64Array<SharedArrayBuffer>;
  /** How many records this instance may still count without a look at the total. In `[0, 2^30)`. */
  #lease = 0;

  private constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.#header = new Int32Array(buffer, 0, HEADER_WORDS);
    this.#reserved = new BigInt64Array(buffer, RESERVED * WORD_BYTES, 1);
    const capacity = this.#header[CAPACITY]!;
    this.#low = new Int32Array(buffer, SHARED_HEADER_BYTES, capacity);
    this.#high = new Int32Array(buffer, (HEADER_WORDS + capacity) * WORD_BYTES, capacity);
  }

  /** Makes a buffer. One that resizes has room for all values from the start, as it cannot grow; unused memory costs nothing. */
  static of({ layout, autoResize, isDouble = false }: SharedSetup): SharedCounts {
    const widest = autoResize ? layout.reaching(LARGEST_VALUE) : layout;
    const capacity = wordsFor(widest.slotCount);
    const buffer = new SharedArrayBuffer((HEADER_WORDS + 2 * capacity) * WORD_BYTES);
    const header = new Int32Array(buffer, 0, HEADER_WORDS);
    header[MAGIC] = MAGIC_NUMBER;
    header[DIGITS] = layout.significantDigits;
    header[AUTO_RESIZE] = Number(autoResize);
    header[IS_DOUBLE] = Number(isDouble);
    header[LENGTH] = layout.slotCount;
    header[CAPACITY] = capacity;
    const wide = new BigInt64Array(buffer, 0, HEADER_WORDS / 2);
    wide[LOWEST / 2] = layout.lowestDiscernibleBigInt;
    wide[HIGHEST / 2] = layout.highestTrackableBigInt;
    return new SharedCounts(buffer);
  }

  /**
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when `of` did not make the buffer, or made it for values of the other kind.
   */
  static attach(buffer: SharedArrayBuffer, isDouble = false): SharedCounts {
    const counts = isShared(buffer) && isSetUp(buffer) ? new SharedCounts(buffer) : undefined;
    if (counts?.setup.isDouble === isDouble) return counts;
    const kind = isDouble ? 'DoubleHistogram' : 'Histogram';
    throw mustBe(
      'ERR_INCOMPATIBLE',
      'buffer',
      `the sharedBuffer of a ${kind} with shared storage`,
      counts === undefined ? buffer : `that of a ${isDouble ? 'Histogram' : 'DoubleHistogram'}`,
    );
  }

  /** The options at the start. The range may have become wider since: `length` says how far it reaches now. */
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
      isDouble: header[IS_DOUBLE] === 1,
    };
  }

  /** The first octave of a histogram of doubles, which never changes once a thread has set it. */
  get octave(): number | undefined {
    const octave = Atomics.load(this.#header, OCTAVE);
    return octave === 0 ? undefined : octave - OCTAVE_BIAS;
  }

  /** Sets the first octave, unless another thread has set it. Returns the octave that all threads use. */
  claimOctave(octave: number): number {
    Atomics.compareExchange(this.#header, OCTAVE, 0, octave + OCTAVE_BIAS);
    return this.octave!;
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
      // A thread that was stopped in the middle of a change never ends it, so the wait has a limit.
      const isOverdue = performance.now() >= deadline;
      if (begun === Atomics.load(header, ENDED) || isOverdue) {
        const { length } = this;
        const low = copied(this.#low, length);
        const high = Atomics.load(header, HAS_HIGH) === 0 ? undefined : copied(this.#high, length);
        // An addition of 0, and not a load: on every processor it comes after the reads of the copy.
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

  addAll(other: ReadonlyCounts): void {
    this.#returnLease();
    this.#reserve(other.total);
    for (let slot = other.first; slot < other.length; slot = other.next(slot + 1))
      this.#change(slot, other.at(slot));
  }

  /** The caller has read the runs through, so the total is known and is reserved at once. */
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

  /** Does nothing: the counts that `seen` returns find their bounds themselves. */
  settleBounds(): void {}

  /** A value that is recorded meanwhile is counted before or after. */
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

  /** Adds `delta`, an integer between ±2^53, to a count, which does not become negative. */
  #change(slot: number, delta: number): void {
    // Most changes fit into the low word. Then readers need not wait.
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

/** Corrects high words of -1: a removal has taken the 2^31 that a record is about to carry, and the low word still has them. */
function settleDebts(low: Uint32Array, high: Uint32Array): void {
  for (let slot = high.indexOf(2 ** 32 - 1); slot >= 0; slot = high.indexOf(2 ** 32 - 1, slot)) {
    low[slot]! -= TWO_POW_31;
    high[slot] = 0;
  }
}

/** Looks at the kind and not at the class, as a buffer may come from another realm. */
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

/** Copies one block of words, which is fastest. Aligned words are never torn. */
function copied(
  { buffer, byteOffset }: Int32Array<SharedArrayBuffer>,
  length: number,
): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(new Uint32Array(buffer, byteOffset, wordsFor(length)));
  // Another thread may have added slots since, and use the last page beyond `length` already.
  return words.fill(0, length);
}
