import { mustBe } from '../errors.ts';
import type { HdrCounts } from './iteration.ts';

/** See `Histogram.valueAtPercentile`. */
export function valueAtPercentile({ layout, counts }: HdrCounts, percentile: number): number {
  assertPercentile(percentile);
  if (counts.total === 0) return 0;
  const slot = counts.slotOfRank(rankOf(percentile, counts.total));
  return percentile === 0 ? layout.lower(slot) : layout.upper(slot);
}

/** See `Histogram.valuesAtPercentiles`. */
export function valuesAtPercentiles({ layout, counts }: HdrCounts, percentiles: readonly number[]): number[] {
  percentiles.forEach(assertPercentile);
  const values = new Array<number>(percentiles.length).fill(0);
  if (counts.total === 0) return values;
  const ascending = [...percentiles.keys()].sort((a, b) => percentiles[a]! - percentiles[b]!);
  let slot = counts.first;
  let upToSlot = counts.at(slot);
  for (const i of ascending) {
    const percentile = percentiles[i]!;
    const rank = rankOf(percentile, counts.total);
    while (upToSlot < rank) {
      slot = counts.next(slot + 1);
      upToSlot += counts.at(slot);
    }
    values[i] = percentile === 0 ? layout.lower(slot) : layout.upper(slot);
  }
  return values;
}

/**
 * Which of `total` values, counted from 1 in ascending order, is the percentile. Rounds up, except that a rank which
 * exceeds an integer by rounding alone is that integer: the percentile is taken one step of a double lower first.
 * Source: HdrHistogram (Java), `AbstractHistogram.getValueAtPercentile`.
 */
export function rankOf(percentile: number, total: number): number {
  const bounded = Math.min(Math.max(nextDown(percentile), 0), 100);
  // Multiplied before divided, so that whole percentiles of round totals are exact.
  return Math.max(1, Math.ceil((bounded * total) / 100));
}

function assertPercentile(percentile: number): void {
  if (typeof percentile !== 'number' || Number.isNaN(percentile)) {
    throw mustBe('ERR_INVALID_VALUE', 'percentile', 'a number from 0 to 100', percentile);
  }
}

const double = new Float64Array(1);
const bits = new BigInt64Array(double.buffer);

/** The next double towards minus infinity. */
function nextDown(x: number): number {
  if (x === Number.NEGATIVE_INFINITY) return x;
  if (x === 0) return -Number.MIN_VALUE;
  double[0] = x;
  bits[0] = bits[0]! + (x > 0 ? -1n : 1n);
  return double[0]!;
}
