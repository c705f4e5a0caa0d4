import { mustBe } from '@hdrscope/core/internal';

/** @throws HdrscopeError `ERR_INVALID_OPTION` when an option is not a number above 0. NaN would be no limit at all. */
export function assertPositive(name: string, value: unknown): void {
  if (typeof value === 'number' && value > 0) return;
  throw mustBe('ERR_INVALID_OPTION', name, 'a number above 0', value);
}
