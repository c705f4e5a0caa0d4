import { mustBe } from '@hdrscope/core/internal';

/** @throws HdrscopeError `ERR_INVALID_OPTION` unless `value` is an integer from `least` to `most`, both included. */
export function assertInteger(option: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw mustBe('ERR_INVALID_OPTION', option, `an integer from ${least} to ${most}`, value);
}
