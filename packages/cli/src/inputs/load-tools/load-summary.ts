import type { Bounds } from '@hdrscope/core';

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
  readonly failed: number;
  /** All requests that have ended. */
  readonly requests: number;
  /** What the tool calls a failure. */
  readonly meaning: string;
}

/** A summary of a load generator. */
export interface LoadSummary {
  readonly tool: string;
  /** How many durations there are; `undefined` when the summary does not state it. */
  readonly count: number | undefined;
  readonly percentiles: readonly PrintedPercentile[];
  /** `undefined` when the summary does not state how many requests failed. */
  readonly errors: ErrorCount | undefined;
  /** How the tool prints further percentiles, or every value. */
  readonly cure: string;
  /** Facts about the durations that a reader of the percentiles should know. */
  readonly notes: readonly string[];
}
