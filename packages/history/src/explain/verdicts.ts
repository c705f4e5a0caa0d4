import type { Bounds } from '@hdrscope/core';
import type { GroupParts } from './counterfactual.ts';
import type { CauseVerdict, ChangeExplanation, ExplainedCause } from './explanation.ts';
import type { Candidate } from './series-change.ts';
import { evidenceOf, type SlowValues, sumOf } from './slow.ts';

/** A candidate with its figures. Bounds have equal ends where no value lies in a wide bucket. */
export interface Judged extends Pick<ExplainedCause, 'before' | 'after'> {
  readonly candidate: Candidate;
  readonly parts: GroupParts;
  /** Whether the larger one of its parts is known. */
  readonly isKindKnown: boolean;
  readonly explains: Bounds;
  readonly evidence: Bounds;
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
  readonly isWide: boolean;
}

/**
 * Names the causes, and says of all others what they have to do with them.
 *
 * @param found What was found to be the causes, first the one that explains the most.
 * @param slow The slow values of each series.
 */
export function verdicts(
  judged: readonly Judged[],
  found: readonly Judged[],
  slow: readonly SlowValues[],
  limits: VerdictLimits,
): Pick<ChangeExplanation, 'verdict' | 'causes'> {
  const { least, minShare, isWide } = limits;
  const byEvidence = [...judged].sort(
    (a, b) => b.evidence.lower - a.evidence.lower || b.explains.lower - a.explains.lower,
  );
  if (found.reduce((sum, { explains }) => sum + explains.lower, 0) >= minShare) {
    return explainedBy(found, byEvidence, slow, limits);
  }
  if (!isWide) {
    const causes = byEvidence.map((one) => causeOf(one, decided(one.evidence, least, 'part', 'not shown')));
    return { verdict: 'nothing explains it', causes };
  }
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
  if (first !== undefined && !isUndecided) return explainedBy([first], byEvidence, slow, limits);
  const causes = byEvidence.map((one) =>
    causeOf(one, mayExplain(one) ? 'undecided' : decided(one.evidence, least, 'part', 'not shown')),
  );
  return { verdict: isUndecided ? 'undecided' : 'nothing explains it', causes };
}

/** The causes first, and then what all others have to do with them. */
function explainedBy(
  named: readonly Judged[],
  byEvidence: readonly Judged[],
  slow: readonly SlowValues[],
  { least, direction }: VerdictLimits,
): Pick<ChangeExplanation, 'verdict' | 'causes'> {
  const own = new Set(named.flatMap(({ candidate }) => candidate.members));
  const outside = slow.map((one, i) => (own.has(i) ? NO_SLOW : one));
  const allOutside = sumOf(outside);
  const isNamed = ({ candidate: { members } }: Judged): boolean =>
    named.some((one) => one.candidate.members.join() === members.join());
  const others = byEvidence.filter((one) => !isNamed(one));
  return {
    verdict: 'explained',
    causes: [
      ...named.map((one, i) => causeOf(one, i === 0 ? 'explains it' : 'explains it as well')),
      ...others.map((one) => {
        if (one.evidence.lower < least)
          return causeOf(one, decided(one.evidence, least, 'part', 'not shown'));
        const rest = sumOf(one.candidate.members.map((i) => outside[i]!));
        const evidence = evidenceOf(rest, allOutside, direction);
        return causeOf(one, decided(evidence, least, 'part', 'overlaps'));
      }),
    ],
  };
}

const NO_SLOW: SlowValues = { before: { lower: 0, upper: 0 }, after: { lower: 0, upper: 0 } };

/** A verdict that depends on whether bounds are at least a limit. */
function decided(bounds: Bounds, limit: number, above: CauseVerdict, below: CauseVerdict): CauseVerdict {
  if (bounds.lower >= limit) return above;
  return bounds.upper < limit ? below : 'undecided';
}

function isShareEnough(one: Judged, end: keyof Bounds, least: number, minShare: number): boolean {
  return one.parts.share[end] >= minShare && one.shareEvidence >= least;
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

function explainedByShare({ parts }: Judged, end: keyof Bounds): number {
  return Math.min(parts.share[end], 1);
}

/** A cause with the least that its figures may be. */
function causeOf(
  { candidate, before, after, parts, explains, evidence }: Judged,
  verdict: CauseVerdict,
): ExplainedCause {
  const [values, share] = [parts.values.lower, parts.share.lower];
  return {
    attributes: candidate.attributes,
    before,
    after,
    kind: values >= share ? 'values' : 'share',
    explains: explains.lower,
    parts: { values, share },
    evidence: evidence.lower,
    verdict,
  };
}
