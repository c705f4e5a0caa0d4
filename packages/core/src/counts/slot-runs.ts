import type { HdrLayout } from '../layout/hdr.ts';

/**
 * Used slots and their counts, ascending, in runs. They carry counts from an encoding into a store without an array of all
 * slots.
 */
export interface SlotRuns {
  /** The sum of all counts: at most 2^53 − 1. The sum and the bounds may become known only with the last run. */
  readonly total: number;
  /** The lowest slot; meaningless while the total is 0. */
  readonly first: number;
  /** The highest slot; meaningless while the total is 0. */
  readonly last: number;
  /** The slots of the run. */
  readonly slots: Int32Array;
  /** Their counts, integers above 0. */
  readonly counts: Float64Array;
  /**
   * Puts the next run into `slots` and `counts`, where it stays until any other run is read.
   * Returns the length of the run, or 0 after the last run; the call after that returns the first run again.
   */
  next(): number;
}

/** A run of counts that one slot after the other was added to. It keeps its room, so that a maker of many runs fills one buffer. */
export class RunBuffer implements SlotRuns {
  total = 0;
  slots: Int32Array = new Int32Array(64);
  counts: Float64Array = new Float64Array(64);
  #length = 0;
  #isRead = false;

  get first(): number {
    return this.slots[0]!;
  }

  get last(): number {
    return this.slots[this.#length - 1]!;
  }

  clear(): void {
    this.total = 0;
    this.#length = 0;
    this.#isRead = false;
  }

  /** @param slot Not below the one before it. @param count An integer above 0. */
  push(slot: number, count: number): void {
    if (this.#length === this.slots.length) {
      const { slots, counts } = this;
      this.slots = new Int32Array(2 * slots.length);
      this.slots.set(slots);
      this.counts = new Float64Array(2 * counts.length);
      this.counts.set(counts);
    }
    this.slots[this.#length] = slot;
    this.counts[this.#length++] = count;
    this.total += count;
  }

  next(): number {
    this.#isRead = !this.#isRead;
    return this.#isRead ? this.#length : 0;
  }
}

/** The runs of one layout in the slots of another: each count goes to the slot of the lowest value of its old slot. */
export class TranslatedRuns implements SlotRuns {
  readonly total: number;
  readonly first: number;
  readonly last: number;
  readonly slots: Int32Array;
  readonly counts: Float64Array;
  readonly #runs: SlotRuns;
  readonly #from: HdrLayout;
  readonly #to: HdrLayout;

  constructor(runs: SlotRuns, from: HdrLayout, to: HdrLayout) {
    this.total = runs.total;
    this.slots = runs.slots;
    this.counts = runs.counts;
    this.#runs = runs;
    this.#from = from;
    this.#to = to;
    this.first = this.#translated(runs.first);
    this.last = this.#translated(runs.last);
  }

  next(): number {
    const { slots } = this;
    const length = this.#runs.next();
    for (let i = 0; i < length; i++) slots[i] = this.#translated(slots[i]!);
    return length;
  }

  #translated(slot: number): number {
    return slotOfLowest(this.#from, slot, this.#to);
  }
}

/** The slot of one layout that holds the lowest value of a slot of another. */
export function slotOfLowest(from: HdrLayout, slot: number, to: HdrLayout): number {
  // Exact above 2^53 too, as a lower bound has no more significant bits than a slot number.
  return to.slotOf(from.lower(slot));
}
