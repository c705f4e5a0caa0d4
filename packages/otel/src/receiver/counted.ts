import type { BucketRun } from '@hdrscope/core';
import { type ExplicitPoint, type ExponentialPoint, NO_BUCKETS } from './received.ts';

/** The buckets of a checked point. They are kept until the next point of the stream. */
export type Buckets = ExplicitBuckets | ExponentialBuckets;

export interface ExplicitBuckets {
  readonly kind: 'explicit';
  readonly bounds: readonly number[];
  /** One more than `bounds`, or empty when nothing was counted. */
  readonly counts: readonly number[];
}

export interface ExponentialBuckets {
  readonly kind: 'exponential';
  readonly scale: number;
  readonly zeroCount: number;
  readonly zeroThreshold: number;
  /** Has no empty buckets at its ends; nor has `negative`. */
  readonly positive: BucketRun;
  readonly negative: BucketRun;
}

/** Facts about the values of a point besides their buckets. */
export interface PointTotals {
  readonly count: number;
  readonly sum: number | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

/** Everything that a point counted. */
export interface Counted extends PointTotals {
  readonly buckets: Buckets;
}

export function countedExplicit({ bounds, counts, count, sum, min, max }: ExplicitPoint): Counted {
  return { count, sum, min, max, buckets: { kind: 'explicit', bounds, counts } };
}

export function countedExponential(point: ExponentialPoint): Counted {
  const { scale, zeroCount, zeroThreshold, count, sum, min, max } = point;
  const [positive, negative] = [trimmed(point.positive), trimmed(point.negative)];
  const buckets = { kind: 'exponential', scale, zeroCount, zeroThreshold, positive, negative } as const;
  return { count, sum, min, max, buckets };
}

function trimmed({ offset, counts }: BucketRun): BucketRun {
  let from = 0;
  let to = counts.length;
  while (from < to && counts[from] === 0) from++;
  while (to > from && counts[to - 1] === 0) to--;
  if (from === to) return NO_BUCKETS;
  return from === 0 && to === counts.length
    ? { offset, counts }
    : { offset: offset + from, counts: counts.slice(from, to) };
}
