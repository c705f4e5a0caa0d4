import { mustBe } from '../errors.ts';
import { type HdrLayout, LARGEST_VALUE } from '../layout/hdr.ts';

/**
 * The slot of any value up to 2^63 − 1, also where it lies beyond the layout's range: slots go on there by the same rule.
 *
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is no number or negative, `ERR_VALUE_OUT_OF_RANGE` above.
 */
export function slotOfValue(layout: HdrLayout, value: number | bigint): number {
  if (!isValue(value)) throw mustBe('ERR_INVALID_VALUE', 'value', 'a number of at least 0', value);
  if (value > LARGEST_VALUE) throw mustBe('ERR_VALUE_OUT_OF_RANGE', 'value', 'at most 2^63 - 1', value);
  return typeof value === 'bigint' ? layout.slotOfBigInt(value) : layout.slotOf(value);
}

/** As `slotOfValue`, for asking what was counted: nothing is above the last slot, and one may ask up to infinity. */
export function countedSlotOf(layout: HdrLayout, value: number | bigint): number {
  return isValue(value) && value > LARGEST_VALUE ? layout.slotCount : slotOfValue(layout, value);
}

/** Whether it is a value that a layout may have a slot for: a number or bigint from 0. */
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
 * @throws HdrscopeError `ERR_INVALID_COUNT` when it is no integer from 0 to 2^53 − 1.
 */
export function assertCount(count: number): void {
  if (!Number.isSafeInteger(count) || count < 0) {
    throw mustBe('ERR_INVALID_COUNT', 'count', 'an integer from 0 to 2^53 - 1', count);
  }
}
