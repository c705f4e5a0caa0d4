import type { Bounds } from '@hdrscope/core';
import type { GroupParts } from './counterfactual.ts';
import type { CauseVerdict, ChangeExplanation, ChangeKind, ExplainedCause } from './explanation.ts';
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
  /** How it has changed, where a search says so. @default its larger part says so */
  readonly kind?: ChangeKind;
}

/** Causes that a search has found. */
export interface FoundCauses {
  /** First the one that explains the most. */
  readonly causes: readonly Judged[];
  /** What they explain together. */
  readonly together: Bounds;
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

type Verdicts = Pick<ChangeExplanation, 'verdict' | 'explains' | 'causes'>;

/**
 * Names the causes, and says of all others what they have to do with them.
 *
 * @param found The causes of a search; `undefined` where values of wide buckets allow none.
 * @param slow The slow values of each series.
 */
export function verdicts(
  judged: readonly Judged[],
  found: FoundCauses | undefined,
  slow: readonly SlowValues[],
  limits: VerdictLimits,
): Verdicts {
  const { least, minShare } = limits;
  const byEvidence = [...judged].sort(
    (a, b) => b.evidence.lower - a.evidence.lower || b.explains.lower - a.explains.lower,
  );
  if (found === undefined) return judgeSingles(judged, byEvidence, slow, limits);
  const { causes, together } = found;
  if (together.lower >= minShare) return explainedBy(causes, together.lower, byEvidence, slow, limits);
  const isUndecided = together.upper >= minShare;
  const named = isUndecided ? causes : [];
  const others = byEvidence.filter((one) => !isAmong(one, named));
  return {
    verdict: isUndecided ? 'undecided' : 'nothing explains it',
    explains: undefined,
    causes: [
      ...named.map((one) => causeOf(one, 'undecided')),
      ...others.map((one) => causeOf(one, decided(one.evidence, least, 'part', 'not shown'))),
    ],
  };
}

/** Names one attribute value, if it is the cause wherever values lie in their buckets. */
function judgeSingles(
  judged: readonly Judged[],
  byEvidence: readonly Judged[],
  slow: readonly SlowValues[],
  limits: VerdictLimits,
): Verdicts {
  const { least, minShare } = limits;
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
  if (first !== undefined && !isUndecided)
    return explainedBy([first], first.explains.lower, byEvidence, slow, limits);
  const causes = byEvidence.map((one) =>
    causeOf(one, mayExplain(one) ? 'undecided' : decided(one.evidence, least, 'part', 'not shown')),
  );
  return { verdict: isUndecided ? 'undecided' : 'nothing explains it', explains: undefined, causes };
}

/** The causes first, and then what all others have to do with them. */
function explainedBy(
  named: readonly Judged[],
  explains: number,
  byEvidence: readonly Judged[],
  slow: readonly SlowValues[],
  { least, direction }: VerdictLimits,
): Verdicts {
  const own = new Set(named.flatMap(({ candidate }) => candidate.members));
  const outside = slow.map((one, i) => (own.has(i) ? NO_SLOW : one));
  const allOutside = sumOf(outside);
  const others = byEvidence.filter((one) => !isAmong(one, named));
  return {
    verdict: 'explained',
    explains,
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

/** Whether a candidate selects the series of one of some causes. */
function isAmong({ candidate: { members } }: Judged, causes: readonly Judged[]): boolean {
  return causes.some(
    ({ candidate: own }) =>
      own.members.length === members.length && own.members.every((member, i) => member === members[i]),
  );
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
  { candidate, before, after, parts, explains, evidence, kind }: Judged,
  verdict: CauseVerdict,
): ExplainedCause {
  const [values, share] = [parts.values.lower, parts.share.lower];
  return {
    attributes: candidate.attributes,
    before,
    after,
    kind: kind ?? (values >= share ? 'values' : 'share'),
    explains: explains.lower,
    parts: { values, share },
    evidence: evidence.lower,
    verdict,
  };
}
