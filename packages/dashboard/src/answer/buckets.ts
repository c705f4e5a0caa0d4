import { explicitLayout, type Layout } from '@hdrscope/core';
import { integerLayout } from '@hdrscope/core/internal';
import { type BarPlot, barsOf, countedUnitOf } from '@hdrscope/plot';
import type { FamilyDefinition } from '../history/history.ts';
import type { Distribution } from './distribution.ts';

/**
 * The counts between the boundaries of a family, such as the slots of a histogram of the kernel or of Ceph. A family without
 * boundaries has one bucket for all values. Counts have bounds where values may lie on either side of a boundary.
 */
export function bucketsOf(
  family: FamilyDefinition,
  { buckets, histogram, across }: Distribution,
  title: string,
): BarPlot {
  const layout = bucketLayout(family, family.boundaries ?? []);
  const counts = Array.from(
    { length: layout.slotCount },
    (_, slot) => buckets?.at(slot) ?? histogram.totalCount,
  );
  const options = { unit: countedUnitOf(family), title };
  if (!across.some((count) => count > 0)) return barsOf(layout, counts, options);
  // Values that may have crossed a boundary of a bucket, in either direction.
  const unsure = counts.map((_, i) => (across[i - 1] ?? 0) + (across[i] ?? 0));
  const upper = counts.map((count, i) => Math.min(histogram.totalCount, count + unsure[i]!));
  const [from, to] = [upper.findIndex((count) => count > 0), upper.findLastIndex((count) => count > 0) + 1];
  return {
    kind: 'bars',
    ...options,
    subtitle: 'values of wide buckets may lie in other buckets',
    slots: counts.map((_, i) => ({ lower: layout.lower(i), upper: layout.upper(i) })).slice(from, to),
    isInteger: layout.lowerInclusive && layout.upperInclusive,
    counts: counts.slice(from, to),
    lower: counts.map((count, i) => Math.max(0, count - unsure[i]!)).slice(from, to),
    upper: upper.slice(from, to),
  };
}

/** The slots of a family with boundaries. When all values are integers, a slot begins with the integer after the boundary below it. */
export function bucketLayout(
  { resolution: { unitsPerTick, ticksPerUnit } }: FamilyDefinition,
  boundaries: readonly number[],
): Layout {
  const areIntegers = unitsPerTick === 1 && ticksPerUnit === 1 && boundaries.every(Number.isInteger);
  return areIntegers
    ? integerLayout(boundaries, Math.min(0, boundaries[0] ?? 0))
    : explicitLayout(boundaries);
}
