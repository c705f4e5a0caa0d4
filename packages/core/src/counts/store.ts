import type { Counts } from './counts.ts';
import type { Storage } from './readonly-counts.ts';
import type { SlotRuns } from './slot-runs.ts';

/** What a histogram counts into. */
export interface CountsStore {
  readonly storage: Storage;
  /** How many slots there are; grows with `resize`. */
  readonly length: number;
  readonly byteLength: number;
  /** The counts of this moment, which what is counted meanwhile may change unless others count too. */
  seen(): Counts;
  /** Counts one value in a slot in `[0, length)`. */
  increment(slot: number): void;
  /** Throws unless `count` more values can be counted exactly. */
  assertRoomFor(count: number): void;
  /** Counts `count` values in a slot. The caller has asserted room for them. */
  add(slot: number, count: number): void;
  /** Adds counts of a layout that numbers its slots alike, and has no used slot beyond this one's. Room is asserted. */
  addAll(other: Counts): void;
  /** Adds counts by slot, none of them beyond the last one. Room for their total is asserted. */
  addRuns(runs: SlotRuns): void;
  /** Takes `count` values, at most those that are there, out of a slot. `settleBounds` must follow. */
  remove(slot: number, count: number): void;
  /** Finds `first` and `last` anew after removals. */
  settleBounds(): void;
  clear(): void;
  resize(length: number): void;
}
