import { HdrscopeError, type LayoutHistogram } from '@hdrscope/core';

/**
 * The lowest and the highest value beside counts.
 *
 * @throws HdrscopeError `ERR_DECODE` when they lie in other slots than the lowest and the highest counted value.
 */
export function readExtremes(
  { layout, counts }: LayoutHistogram,
  min: number,
  max: number,
  where: string,
): { readonly min: number; readonly max: number } {
  // A value between two slots may belong to both.
  const isLowest = min >= layout.lower(counts.first) && min <= layout.upper(counts.first);
  const isHighest = max >= layout.lower(counts.last) && max <= layout.upper(counts.last);
  if (isLowest && isHighest && min <= max) return { min, max };
  const message = `${where} must have its minimum and maximum in the slots of its lowest and highest value, got ${min} and ${max} ns`;
  throw new HdrscopeError('ERR_DECODE', message);
}
