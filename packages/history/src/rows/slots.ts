import type { Bounds, HdrLayout, HdrscopeError, Resolution } from '@hdrscope/core';
import { fromTicks, mustBe } from '@hdrscope/core/internal';

/** The most bits of a mantissa that a slot number may have: the upper word of a double holds 20. */
export const MOST_BITS = 20;

/** The largest tick: where buckets without an end reach to. */
export const LAST_TICK: number = Number.MAX_SAFE_INTEGER;

const scratch = /* @__PURE__ */ new DataView(new ArrayBuffer(8));

/**
 * The slot of a tick: the leading bits of the double that holds it, its exponent and the first `bits` bits of its mantissa. Integers
 * below `2 ** bits` have a slot each, and larger ones share it with their neighbours.
 * ```
 * tick 1000 = 1.953125 * 2^9     sign  exponent     mantissa
 * bits of the double             0     10000001000  1111010 000…
 * slot with 7 bits               0     10000001000  1111010       = 132218
 * ```
 *
 * @param tick An integer from 0 to 2^53 − 1.
 * @param bits An integer from 0 to 20.
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the tick is not a number.
 * @example
 * ```ts
 * import { slotBounds, slotOfTick } from '@hdrscope/history';
 *
 * slotOfTick(1000, 7); //=> 132218
 * slotBounds(132218, 7); //=> { lower: 1000, upper: 1003 }
 * // Fewer bits: the same slot, cut off.
 * slotOfTick(1000, 5) === slotOfTick(1000, 7) >> 2; //=> true
 * ```
 */
export function slotOfTick(tick: number, bits: number): number {
  if (typeof tick !== 'number') throw notANumber('tick', tick);
  scratch.setFloat64(0, tick);
  return scratch.getUint32(0) >>> (MOST_BITS - bits);
}

/** The bits with which slots are those of an HDR layout: docs/formats/history.md. */
export function bitsOf({ subBucketBits }: HdrLayout): number {
  return subBucketBits - 1;
}

/**
 * The smallest and the largest tick of a slot.
 *
 * @param k A slot that holds an integer, as `slotOfTick` gives it.
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the slot is not a number.
 */
export function slotBounds(k: number, bits: number): Bounds {
  if (typeof k !== 'number') throw notANumber('k', k);
  return { lower: Math.ceil(doubleAt(k, bits)), upper: Math.ceil(doubleAt(k + 1, bits)) - 1 };
}

function notANumber(what: string, got: unknown): HdrscopeError {
  return mustBe('ERR_INVALID_VALUE', what, 'a number', got);
}

/** The bounds of values in several slots, in the unit. The upper one is infinite where buckets without an end have their values. */
export function boundsOfSlots(first: number, last: number, bits: number, resolution: Resolution): Bounds {
  const isEndless = last > first && last === slotOfTick(LAST_TICK, bits);
  return {
    lower: fromTicks(resolution, slotBounds(first, bits).lower),
    upper: isEndless ? Number.POSITIVE_INFINITY : fromTicks(resolution, slotBounds(last, bits).upper),
  };
}

/** The double whose leading bits are a slot number, and whose other bits are 0. */
function doubleAt(k: number, bits: number): number {
  scratch.setUint32(0, k << (MOST_BITS - bits));
  scratch.setUint32(4, 0);
  return scratch.getFloat64(0);
}
