import type { ReadonlyCounts } from '@hdrscope/core';
import { packedRuns, SparseCounts, usedSlots } from '@hdrscope/core/internal';
import { countedUnitOf, type HeatMapPlot, heatMapOverTime } from '@hdrscope/plot';
import type { AxisSlot } from '@hdrscope/plot/internal';
import { boundsOfSlots } from '@hdrscope/registry/internal';
import type { FamilyDefinition } from '../history/history.ts';
import { bucketLayout } from './buckets.ts';
import type { Distribution } from './distribution.ts';
import type { GroupHistory, GroupInterval } from './group-history.ts';

const ROWS = 48;

// A card has room for no more.
const MOST_COLUMNS = 240;

/**
 * When which values were counted; `undefined` when nothing was. A family with boundaries has a row for each of its slots, unless values may
 * lie on either side of a boundary.
 */
export function heatMapOf(
  family: FamilyDefinition,
  history: GroupHistory,
  intervals: readonly GroupInterval[],
  title: string,
): HeatMapPlot | undefined {
  if (!intervals.some(({ packed }) => packed !== undefined)) return undefined;
  const isAcross = intervals.some(({ packed }) => packed?.across !== undefined);
  if (family.boundaries !== undefined && !isAcross)
    return heatMapOfBuckets(family, family.boundaries, intervals, title);
  const { layout, unitLayout } = family;
  function* timed() {
    for (const interval of intervals) {
      const { startMs, endMs } = interval;
      const distribution = history.sumOf([interval]);
      const wide = distribution.reaching.map(({ first, last, count }) => ({
        ...boundsOfSlots(unitLayout, first, last),
        count,
      }));
      yield { startMs, endMs, histogram: { layout, counts: countsInSlots(distribution) }, unitLayout, wide };
    }
  }
  return heatMapOverTime(timed(), { unit: countedUnitOf(family), rows: ROWS, columns: MOST_COLUMNS, title });
}

/** The counts whose values lie in their slots. */
function countsInSlots({ histogram: { counts }, reaching }: Distribution): ReadonlyCounts {
  if (reaching.length === 0) return counts;
  const others = new Map<number, number>();
  for (const { slot, count } of reaching) others.set(slot, count + (others.get(slot) ?? 0));
  const own = new SparseCounts(counts.length);
  for (const [slot, count] of usedSlots(counts)) own.add(slot, count - (others.get(slot) ?? 0));
  return own;
}

function heatMapOfBuckets(
  family: FamilyDefinition,
  boundaries: readonly number[],
  intervals: readonly GroupInterval[],
  title: string,
): HeatMapPlot {
  const layout = bucketLayout(family, boundaries);
  const share = Math.ceil(intervals.length / MOST_COLUMNS);
  const columns: AxisSlot[] = [];
  const rows = Array.from({ length: layout.slotCount }, (): number[] => []);
  const addColumn = (column: AxisSlot): void => {
    columns.push(column);
    for (const row of rows) row.push(0);
  };
  for (let at = 0; at < intervals.length; at += share) {
    const together = intervals.slice(at, at + share);
    const [lower, before] = [together[0]!.startMs, columns.at(-1)?.upper];
    // Time of which nothing is known is a column without counts.
    if (before !== undefined && before < lower) addColumn({ lower: before, upper: lower });
    addColumn({ lower, upper: together.at(-1)!.endMs });
    for (const { packed } of together) {
      if (packed === undefined) continue;
      const runs = packedRuns(packed.buckets, layout.slotCount);
      for (let length = runs.next(); length > 0; length = runs.next()) {
        for (let i = 0; i < length; i++) rows[runs.slots[i]!]![columns.length - 1]! += runs.counts[i]!;
      }
    }
  }
  const isUsed = (row: readonly number[]): boolean => row.some((count) => count > 0);
  const [first, last] = [rows.findIndex(isUsed), rows.findLastIndex(isUsed)];
  const slots = rows.map((_, slot) => ({ lower: layout.lower(slot), upper: layout.upper(slot) }));
  return {
    kind: 'heat-map',
    title,
    x: { name: 'time', unit: 'time', slots: columns },
    y: { name: 'value', unit: countedUnitOf(family), slots: slots.slice(first, last + 1) },
    counts: rows.slice(first, last + 1),
  };
}
