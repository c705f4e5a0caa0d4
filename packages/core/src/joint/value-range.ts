import type { Layout } from '@hdrscope/core';
import { assertOptions, mustBe, type OptionsOwner } from '@hdrscope/core/internal';
import type { SlotSpan } from './grid.ts';

/**
 * A range of values of one axis. Both ends must be bounds of slots, and belong to the range as they belong to their slots: on an
 * axis whose slots include their lower bound, as HDR slots do, `from` is inclusive and `to` is exclusive.
 */
export interface ValueRange {
  /** The name of the axis, or its index from 0. */
  readonly axis: string | number;
  /** The lower end, a bound of a slot, in the unit of the axis. @default the range begins with the first slot */
  readonly from?: number | undefined;
  /** The upper end, a bound of a slot, in the unit of the axis. @default the range ends with the last slot */
  readonly to?: number | undefined;
}

const VALUE_RANGE: OptionsOwner<ValueRange> = {
  name: 'a range of values',
  names: { axis: true, from: true, to: true },
  call: "histogram.marginal(0, [{ axis: 'size', from: 512 }])",
};

/** @throws HdrscopeError `ERR_INVALID_OPTION` when `range` is not a range, or has a field that does not exist. */
export function assertRange(range: ValueRange): void {
  assertOptions(range, VALUE_RANGE);
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` when an end is not a bound of a slot. */
export function slotSpanOf(layout: Layout, { from, to }: ValueRange, name: string): SlotSpan {
  const first = from === undefined ? 0 : slotFrom(layout, from, `the range of "${name}": from`);
  const end =
    to === undefined || to === Number.POSITIVE_INFINITY
      ? layout.slotCount
      : slotFrom(layout, to, `the range of "${name}": to`);
  if (end <= first) {
    const allowed = `above ${from ?? layout.lower(0)}`;
    throw mustBe('ERR_INVALID_OPTION', `the range of "${name}": to`, allowed, to);
  }
  return { from: first, to: end };
}

/** The slot that begins at a value. The counts of a slot cannot be divided, so a value within a slot is refused. */
function slotFrom(layout: Layout, value: number, what: string): number {
  const found = typeof value === 'number' && !Number.isNaN(value) ? layout.slotOf(value) : 0;
  const slot = Math.min(Math.max(found, 0), layout.slotCount - 1);
  if (layout.lower(slot) === value) return slot;
  // Where slots include their upper bound, the slot of a bound ends there.
  if (!layout.lowerInclusive && layout.upper(slot) === value) return slot + 1;
  const bound = layout.lowerInclusive ? 'the lower bound of a slot' : 'the upper bound of a slot';
  const nearest = [layout.lower(slot), layout.upper(slot)].filter(Number.isFinite);
  const allowed = nearest.length === 0 ? bound : `${bound}, such as ${nearest.join(' or ')}`;
  throw mustBe('ERR_INVALID_OPTION', what, allowed, value);
}
