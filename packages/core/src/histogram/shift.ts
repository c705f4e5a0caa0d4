import type { Counted } from '../counted.ts';
import { usedSlots } from '../counts/used-slots.ts';
import { HdrscopeError, mustBe } from '../errors.ts';
import type { HdrLayout } from '../layout/hdr.ts';

/** A slot and its count. */
export type SlotCount = readonly [slot: number, count: number];

/**
 * The counts by slot after all values are multiplied by `2 ** orders`. Zero stays zero.
 * Source: HdrHistogram (Java), `AbstractHistogram.shiftValuesLeft` and `shiftValuesRight`.
 *
 * @throws HdrscopeError `ERR_VALUE_OUT_OF_RANGE` when a value would leave the range, or lose digits.
 */
export function shiftedCounts({ layout, counts }: Counted<HdrLayout>, orders: number): SlotCount[] {
  const half = layout.subBucketCount / 2;
  const lowest = counts.next(1);
  if (orders > 0 && counts.last + orders * half >= layout.slotCount) {
    throw outOfRange(
      'left',
      orders,
      `the largest value is ${layout.upper(counts.last)} of ${layout.largestValue}`,
    );
  }
  // In the lower half of bucket 0 a value would lose digits.
  if (orders < 0 && lowest + orders * half < half) {
    throw outOfRange('right', -orders, `the smallest value above 0 is ${layout.lower(lowest)}`);
  }
  return [...usedSlots(counts)].map(([slot, count]) => [
    slot === 0 ? 0 : layout.slotOf(layout.lower(slot) * 2 ** orders),
    count,
  ]);
}

export function assertOrders(orders: number): void {
  if (!Number.isInteger(orders) || orders < 0 || orders > 63) {
    throw mustBe('ERR_INVALID_OPTION', 'orders', 'an integer from 0 to 63', orders);
  }
}

function outOfRange(direction: string, orders: number, why: string): HdrscopeError {
  return new HdrscopeError(
    'ERR_VALUE_OUT_OF_RANGE',
    `all values must fit after a shift to the ${direction}, got one by ${orders}, where ${why}`,
  );
}
