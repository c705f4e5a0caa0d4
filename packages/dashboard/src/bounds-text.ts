import type { Bounds } from '@hdrscope/core';
import { formatBounds } from '@hdrscope/kit';
import { formatValue } from '@hdrscope/plot';
import type { FamilyFacts } from './messages.ts';

/** Whether bounds are wider than a slot of so many digits. */
export function areWide({ lower, upper }: Bounds, digits: number): boolean {
  return upper - lower > lower * 10 ** -digits;
}

/** Bounds as people read them: one value as far as the digits of the family go, otherwise both ends, as in `1 to 2.5 s`. */
export function boundsText(
  bounds: Bounds,
  { counted, digits }: Pick<FamilyFacts, 'counted' | 'digits'>,
): string {
  const text = (value: number): string => formatValue(value, counted);
  return areWide(bounds, digits) ? formatBounds(bounds, text) : text(bounds.upper);
}
