import type { Bounds } from '@hdrscope/core';
import {
  effectiveCount,
  exactly,
  judgeLimit,
  judgeObjective,
  LEAST_BEYOND,
  LEAST_PIECES,
  lackIn,
  measureDependence,
  type ObjectiveVerdict,
} from '@hdrscope/core/internal';
import { formatCount, formatShare, percentileName, valuesText } from '@hdrscope/kit';
import { type Evidence, proportionOf, type Sample } from './evidence.ts';
import type { Subject } from './subject.ts';

// One percentile.

/**
 * The verdict on an objective:
 *
 * - `'kept beyond doubt'`: the whole confidence interval of the percentile is within the threshold.
 * - `'kept'`: the percentile of these values is within the threshold, and the interval reaches beyond it.
 * - `'missed'`: the percentile of these values is beyond the threshold, and the interval begins within it.
 * - `'missed beyond doubt'`: the whole interval is beyond the threshold.
 * - `'cannot be judged'`: the input does not know the percentile, or knows it within bounds that contain the threshold.
 */
export type Verdict = 'kept beyond doubt' | 'kept' | 'missed' | 'missed beyond doubt' | 'cannot be judged';

/** A verdict and its ground. */
interface Judgement {
  readonly verdict: Verdict;
  /** The value of the percentile; `undefined` when it is not known. */
  readonly actual?: Bounds;
  /** The interval that contains the percentile of the population; `undefined` when the input does not have every value. */
  readonly interval?: Bounds | undefined;
  /** How many values are within the threshold. */
  readonly within?: Bounds;
  /** What the values say about their population. */
  readonly sample?: Pick<Sample, 'asGoodAs' | 'pieces'>;
  /** A sentence: the cause and the cure of a verdict that is not sure. */
  readonly note?: string;
}

/** Judges whether a percentile is at most a threshold. */
export function judge(
  evidence: Evidence,
  percentile: number,
  threshold: number,
  confidence: number,
): Judgement {
  const { count } = evidence;
  if (count === 0) return { verdict: 'cannot be judged', note: 'there are no values' };
  const actual = evidence.percentile(percentile);
  if (typeof actual === 'string') return { verdict: 'cannot be judged', note: actual };
  const within = evidence.within(threshold);
  const byValue = judgeLimit(actual, threshold);
  const known = byValue === 'undecided' ? judgeObjective(within, count, percentile).verdict : byValue;
  if (percentile === 100) return { actual, within, ...MAXIMUM[known] };

  const sample = evidence.sample(percentile, confidence);
  const ground = { actual, within, interval: sample.interval, sample };
  const title = percentileName(percentile);
  if (known === 'undecided') return { ...ground, ...unknownIn(title) };
  const beyond = count * (1 - percentile / 100);
  const isSure = isKnown(sample);
  const sure = proportionOf(within, count, percentile, confidence, sample.independentCount);
  if (known === 'missed') {
    if (isSure && sure.isSurelyBeyond) return { ...ground, verdict: 'missed beyond doubt' };
    return { ...ground, verdict: 'missed', ...knownFrom(title, beyond, count, sample) };
  }
  if (beyond < 1 - 1e-9) {
    const needed = Math.ceil(Number((100 / (100 - percentile)).toPrecision(12)));
    const note = `${title} of ${formatCount(count)} values is their maximum: at least ${formatCount(needed)} values are needed`;
    return { ...ground, verdict: 'cannot be judged', note };
  }
  if (isSure && sure.isSurelyWithin) return { ...ground, verdict: 'kept beyond doubt' };
  return { ...ground, verdict: 'kept', ...knownFrom(title, beyond, count, sample) };
}

function unknownIn(title: string): Pick<Judgement, 'verdict' | 'note'> {
  const note = `${title} is known within bounds only, and the threshold lies between them`;
  return { verdict: 'cannot be judged', note };
}

/** The maximum is a fact about these values. A larger one may always come. */
const MAXIMUM: Readonly<Record<ObjectiveVerdict, Pick<Judgement, 'verdict' | 'note'>>> = {
  kept: { verdict: 'kept', note: 'a maximum is that of these values, and a longer test finds a larger one' },
  missed: { verdict: 'missed beyond doubt' },
  undecided: unknownIn('the maximum'),
};

/** Whether an interval that ends within the threshold, or begins beyond it, leaves no doubt. */
function isKnown({ pieces, reason }: Pick<Sample, 'pieces' | 'reason'>): boolean {
  return pieces !== undefined && reason === undefined;
}

const NO_TIMES =
  'the times of these values are not known, so intervals hold if values are independent, and nothing is beyond doubt: a log, or a table of requests, has times';

/** A sentence when a test depends on itself for so long that nothing is beyond doubt. */
function dependenceNote({ pieces = LEAST_PIECES }: Pick<Sample, 'pieces'>): string | undefined {
  if (pieces >= LEAST_PIECES) return undefined;
  const good = Math.max(1, Math.floor(pieces));
  return `values depend on those long before them, so the test is as good as ${good} independent ${good === 1 ? 'piece' : 'pieces'}, and ${LEAST_PIECES} are needed: a longer test has them`;
}

function knownFrom(title: string, beyond: number, count: number, sample: Sample): Pick<Judgement, 'note'> {
  const dependent = dependenceNote(sample);
  if (dependent !== undefined) return { note: dependent };
  const worth = (beyond * sample.asGoodAs) / count;
  if (worth >= LEAST_BEYOND) return {};
  const known = valuesText(Math.max(1, Math.floor(worth + 1e-9)));
  const from = worth < beyond / 2 ? `as good as ${known}` : known;
  return {
    note: `${title} is known from ${from} beyond it, of ${formatCount(count)}: a longer test knows it better`,
  };
}

/** Whether a verdict fails the check. */
export function isFailure(verdict: Verdict, isStrict: boolean): boolean {
  return verdict !== 'kept beyond doubt' && (isStrict || verdict !== 'kept');
}

// All objectives of a subject.

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

/** A percentile that must be at most a threshold. */
export interface PercentileLimit {
  /** In words: `p99.9 ≤ 250 ms`. */
  readonly objective: string;
  readonly percentile: number;
  /** In the unit of the subject. */
  readonly threshold: number;
}

/** How many requests may fail: a number, or a share of all. */
export type ErrorLimit = { readonly most: number } | { readonly share: number };

/** What is asked of a subject. */
export interface SubjectLimits {
  readonly percentiles: readonly PercentileLimit[];
  readonly maxErrors?: ErrorLimit | undefined;
  /** How many values there must be at least. */
  readonly minCount?: number | undefined;
  readonly confidence: number;
  /** Whether an objective must be kept beyond doubt. @default false */
  readonly strict?: boolean | undefined;
}

/** A subject and its verdicts. */
export interface Judged {
  readonly subject: Subject;
  readonly rows: readonly Row[];
  /** What limits all verdicts. */
  readonly notes: readonly string[];
}

/** Judges all objectives for a subject. */
export function judgeSubject(subject: Subject, limits: SubjectLimits): Judged {
  const { percentiles, maxErrors, minCount, confidence, strict = false } = limits;
  const found: Omit<Row, 'isFailure'>[] = percentiles.map((limit) =>
    judgePercentile(subject, limit, confidence),
  );
  if (maxErrors !== undefined) found.push(judgeErrors(subject, maxErrors, confidence));
  if (minCount !== undefined) found.push(judgeCount(subject, minCount));
  const rows = found.map((row): Row => {
    // A limit on a number is about these requests alone, so its verdict has no doubt.
    const isCounted = row.kind === 'count' || (row.kind === 'errors' && limitsNumber(maxErrors));
    return { ...row, isFailure: isFailure(row.verdict, strict && !isCounted) };
  });
  const isUntimed = rows.some(({ sample }) => sample !== undefined && sample.pieces === undefined);
  return { subject, rows, notes: isUntimed ? [NO_TIMES] : [] };
}

function judgePercentile(
  { evidence }: Subject,
  limit: PercentileLimit,
  confidence: number,
): Omit<Row, 'isFailure'> {
  const row = { kind: 'percentile', ...limit } as const;
  if (typeof evidence === 'string') return { ...row, verdict: 'cannot be judged', note: evidence };
  return { ...row, ...judge(evidence, limit.percentile, limit.threshold, confidence) };
}

function judgeErrors(
  { errors, outcomes }: Subject,
  limit: ErrorLimit,
  confidence: number,
): Omit<Row, 'isFailure'> {
  const text = 'most' in limit ? formatCount(limit.most) : formatShare(limit.share);
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
  const { verdict } = judgeObjective(within, requests, percentile);
  const dependence = outcomes && outcomes.length > 1 ? measureDependence(outcomes, 1 - share) : undefined;
  const count = dependence === undefined ? requests : effectiveCount(dependence, confidence);
  const sample = { asGoodAs: requests, pieces: undefined, ...dependence };
  const reason = dependence && lackIn(dependence, share);
  const note = reason === 'few values' ? fewRequests(share) : dependenceNote(sample);
  const judged = { ...ground, sample, ...(note && { note }) };
  const isSure = isKnown({ ...sample, ...(reason && { reason }) });
  const sure = proportionOf(within, requests, percentile, confidence, count);
  if (verdict === 'kept')
    return { ...judged, verdict: isSure && sure.isSurelyWithin ? 'kept beyond doubt' : 'kept' };
  return { ...judged, verdict: isSure && sure.isSurelyBeyond ? 'missed beyond doubt' : 'missed' };
}

/** A sentence when so few requests may fail that a few moments decide. */
function fewRequests(share: number): string {
  const needed = Math.ceil(Number((LEAST_BEYOND / share).toPrecision(12)));
  return `a limit of ${formatShare(share)} is judged beyond doubt from ${formatCount(needed)} independent requests on`;
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
