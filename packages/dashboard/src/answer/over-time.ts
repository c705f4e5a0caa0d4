import { percentileName } from '@hdrscope/kit';
import { countedUnitOf, type ObjectiveLine, type TimePlot } from '@hdrscope/plot';
import type { FamilyDefinition } from '../history/history.ts';
import { ROW_PERCENTILES } from '../messages.ts';
import type { GroupInterval } from './group-history.ts';

/** The percentiles of a group in each interval. Time of which nothing is known has a moment without values. */
export function percentilesOverTime(
  family: FamilyDefinition,
  intervals: readonly GroupInterval[],
  slos: readonly ObjectiveLine[],
): TimePlot {
  const timesMs: number[] = [];
  const lines = ROW_PERCENTILES.map((percentile) => ({
    name: percentileName(percentile),
    values: [] as (number | null)[],
  }));
  const add = (timeMs: number, values: GroupInterval['values']): void => {
    timesMs.push(timeMs);
    lines.forEach((line, i) => {
      line.values.push(values?.upper[i] ?? null);
    });
  };
  let endMs: number | undefined;
  for (const interval of intervals) {
    if (endMs !== undefined && endMs < interval.startMs) add(endMs, null);
    add(interval.startMs, interval.values);
    endMs = interval.endMs;
  }
  return {
    kind: 'over-time',
    title: 'Percentiles over time',
    unit: countedUnitOf(family),
    timesMs,
    ...(endMs !== undefined && { endMs }),
    lines,
    ...(slos.length > 0 && { slos }),
  };
}
