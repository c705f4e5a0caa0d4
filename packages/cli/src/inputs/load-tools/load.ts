import { type Bounds, HdrscopeError } from '@hdrscope/core';
import type { LogSource } from '@hdrscope/interval-log';
import { readUtf8 } from '@hdrscope/interval-log/internal';
import { Slices } from '@hdrscope/kit';
import type { LineTally } from '../line-tally.ts';

/** The output of a load generator that has the duration of every request. */
type RequestsKind = 'k6 points' | 'k6 table' | 'oha table';

/** The output of a load generator that has a few percentiles of all requests. */
type SummaryKind = 'autocannon' | 'k6 summary' | 'oha summary';

/** The output of a load generator. */
export type LoadKind = RequestsKind | SummaryKind;

const MARKS: readonly (readonly [LoadKind, RegExp])[] = [
  ['k6 points', /^\s*\{"(?:type":"(?:Metric|Point)"|metric":"[^"\n]*","type":"Point")/],
  ['k6 table', /^metric_name,timestamp,metric_value\b/],
  ['oha table', /^request-start,DNS,DNS\+dialup,Response-delay,request-duration,/],
  ['oha summary', /^\s*\{\s*"summary"\s*:\s*\{\s*"successRate"/],
];

/** Recognises the output of a load generator by its beginning; `undefined` for other texts, and when the beginning is too short. */
export function loadKindOf(beginning: string): LoadKind | undefined {
  const [kind] = MARKS.find(([, mark]) => mark.test(beginning)) ?? [];
  if (kind !== undefined || !/^\s*\{/.test(beginning)) return kind;
  const has = (...keys: readonly string[]): boolean => keys.every((key) => beginning.includes(`"${key}"`));
  if (has('sampleInt', 'pipelining', 'latency')) return 'autocannon';
  // A test without HTTP has iterations instead of requests.
  return has('metrics') && (has('iterations') || has('http_reqs')) ? 'k6 summary' : undefined;
}

/** Whether a kind has the duration of every request. */
export function hasRequests(kind: string): kind is RequestsKind {
  return kind === 'k6 points' || kind === 'k6 table' || kind === 'oha table';
}

/** Ends of messages: what the file is, and which commands take it. */
export const LOAD_NOT_TAKEN: Readonly<Record<LoadKind, string>> = {
  'k6 points': 'has the requests of k6: hdrscope check, diff and plot take it',
  'k6 table': 'has the requests of k6: hdrscope check, diff and plot take it',
  'oha table': 'has the requests of oha: hdrscope check, diff and plot take it',
  autocannon:
    'is a summary of autocannon, which has a few percentiles and not the values between them: hdrscope check judges those. wrk2 --latency, k6 --out json=FILE and oha --output-format csv write every value',
  'k6 summary':
    'is a summary of k6, which has a few percentiles and not the values between them: hdrscope check judges those. k6 run --out json=FILE writes every value',
  'oha summary':
    'is a summary of oha, which has a few percentiles and not the values between them: hdrscope check judges those. oha --output-format csv writes every value',
};

/** The requests of a load generator, not read yet. */
export interface LoadInput {
  readonly kind: RequestsKind;
  /** Its name in messages. */
  readonly name: string;
  readonly source: LogSource;
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

// Requests.

/** Takes the requests of a load test. */
export interface RequestSink {
  /**
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

// Lines.

/** How lines are read. */
export interface LineReading {
  /** Gets the number of bytes of each chunk. An error that it throws ends the reading. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
  /** Takes the lines that are left out. */
  readonly badLines: LineTally;
}

// A line is one request. Longer ones must not fill the memory.
const LONGEST_LINE = 2 ** 20;

/**
 * Reads the lines of a text, decompressed and without their ends. The end of a gzip stream that is cut short is a bad line.
 *
 * @param onLine Gets the number of the line, from 1.
 */
export async function readLines(
  { name, source }: Pick<LoadInput, 'name' | 'source'>,
  { onBytes, badLines }: LineReading,
  onLine: (line: string, lineNumber: number) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  const slices = new Slices();
  let lineNumber = 0;
  let rest = '';
  const finish = (line: string): void => {
    lineNumber++;
    if (line.length > LONGEST_LINE) {
      const at = lineNumber;
      badLines.add(at, () => `${name}: line ${at} is longer than 1 MiB`);
    } else if (line !== '') onLine(line.endsWith('\r') ? line.slice(0, -1) : line, lineNumber);
  };
  try {
    for await (const chunk of readUtf8(source, onBytes)) {
      const text = decoder.decode(chunk, { stream: true });
      let from = 0;
      for (let to = text.indexOf('\n'); to !== -1; to = text.indexOf('\n', from)) {
        finish(rest + text.slice(from, to));
        rest = '';
        from = to + 1;
      }
      // Only the length of a line that is too long is of use.
      if (rest.length <= LONGEST_LINE) rest += text.slice(from);
      if (!slices.isOver()) continue;
      await slices.next();
      // Ends the work when the command has to end.
      onBytes?.(0);
    }
  } catch (error) {
    if (!(error instanceof HdrscopeError) || error.code !== 'ERR_LOG_FORMAT') throw error;
    badLines.add(lineNumber + 1, () => `${name}: line ${lineNumber + 1}: ${error.message}`);
    return;
  }
  if (rest !== '') finish(rest);
}
