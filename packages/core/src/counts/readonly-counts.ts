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
  /**
   * Writes the counts from `slot` upwards into all of `into`; what lies beyond the last slot is 0. Returns whether any
   * of them is used. The fastest way to read many.
   */
  read(slot: number, into: Float64Array): boolean;
  /** The lowest slot up to which at least `rank` values are counted, for a rank from 1 to `total`. */
  slotOfRank(rank: number): number;
  /** The same for several ranks, ascending, in one pass. */
  slotsOfRanks(ranks: readonly number[]): number[];
}

/** How counts are kept in memory; the behaviour is the same. */
export type Storage = 'dense' | 'sparse' | 'shared';
