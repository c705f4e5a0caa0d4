import type { Slices } from '@hdrscope/kit';
import { type PackedInterval, seriesAt } from '../history/packed-interval.ts';
import { bucketsSince } from '../increase-of.ts';
import type { LiveTable } from '../live-table.ts';
import type { AnswerRow } from '../messages.ts';
import { valuesOf } from '../row-values.ts';
import { type Distribution, DistributionSum } from './distribution.ts';
import type { Group } from './groups.ts';

/** A row with its group. */
export type GroupRow = readonly [Group, AnswerRow];

/** The distribution of a group since the start, without series that have left the table. */
export function sinceStart({ ids, family }: Group, table: LiveTable): Distribution {
  const sum = new DistributionSum(family);
  for (const id of ids) {
    const series = table.find(id);
    if (series === undefined) continue;
    const { latest, reaches } = series;
    const buckets = bucketsSince(family, latest, undefined);
    sum.add({ counts: latest.counts, sum: latest.sum, buckets }, reaches);
  }
  return sum.result();
}

/** The rows of groups since the start, with what they counted in the last interval. Only series of the table are in them. */
export async function liveRows(
  groups: readonly Group[],
  table: LiveTable,
  slices: Slices,
): Promise<GroupRow[]> {
  const rows: GroupRow[] = [];
  for (const group of groups) {
    const last = new DistributionSum(group.family);
    let perSecond = 0;
    let seriesCount = 0;
    for (const id of group.ids) {
      const series = table.find(id);
      if (series !== undefined) seriesCount++;
      if (series?.increase === undefined) continue;
      last.add(series.increase, series.reaches);
      perSecond += series.perSecond;
    }
    const { family, familyId, attributes } = group;
    const whole = sinceStart(group, table);
    rows.push([
      group,
      {
        ...{ family: familyId, attributes, seriesCount, perSecond },
        count: whole.histogram.totalCount,
        values: valuesOf(family, whole.ends),
        last: valuesOf(family, last.result().ends),
      },
    ]);
    if (slices.isOver()) await slices.next();
  }
  return rows;
}

/** The rows of groups in the time of some intervals. Groups without values in that time have none. */
export async function rowsWithin(
  groups: readonly Group[],
  intervals: readonly PackedInterval[],
  slices: Slices,
): Promise<GroupRow[]> {
  const sums = new Map<Group, DistributionSum>();
  const groupOf = new Map<number, Group>();
  for (const group of groups) for (const id of group.ids) groupOf.set(id, group);
  for (const interval of intervals) {
    for (const [place, id] of interval.ids.entries()) {
      const group = groupOf.get(id);
      if (group === undefined) continue;
      const sum = sums.get(group) ?? new DistributionSum(group.family);
      sums.set(group, sum);
      sum.addPacked(seriesAt(interval, place), group.reaches.get(id));
      if (slices.isOver()) await slices.next();
    }
  }
  const seconds = intervals.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0) / 1000;
  return groups.flatMap((group): GroupRow[] => {
    const sum = sums.get(group);
    if (sum === undefined) return [];
    const { family, familyId, attributes, ids } = group;
    const whole = sum.result();
    const count = whole.histogram.totalCount;
    const perSecond = seconds > 0 ? count / seconds : 0;
    const values = valuesOf(family, whole.ends);
    const seriesCount = ids.length;
    return [[group, { family: familyId, attributes, seriesCount, count, perSecond, values, last: null }]];
  });
}
