import type { Bounds } from '@hdrscope/core';
import { formatDuration, formatSize } from '@hdrscope/kit';
import { formatCount, percentileTitle } from '../format.ts';
import { type Objective, thresholdIn } from '../objective.ts';
import { isFailure, type Judgement, judge } from './judge.ts';
import type { ErrorLimit, ObjectiveOptions } from './options.ts';
import { shareText } from './percent-text.ts';
import { proportionOf } from './proportion.ts';
import type { Subject } from './subject.ts';

/** A judged objective. */
export interface Row extends Judgement {
  readonly kind: 'percentile' | 'errors' | 'count';
  /** The objective in words: `p99.9 ≤ 250 ms`. */
  readonly objective: string;
  /** The percentile and its threshold in the unit of the subject. */
  readonly percentile?: number;
  readonly threshold?: number;
  /** The share of requests that failed, when the objective is a share. */
  readonly share?: number;
  readonly isFailure: boolean;
}

/** How objectives are judged. */
export interface JudgingOptions extends ObjectiveOptions {
  readonly confidence: number;
  /** Whether an objective must be kept beyond doubt. */
  readonly strict?: boolean;
}

/** A subject and its verdicts. */
export interface Judged {
  readonly subject: Subject;
  readonly rows: readonly Row[];
}

/**
 * Judges all objectives for a subject.
 *
 * @throws UsageError when the unit of an objective is not that of the values.
 */
export function judgeSubject(subject: Subject, options: JudgingOptions): Judged {
  const { slo = [], maxErrors, minCount, strict = false } = options;
  const found: Omit<Row, 'isFailure'>[] = slo.map((objective) =>
    judgePercentile(subject, objective, options),
  );
  if (maxErrors !== undefined) found.push(judgeErrors(subject, maxErrors, options));
  if (minCount !== undefined) found.push(judgeCount(subject, minCount));
  const rows = found.map((row): Row => {
    // A limit on a number is about these requests alone, so its verdict has no doubt.
    const isCounted = row.kind === 'count' || (row.kind === 'errors' && limitsNumber(maxErrors));
    return { ...row, isFailure: isFailure(row.verdict, strict && !isCounted) };
  });
  return { subject, rows };
}

function judgePercentile(
  { evidence, unit }: Subject,
  objective: Objective,
  { confidence }: JudgingOptions,
): Omit<Row, 'isFailure'> {
  const threshold = thresholdIn(objective, unit);
  const percentile = objective.percentile!;
  const row = { kind: 'percentile', objective: objectiveText(objective), percentile, threshold } as const;
  if (typeof evidence === 'string') return { ...row, verdict: 'cannot be judged', note: evidence };
  return { ...row, ...judge(evidence, percentile, threshold, confidence) };
}

function objectiveText({ percentile, threshold, measure }: Objective): string {
  const amount =
    measure === 'time'
      ? formatDuration(threshold, 15)
      : measure === 'size'
        ? formatSize(threshold, 15)
        : String(threshold);
  return `${percentileTitle(percentile!)} ≤ ${amount}`;
}

function judgeErrors(
  { errors }: Subject,
  limit: ErrorLimit,
  { confidence }: JudgingOptions,
): Omit<Row, 'isFailure'> {
  const text = 'most' in limit ? formatCount(limit.most) : shareText(limit.share);
  const row = { kind: 'errors', objective: `errors ≤ ${text}` } as const;
  if (typeof errors === 'string') return { ...row, verdict: 'cannot be judged', note: errors };
  const { failed, requests } = errors;
  const within = exactly(requests - failed);
  if (requests === 0) return { ...row, verdict: 'cannot be judged', note: 'there are no requests' };
  if ('most' in limit) {
    const actual = exactly(failed);
    return { ...row, actual, within, verdict: failed <= limit.most ? 'kept' : 'missed' };
  }
  const { share } = limit;
  const ground = { ...row, actual: exactly(failed), share: failed / requests, within };
  if (share === 0) return { ...ground, verdict: failed === 0 ? 'kept' : 'missed beyond doubt' };
  // 0.1 % of errors is the percentile p99.9 of the outcomes.
  const percentile = Number((100 * (1 - share)).toPrecision(15));
  const { isWithin, isSurelyWithin, isSurelyBeyond } = proportionOf(
    requests - failed,
    requests,
    percentile,
    confidence,
  );
  if (isWithin) return { ...ground, verdict: isSurelyWithin ? 'kept beyond doubt' : 'kept' };
  return { ...ground, verdict: isSurelyBeyond ? 'missed beyond doubt' : 'missed' };
}

function judgeCount({ evidence }: Subject, minCount: number): Omit<Row, 'isFailure'> {
  const row = { kind: 'count', objective: `values ≥ ${formatCount(minCount)}` } as const;
  if (typeof evidence === 'string') return { ...row, verdict: 'cannot be judged', note: evidence };
  const { count } = evidence;
  return { ...row, actual: exactly(count), verdict: count >= minCount ? 'kept' : 'missed' };
}

/** Whether a limit is a number of requests. A share of 0 is one: no request may fail. */
function limitsNumber(limit: ErrorLimit | undefined): boolean {
  return limit !== undefined && ('most' in limit || limit.share === 0);
}

function exactly(value: number): Bounds {
  return { lower: value, upper: value };
}
