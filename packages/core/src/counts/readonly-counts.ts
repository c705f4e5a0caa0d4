/** The counts of a histogram by slot, for reading. */
export interface ReadonlyCounts {
  /** The number of slots. */
  readonly length: number;
  /** The sum of all counts: at most 2^53 − 1. */
  readonly total: number;
  /** The lowest used slot, or `length` when all are empty. */
  readonly first: number;
  /** The highest used slot, or -1 when all are empty. */
  readonly last: number;
  /** Bytes held by the counts. */
  readonly byteLength: number;
  /** The count of a slot, which is from 0 to below `length`. */
  at(slot: number): number;
  /** The lowest used slot from `slot` upwards, or `length` when all of them are empty. */
  next(slot: number): number;
  /**
   * Fills `into` with the counts from `slot` upwards, and with 0 beyond the last slot. Returns `false` when all of them are 0;
   * `true` does not exclude that. The fastest way to read many counts.
   */
  read(slot: number, into: Float64Array): boolean;
  /** The lowest slot such that slots up to it hold at least `rank` values, for a rank from 1 to `total`. */
  slotOfRank(rank: number): number;
  /** The slots of several ascending ranks, each as `slotOfRank` gives it, in one pass. */
  slotsOfRanks(ranks: readonly number[]): number[];
}

/** How counts are kept in memory. Behaviour does not depend on it. */
export type Storage = 'dense' | 'sparse' | 'shared';

/** Says where the count of a slot is added. */
export interface PlaceTable {
  /** A number for each slot of a page. */
  placesOf(page: number): Int32Array;
  /** The place of a slot is its number, shifted right by so many bits, less the offset. */
  readonly shift: number;
  readonly offset: number;
}
