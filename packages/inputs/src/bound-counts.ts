import { Histogram } from '@hdrscope/core';
import { type BoundedHistogram, intervalOfSlot, usedSlots } from '@hdrscope/core/internal';
import type { CountedUnit } from '@hdrscope/registry';
import { FINEST_DIGITS } from './evidence.ts';
import { stepOf } from './numbers/number-unit.ts';
import { measureRange } from './sketches/conversion.ts';
import type { Sketch } from './sketches/sketch.ts';

/** Counts over slots, and the extremes of their values. */
type SlotCounts = Pick<Sketch, 'counted' | 'min' | 'max'>;

/**
 * Counts values over any slots as values within bounds: each at the lower bound of its slot, at the upper one, and between them.
 *
 * @param perUnit How many steps of the histograms the unit of the slots has.
 * @returns A sentence, without its subject, when values may be below 0, or have no upper bound.
 */
export function boundCounts({ counted, min, max }: SlotCounts, perUnit = 1): BoundedHistogram | string {
  const create = (): Histogram =>
    new Histogram({ significantDigits: FINEST_DIGITS, autoResize: true, storage: 'sparse' });
  const [histogram, lowest, highest] = [create(), create(), create()];
  const { layout, counts, placedFrom } = counted;
  // Steps are decimals: 0.29 s are 290,000,000 ns, and not 289,999,999.99999997.
  const inSteps = (value: number): number => Number((value * perUnit).toPrecision(15));
  for (const [slot, count] of usedSlots(counts)) {
    const interval = intervalOfSlot(layout, slot, count, placedFrom);
    const lower = inSteps(Math.max(interval.lower, min ?? Number.NEGATIVE_INFINITY));
    const upper = inSteps(Math.min(interval.upper, max ?? Number.POSITIVE_INFINITY));
    if (lower === Number.NEGATIVE_INFINITY)
      return `${count} values are in a slot without a bound below ${interval.upper}, and nothing states the smallest value`;
    if (upper === Number.POSITIVE_INFINITY)
      return `${count} values are in a slot without a bound above ${interval.lower}, and nothing states the largest value`;
    if (lower - upper > Math.abs(lower) * 1e-9) {
      const [side, stated] = min !== undefined && interval.upper < min ? ['below', min] : ['above', max];
      return `${count} values are ${side} ${stated}, which is stated as the ${side === 'below' ? 'smallest' : 'largest'} value`;
    }
    // Slots around 0 reach a little below it.
    if (lower <= -1) return `${count} values may be below 0, where HDR slots have no place`;
    lowest.record(Math.max(0, Math.floor(lower)), count);
    const middle = Math.min(upper, Math.max(lower, inSteps(layout.midpoint(slot))));
    highest.record(Math.max(0, Math.ceil(Math.max(lower, upper))), count);
    histogram.record(Math.max(0, Math.round(middle)), count);
  }
  return { histogram, lowest, highest };
}

/**
 * Counts the values that are at most a threshold, for the thresholds that no slot with values contains: their counts are exact.
 *
 * @param perUnit How many of the unit of the thresholds the unit of the slots has.
 */
export function countWithinThresholds(
  { counted, min, max }: SlotCounts,
  thresholds: readonly number[],
  perUnit: number,
): ReadonlyMap<number, number> {
  const { layout, counts, placedFrom } = counted;
  const ranges = Array.from(usedSlots(counts), ([slot, count]) => {
    const { lower, upper, lowerInclusive } = intervalOfSlot(layout, slot, count, placedFrom);
    return {
      lower: Math.max(lower, min ?? lower),
      upper: Math.min(upper, max ?? upper),
      lowerInclusive,
      count,
    };
  });
  const exact = new Map<number, number>();
  for (const threshold of thresholds) {
    const limit = Number((threshold / perUnit).toPrecision(15));
    const isBeyond = (range: (typeof ranges)[number]): boolean =>
      range.lower > limit || (range.lower === limit && !range.lowerInclusive);
    if (ranges.some((range) => range.upper > limit && !isBeyond(range))) continue;
    exact.set(
      threshold,
      ranges.reduce((sum, range) => (range.upper <= limit ? sum + range.count : sum), 0),
    );
  }
  return exact;
}

/** The step in which values of a sketch are counted: that of their unit, or a finer power of ten that keeps their digits. */
export function findSketchStep({ counted }: Pick<Sketch, 'counted'>, unit: CountedUnit): number {
  const { least, most } = measureRange(counted);
  const wanted = Math.floor(Math.log10(least)) - FINEST_DIGITS;
  const possible = Math.ceil(Math.log10(most / Number.MAX_SAFE_INTEGER)) + 1;
  return Math.min(stepOf(unit), Number(`1e${Math.max(wanted, possible)}`));
}
