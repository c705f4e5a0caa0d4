import { Histogram } from '@hdrscope/core';
import type { CountedUnit } from '@hdrscope/registry';
import { K6_FAILURE } from '../inputs/load-tools/k6-summary.ts';
import type { LoadInput } from '../inputs/load-tools/load-input.ts';
import type { ErrorCount } from '../inputs/load-tools/load-summary.ts';
import { readLoadSummary } from '../inputs/load-tools/read-summary.ts';
import { type RequestReading, readRequests } from '../inputs/load-tools/requests.ts';
import { CountedEvidence, FINEST_DIGITS } from './counted-evidence.ts';
import { ExactTally } from './exact-tally.ts';
import { PrintedEvidence } from './printed-evidence.ts';
import type { Subject } from './subject.ts';

/** The thresholds of a check, and how its inputs are read. */
interface LoadReading extends RequestReading {
  readonly thresholdsIn: (unit: CountedUnit) => readonly number[];
}

/**
 * What is judged in the requests of a load generator.
 *
 * @throws Refusal
 */
export async function requestsSubject(input: LoadInput, reading: LoadReading): Promise<Subject> {
  const { name, kind } = input;
  const histogram = new Histogram({ significantDigits: FINEST_DIGITS });
  const tally = new ExactTally(reading.thresholdsIn('ms'));
  let [failed, requests] = [0, 0];
  await readRequests(input, reading, {
    onRequest: (durationMs) => {
      histogram.record(Math.round(durationMs * 1e6));
      tally.add(durationMs);
    },
    onOutcome: (isFailed) => {
      requests++;
      if (isFailed) failed++;
    },
  });
  const errors: ErrorCount | string =
    requests > 0
      ? { failed, requests, meaning: K6_FAILURE }
      : kind === 'oha table'
        ? 'the table of oha has no requests without a response: oha --output-format json states how many failed'
        : 'k6 has written no values of http_req_failed: it does so for HTTP requests, since version 0.31';
  const evidence = new CountedEvidence(histogram, 1e6, tally.counts);
  return { name, unit: 'ms', evidence, errors, notes: failedNotes(errors) };
}

/**
 * What is judged in a summary of a load generator.
 *
 * @param metric The metric of k6 that has the durations.
 * @throws Refusal
 */
export function summarySubject(name: string, text: string, metric: string | undefined): Subject {
  const summary = readLoadSummary(text, name, metric);
  const { count, notes, tool, cure } = summary;
  const errors =
    summary.errors ?? 'the summary has no http_req_failed, which k6 has for HTTP requests since version 0.31';
  const evidence =
    count === undefined
      ? `the summary of ${tool} does not state how many values it has: ${cure}`
      : new PrintedEvidence(summary, count);
  return { name, unit: 'ms', evidence, errors, notes: [...notes, ...failedNotes(errors)] };
}

/** A server that refuses everything at once has the best durations. */
function failedNotes(errors: ErrorCount | string): string[] {
  if (typeof errors === 'string' || errors.failed === 0) return [];
  return [`failed are ${errors.meaning}; requests that fail fast make percentiles look better`];
}
