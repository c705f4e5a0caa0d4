import type { Bounds } from '@hdrscope/core';
import { resolutionOf } from '@hdrscope/core/internal';
import { boundsOfSlots, MOST_BITS, slotBounds, slotOfTick } from '../rows/slots.ts';

/** Which slots of a row are within a threshold. */
export interface ThresholdSlot {
  /** Value of a tick in the rows that it is about. */
  readonly scale: number;
  /** Bits of a slot number in these rows. */
  readonly bits: number;
  /** All values of this slot and of those below are within the threshold. -1 when no slot is. */
  readonly lastCertain: number;
  /** No value above this slot is within the threshold: equal to `lastCertain`, or the slot after it. */
  readonly lastPossible: number;
}

/**
 * Where a threshold lies among slots: it divides none when it is the largest tick of one.
 * ```
 * 7 bits    slot 132217         slot 132218          slot 132219
 * ticks     996 997 998 999     1000 … 1003          1004 …
 * 999       all within          none                                   lastCertain = lastPossible = 132217
 * 1001      all within          1000 and 1001        none              lastCertain = 132217, lastPossible = 132218
 * ```
 *
 * @param threshold In the unit, at least 0.
 */
export function thresholdSlot(threshold: number, scale: number, bits: number): ThresholdSlot {
  const tick = lastTickWithin(threshold, scale);
  const slot = slotOfTick(tick, bits);
  const isDivided = slotBounds(slot, bits).upper > tick;
  return { scale, bits, lastCertain: isDivided ? slot - 1 : slot, lastPossible: slot };
}

/** The slots of a threshold in rows of all precisions. */
export function thresholdSlots(threshold: number, scale: number): ThresholdSlot[] {
  return Array.from({ length: MOST_BITS + 1 }, (_, bits) => thresholdSlot(threshold, scale, bits));
}

/** Bounds of the slot that a threshold divides, in the unit; `undefined` when it divides none. */
export function dividedSlot(threshold: number, scale: number, bits: number): Bounds | undefined {
  const { lastCertain, lastPossible } = thresholdSlot(threshold, scale, bits);
  if (lastCertain === lastPossible) return undefined;
  return boundsOfSlots(lastPossible, lastPossible, bits, resolutionOf(scale));
}

/** The largest tick whose value is at most a threshold. */
function lastTickWithin(threshold: number, scale: number): number {
  const { ticksPerUnit, unitsPerTick } = resolutionOf(scale);
  const ticks = (threshold * ticksPerUnit) / unitsPerTick;
  // 0.29 * 100 is 28.999999999999996, and 29 is meant.
  const nearest = Math.round(ticks);
  const whole = Math.abs(ticks - nearest) <= ticks * 2 ** -50 ? nearest : Math.floor(ticks);
  return Math.min(whole, Number.MAX_SAFE_INTEGER);
}
