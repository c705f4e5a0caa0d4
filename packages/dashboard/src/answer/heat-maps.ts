import { packedRuns } from '@hdrscope/core/internal';
import { countedUnitOf, type HeatMapPlot, heatMapOverTime } from '@hdrscope/plot';
import type { AxisSlot } from '@hdrscope/plot/internal';
import type { FamilyDefinition } from '../history/history.ts';
import { bucketLayout } from './buckets.ts';
import type { GroupHistory, GroupInterval } from './group-history.ts';

const ROWS = 48;

// A card has room for no more.
const MOST_COLUMNS = 240;

/** When which values were counted; `undefined` when nothing was. A family with boundaries has a row for each of its slots. */
export function heatMapOf(
  family: FamilyDefinition,
  history: GroupHistory,
  intervals: readonly GroupInterval[],
  title: string,
): HeatMapPlot | undefined {
  if (!intervals.some(({ packed }) => packed !== undefined)) return undefined;
  if (family.boundaries !== undefined) return heatMapOfBuckets(family, family.boundaries, intervals, title);
  const { unitLayout } = family;
  function* timed() {
    for (const interval of intervals) {
      const { histogram } = history.sumOf([interval]);
      yield { startMs: interval.startMs, endMs: interval.endMs, histogram, unitLayout };
    }
  }
  return heatMapOverTime(timed(), { unit: countedUnitOf(family), rows: ROWS, columns: MOST_COLUMNS, title });
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
