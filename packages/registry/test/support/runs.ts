import type { Counted } from '@hdrscope/core';
import { type SlotRuns, usedSlots } from '@hdrscope/core/internal';

/** Counts of at least one value as one run. */
export function runOf({ counts }: Pick<Counted, 'counts'>): SlotRuns {
  const used = [...usedSlots(counts)];
  let isRead = true;
  return {
    total: counts.total,
    first: counts.first,
    last: counts.last,
    slots: Int32Array.from(used, ([slot]) => slot),
    counts: Float64Array.from(used, ([, count]) => count),
    next() {
      isRead = !isRead;
      return isRead ? 0 : used.length;
    },
  };
}
