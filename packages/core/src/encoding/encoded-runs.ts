import { DenseCounts } from '../counts/dense.ts';
import { LARGEST_COUNT } from '../counts/largest-count.ts';
import type { SlotRuns } from '../counts/slot-runs.ts';
import { HdrscopeError, mustBe } from '../errors.ts';

/** How many runs were read in all. The arrays of a reader hold its run until this number changes. */
let runsRead = 0;

/**
 * The used slots of a payload. A short payload is read at once, so that a broken one is refused before memory for its slots is
 * allocated. The total and the bounds are those of the runs read so far.
 */
export abstract class EncodedRuns implements SlotRuns {
  abstract readonly slots: Int32Array;
  abstract readonly counts: Float64Array;
  total = 0;
  first = 0;
  last = -1;

  protected readonly payload: Uint8Array;
  protected readonly slotCount: number;
  /** The position of the next run in the payload, and its first slot. */
  protected at = 0;
  protected slot = 0;
  /** The sum of the run. */
  protected sum = 0;

  /** The end of the part of the payload that is in the total. */
  #summedTo = 0;
  /** The length of the first run until `next` returns it, and the value of `runsRead` when it was read. */
  #kept = 0;
  #keptAt = 0;

  constructor(payload: Uint8Array, slotCount: number) {
    this.payload = payload;
    this.slotCount = slotCount;
  }

  /**
   * @throws HdrscopeError `ERR_DECODE` when the payload is broken and `readThrough` has not said so.
   */
  next(): number {
    const kept = this.#kept;
    this.#kept = 0;
    if (kept > 0) {
      if (this.#keptAt === runsRead) return kept;
      this.rewind();
    }
    const length = this.#read();
    if (length === 0) this.rewind();
    return length;
  }

  /**
   * Reads everything once, so that the total and the bounds are those of the whole payload.
   *
   * @throws HdrscopeError `ERR_DECODE` when the payload is broken.
   */
  readThrough(): void {
    if (this.#summedTo === this.payload.length) return;
    while (this.#summedTo < this.payload.length) this.#read();
    this.#kept = 0;
    this.rewind();
  }

  /**
   * All runs in new dense counts.
   *
   * @param slotCount How many slots these have: at least as many as the payload.
   *
   * @throws HdrscopeError `ERR_DECODE` when the payload is broken.
   */
  toDense(slotCount: number): DenseCounts {
    const counts = new DenseCounts(slotCount);
    counts.addRuns(this);
    return counts;
  }

  /**
   * Reads a run from `at` and `slot` on, moves both, and sets `sum`. Returns the length of the run, which may be 0.
   *
   * @throws HdrscopeError `ERR_DECODE` when the payload is broken, or holds more than its slots.
   */
  protected abstract readRun(): number;

  protected readFirst(): void {
    this.#kept = this.#read();
    this.#keptAt = runsRead;
  }

  /**
   * The slot `slots` after another one.
   *
   * @throws HdrscopeError `ERR_DECODE` when it is beyond the range.
   */
  protected passed(slots: number, slot: number): number {
    if (slots <= this.slotCount - slot) return slot + slots;
    throw new HdrscopeError(
      'ERR_DECODE',
      `the payload must fill at most the ${this.slotCount} slots of its range, got ${slots} more after slot ${slot}`,
    );
  }

  #read(): number {
    runsRead++;
    const { length: end } = this.payload;
    let length = 0;
    while (length === 0 && this.at < end) length = this.readRun();
    if (this.at > this.#summedTo) this.#sumUp(length);
    return length;
  }

  #sumUp(length: number): void {
    this.#summedTo = this.at;
    if (length === 0) return;
    if (this.total === 0) this.first = this.slots[0]!;
    this.last = this.slots[length - 1]!;
    this.total += this.sum;
    assertTotal(this.total);
  }

  protected rewind(): void {
    this.at = 0;
    this.slot = 0;
  }
}

/** @throws HdrscopeError `ERR_DECODE` when the total, which may be rounded, is above 2^53 − 1. */
export function assertTotal(total: number): void {
  if (total > LARGEST_COUNT) throw mustBe('ERR_DECODE', 'the total count', 'at most 2^53 - 1', total);
}
