import type { Bounds } from '@hdrscope/core';
import { growthEvidence } from './association.ts';
import type { SeriesCounts } from './find-causes.ts';
import type { SeriesChange } from './series-change.ts';

/** How many slow values some series have: bounds, whose ends are equal where no bucket contains the limit. */
export interface SlowValues {
  readonly before: Bounds;
  readonly after: Bounds;
}

/**
 * How many slow values are assumed of all series on each side, in proportion to their values there. Without them a series that had no slow
 * value, as good ones do, could not be said to have more of them.
 */
const ASSUMED_SLOW = 20;

/** What decides which values are slow. */
export interface SlowLimit {
  /** Values above this slot are slow, and those of buckets that begin in it. */
  readonly slot: number;
  /** How many values all series have. */
  readonly counts: Readonly<Record<'before' | 'after', number>>;
}

/** The slow values of a series. */
export function countSlow(series: SeriesChange, { slot, counts }: SlowLimit): SlowValues {
  const slowIn = (side: 'before' | 'after'): Bounds => {
    const { k, c, w } = series[side];
    let [lower, upper, size] = [0, 0, 0];
    for (let i = 0; i < c.length; i++) {
      const count = c[i]!;
      size += count;
      const width = w?.[i] ?? 0;
      // Where a bucket ends, the next one begins, often in the same slot.
      if (k[i]! > slot || (k[i] === slot && width > 0)) lower += count;
      if (k[i]! + width > slot) upper += count;
    }
    const assumed = (ASSUMED_SLOW * size) / counts[side];
    return { lower: lower + assumed, upper: upper + assumed };
  };
  return { before: slowIn('before'), after: slowIn('after') };
}

export function sumOf(all: readonly SlowValues[]): SlowValues {
  const sum = (side: 'before' | 'after'): Bounds => ({
    lower: all.reduce((total, one) => total + one[side].lower, 0),
    upper: all.reduce((total, one) => total + one[side].upper, 0),
  });
  return { before: sum('before'), after: sum('after') };
}

/**
 * Bounds of the evidence that slow values of a part have become more than those of the rest, or fewer with the direction -1: at least 0.
 * `growthEvidence` rises with the values of the part after and of the rest before, and falls with the others.
 */
export function evidenceOf(part: SlowValues, all: SlowValues, direction: number): Bounds {
  const evidence = (less: keyof Bounds, more: keyof Bounds): number =>
    growthEvidence({
      part: { before: part.before[more], after: part.after[less] },
      rest: {
        before: all.before[less] - part.before[less],
        after: all.after[more] - part.after[more],
      },
    });
  const [least, most] = [evidence('lower', 'upper'), evidence('upper', 'lower')];
  return direction > 0
    ? { lower: Math.max(0, least), upper: Math.max(0, most) }
    : { lower: Math.max(0, -most), upper: Math.max(0, -least) };
}

/** A series whose share of all values is so many times as large as on the better side is new: its values there say little about it. */
const NEW_FROM = 10;

/**
 * Slow values of each series on the better side in as much traffic as there is on the other side: more traffic alone makes more slow
 * values. Series that are new, or gone, have none.
 */
export function standardizeTraffic(
  slow: SeriesCounts,
  sizes: Readonly<Record<'before' | 'after', Float64Array>>,
  direction: number,
): SeriesCounts {
  const [better, other] = direction > 0 ? (['before', 'after'] as const) : (['after', 'before'] as const);
  const total = (side: Float64Array): number => side.reduce((sum, size) => sum + size, 0);
  const scale = total(sizes[better]) / total(sizes[other]);
  const ratios = sizes[other].map((size, i) => (scale * size) / sizes[better][i]!);
  const isKnown = (ratio: number): boolean => ratio > 0 && ratio < NEW_FROM;
  return {
    from: ratios.map((ratio, i) => (isKnown(ratio) ? slow.from[i]! * ratio : 0)),
    to: ratios.map((ratio, i) => (isKnown(ratio) ? slow.to[i]! : 0)),
  };
}
