import { HdrscopeError } from '../errors.ts';

/** The largest exact total. */
export const LARGEST_COUNT: number = Number.MAX_SAFE_INTEGER;

/**
 * @throws HdrscopeError `ERR_COUNT_OVERFLOW` when `total + count` would pass 2^53 − 1.
 */
export function assertTotal(total: number, count: number): void {
  if (count > LARGEST_COUNT - total) {
    throw new HdrscopeError(
      'ERR_COUNT_OVERFLOW',
      `the total count must stay at most 2^53 - 1, got ${total} + ${count}`,
    );
  }
}
