import { boundsAtPercentiles, type EndCounts } from '@hdrscope/registry/internal';
import type { FamilyDefinition } from './history/history.ts';
import { ROW_PERCENTILES, type RowValues } from './messages.ts';

/** The values of a row, in the unit of the family. */
export function valuesOf(family: Pick<FamilyDefinition, 'unitLayout'>, ends: EndCounts): RowValues {
  if (ends.lower.total === 0) return null;
  const bounds = boundsAtPercentiles(family, ends, ROW_PERCENTILES);
  return {
    lower: bounds.map(({ lower }) => lower),
    upper: bounds.map(({ upper }) => upper),
    wide: ends.wide,
  };
}
