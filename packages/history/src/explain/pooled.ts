import type { SeriesChange, SlotCounts } from './series-change.ts';

/** Counts of one side over the slots of a `SlotAxis`, as many as it has. */
export type Pooled = Float64Array;

/** All slots that any series uses, ascending. */
export interface SlotAxis {
  readonly slots: readonly number[];
  /** The index of a slot in `slots`. */
  readonly indexOf: ReadonlyMap<number, number>;
}

export function slotAxis(series: readonly SeriesChange[]): SlotAxis {
  const used = new Set<number>();
  for (const { before, after } of series) {
    for (const k of before.k) used.add(k);
    for (const k of after.k) used.add(k);
  }
  const slots = [...used].sort((a, b) => a - b);
  return { slots, indexOf: new Map(slots.map((slot, i) => [slot, i])) };
}

/** The sum of some series. */
export function pooled(all: Iterable<SlotCounts>, { slots, indexOf }: SlotAxis): Pooled {
  const sum = new Float64Array(slots.length);
  for (const { k, c } of all) {
    for (const [i, slot] of k.entries()) sum[indexOf.get(slot)!]! += c[i]!;
  }
  return sum;
}

export function totalOf(counts: Pooled): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The index of the slot in which a percentile lies. Weights need not be integers; their sum is above 0. */
export function indexOfPercentile(weights: Pooled, percentile: number): number {
  // Rounding alone must not step over a slot.
  const rank = (percentile / 100) * totalOf(weights) * (1 - 1e-12);
  let last = 0;
  let seen = 0;
  for (let i = 0; i < weights.length; i++) {
    if (!(weights[i]! > 0)) continue;
    last = i;
    seen += weights[i]!;
    if (seen >= rank) break;
  }
  return last;
}
