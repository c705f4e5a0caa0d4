import { mustBe } from '../errors.ts';
import type { Layout } from './layout.ts';

/**
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `layout` is not a layout.
 */
export function assertLayout(what: string, layout: unknown): asserts layout is Layout {
  if (isLayout(layout)) return;
  throw mustBe('ERR_INVALID_OPTION', what, 'a layout, as explicitLayout and hdrLayout return it', layout);
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` when `value` is not an integer from `least` to `most`. */
export function assertInteger(what: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw mustBe('ERR_INVALID_OPTION', what, `an integer from ${least} to ${most}`, value);
}

/** Whether a value looks like a layout. */
export function isLayout(layout: unknown): layout is Layout {
  const { slotCount, slotOf } = (layout ?? {}) as Partial<Layout>;
  return typeof slotCount === 'number' && typeof slotOf === 'function';
}
