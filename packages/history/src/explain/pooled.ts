import type { SeriesChange, SlotCounts } from './series-change.ts';

/** Counts of one side over the slots of a `SlotAxis`, as many as it has. */
export type Pooled = Float64Array;

/** Counts with each value in the first slot that it may lie in, and in the last one: the same object where no bucket is wide. */
export interface PooledEnds {
  readonly first: Pooled;
  readonly last: Pooled;
}

/** All slots that values of any series may begin or end in, ascending. */
export interface SlotAxis {
  readonly slots: readonly number[];
  /** The index of a slot in `slots`. */
  readonly indexOf: ReadonlyMap<number, number>;
  /** Whether a value may lie in several slots. */
  readonly isWide: boolean;
}

export function slotAxis(series: readonly SeriesChange[]): SlotAxis {
  const used = new Set<number>();
  let isWide = false;
  for (const { before, after } of series) {
    for (const { k, w } of [before, after]) {
      for (const [i, slot] of k.entries()) {
        const width = w?.[i] ?? 0;
        used.add(slot).add(slot + width);
        if (width > 0) isWide = true;
      }
    }
  }
  const slots = [...used].sort((a, b) => a - b);
  return { slots, indexOf: new Map(slots.map((slot, i) => [slot, i])), isWide };
}

/** The sum of some series. */
export function pooled(all: readonly SlotCounts[], axis: SlotAxis): PooledEnds {
  const first = sumAt(all, axis, (k) => k);
  return { first, last: axis.isWide ? sumAt(all, axis, (k, width) => k + width) : first };
}

function sumAt(
  all: readonly SlotCounts[],
  { slots, indexOf }: SlotAxis,
  slotOf: (k: number, width: number) => number,
): Pooled {
  const sum = new Float64Array(slots.length);
  for (const { k, c, w } of all) {
    for (const [i, slot] of k.entries()) sum[indexOf.get(slotOf(slot, w?.[i] ?? 0))!]! += c[i]!;
  }
  return sum;
}

/** The counts of `all` without those of some parts. */
export function without(all: PooledEnds, parts: readonly PooledEnds[]): PooledEnds {
  const at = (end: keyof PooledEnds): Pooled =>
    all[end].map((count, i) => parts.reduce((left, part) => left - part[end][i]!, count));
  const first = at('first');
  return { first, last: all.first === all.last ? first : at('last') };
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
