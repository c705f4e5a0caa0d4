import { growthEvidence } from './association.ts';
import type { CauseVerdict, ChangeExplanation, ExplainedCause } from './explanation.ts';
import type { Candidate } from './series-change.ts';
import { againstRest, type SlowValues, sumOf } from './slow.ts';

/** A candidate with its figures. */
export interface Judged extends Omit<ExplainedCause, 'attributes' | 'verdict'> {
  readonly candidate: Candidate;
  /** What its changed share explains. */
  readonly share: number;
  /** As `evidence`, of all values, in either direction. */
  readonly shareEvidence: number;
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
  const byEvidence = [...judged].sort((a, b) => b.evidence - a.evidence || b.explains - a.explains);
  const isEnough = (one: Judged): boolean => one.evidence >= least && one.explains >= minShare;
  const byGrowth = byEvidence.find(isEnough);
  const first = byGrowth ?? byShare(judged, least, minShare);
  if (first === undefined) {
    const causes = byEvidence.map((one) => causeOf(one, one.evidence >= least ? 'part' : 'not shown'));
    return { verdict: 'nothing explains it', causes };
  }
  const own = new Set(first.candidate.members);
  const outside = slow.map((one, i) => (own.has(i) ? { before: 0, after: 0 } : one));
  const allOutside = sumOf(outside);
  const others = byEvidence.filter((one) => one !== first);
  const causes = others.map((one) => {
    if (one.evidence < least) return causeOf(one, 'not shown');
    if (one.explains < minShare) return causeOf(one, 'part');
    const rest = sumOf(one.candidate.members.map((i) => outside[i]!));
    const isOwn = growthEvidence(againstRest(rest, allOutside)) * direction >= least;
    return causeOf(one, isOwn ? 'explains it as well' : 'overlaps');
  });
  const cause = byGrowth === undefined ? { ...first, kind: 'share' as const, explains: first.share } : first;
  return { verdict: 'explained', causes: [causeOf(cause, 'explains it'), ...causes] };
}

/** The candidate whose changed share explains the most. */
function byShare(judged: readonly Judged[], least: number, minShare: number): Judged | undefined {
  return judged
    .filter(({ share, shareEvidence }) => share >= minShare && shareEvidence >= least)
    .sort((a, b) => Math.min(b.share, 1) - Math.min(a.share, 1) || b.shareEvidence - a.shareEvidence)[0];
}

function causeOf(judged: Judged, verdict: CauseVerdict): ExplainedCause {
  const { candidate, before, after, kind, explains, evidence } = judged;
  return { attributes: candidate.attributes, before, after, kind, explains, evidence, verdict };
}
