import type { IntegerLayout, ReadonlyCounts } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';

/** The integers of a slot: `5`, `2-4`, `65+`, or `<0` when it is open downwards. */
export function slotLabel(slots: IntegerLayout, slot: number): string {
  const [lower, upper] = [slots.lower(slot), slots.upper(slot)];
  if (lower === upper) return String(lower);
  if (upper === Number.POSITIVE_INFINITY) return `${lower}+`;
  if (lower === Number.NEGATIVE_INFINITY) return `<${upper + 1}`;
  return lower < 0 ? `${lower}..${upper}` : `${lower}-${upper}`;
}

/** Which slots are shown. */
export interface ShownSlots {
  /** `'used'` leaves out empty slots below the first count and above the last count, `'all'` shows every slot. */
  readonly rows?: 'all' | 'used';
}

/**
 * The slots that are shown, ascending.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `rows` is neither.
 */
export function shownSlots({ length, first, last }: ReadonlyCounts, rows: 'all' | 'used'): number[] {
  if (rows !== 'all' && rows !== 'used') throw mustBe('ERR_INVALID_OPTION', 'rows', "'all' or 'used'", rows);
  const [from, to] = rows === 'all' ? [0, length - 1] : [first, last];
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}
