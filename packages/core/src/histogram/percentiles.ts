import { nextDown } from '../double.ts';
import { mustBe } from '../errors.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import type { HdrCounts } from './iteration.ts';

/** See `Histogram.valueAtPercentile`. */
export function valueAtPercentile({ layout, counts }: HdrCounts, percentile: number): number {
  assertPercentile(percentile);
  if (counts.total === 0) return 0;
  return boundAt(layout, counts.slotOfRank(rankOf(percentile, counts.total)), percentile);
}

/** See `Histogram.valuesAtPercentiles`. */
export function valuesAtPercentiles({ layout, counts }: HdrCounts, percentiles: readonly number[]): number[] {
  percentiles.forEach(assertPercentile);
  if (counts.total === 0) return percentiles.map(() => 0);
  const ascending = [...percentiles].sort((a, b) => a - b);
  const slots = counts.slotsOfRanks(ascending.map((percentile) => rankOf(percentile, counts.total)));
  const slotOf = new Map(ascending.map((percentile, i) => [percentile, slots[i]!]));
  return percentiles.map((percentile) => boundAt(layout, slotOf.get(percentile)!, percentile));
}

function boundAt(layout: HdrLayout, slot: number, percentile: number): number {
  return percentile === 0 ? layout.lower(slot) : layout.upper(slot);
}

/**
 * Which of `total` values, counted from 1 in ascending order, is the percentile. Rounds up, except that a rank which
 * exceeds an integer by rounding alone is that integer: the percentile is taken one step of a double lower first.
 * Source: HdrHistogram (Java), `AbstractHistogram.getValueAtPercentile`.
 */
export function rankOf(percentile: number, total: number): number {
  const bounded = Math.min(Math.max(nextDown(percentile), 0), 100);
  // Multiplied before divided, so that whole percentiles of round totals are exact; that may round beyond the total.
  return Math.min(Math.max(1, Math.ceil((bounded * total) / 100)), total);
}

function assertPercentile(percentile: number): void {
  if (typeof percentile !== 'number' || Number.isNaN(percentile)) {
    throw mustBe('ERR_INVALID_VALUE', 'percentile', 'a number from 0 to 100', percentile);
  }
}
