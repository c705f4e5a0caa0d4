import { mustBe } from '@hdrscope/core/internal';

/** @throws HdrscopeError `ERR_INVALID_OPTION` unless the limit is an integer of at least 1, or infinite. */
export function assertLimit(name: string, limit: number): void {
  if (limit === Number.POSITIVE_INFINITY || (Number.isSafeInteger(limit) && limit >= 1)) return;
  throw mustBe('ERR_INVALID_OPTION', name, 'an integer of at least 1, or Infinity', limit);
}
