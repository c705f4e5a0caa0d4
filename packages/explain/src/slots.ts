import type { Bounds, Counted, HdrLayout, Resolution } from '@hdrscope/core';
import { SparseCounts } from '@hdrscope/core/internal';

/** What the numbers of slots mean. Larger numbers are of larger values. */
export interface ChangeSlots {
  /** The value of a tick. */
  readonly resolution: Resolution;
  /** The last tick of the last slot. Buckets without an end reach to it. */
  readonly lastTick: number;
  /** The smallest and the largest tick of a slot. */
  boundsAt(slot: number): Bounds;
  /**
   * Counts of slots, in ticks.
   *
   * @param slots Ascending.
   * @param counts As many, each an integer of at least 0.
   */
  placeCounts(slots: readonly number[], counts: ArrayLike<number>): Counted<HdrLayout>;
}

/** The slots of an HDR layout. */
export function layoutSlots(layout: HdrLayout, resolution: Resolution): ChangeSlots {
  return {
    resolution,
    lastTick: layout.upper(layout.slotCount - 1),
    boundsAt: (slot) => ({ lower: layout.lower(slot), upper: layout.upper(slot) }),
    placeCounts: (slots, all) => {
      const counts = new SparseCounts(layout.slotCount);
      for (const [i, slot] of slots.entries()) counts.add(slot, all[i]!);
      return { layout, counts };
    },
  };
}
