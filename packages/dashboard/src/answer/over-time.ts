import { areWide, percentileName } from '@hdrscope/kit';
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
  const { significantDigits } = family.layout;
  const timesMs: number[] = [];
  const lines = ROW_PERCENTILES.map((percentile) => ({
    name: percentileName(percentile),
    values: [] as (number | null)[],
    lower: [] as (number | null)[],
  }));
  const hasOpen = intervals.some(({ values }) => values?.upper.at(-1) === Number.POSITIVE_INFINITY);
  const add = (timeMs: number, values: GroupInterval['values']): void => {
    timesMs.push(timeMs);
    lines.forEach((line, i) => {
      const [lower, upper] = [values?.lower[i] ?? null, values?.upper[i] ?? null];
      const isOpen = upper === Number.POSITIVE_INFINITY;
      const isBand = lower !== null && upper !== null && areWide({ lower, upper }, significantDigits);
      line.values.push(isOpen ? lower : upper);
      line.lower.push(isBand ? lower : null);
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
    ...(hasOpen && { subtitle: 'buckets without an end are shown at their lower bounds' }),
    unit: countedUnitOf(family),
    timesMs,
    ...(endMs !== undefined && { endMs }),
    lines: lines.map(({ name, values, lower }) => ({
      ...{ name, values },
      ...(lower.some((one) => one !== null) && { lower }),
    })),
    ...(slos.length > 0 && { slos }),
  };
}
