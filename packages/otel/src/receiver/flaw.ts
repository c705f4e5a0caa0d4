import type { BucketRun } from '@hdrscope/core';
import type { ExplicitPoint, ExponentialPoint, ReceivedPoint } from './received.ts';

/**
 * Why points are refused: `notHistogram`, they are of a gauge, a sum or a summary; `malformed`, they contradict
 * themselves; `countTooLarge`, a count is above 2^53 − 1, or would become so; `tooManyStreams`, there are as many as there
 * may be; `conflicting`, their family has another unit, or cannot be made.
 */
export type RefusalReason = 'notHistogram' | 'malformed' | 'countTooLarge' | 'tooManyStreams' | 'conflicting';

/** What is wrong with a point. */
export interface Flaw {
  readonly reason: RefusalReason;
  /** A clause that follows the name of the metric. */
  readonly message: string;
}

// Senders have 160 as a rule. What is kept of a stream is as long as its buckets.
const MOST_BUCKETS = 4096;
const MIN_SCALE = -10;
const MAX_SCALE = 20;

const TOO_LARGE: Flaw = { reason: 'countTooLarge', message: 'has a count above 2^53 - 1' };

/** Finds what contradicts itself in a point with explicit buckets. */
export function flawOfExplicit(point: ExplicitPoint): Flaw | undefined {
  const { bounds, counts, count } = point;
  if (counts.length === 0 && count === 0) return flawOfFacts(point);
  if (counts.length !== bounds.length + 1) {
    return malformed(
      `has ${counts.length} counts for ${bounds.length} bounds, and needs one more than bounds`,
    );
  }
  if (bounds.length === 0 && count > 0) {
    return malformed('has no bounds, so that nothing tells how large its values were');
  }
  if (counts.length > MOST_BUCKETS) return tooManyBuckets(counts.length);
  for (let i = 0; i < bounds.length; i++) {
    const isAscending = i === 0 || bounds[i]! > bounds[i - 1]!;
    if (!Number.isFinite(bounds[i]!) || !isAscending) {
      return malformed(`has bounds that are not finite and ascending, at ${bounds[i]}`);
    }
  }
  return flawOfTotal(count, totalOf(counts)) ?? flawOfFacts(point);
}

/** Finds what contradicts itself in a point of an exponential histogram. */
export function flawOfExponential(point: ExponentialPoint): Flaw | undefined {
  const { scale, zeroCount, zeroThreshold, positive, negative, count } = point;
  if (scale < MIN_SCALE || scale > MAX_SCALE) {
    return malformed(`has scale ${scale}, and scales are from ${MIN_SCALE} to ${MAX_SCALE}`);
  }
  if (!Number.isFinite(zeroThreshold) || zeroThreshold < 0) {
    return malformed(`has the zero threshold ${zeroThreshold}, which must be finite and at least 0`);
  }
  const bucketCount = positive.counts.length + negative.counts.length;
  if (bucketCount > MOST_BUCKETS) return tooManyBuckets(bucketCount);
  const total = zeroCount + totalOf(positive.counts) + totalOf(negative.counts);
  return (
    flawOfTotal(count, total) ??
    flawOfRange(scale, positive) ??
    flawOfRange(scale, negative) ??
    flawOfFacts(point)
  );
}

function flawOfTotal(count: number, total: number): Flaw | undefined {
  if (!Number.isSafeInteger(count) || !Number.isSafeInteger(total)) return TOO_LARGE;
  return total === count ? undefined : malformed(`has buckets of ${total} values, and tells of ${count}`);
}

/** Buckets that are used hold doubles. */
function flawOfRange(scale: number, { offset, counts }: BucketRun): Flaw | undefined {
  if (counts.length === 0) return undefined;
  const [least, most] = [-1074 * 2 ** scale, 1024 * 2 ** scale].map(Math.floor) as [number, number];
  if (offset >= least && offset + counts.length <= most) return undefined;
  const isUsed = counts.some((count, i) => count > 0 && (offset + i < least || offset + i >= most));
  return isUsed
    ? malformed(`has values beyond the largest or smallest double, at scale ${scale}`)
    : undefined;
}

function flawOfFacts({ count, sum, min, max }: ReceivedPoint): Flaw | undefined {
  if (sum !== undefined && !Number.isFinite(sum)) return malformed(`has the sum ${sum}`);
  if (count === 0) return undefined;
  if (min !== undefined && !Number.isFinite(min)) return malformed(`has the minimum ${min}`);
  if (max !== undefined && !Number.isFinite(max)) return malformed(`has the maximum ${max}`);
  if (min !== undefined && max !== undefined && min > max) {
    return malformed(`has the minimum ${min} above its maximum ${max}`);
  }
  return undefined;
}

/** A sum above 2^53 is not exact, but no safe integer either. */
function totalOf(counts: readonly number[]): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}

function tooManyBuckets(length: number): Flaw {
  return malformed(`has ${length} buckets, and ${MOST_BUCKETS} are the most`);
}

function malformed(message: string): Flaw {
  return { reason: 'malformed', message };
}
