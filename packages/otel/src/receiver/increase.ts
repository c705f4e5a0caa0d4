import { type BucketRun, exponentialBound, mergedBuckets } from '@hdrscope/core';
import type { Buckets, Counted, ExplicitBuckets, ExponentialBuckets } from './counted.ts';
import { NO_BUCKETS } from './received.ts';

/** The counts of a stream since its previous point. */
export interface Increase {
  readonly buckets: Buckets;
  readonly sum: number | undefined;
  /** The smallest value that the stream has counted so far. New values lie from here to `max`. */
  readonly min: number | undefined;
  /** The largest value that the stream has counted so far. */
  readonly max: number | undefined;
  /** The smallest new value, if it is known. */
  readonly newMin: number | undefined;
  /** The largest new value, if it is known. */
  readonly newMax: number | undefined;
}

/** The increase of a stream that was unknown before: all of its counts. */
export function allOf({ buckets, sum, min, max }: Counted): Increase {
  return { buckets, sum, min, max, newMin: min, newMax: max };
}

/**
 * What a cumulative stream has counted between two points. `undefined` when a count has fallen or the bounds have changed:
 * the stream has then restarted.
 *
 * Exponential buckets of two scales are compared at the coarser scale, and those of two zero thresholds at the larger
 * threshold; the bucket that the threshold lies in then counts as zero.
 * Source: https://opentelemetry.io/docs/specs/otel/metrics/data-model/#exponentialhistogram
 */
export function increaseOf(then: Counted, now: Counted): Increase | undefined {
  if (then.count === 0) return allOf(now);
  if (now.count < then.count) return undefined;
  const buckets = bucketsSince(then.buckets, now.buckets);
  if (buckets === undefined) return undefined;
  const { min, max } = now;
  return {
    buckets,
    sum: then.sum === undefined || now.sum === undefined ? undefined : now.sum - then.sum,
    min,
    max,
    newMin: min !== undefined && then.min !== undefined && min < then.min ? min : undefined,
    newMax: max !== undefined && then.max !== undefined && max > then.max ? max : undefined,
  };
}

function bucketsSince(then: Buckets, now: Buckets): Buckets | undefined {
  if (then.kind === 'explicit') return now.kind === 'explicit' ? explicitSince(then, now) : undefined;
  return now.kind === 'exponential' ? exponentialSince(then, now) : undefined;
}

function explicitSince(then: ExplicitBuckets, now: ExplicitBuckets): ExplicitBuckets | undefined {
  const { bounds } = now;
  if (then.bounds.length !== bounds.length || then.bounds.some((bound, i) => bound !== bounds[i])) {
    return undefined;
  }
  const counts = now.counts.map((count, i) => count - then.counts[i]!);
  return counts.some((count) => count < 0) ? undefined : { kind: 'explicit', bounds, counts };
}

function exponentialSince(then: ExponentialBuckets, now: ExponentialBuckets): ExponentialBuckets | undefined {
  const scale = Math.min(then.scale, now.scale);
  const threshold =
    then.zeroThreshold === now.zeroThreshold ? undefined : Math.max(then.zeroThreshold, now.zeroThreshold);
  const [before, after] = [comparable(then, scale, threshold), comparable(now, scale, threshold)];
  const zeroCount = after.zeroCount - before.zeroCount;
  const positive = runSince(before.positive, after.positive);
  const negative = runSince(before.negative, after.negative);
  if (zeroCount < 0 || positive === undefined || negative === undefined) return undefined;
  return { kind: 'exponential', scale, zeroCount, zeroThreshold: after.zeroThreshold, positive, negative };
}

/** @param threshold Values up to this count as zero; `undefined` when both points have the same threshold. */
function comparable(
  buckets: ExponentialBuckets,
  scale: number,
  threshold: number | undefined,
): ExponentialBuckets {
  const positive = mergedBuckets(buckets.positive, buckets.scale - scale);
  const negative = mergedBuckets(buckets.negative, buckets.scale - scale);
  if (threshold === undefined) return { ...buckets, scale, positive, negative };
  const [above, below] = [splitAt(positive, scale, threshold), splitAt(negative, scale, threshold)];
  return {
    kind: 'exponential',
    scale,
    zeroCount: buckets.zeroCount + above.within + below.within,
    zeroThreshold: threshold,
    positive: above.beyond,
    negative: below.beyond,
  };
}

/** Splits buckets at the threshold. A bucket that begins below it counts, whole, as within. */
function splitAt(
  { offset, counts }: BucketRun,
  scale: number,
  threshold: number,
): { within: number; beyond: BucketRun } {
  let within = 0;
  let i = 0;
  while (i < counts.length && exponentialBound(scale, offset + i) < threshold) within += counts[i++]!;
  return { within, beyond: { offset: offset + i, counts: counts.slice(i) } };
}

function runSince(then: BucketRun, now: BucketRun): BucketRun | undefined {
  const shift = then.offset - now.offset;
  // A bucket that had counts and is gone has fallen.
  for (let i = 0; i < then.counts.length; i++) {
    if (then.counts[i]! > (now.counts[i + shift] ?? 0)) return undefined;
  }
  if (now.counts.length === 0) return NO_BUCKETS;
  const counts = now.counts.map((count, i) => count - (then.counts[i - shift] ?? 0));
  return { offset: now.offset, counts };
}
