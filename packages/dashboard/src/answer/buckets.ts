import { explicitLayout, type Layout } from '@hdrscope/core';
import { integerLayout } from '@hdrscope/core/internal';
import { type BarPlot, barsOf, countedUnitOf } from '@hdrscope/plot';
import type { FamilyDefinition } from '../history/history.ts';
import type { Distribution } from './distribution.ts';

/**
 * The counts between the boundaries of a family, such as the slots of a histogram of the kernel or of Ceph. A family without
 * boundaries has one bucket for all values.
 */
export function bucketsOf(
  family: FamilyDefinition,
  { buckets, histogram }: Distribution,
  title: string,
): BarPlot {
  const layout = bucketLayout(family, family.boundaries ?? []);
  const counts = Array.from(
    { length: layout.slotCount },
    (_, slot) => buckets?.at(slot) ?? histogram.totalCount,
  );
  return barsOf(layout, counts, { unit: countedUnitOf(family), title });
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
