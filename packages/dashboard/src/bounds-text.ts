import type { Bounds } from '@hdrscope/core';
import { areWide, formatBounds } from '@hdrscope/kit';
import { formatValue } from '@hdrscope/plot';
import type { FamilyFacts } from './messages.ts';

/** Bounds as people read them: one value as far as the digits of the family go, otherwise both ends, as in `1 to 2.5 s`. */
export function boundsText(
  bounds: Bounds,
  { counted, digits }: Pick<FamilyFacts, 'counted' | 'digits'>,
): string {
  const text = (value: number): string => formatValue(value, counted);
  return areWide(bounds, digits) ? formatBounds(bounds, text) : text(bounds.upper);
}
