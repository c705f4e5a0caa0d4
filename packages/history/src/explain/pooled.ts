import type { SeriesChange, SlotCounts } from './series-change.ts';

/** Counts of one side over the slots of a `SlotAxis`, as many as it has. */
export type Pooled = Float64Array;

/** Counts with each value in the first slot that it may lie in, and in the last one: the same object where no bucket is wide. */
export interface PooledEnds {
  readonly first: Pooled;
  readonly last: Pooled;
}

/** The counts of one side of a series, with the places of their slots on an axis. */
interface PlacedCounts {
  readonly first: Int32Array;
  /** The same object as `first` where no bucket of any series is wide. */
  readonly last: Int32Array;
  readonly c: readonly number[];
}

/** All slots that values of any series may begin or end in, and the series on them. */
export interface SlotAxis {
  /** Ascending. */
  readonly slots: readonly number[];
  readonly series: readonly Readonly<Record<'before' | 'after', PlacedCounts>>[];
  /** Whether a value may lie in several slots. */
  readonly isWide: boolean;
}

export function slotAxis(series: readonly SeriesChange[]): SlotAxis {
  const places = new Map<number, number>();
  let isWide = false;
  for (const { before, after } of series) {
    for (const { k, w = [] } of [before, after]) {
      for (let i = 0; i < k.length; i++) {
        places.set(k[i]!, 0);
        const width = w[i] ?? 0;
        if (width > 0) places.set(k[i]! + width, 0);
        isWide ||= width > 0;
      }
    }
  }
  const slots = [...places.keys()].sort((a, b) => a - b);
  for (const [place, slot] of slots.entries()) places.set(slot, place);
  const placed = ({ k, c, w = [] }: SlotCounts): PlacedCounts => {
    const first = Int32Array.from(k, (slot) => places.get(slot)!);
    return {
      first,
      last: isWide ? Int32Array.from(k, (slot, i) => places.get(slot + (w[i] ?? 0))!) : first,
      c,
    };
  };
  return {
    slots,
    isWide,
    series: series.map(({ before, after }) => ({ before: placed(before), after: placed(after) })),
  };
}

/** The sum of some series on one side. */
export function pooled(
  { slots, series, isWide }: SlotAxis,
  members: Iterable<number>,
  side: 'before' | 'after',
): PooledEnds {
  const first = new Float64Array(slots.length);
  const last = isWide ? new Float64Array(slots.length) : first;
  for (const member of members) {
    const counts = series[member]![side];
    for (let i = 0; i < counts.c.length; i++) {
      first[counts.first[i]!]! += counts.c[i]!;
      if (isWide) last[counts.last[i]!]! += counts.c[i]!;
    }
  }
  return { first, last };
}

/** The counts of `all` without those of some parts. */
export function without(all: PooledEnds, parts: readonly PooledEnds[]): PooledEnds {
  const at = (end: keyof PooledEnds): Pooled =>
    all[end].map((count, i) => parts.reduce((left, part) => left - part[end][i]!, count));
  const first = at('first');
  return { first, last: all.first === all.last ? first : at('last') };
}

export function totalOf(counts: Pooled): number {
  let sum = 0;
  for (let i = 0; i < counts.length; i++) sum += counts[i]!;
  return sum;
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
