import type { BucketRun } from '@hdrscope/core';
import type { Attributes } from '@hdrscope/registry';

/**
 * What a request told, whichever its encoding. Nothing of it is checked beyond its form: lengths and sums need not fit, and
 * a count above 2^53 - 1 is a number that is no safe integer.
 * Source: https://github.com/open-telemetry/opentelemetry-proto/blob/v1.9.0/opentelemetry/proto/metrics/v1/metrics.proto
 */
export interface ReceivedMetric {
  /** All attributes of the resource. */
  readonly resource: Attributes;
  readonly scope: ReceivedScope;
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly data: ReceivedData;
}

/** The library that made an instrument; empty where it is not known. */
export interface ReceivedScope {
  readonly name: string;
  readonly version: string;
}

/** The points of a metric. */
export type ReceivedData =
  | {
      readonly kind: 'explicit';
      readonly temporality: Temporality;
      readonly points: readonly ExplicitPoint[];
    }
  | {
      readonly kind: 'exponential';
      readonly temporality: Temporality;
      readonly points: readonly ExponentialPoint[];
    }
  | { readonly kind: 'other'; readonly pointCount: number };

/** `undefined` where the request names none. */
export type Temporality = 'delta' | 'cumulative' | undefined;

/** What both kinds of points have. */
export interface ReceivedPoint {
  readonly attributes: Attributes;
  /** Nanoseconds since 1970; 0 where it is not known. */
  readonly startNs: bigint;
  readonly timeNs: bigint;
  /** Whether the point says only that nothing was recorded. */
  readonly isEmpty: boolean;
  readonly count: number;
  readonly sum: number | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

/** A point of a histogram with explicit buckets, each up to its bound, and that bound included. */
export interface ExplicitPoint extends ReceivedPoint {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

/** A point of an exponential histogram. */
export interface ExponentialPoint extends ReceivedPoint {
  readonly scale: number;
  readonly zeroCount: number;
  /** Values up to this, on both sides of 0, are in the zero count. */
  readonly zeroThreshold: number;
  readonly positive: BucketRun;
  readonly negative: BucketRun;
}

/** The temporality of a number on the wire. */
export function temporalityOf(number: number): Temporality {
  if (number === 1) return 'delta';
  return number === 2 ? 'cumulative' : undefined;
}

/** Whether the flags of a point have the bit for "no recorded value". */
export function isNoRecordedValue(flags: number): boolean {
  return (flags & 1) !== 0;
}

export const NO_BUCKETS: BucketRun = Object.freeze({
  offset: 0,
  counts: Object.freeze([]) as readonly number[],
});
