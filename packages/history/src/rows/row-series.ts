import type { Bounds } from '@hdrscope/core';
import { seriesKey } from '../parquet/order.ts';
import type { Distribution, HistoryRow } from './row.ts';

/**
 * Counts the series of some rows, as a property of their sum. The property is absent when no row is of several series. Rows of equal
 * attributes may be of the same series or of different ones; rows of unlike attributes are of different ones.
 */
export function seriesProperty(rows: readonly HistoryRow[]): Pick<Distribution, 'series'> {
  if (rows.every(({ series }) => series === undefined)) return {};
  const byAttributes = new Map<string, Bounds>();
  const single = new Set<string>();
  for (const row of rows) {
    const key = seriesKey(row);
    const { lower, upper } = byAttributes.get(key) ?? { lower: 0, upper: 0 };
    // All rows without a number are of one series.
    const isKnown = row.series === undefined && single.has(key);
    if (row.series === undefined) single.add(key);
    const { series = { lower: 1, upper: isKnown ? 0 : 1 } } = row;
    byAttributes.set(key, { lower: Math.max(lower, series.lower), upper: upper + series.upper });
  }
  const all = [...byAttributes.values()];
  return {
    series: {
      lower: all.reduce((sum, { lower }) => sum + lower, 0),
      upper: all.reduce((sum, { upper }) => sum + upper, 0),
    },
  };
}
