import { type EdgeLayout, mustBe } from '@hdrscope/core';
import type { SlotSpan } from './projection.ts';

/** Values of an axis, from one on and before another: both where a slot begins. */
export interface ValueRange {
  /** The name of the axis, or its place from 0. */
  readonly axis: string | number;
  /** @default the underflow too */
  readonly from?: number;
  /** Not included. @default the overflow too */
  readonly to?: number;
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` when an end is no slot's. */
export function spanOf(layout: EdgeLayout, { from, to }: ValueRange, name: string): SlotSpan {
  const first = from === undefined ? 0 : slotFrom(layout, from, `from, of "${name}",`);
  const end =
    to === undefined || to === Number.POSITIVE_INFINITY
      ? layout.slotCount
      : slotFrom(layout, to, `to, of "${name}",`);
  if (end <= first) throw mustBe('ERR_INVALID_OPTION', `to, of "${name}",`, `above ${from}`, to);
  return { from: first, to: end };
}

/** The slot that begins with a value. Half a slot cannot be told apart, and none is taken for whole without a word. */
function slotFrom(layout: EdgeLayout, value: number, what: string): number {
  const slot = typeof value === 'number' ? layout.slotOf(value) : 0;
  if (layout.lower(slot) === value) return slot;
  const nearest = [layout.lower(slot), layout.upper(slot)].filter(Number.isFinite);
  throw mustBe('ERR_INVALID_OPTION', what, `where a slot begins, such as ${nearest.join(' or ')}`, value);
}
