import type { Bounds } from '@hdrscope/core';
import type { CauseVerdict, ChangeExplanation, ExplainedCause } from './explanation.ts';
import type { Candidate } from './series-change.ts';
import { evidenceOf, type SlowValues, sumOf } from './slow.ts';

/** A candidate with its figures. Bounds have equal ends where no value lies in a wide bucket. */
export interface Judged extends Omit<ExplainedCause, 'attributes' | 'verdict' | 'explains' | 'evidence'> {
  readonly candidate: Candidate;
  readonly explains: Bounds;
  readonly evidence: Bounds;
  /** What its changed share explains. */
  readonly share: Bounds;
  /** As `evidence`, of all values, in either direction. */
  readonly shareEvidence: number;
  /** Whether `kind` is beyond doubt. */
  readonly isKindKnown: boolean;
}

/** What decides on verdicts. */
export interface VerdictLimits {
  /** The least evidence. */
  readonly least: number;
  /** The least part of the difference. */
  readonly minShare: number;
  /** 1 when the percentile has grown, -1 when it has fallen. */
  readonly direction: number;
}

/**
 * Names the cause, and says of all others what they have to do with it.
 *
 * @param slow The slow values of each series.
 */
export function verdicts(
  judged: readonly Judged[],
  slow: readonly SlowValues[],
  { least, minShare, direction }: VerdictLimits,
): Pick<ChangeExplanation, 'verdict' | 'causes'> {
  const byEvidence = [...judged].sort(
    (a, b) => b.evidence.lower - a.evidence.lower || b.explains.lower - a.explains.lower,
  );
  const isEnough = (one: Judged, end: keyof Bounds): boolean =>
    one.evidence[end] >= least && one.explains[end] >= minShare;
  const byGrowth = byEvidence.find((one) => isEnough(one, 'lower'));
  const first = byGrowth ?? byShare(judged, least, minShare);
  const mayExplain = (one: Judged): boolean =>
    isEnough(one, 'upper') || isShareEnough(one, 'upper', least, minShare);
  // Another candidate may be before the first one, wherever values lie in their buckets.
  const mayBeFirst = (one: Judged): boolean => {
    if (first === undefined) return mayExplain(one);
    if (one === first) return first === byGrowth && !first.isKindKnown;
    if (first === byGrowth) return isEnough(one, 'upper') && one.evidence.upper > first.evidence.lower;
    return (
      mayExplain(one) &&
      (isEnough(one, 'upper') || explainedByShare(one, 'upper') > explainedByShare(first, 'lower'))
    );
  };
  const isUndecided = judged.some(mayBeFirst);
  if (first === undefined || isUndecided) {
    const causes = byEvidence.map((one) =>
      causeOf(one, mayExplain(one) ? 'undecided' : decided(one.evidence, least, 'part', 'not shown')),
    );
    return { verdict: isUndecided ? 'undecided' : 'nothing explains it', causes };
  }
  const own = new Set(first.candidate.members);
  const outside = slow.map((one, i) => (own.has(i) ? NO_SLOW : one));
  const allOutside = sumOf(outside);
  const others = byEvidence.filter((one) => one !== first);
  const causes = others.map((one) => {
    if (one.evidence.lower < least) return causeOf(one, decided(one.evidence, least, 'part', 'not shown'));
    if (one.explains.lower < minShare) return causeOf(one, decided(one.explains, minShare, 'part', 'part'));
    const rest = sumOf(one.candidate.members.map((i) => outside[i]!));
    const evidence = evidenceOf(rest, allOutside, direction);
    return causeOf(one, decided(evidence, least, 'explains it as well', 'overlaps'));
  });
  const cause = byGrowth === undefined ? { ...first, kind: 'share' as const, explains: first.share } : first;
  return { verdict: 'explained', causes: [causeOf(cause, 'explains it'), ...causes] };
}

const NO_SLOW: SlowValues = { before: { lower: 0, upper: 0 }, after: { lower: 0, upper: 0 } };

/** A verdict that depends on whether bounds are at least a limit. */
function decided(bounds: Bounds, limit: number, above: CauseVerdict, below: CauseVerdict): CauseVerdict {
  if (bounds.lower >= limit) return above;
  return bounds.upper < limit ? below : 'undecided';
}

function isShareEnough(one: Judged, end: keyof Bounds, least: number, minShare: number): boolean {
  return one.share[end] >= minShare && one.shareEvidence >= least;
}

/** The candidate whose changed share explains the most. */
function byShare(judged: readonly Judged[], least: number, minShare: number): Judged | undefined {
  return judged
    .filter((one) => isShareEnough(one, 'lower', least, minShare))
    .sort(
      (a, b) =>
        explainedByShare(b, 'lower') - explainedByShare(a, 'lower') || b.shareEvidence - a.shareEvidence,
    )[0];
}

function explainedByShare({ share }: Judged, end: keyof Bounds): number {
  return Math.min(share[end], 1);
}

/** A cause with the least that its figures may be. */
function causeOf(judged: Judged, verdict: CauseVerdict): ExplainedCause {
  const { candidate, before, after, kind, explains, evidence } = judged;
  const { attributes } = candidate;
  return { attributes, before, after, kind, explains: explains.lower, evidence: evidence.lower, verdict };
}
