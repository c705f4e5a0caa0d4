import type { ReadonlyCounts, Storage } from './readonly-counts.ts';
import type { SlotRuns } from './slot-runs.ts';

/** The counts of a histogram in memory. */
export interface CountsStore {
  readonly storage: Storage;
  /** How many slots there are; grows with `resize`. */
  readonly length: number;
  readonly byteLength: number;
  /** The counts now: live counts in dense and sparse storage, a consistent copy in shared storage. */
  seen(): ClonableCounts;
  /** Counts one value in a slot in `[0, length)`. */
  increment(slot: number): void;
  /** @throws HdrscopeError `ERR_COUNT_OVERFLOW` when `count` more values would pass a total of 2^53 − 1. */
  assertRoomFor(count: number): void;
  /** Counts `count` values in a slot. The caller has called `assertRoomFor`. */
  add(slot: number, count: number): void;
  /** Adds counts with the same slot numbers, all of them below `length`. The caller has called `assertRoomFor`. */
  addAll(other: ReadonlyCounts): void;
  /** Adds runs of counts, all of them in slots below `length`. The caller has called `assertRoomFor`. */
  addRuns(runs: SlotRuns): void;
  /** Takes `count` values out of a slot, which holds as many. The caller calls `settleBounds` after its last removal. */
  remove(slot: number, count: number): void;
  /** Finds `first` and `last` again after removals. */
  settleBounds(): void;
  clear(): void;
  resize(length: number): void;
}

/** Counts that can be copied in their own storage. */
export interface ClonableCounts extends ReadonlyCounts {
  readonly storage: Storage;
  /** A copy that counts on. */
  clone(): LiveCounts;
}

/** Counts that belong to one thread: what is read is what is counted. */
export interface LiveCounts extends CountsStore, ClonableCounts {
  readonly storage: Storage;
  readonly length: number;
  readonly byteLength: number;
}
