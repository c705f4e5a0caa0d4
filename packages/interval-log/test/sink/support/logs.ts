import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Histogram } from '@hdrscope/core';
import { intervalsOf } from '../../support/read.ts';

/** Lists the logs of a directory, sorted by name. */
export function logsIn(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => name.includes('.hlog'))
    .sort()
    .map((name) => join(directory, name));
}

/** Sums all logs of a directory, by tag. */
export async function totalsIn(directory: string): Promise<Map<string, Histogram>> {
  const totals = new Map<string, Histogram>();
  for (const path of logsIn(directory)) {
    for (const interval of await intervalsOf(path)) {
      const tag = interval.tag ?? '';
      const total = totals.get(tag) ?? new Histogram({ autoResize: true, significantDigits: 2 });
      interval.addTo(total);
      totals.set(tag, total);
    }
  }
  return totals;
}

/** The facts of a histogram that tests compare. */
export function factsOf(histogram: Histogram): number[] {
  const percentiles = [0, 10, 50, 90, 99, 99.9, 100];
  return [histogram.totalCount, histogram.min, histogram.max, ...histogram.valuesAtPercentiles(percentiles)];
}
