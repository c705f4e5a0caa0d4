import type { Bounds, ReadonlyCounts } from '@hdrscope/core';
import { findRank, SparseCounts, thresholdSlots, usedSlots } from '@hdrscope/core/internal';
import type { FamilySettings } from './family-options.ts';
import type { SlotReaches } from './reach.ts';

/** Counts at the two ends of where their values may lie. Both are the counts themselves when all values lie in their slots. */
export interface EndCounts {
  /** All values as small as they may be: the counts of each slot at the first slot that it reaches. */
  readonly lower: ReadonlyCounts;
  /** All values as large as they may be: the counts of each slot at the last slot that it reaches. */
  readonly upper: ReadonlyCounts;
  /** How many values may lie in other slots than their own. */
  readonly wide: number;
}

/** The ends of counts, such as those of a series or of a part of its time. */
export function endCounts(counts: ReadonlyCounts, reaches: SlotReaches | undefined): EndCounts {
  let wide = 0;
  for (const [slot, { first, last }] of reaches ?? [])
    if (first < slot || last > slot) wide += counts.at(slot);
  if (reaches === undefined || wide === 0) return { lower: counts, upper: counts, wide: 0 };
  const [lower, upper] = [new SparseCounts(counts.length), new SparseCounts(counts.length)];
  for (const [slot, count] of usedSlots(counts)) {
    const { first, last } = reaches.get(slot) ?? { first: slot, last: slot };
    lower.add(first, count);
    upper.add(last, count);
  }
  return { lower, upper, wide };
}

/** How many of the counts may lie in another slot than their own, or on another side of a threshold: at most so many are misplaced. */
export function unsureCount(counts: ReadonlyCounts, reaches: SlotReaches | undefined): number {
  let unsure = 0;
  for (const slot of reaches?.keys() ?? []) unsure += counts.at(slot);
  return unsure;
}

/**
 * For each of some thresholds of a family, how many of the counts may lie on either side of it. `bucketCounts` has each of them on one side.
 *
 * @param thresholds Ascending, in the unit of the family.
 */
export function countsAcross(
  thresholds: readonly number[],
  { unitLayout }: Pick<FamilySettings, 'unitLayout'>,
  counts: ReadonlyCounts,
  reaches: SlotReaches | undefined,
): number[] {
  const slots = thresholdSlots(thresholds, unitLayout);
  const across = thresholds.map(() => 0);
  for (const [slot, { first, last, startsAbove, endsWithin }] of reaches ?? []) {
    const count = counts.at(slot);
    if (count === 0) continue;
    for (const [i, at] of slots.entries()) {
      const isAbove = first > at || (first === at && startsAbove === true);
      const isWithin = last < at || (last === at && endsWithin === true);
      if (!isAbove && !isWithin) across[i]! += count;
    }
  }
  return across;
}

/**
 * The bounds of percentiles, in the unit of the family. The value of a rank is at least the one of this rank when all values are as small
 * as they may be, and at most the one of this rank when all are as large.
 *
 * @param percentiles From 0 to 100, ascending.
 * @returns Bounds for each percentile; both ends are `NaN` when nothing was counted.
 */
export function boundsAtPercentiles(
  { unitLayout }: Pick<FamilySettings, 'unitLayout'>,
  { lower, upper }: EndCounts,
  percentiles: readonly number[],
): Bounds[] {
  const { total } = lower;
  if (total === 0) return percentiles.map(() => ({ lower: Number.NaN, upper: Number.NaN }));
  const ranks = percentiles.map((percentile) => findRank(percentile, total));
  const from = lower.slotsOfRanks(ranks);
  const to = upper === lower ? from : upper.slotsOfRanks(ranks);
  return from.map((first, i) => boundsOfSlots(unitLayout, first, to[i]!));
}

/** What lies between two slots. Values that reach to the last slot of a family have no end that anybody knows. */
export function boundsOfSlots(layout: FamilySettings['unitLayout'], first: number, last: number): Bounds {
  const isOpen = last === layout.slotCount - 1;
  return { lower: layout.lower(first), upper: isOpen ? Number.POSITIVE_INFINITY : layout.upper(last) };
}
