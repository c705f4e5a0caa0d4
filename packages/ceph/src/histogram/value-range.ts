import type { EdgeLayout } from '@hdrscope/core';
import { assertOptions, mustBe, type OptionsOwner } from '@hdrscope/core/internal';
import type { SlotSpan } from './projection.ts';

/** A range of values of one axis. Both ends must be lower bounds of slots. */
export interface ValueRange {
  /** The name of the axis, or its index from 0. */
  readonly axis: string | number;
  /** Inclusive. @default the range begins with the underflow */
  readonly from?: number;
  /** Exclusive. @default the range ends with the overflow */
  readonly to?: number;
}

const VALUE_RANGE: OptionsOwner<ValueRange> = {
  name: 'a range of values',
  names: { axis: true, from: true, to: true },
  call: "histogram.marginal(0, [{ axis: 'Request size (bytes)', from: 512 }])",
};

/** @throws HdrscopeError `ERR_INVALID_OPTION` when an end is not the lower bound of a slot, or a field does not exist. */
export function slotSpanOf(layout: EdgeLayout, range: ValueRange, name: string): SlotSpan {
  assertOptions(range, VALUE_RANGE);
  const { from, to } = range;
  const first = from === undefined ? 0 : slotFrom(layout, from, `the range of "${name}": from`);
  const end =
    to === undefined || to === Number.POSITIVE_INFINITY
      ? layout.slotCount
      : slotFrom(layout, to, `the range of "${name}": to`);
  if (end <= first) throw mustBe('ERR_INVALID_OPTION', `the range of "${name}": to`, `above ${from}`, to);
  return { from: first, to: end };
}

/** The slot whose lower bound is a value. The counts of a slot cannot be divided, so a value within a slot is refused. */
function slotFrom(layout: EdgeLayout, value: number, what: string): number {
  const slot = typeof value === 'number' ? layout.slotOf(value) : 0;
  if (layout.lower(slot) === value) return slot;
  const nearest = [layout.lower(slot), layout.upper(slot)].filter(Number.isFinite);
  throw mustBe(
    'ERR_INVALID_OPTION',
    what,
    `the lower bound of a slot, such as ${nearest.join(' or ')}`,
    value,
  );
}
