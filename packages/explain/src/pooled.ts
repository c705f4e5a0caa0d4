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
  const all = series.flatMap(({ before, after }) => [before, after]);
  let [first, last, isWide] = [Number.POSITIVE_INFINITY, 0, false];
  for (const { k, w = [] } of all) {
    if (k.length === 0) continue;
    first = Math.min(first, k[0]!);
    last = Math.max(last, k.at(-1)!);
    for (let i = 0; i < w.length; i++) {
      last = Math.max(last, k[i]! + w[i]!);
      isWide ||= w[i]! > 0;
    }
  }
  // A place for each slot from the first one to the last one is a few megabytes, and found a hundred times faster than in a map.
  const places = new Int32Array(Math.max(0, last - first + 1));
  for (const { k, w = [] } of all) {
    for (let i = 0; i < k.length; i++) {
      places[k[i]! - first] = 1;
      if (isWide) places[k[i]! + (w[i] ?? 0) - first] = 1;
    }
  }
  const slots: number[] = [];
  for (let at = 0; at < places.length; at++) if (places[at] === 1) places[at] = slots.push(first + at) - 1;
  const placed = ({ k, c, w = [] }: SlotCounts): PlacedCounts => {
    const from = new Int32Array(k.length);
    const to = isWide ? new Int32Array(k.length) : from;
    for (let i = 0; i < k.length; i++) {
      from[i] = places[k[i]! - first]!;
      if (isWide) to[i] = places[k[i]! + (w[i] ?? 0) - first]!;
    }
    return { first: from, last: to, c };
  };
  return {
    slots,
    isWide,
    series: series.map(({ before, after }) => ({ before: placed(before), after: placed(after) })),
  };
}

/** The sum of some series on one side. */
function pooled(
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

/** Counts before and after, of some series or of all. */
export interface TwoSides {
  readonly before: PooledEnds;
  readonly after: PooledEnds;
}

/** The sums of some series. */
export function poolSides(axis: SlotAxis, members: Iterable<number>): TwoSides {
  const all = [...members];
  return { before: pooled(axis, all, 'before'), after: pooled(axis, all, 'after') };
}

/** The counts of all series without those of some parts. */
export function leaveOut(all: TwoSides, parts: readonly TwoSides[]): TwoSides {
  const leftOf = (side: 'before' | 'after', end: keyof PooledEnds): Pooled => {
    const left = all[side][end].slice();
    for (const part of parts) {
      const own = part[side][end];
      for (let i = 0; i < left.length; i++) left[i]! -= own[i]!;
    }
    return left;
  };
  const left = (side: 'before' | 'after'): PooledEnds => {
    const first = leftOf(side, 'first');
    return { first, last: all[side].first === all[side].last ? first : leftOf(side, 'last') };
  };
  return { before: left('before'), after: left('after') };
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
