import type { Plot } from '@hdrscope/plot';
import type { LiveTable } from '../live-table.ts';
import { bucketsOf } from './buckets.ts';
import type { GroupInTime } from './detail.ts';
import type { Group } from './groups.ts';
import { heatMapOf } from './heat-maps.ts';
import { sinceStart } from './rows.ts';

/** The plots of a series in a tab: its buckets since the start, and what it counted in each interval. */
export function plotsInTab({ group, history, intervals }: GroupInTime, table: LiveTable): readonly Plot[] {
  const title = titleOf(group);
  const bars = bucketsOf(group.family, sinceStart(group, table), title);
  const heatMap = heatMapOf(group.family, history, intervals, `${title} over time`);
  return heatMap === undefined ? [bars] : [bars, heatMap];
}

function titleOf({ family, attributes }: Group): string {
  return attributes.length === 0 ? family.name : `${family.name} (${attributes.join(', ')})`;
}
