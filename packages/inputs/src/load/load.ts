import type { Bounds } from '@hdrscope/core';

// Summaries.

/** The bounds of a percentile that a summary prints, in milliseconds: equal when the summary does not round; and the facts that follow for the ranks of values. */
export interface PrintedPercentile extends Bounds {
  readonly percentile: number;
  /** At least so many values are at most `upper`. */
  readonly atOrBelow: number;
  /** At most so many values are below `lower`. */
  readonly below: number;
}

/** The requests of a load test that failed, by the definition of the tool. */
export interface ErrorCount {
  /** How many failed. */
  readonly failed: number;
  /** How many have ended, with the failed ones. */
  readonly requests: number;
  /** What the tool calls a failure. */
  readonly meaning: string;
}

/** A summary of a load generator. */
export interface LoadSummary {
  /** `autocannon`, `k6` or `oha`. */
  readonly tool: string;
  /** How many durations there are; `undefined` when the summary does not state it. */
  readonly count: number | undefined;
  /** The percentiles that the tool has printed, with their bounds in milliseconds. */
  readonly percentiles: readonly PrintedPercentile[];
  /** `undefined` when the summary does not state how many requests failed. */
  readonly errors: ErrorCount | undefined;
  /** How the tool prints further percentiles, or every value. */
  readonly cure: string;
  /** Facts about the durations that a reader of the percentiles should know. */
  readonly notes: readonly string[];
}

// Requests.

/** Takes the requests of a load test. */
export interface RequestSink {
  /**
   * Takes a request.
   *
   * @param durationMs The duration in milliseconds, of at least 0.
   * @param atSec The moment in seconds: since 1970, or since the start of the test.
   */
  onRequest(durationMs: number, atSec: number): void;
  /** Takes the outcome of a request, if the output states it. `atSec` is that of `onRequest`. */
  onOutcome?(isFailed: boolean, atSec: number): void;
}

// Thirty years in milliseconds: in nanoseconds it still fits into a histogram.
const LONGEST_MS = 1e12;
// The last moment that a date of JavaScript has.
const LATEST_SEC = 8.64e12;

/** Whether numbers are a duration in milliseconds and a moment in seconds. */
export function isRequest(durationMs: number, atSec: number): boolean {
  return durationMs >= 0 && durationMs <= LONGEST_MS && atSec >= 0 && atSec <= LATEST_SEC;
}
