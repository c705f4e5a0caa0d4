import { resolutionOf } from '@hdrscope/core/internal';
import type { ChangeSlots } from '@hdrscope/explain/internal';
import { countedOfRow } from '../rows/counted-of-row.ts';
import type { Distribution } from '../rows/row.ts';
import { LAST_TICK, slotBounds } from '../rows/slots.ts';

/**
 * What the slots of rows with equal `scale` and `bits` mean.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the scale is outside its range. So do the functions when `bits` is.
 */
export function rowSlots({ scale, bits }: Pick<Distribution, 'scale' | 'bits'>): ChangeSlots {
  return {
    resolution: resolutionOf(scale),
    lastTick: LAST_TICK,
    boundsAt: (slot) => slotBounds(slot, bits),
    placeCounts: (k, counts) => countedOfRow({ bits, k, c: Array.from(counts) }),
  };
}
