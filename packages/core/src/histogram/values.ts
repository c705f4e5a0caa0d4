import { mustBe } from '../errors.ts';
import { type HdrLayout, isHdrLayout, LARGEST_VALUE } from '../layout/hdr.ts';
import type { Layout } from '../layout/layout.ts';

/**
 * The slot of any value up to 2^63 − 1. Beyond the range of the layout, slot numbers go on by the same rule.
 *
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is negative or not a number, `ERR_VALUE_OUT_OF_RANGE` when it is
 *   above 2^63 − 1.
 */
export function slotOfValue(layout: HdrLayout, value: number | bigint): number {
  if (!isValue(value)) throw mustBe('ERR_INVALID_VALUE', 'value', 'a number of at least 0', value);
  if (value > LARGEST_VALUE) throw mustBe('ERR_VALUE_OUT_OF_RANGE', 'value', 'at most 2^63 - 1', value);
  return typeof value === 'bigint' ? layout.slotOfBigInt(value) : layout.slotOf(value);
}

/** `slotOfValue` for questions about counts, which may be about any value up to `Infinity`: no slot above the last has counts. */
export function countedSlotOf(layout: HdrLayout, value: number | bigint): number {
  return isValue(value) && value > LARGEST_VALUE ? layout.slotCount : slotOfValue(layout, value);
}

/** Whether a value is a number or bigint of at least 0, for which some layout has a slot. */
export function isValue(value: unknown): value is number | bigint {
  return (typeof value === 'number' || typeof value === 'bigint') && value >= 0;
}

/**
 * The length of an array or typed array.
 *
 * @throws HdrscopeError `ERR_INVALID_VALUE` when `values` is neither.
 */
export function lengthOf(values: ArrayLike<unknown>, what = 'values'): number {
  const length = typeof values === 'object' ? values?.length : undefined;
  if (Number.isSafeInteger(length)) return length!;
  throw mustBe('ERR_INVALID_VALUE', what, 'an array or typed array', values);
}

/**
 * @throws HdrscopeError `ERR_INVALID_COUNT` when the count is not an integer from 0 to 2^53 − 1.
 */
export function assertCount(count: number): void {
  if (!Number.isSafeInteger(count) || count < 0) {
    throw mustBe('ERR_INVALID_COUNT', 'count', 'an integer from 0 to 2^53 - 1', count);
  }
}

/** The integer that stands for a slot of any layout: its own bound in an HDR layout, its middle in others. */
export function valueOfSlot(layout: Layout, slot: number, bound: 'lowest' | 'highest'): bigint {
  if (!isHdrLayout(layout)) return BigInt(Math.floor(layout.midpoint(slot)));
  return bound === 'lowest' ? BigInt(layout.lower(slot)) : layout.upperBigInt(slot);
}
