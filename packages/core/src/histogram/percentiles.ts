import type { Counted } from '../counted.ts';
import type { ReadonlyCounts } from '../counts/readonly-counts.ts';
import { nextDown } from '../double.ts';
import { mustBe } from '../errors.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import type { SlotValues } from './slot-values.ts';
import { lengthOf } from './values.ts';

/** See `HdrReading.valueAtPercentile`. */
export function valueAtPercentile<V extends number | bigint>(
  { layout, counts }: Counted<HdrLayout>,
  values: SlotValues<V>,
  percentile: number,
): V {
  assertPercentile(percentile);
  if (counts.total === 0) return values.of(0);
  const slot = counts.slotOfRank(findRank(percentile, counts.total));
  return percentile === 0 ? values.lower(layout, slot) : values.upper(layout, slot);
}

/** See `HdrReading.valuesAtPercentiles`. */
export function valuesAtPercentiles<V extends number | bigint>(
  { layout, counts }: Counted<HdrLayout>,
  values: SlotValues<V>,
  percentiles: readonly number[],
): V[] {
  lengthOf(percentiles, 'percentiles');
  const asked = Array.from(percentiles);
  for (const percentile of asked) assertPercentile(percentile);
  const { total } = counts;
  if (total === 0) return asked.map(() => values.of(0));
  const ranks = asked.map((percentile) => findRank(percentile, total));
  const slots = slotsOf(counts, ranks);
  return asked.map((percentile, i) =>
    percentile === 0 ? values.lower(layout, slots[i]!) : values.upper(layout, slots[i]!),
  );
}

/** The slots of ranks in any order. */
function slotsOf(counts: ReadonlyCounts, ranks: readonly number[]): readonly number[] {
  if (ranks.every((rank, i) => i === 0 || rank >= ranks[i - 1]!)) return counts.slotsOfRanks(ranks);
  const ascending = [...ranks].sort((a, b) => a - b);
  const slots = counts.slotsOfRanks(ascending);
  const slotOf = new Map(ascending.map((rank, i) => [rank, slots[i]!]));
  return ranks.map((rank) => slotOf.get(rank)!);
}

/**
 * The rank of a percentile among `total` values in ascending order, from 1. It is rounded up, unless it exceeds an integer by
 * rounding alone: to exclude that, the percentile is first lowered to the next double.
 * Source: HdrHistogram (Java), `AbstractHistogram.getValueAtPercentile`.
 */
export function findRank(percentile: number, total: number): number {
  const bounded = Math.min(Math.max(nextDown(percentile), 0), 100);
  // Multiplication comes first, so that whole percentiles of round totals are exact. It may round beyond the total.
  return Math.min(Math.max(1, Math.ceil((bounded * total) / 100)), total);
}

/** The sum of the counts of the slots from `first` to `last`, both included. Slots outside the layout have none. */
export function countOfSlots(counts: ReadonlyCounts, first: number, last: number): number {
  const end = Math.min(last, counts.last);
  let sum = 0;
  for (let slot = counts.next(Math.max(first, 0)); slot <= end; slot = counts.next(slot + 1))
    sum += counts.at(slot);
  return sum;
}

function assertPercentile(percentile: number): void {
  if (typeof percentile !== 'number' || Number.isNaN(percentile)) {
    throw mustBe('ERR_INVALID_VALUE', 'percentile', 'a number from 0 to 100', percentile);
  }
}
