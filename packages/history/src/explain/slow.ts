import type { Bounds } from '@hdrscope/core';
import { growthEvidence } from './association.ts';
import type { SeriesChange } from './series-change.ts';

/** How many slow values some series have: bounds, whose ends are equal where no bucket contains the limit. */
export interface SlowValues {
  readonly before: Bounds;
  readonly after: Bounds;
}

/**
 * How many slow values are assumed of all series on the better side, in proportion to their values there. Without them a series that had
 * no slow value, as good ones do, could not be said to have more of them. Of 200 generated incidents, half of them of two attribute values
 * together, the cause comes first in 196 with 20, in 195 with 10 and in 197 with 50.
 */
const ASSUMED_SLOW = 20;

/** What decides which values are slow. */
export interface SlowLimit {
  /** Values above this slot are slow, and those of buckets that begin in it. */
  readonly slot: number;
  /** The side on which the percentile is lower. */
  readonly better: 'before' | 'after';
  /** How many values all series have on that side. */
  readonly betterCount: number;
}

/** The slow values of a series. */
export function slowOf(series: SeriesChange, { slot, better, betterCount }: SlowLimit): SlowValues {
  const slowIn = (side: 'before' | 'after'): Bounds => {
    const { k, c, w } = series[side];
    let [lower, upper] = [0, 0];
    for (const [i, count] of c.entries()) {
      const width = w?.[i] ?? 0;
      // Where a bucket ends, the next one begins, often in the same slot.
      if (k[i]! > slot || (k[i] === slot && width > 0)) lower += count;
      if (k[i]! + width > slot) upper += count;
    }
    const assumed =
      side === better ? (ASSUMED_SLOW * c.reduce((sum, count) => sum + count, 0)) / betterCount : 0;
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
