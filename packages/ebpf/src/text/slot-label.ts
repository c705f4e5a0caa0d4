import type { IntegerLayout } from '@hdrscope/core';

/** The integers of a slot: `5`, `2-4`, `65+`, or `<0` where it is open downwards. */
export function slotLabel(slots: IntegerLayout, slot: number): string {
  const [lower, upper] = [slots.lower(slot), slots.upper(slot)];
  if (lower === upper) return String(lower);
  if (upper === Number.POSITIVE_INFINITY) return `${lower}+`;
  if (lower === Number.NEGATIVE_INFINITY) return `<${upper + 1}`;
  return lower < 0 ? `${lower}..${upper}` : `${lower}-${upper}`;
}

/** Which slots are shown. */
export interface ShownSlots {
  /** `'used'` leaves out those below the first and above the last one that was hit. */
  readonly rows?: 'all' | 'used';
}

/** From the first slot that is shown to the last one; `undefined` where there is none. */
export function shownSlots(
  counts: readonly number[],
  rows: 'all' | 'used',
): readonly [first: number, last: number] | undefined {
  if (rows === 'all') return [0, counts.length - 1];
  const first = counts.findIndex((count) => count > 0);
  return first < 0 ? undefined : [first, counts.findLastIndex((count) => count > 0)];
}
