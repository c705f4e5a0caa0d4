import type { KnownRange } from '@hdrscope/core/internal';
import type { CountedFacts } from './counted-facts.ts';
import type { Extremes } from './intervals.ts';

/** The extremes that came with counts, or those of the slots. What contradicts itself, as NaN does, is not known. */
export function knownExtremes({ min, max }: CountedFacts, placed: Extremes): Extremes {
  const least = min !== undefined && min >= 0 ? min : placed.min;
  const most = max !== undefined && max >= 0 ? max : placed.max;
  return least <= most ? { min: least, max: most } : placed;
}

/** The extremes of slots within a range that holds all values. A range beside the slots narrows nothing. */
export function narrowed({ min, max }: Extremes, within: KnownRange): Extremes {
  const least = within.min !== undefined && within.min > min ? within.min : min;
  const most = within.max !== undefined && within.max < max ? within.max : max;
  return least <= most ? { min: least, max: most } : { min, max };
}
