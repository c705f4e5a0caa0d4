import type { Bounds } from '@hdrscope/core';

/** The output of a load generator that has the duration of every request. */
export type RequestForm = 'k6 points' | 'k6 table' | 'oha table';

/** The output of a load generator that has a few percentiles of all requests. */
type SummaryForm = 'autocannon' | 'k6 summary' | 'oha summary';

/** The output of a load generator. */
export type LoadForm = RequestForm | SummaryForm;

const MARKS: readonly (readonly [LoadForm, RegExp])[] = [
  ['k6 points', /^\s*\{"(?:type":"(?:Metric|Point)"|metric":"[^"\n]*","type":"Point")/],
  ['k6 table', /^metric_name,timestamp,metric_value\b/],
  ['oha table', /^request-start,DNS,DNS\+dialup,Response-delay,request-duration,/],
  ['oha summary', /^\s*\{\s*"summary"\s*:\s*\{\s*"successRate"/],
];

/** Recognises the output of a load generator by its beginning; `undefined` for other texts, and when the beginning is too short. */
export function recogniseLoad(beginning: string): LoadForm | undefined {
  const [form] = MARKS.find(([, mark]) => mark.test(beginning)) ?? [];
  if (form !== undefined || !/^\s*\{/.test(beginning)) return form;
  const has = (...keys: readonly string[]): boolean => keys.every((key) => beginning.includes(`"${key}"`));
  if (has('sampleInt', 'pipelining', 'latency')) return 'autocannon';
  // A test without HTTP has iterations instead of requests.
  return has('metrics') && (has('iterations') || has('http_reqs')) ? 'k6 summary' : undefined;
}

/** Whether a form has the duration of every request. */
export function hasRequests(form: string): form is RequestForm {
  return form === 'k6 points' || form === 'k6 table' || form === 'oha table';
}

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
  /** Takes the outcome of a request, if the output states it. */
  onOutcome?(isFailed: boolean): void;
}

// Thirty years in milliseconds: in nanoseconds it still fits into a histogram.
const LONGEST_MS = 1e12;
// The last moment that a date of JavaScript has.
const LATEST_SEC = 8.64e12;

/** Whether numbers are a duration in milliseconds and a moment in seconds. */
export function isRequest(durationMs: number, atSec: number): boolean {
  return durationMs >= 0 && durationMs <= LONGEST_MS && atSec >= 0 && atSec <= LATEST_SEC;
}
