import { type Bounds, HdrscopeError, type Histogram, type LayoutHistogram } from '@hdrscope/core';
import { listNames } from '@hdrscope/kit';
import type { ReadLinesOptions, TextBytes } from '../bytes.ts';

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
  /** Its name: `k6`. */
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
   * @param atSec The moment in seconds: since 1970, or since the start of the test; 0 when the output does not state it.
   * @param labels The values of the labels that the options ask for, in their order, and empty where a request has none. The array is
   *   used again for the next request. `undefined` when the options ask for none.
   */
  onRequest(durationMs: number, atSec: number, labels?: readonly string[]): void;
  /**
   * Takes a function, before the first request: it returns the labels by which requests of before are known at that moment. Routes of an
   * access log become one when many differ in a segment.
   */
  onLabels?(settle: (labels: readonly string[]) => readonly string[]): void;
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

// Counts.

/** One of the distributions of a file that keeps several apart. */
export interface LabelledCounts {
  /** What tells it apart from the others, by name: `{ job: 'scan', op: 'read', latency: 'clat' }`. */
  readonly labels: Readonly<Record<string, string>>;
  /** The counts over the slots of the tool, in nanoseconds. */
  readonly counts: LayoutHistogram;
  /** The lowest value in nanoseconds. @default the file does not state it */
  readonly min?: number;
  /** The highest value in nanoseconds. @default the file does not state it */
  readonly max?: number;
  /** The requests that failed. @default the file does not state them */
  readonly errors?: ErrorCount;
  /** The values by stretches of time, in their order, each in the middle of its slot. @default their times are not known */
  readonly stretches?: readonly Histogram[];
}

/** Reads one form of output that has counts over slots. */
export interface CountsReader {
  /** Matches the beginning of a text of this form. */
  readonly mark: RegExp;
  readonly tool: string;
  /** The label of which no two values are added up, because they measure the same operations. @default there is none */
  readonly apart?: string;
  /** @throws HdrscopeError `ERR_DECODE` */
  read(bytes: TextBytes, options: ReadLinesOptions): Promise<readonly LabelledCounts[]>;
}

// Labels.

/** @throws HdrscopeError `ERR_INVALID_OPTION` when a label is not one of those that the requests have. */
export function assertLabels(labels: readonly string[], known: readonly string[], what = 'they have'): void {
  const missing = labels.find((label) => !known.includes(label));
  if (missing === undefined) return;
  const message = `the requests have no label ${missing}: ${what} ${listNames(known, 30)}`;
  throw new HdrscopeError('ERR_INVALID_OPTION', message, { details: { labels: known } });
}

// Readers.

/** How the requests of a load test are read. */
export interface ReadRequestsOptions extends ReadLinesOptions {
  /** The metric of k6 that has the durations. @default 'http_req_duration' */
  readonly metric?: string | undefined;
  /**
   * The labels that the sink gets of each request: columns of a table by their titles; tags of k6; `method`, `url`, `code`, `error` and
   * `attack` of vegeta's JSON; `name` and `group` of Gatling; or `route`, `method`, `status`, `upstream` and variables of an access log.
   * @default none
   */
  readonly labels?: readonly string[] | undefined;
  /** The format of an access log, as its server is configured. @default the format is recognised */
  readonly logFormat?: string | undefined;
  /** The routes of an access log, such as `/cart/:id`. Other paths get a route by their segments. @default none are known */
  readonly routes?: readonly string[] | undefined;
}

/** Reads one form of output that has the duration of every request. */
export interface RequestReader {
  /** Matches the beginning of a text of this form. */
  readonly mark: RegExp;
  readonly facts: RequestFacts;
  /** What is known when the options state the format. @default `facts` */
  factsFor?(options: ReadRequestsOptions): RequestFacts;
  read(bytes: TextBytes, options: ReadRequestsOptions, sink: RequestSink): Promise<void>;
}

/** What is known of the output of a load generator that has every request. */
export interface RequestFacts {
  readonly tool: string;
  /** What the tool calls a failure. @default the output does not state which requests failed */
  readonly failure?: string;
  /** Why an output does not state which requests failed. */
  readonly unstated: string;
  /** How far the true duration may be below and above the one that the tool writes, in milliseconds. @default it is the true one */
  readonly errorMs?: Bounds;
  /** The step of the durations that the tool writes, in milliseconds. @default a nanosecond */
  readonly stepMs?: number;
}
