import { HdrscopeError, Histogram } from '@hdrscope/core';
import { type StretchCount, Stretches } from '@hdrscope/core/internal';
import { listNames } from '@hdrscope/kit';
import type { CountedUnit } from '@hdrscope/registry';
import { boundCounts } from './bound-counts.ts';
import type { ReadLinesOptions, TextBytes } from './bytes.ts';
import {
  CountedEvidence,
  type CountedValues,
  type Evidence,
  ExactTally,
  FINEST_DIGITS,
  PrintedEvidence,
} from './evidence.ts';
import type { ErrorCount, ReadRequestsOptions, RequestFacts, RequestSink } from './load/load.ts';
import { type CountsForm, type RequestForm, requestFacts } from './load/load-form.ts';
import { readCounts, readLoadSummary, readRequests } from './load/read-load.ts';
import { STRETCH_SEC, valueStretches } from './load/value-stretches.ts';
import type { ValueScale } from './value-scale.ts';

/** Something that is judged: an input, a tag of a log, or all of them together. */
export interface Subject {
  /** Its name in tables and reports. */
  readonly name: string;
  /** The tag of a log; `undefined` for intervals without one, and for other inputs. */
  readonly tag?: string | undefined;
  /** The unit of the evidence: `ms` for times. */
  readonly unit: CountedUnit;
  /** A sentence with the cause and the cure when the input has no evidence that can be judged. */
  readonly evidence: Evidence | string;
  /** The requests that failed; a sentence with the cause and the cure when the input does not state them. */
  readonly errors: ErrorCount | string;
  /** The outcomes of requests by stretches of time, in their order. @default their times are not known */
  readonly outcomes?: readonly StretchCount[] | undefined;
  /** Facts about the values that a reader of the verdict should know. */
  readonly notes: readonly string[];
}

/** Values of which an input knows the counts. */
interface SubjectValues extends CountedValues, Pick<Subject, 'tag'>, Pick<ValueScale, 'unit'> {
  /** @default the input does not state errors */
  readonly errors?: ErrorCount | undefined;
}

const NO_ERRORS =
  'the input does not state how many requests failed: the outputs of autocannon, JMeter, k6, oha (--output-format json), vegeta and wrk2 do';

/** A subject whose values are counted. */
export function countedSubject(name: string, { tag, unit, errors, ...values }: SubjectValues): Subject {
  const evidence = new CountedEvidence(values);
  return { name, tag, unit: unit || 'none', evidence, errors: errors ?? NO_ERRORS, notes: [] };
}

// Load generators.

/** What is judged in requests. */
interface RequestSubjectOptions extends ReadRequestsOptions {
  readonly name: string;
  /** In milliseconds. Their counts are exact, because every value is looked at. */
  readonly thresholds: readonly number[];
}

/**
 * Reads the requests of a load generator as a subject.
 *
 * @throws HdrscopeError as `readRequests`.
 */
export async function readRequestSubject(
  kind: RequestForm,
  bytes: TextBytes,
  { thresholds, ...options }: RequestSubjectOptions,
): Promise<Subject> {
  const { name } = options;
  const { failure: meaning = '', unstated, errorMs } = requestFacts(kind, options);
  const newHistogram = (): Histogram => new Histogram({ significantDigits: FINEST_DIGITS });
  const histogram = newHistogram();
  const [lowest, highest] = errorMs === undefined ? [histogram, histogram] : [newHistogram(), newHistogram()];
  const tally = new ExactTally(thresholds);
  const stretches = valueStretches();
  const outcomes = new Stretches<{ count: number; within: number }>(STRETCH_SEC, {
    create: () => ({ count: 0, within: 0 }),
    merge(into, from) {
      into.count += from.count;
      into.within += from.within;
    },
  });
  let [failed, requests] = [0, 0];
  const sink: RequestSink = {
    onRequest: (durationMs, atSec) => {
      const ticks = Math.round(durationMs * 1e6);
      histogram.record(ticks);
      stretches.at(atSec).record(ticks);
      if (errorMs === undefined) {
        tally.add(durationMs);
        return;
      }
      lowest.record(Math.max(0, Math.round((durationMs - errorMs.lower) * 1e6)));
      highest.record(Math.round((durationMs + errorMs.upper) * 1e6));
    },
    onOutcome: (isFailed, atSec) => {
      requests++;
      const stretch = outcomes.at(atSec);
      stretch.count++;
      if (isFailed) failed++;
      else stretch.within++;
    },
  };
  await readRequests(kind, bytes, sink, options);
  const errors: ErrorCount | string = requests > 0 ? { failed, requests, meaning } : unstated;
  // A duration that was rounded is on either side of a threshold that is near.
  const known = { divisor: 1e6, stretches: stretches.inOrder() };
  const evidence =
    errorMs === undefined
      ? new CountedEvidence({ ...known, values: histogram, exact: tally.counts })
      : new CountedEvidence({ ...known, values: { histogram, lowest, highest }, hasRanks: true });
  const notes = [...errorNotes(requestFacts(kind, options)), ...failedNotes(errors)];
  return { name, unit: 'ms', evidence, errors, outcomes: outcomes.inOrder(), notes };
}

/**
 * Reads the summary of a load generator as a subject.
 *
 * @throws HdrscopeError as `readLoadSummary`.
 */
export async function readSummarySubject(
  bytes: TextBytes,
  options: { readonly name: string; readonly metric?: string | undefined },
): Promise<Subject> {
  const summary = await readLoadSummary(bytes, options);
  const { count, notes, tool, cure } = summary;
  const errors =
    summary.errors ?? 'the summary has no http_req_failed, which k6 has for HTTP requests since version 0.31';
  const evidence =
    count === undefined
      ? `the summary of ${tool} does not state how many values it has: ${cure}`
      : new PrintedEvidence(summary, count);
  return { name: options.name, unit: 'ms', evidence, errors, notes: [...notes, ...failedNotes(errors)] };
}

/** A sentence when durations have bounds. */
export function errorNotes({ tool, errorMs }: RequestFacts): string[] {
  if (errorMs === undefined) return [];
  const { lower, upper } = errorMs;
  const off = lower === upper ? `${upper} ms off` : `up to ${upper} ms longer than it writes`;
  return [`durations of ${tool} may be ${off}, so their percentiles have bounds`];
}

/**
 * Reads counts of a tool as subjects: one for each combination of labels.
 *
 * @throws HdrscopeError as `readCounts`.
 */
export async function readCountsSubjects(
  kind: CountsForm,
  bytes: TextBytes,
  options: ReadLinesOptions & { readonly name: string },
): Promise<Subject[]> {
  const all = await readCounts(kind, bytes, options);
  return all.map(({ labels, errors, stretches, counts: counted, min, max }) => {
    const name = [options.name, ...Object.values(labels).filter((label) => label !== '')].join(' ');
    const bounded = boundCounts({ counted, min, max });
    if (typeof bounded === 'string') {
      const evidence = `the durations are not known: ${bounded}`;
      return { name, unit: 'ms', evidence, errors: errors ?? NO_ERRORS, notes: [] };
    }
    const subject = countedSubject(name, {
      unit: 'ms',
      divisor: 1e6,
      values: bounded,
      hasRanks: true,
      errors,
      stretches,
    });
    return { ...subject, notes: failedNotes(subject.errors) };
  });
}

/** A server that refuses everything at once has the best durations. */
function failedNotes(errors: ErrorCount | string): string[] {
  if (typeof errors === 'string' || errors.failed === 0) return [];
  return [`failed are ${errors.meaning}; requests that fail fast make percentiles look better`];
}

// All subjects as one.

/**
 * Adds up subjects.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when their values cannot be added up.
 */
export function sumSubjects(subjects: readonly Subject[]): Subject {
  const [first, ...others] = subjects;
  if (first !== undefined && others.length === 0) return first;
  const counted: CountedEvidence[] = [];
  for (const { evidence, name } of subjects) {
    if (evidence instanceof CountedEvidence) counted.push(evidence);
    else
      throw new HdrscopeError(
        'ERR_INCOMPATIBLE',
        `${name} has percentiles of one run, and those of several cannot be added up`,
      );
  }
  const evidence = CountedEvidence.sum(counted);
  if (first === undefined || evidence === undefined || others.some(({ unit }) => unit !== first.unit)) {
    throw new HdrscopeError(
      'ERR_INCOMPATIBLE',
      'values of different units, or integers and doubles, cannot be added up',
    );
  }
  const names = [...new Set(subjects.map(({ name }) => name))];
  const name = listNames(names, 3);
  const notes = [...new Set(subjects.flatMap((one) => one.notes))];
  const outcomes = subjects.some((one) => one.outcomes === undefined)
    ? undefined
    : subjects.flatMap((one) => one.outcomes!);
  return { name, unit: first.unit, evidence, errors: sumOfErrors(subjects), outcomes, notes };
}

function sumOfErrors(subjects: readonly Subject[]): ErrorCount | string {
  let sum: ErrorCount | undefined;
  for (const { errors, name } of subjects) {
    if (typeof errors === 'string') return `${name}: ${errors}`;
    const { failed = 0, requests = 0 } = sum ?? {};
    sum = { ...errors, failed: failed + errors.failed, requests: requests + errors.requests };
  }
  return sum!;
}
