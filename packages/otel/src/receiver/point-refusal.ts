import type { BucketRun } from '@hdrscope/core/internal';
import type { ReadingRefusal } from '@hdrscope/registry/internal';
import type { ExplicitPoint, ExponentialPoint, ReceivedPoint } from './received.ts';

/** Why a point is refused: as a reading, or with `notHistogram`, because it belongs to a summary, or to a sum or a gauge where no states are kept. */
export type PointRefusalReason = 'notHistogram' | ReadingRefusal;

/** Why one point is refused. */
export interface PointRefusal {
  readonly reason: PointRefusalReason;
  /** A clause for people. It follows the name of the metric. */
  readonly message: string;
}

// Senders usually have 160. This bounds the memory of a stream, which keeps its buckets.
const MOST_BUCKETS = 4096;
const MIN_SCALE = -10;
const MAX_SCALE = 20;

const TOO_LARGE: PointRefusal = { reason: 'countTooLarge', message: 'has a count above 2^53 - 1' };

/** Checks a point. Returns why it is refused, if it is. */
export function refusalOf(point: ExplicitPoint | ExponentialPoint): PointRefusal | undefined {
  return 'bounds' in point ? refusalOfExplicit(point) : refusalOfExponential(point);
}

function refusalOfExplicit(point: ExplicitPoint): PointRefusal | undefined {
  const { bounds, counts, count } = point;
  if (counts.length === 0 && count === 0) return refusalOfTotals(point);
  if (counts.length !== bounds.length + 1) {
    return malformed(
      `has ${counts.length} counts for ${bounds.length} bounds: there must be one more count than bounds`,
    );
  }
  if (bounds.length === 0 && count > 0) {
    return malformed('has no bounds, so the size of its values is unknown');
  }
  if (counts.length > MOST_BUCKETS) return tooManyBuckets(counts.length);
  for (let i = 0; i < bounds.length; i++) {
    const isAscending = i === 0 || bounds[i]! > bounds[i - 1]!;
    if (!Number.isFinite(bounds[i]!) || !isAscending) {
      return malformed(`has bounds that are not finite and ascending, at ${bounds[i]}`);
    }
  }
  return refusalOfCount(count, totalOf(counts)) ?? refusalOfTotals(point);
}

function refusalOfExponential(point: ExponentialPoint): PointRefusal | undefined {
  const { scale, zeroCount, zeroThreshold, positive, negative, count } = point;
  if (scale < MIN_SCALE || scale > MAX_SCALE) {
    return malformed(`has scale ${scale}, which must be from ${MIN_SCALE} to ${MAX_SCALE}`);
  }
  if (!Number.isFinite(zeroThreshold) || zeroThreshold < 0) {
    return malformed(`has the zero threshold ${zeroThreshold}, which must be finite and at least 0`);
  }
  const bucketCount = positive.counts.length + negative.counts.length;
  if (bucketCount > MOST_BUCKETS) return tooManyBuckets(bucketCount);
  const total = zeroCount + totalOf(positive.counts) + totalOf(negative.counts);
  return (
    refusalOfCount(count, total) ??
    refusalOfRange(scale, positive) ??
    refusalOfRange(scale, negative) ??
    refusalOfTotals(point)
  );
}

function refusalOfCount(count: number, total: number): PointRefusal | undefined {
  if (!Number.isSafeInteger(count) || !Number.isSafeInteger(total)) return TOO_LARGE;
  return total === count ? undefined : malformed(`has buckets of ${total} values, but its count is ${count}`);
}

/** Checks that every bucket with a count can hold a double. */
function refusalOfRange(scale: number, { offset, counts }: BucketRun): PointRefusal | undefined {
  if (counts.length === 0) return undefined;
  // A bucket has its upper bound and not its lower one, so 2^-1074, the smallest double, ends the lowest bucket.
  const least = Math.ceil(-1074 * 2 ** scale) - 1;
  const most = Math.floor(1024 * 2 ** scale);
  if (offset >= least && offset + counts.length <= most) return undefined;
  const isUsed = counts.some((count, i) => count > 0 && (offset + i < least || offset + i >= most));
  return isUsed
    ? malformed(`has values beyond the largest or smallest double, at scale ${scale}`)
    : undefined;
}

function refusalOfTotals({ count, sum, min, max }: ReceivedPoint): PointRefusal | undefined {
  if (sum !== undefined && !Number.isFinite(sum)) return malformed(`has the sum ${sum}`);
  if (count === 0) return undefined;
  if (min !== undefined && !Number.isFinite(min)) return malformed(`has the minimum ${min}`);
  if (max !== undefined && !Number.isFinite(max)) return malformed(`has the maximum ${max}`);
  if (min !== undefined && max !== undefined && min > max) {
    return malformed(`has the minimum ${min} above its maximum ${max}`);
  }
  return undefined;
}

/** A total above 2^53 may be inexact, but is then never a safe integer. */
function totalOf(counts: readonly number[]): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}

function tooManyBuckets(length: number): PointRefusal {
  return malformed(`has ${length} buckets, which must be at most ${MOST_BUCKETS}`);
}

function malformed(message: string): PointRefusal {
  return { reason: 'malformed', message };
}
