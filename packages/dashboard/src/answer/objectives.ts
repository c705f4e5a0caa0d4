import type { Bounds, ReadonlyCounts } from '@hdrscope/core';
import { countWithin, judgeObjective, usedSlots } from '@hdrscope/core/internal';
import { percentileName } from '@hdrscope/kit';
import { formatValue } from '@hdrscope/plot';
import type { CountedUnit } from '@hdrscope/registry';
import type { FamilyDefinition } from '../history/history.ts';
import type { ObjectiveResult } from '../messages.ts';
import { type Objective, objectiveValue } from '../question.ts';
import type { Distribution } from './distribution.ts';
import type { Group } from './groups.ts';

/** The objectives that suit the unit of a family, each with its value in that unit. */
export function suitingObjectives(
  objectives: readonly Objective[],
  unit: CountedUnit,
): readonly (Objective & { readonly limit: number })[] {
  return objectives.flatMap((objective) => {
    const limit = objectiveValue(objective, unit);
    return limit === undefined ? [] : [{ ...objective, limit }];
  });
}

/**
 * The share of values within each objective. Values that share a slot or a wide bucket with the limit may lie on either side of it, unless
 * the limit is one of the boundaries of the family. Of a sample, the share is an estimate, and the verdict is sure or `undecided`.
 */
export function objectiveResults(
  objectives: readonly Objective[],
  unit: CountedUnit,
  { family, weight }: Pick<Group, 'family' | 'weight'>,
  distribution: Distribution,
): readonly ObjectiveResult[] {
  return suitingObjectives(objectives, unit).map(({ percentile, value, limit }): ObjectiveResult => {
    const name = `${percentileName(percentile)} ≤ ${formatValue(limit, unit)}`;
    const { total } = distribution.histogram.counts;
    const within = countsWithin(family, distribution, limit);
    const { share, verdict } = judgeObjective(within, total, percentile, { weight });
    return { name, percentile, value, share: total === 0 ? null : share, verdict };
  });
}

function countsWithin(
  { unitLayout, boundaries = [] }: FamilyDefinition,
  { buckets, across, ends }: Distribution,
  limit: number,
): Bounds {
  const boundary = boundaries.indexOf(limit);
  if (buckets !== undefined && boundary >= 0) {
    const count = countTo(buckets, boundary);
    const unsure = across[boundary]!;
    return { lower: Math.max(0, count - unsure), upper: Math.min(ends.lower.total, count + unsure) };
  }
  return {
    lower: countWithin({ layout: unitLayout, counts: ends.upper }, limit).lower,
    upper: countWithin({ layout: unitLayout, counts: ends.lower }, limit).upper,
  };
}

/** The counts of all buckets up to one. */
function countTo(buckets: ReadonlyCounts, last: number): number {
  let sum = 0;
  for (const [bucket, count] of usedSlots(buckets)) if (bucket <= last) sum += count;
  return sum;
}
