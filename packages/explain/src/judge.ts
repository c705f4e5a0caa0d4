import type { Bounds } from '@hdrscope/core';
import { growthEvidence } from './association.ts';
import { countsWith, type Division, divideDifference, type GroupParts } from './counterfactual.ts';
import type { Figures } from './figures.ts';
import { leaveOut, type PooledEnds, poolSides, type SlotAxis, type TwoSides, totalOf } from './pooled.ts';
import type { Candidate } from './series-change.ts';
import { evidenceOf, type SlowValues, sumOf } from './slow.ts';
import type { FoundCauses, Judged } from './verdicts.ts';

/** The percentile on both sides. */
export type SideValues = Readonly<Record<'before' | 'after', Bounds>>;

/** A difference whose causes are judged. */
export interface JudgedChange {
  readonly axis: SlotAxis;
  /** The counts of all series. */
  readonly whole: TwoSides;
  readonly figures: Figures;
  readonly values: SideValues;
  /** The slow values of each series. */
  readonly slow: readonly SlowValues[];
  /** How many values each series has. */
  readonly sizes: Readonly<Record<'before' | 'after', Float64Array>>;
  /** 1 when the percentile has grown, -1 when it has fallen. */
  readonly direction: number;
}

/** A candidate, how many values it has, and the evidence that it has changed. */
export interface Weighed extends Pick<Judged, 'candidate' | 'evidence' | 'shareEvidence' | 'kind'> {
  readonly own: Readonly<Record<'before' | 'after', number>>;
}

/** Says what candidates have to do with a difference. */
export interface Judge {
  weigh(candidate: Candidate): Weighed;
  /** Candidates without a series in common. Where values are in wide buckets, each by itself. */
  judge(weighed: readonly Weighed[]): Judged[];
  /** Causes with what they explain together, without those that explain hardly anything. */
  judgeCauses(weighed: readonly Weighed[]): FoundCauses;
}

/** The least part of the difference that makes one of several causes. */
export const LEAST_PART = 0.1;

/** Makes the judge of a difference. */
export function createJudge({ axis, whole, figures, values, slow, sizes, direction }: JudgedChange): Judge {
  const { isWide } = axis;
  const allSlow = sumOf(slow);
  const total = { before: totalOf(whole.before.last), after: totalOf(whole.after.last) };
  /** What is gone of the difference with other counts. */
  const undone = (counts: PooledEnds): Bounds =>
    totalOf(counts.last) === 0 ? NOTHING : explainedPart(values, figures.value(counts));
  /** What is gone when a group alone is as it was. The mean over all orders has bounds too far apart to decide anything. */
  const leastParts = (division: Division): Parts => {
    const [values, share] = [countsWith(division, 0b01), countsWith(division, 0b10)];
    const [without, otherwise] = [values, share].map((one) => figures.value(one));
    const parts = { values: undone(values), share: undone(share) };
    // The one that explains more leaves the percentile farther from that after.
    const [less, more] =
      parts.values.lower >= parts.share.lower ? [without!, otherwise!] : [otherwise!, without!];
    const isKindKnown = direction > 0 ? less.upper <= more.lower : less.lower >= more.upper;
    return { parts, isKindKnown, explains: undone(countsWith(division, 0b11)) };
  };
  const weigh = (candidate: Candidate): Weighed => {
    const { members } = candidate;
    const own = { before: 0, after: 0 };
    for (const i of members) {
      own.before += sizes.before[i]!;
      own.after += sizes.after[i]!;
    }
    const rest = { before: total.before - own.before, after: total.after - own.after };
    const evidence = evidenceOf(sumOf(members.map((i) => slow[i]!)), allSlow, direction);
    return { candidate, own, evidence, shareEvidence: Math.abs(growthEvidence({ part: own, rest })) };
  };
  const divide = (weighed: readonly Weighed[]): Division => {
    const groups = weighed.map(({ candidate }) => poolSides(axis, candidate.members));
    return { groups, rest: leaveOut(whole, groups) };
  };
  const judge = (weighed: readonly Weighed[]): Judged[] => {
    if (isWide && weighed.length > 1) return weighed.flatMap((one) => judge([one]));
    const division = divide(weighed);
    const parts = isWide ? [leastParts(division)] : divideDifference(division, undone).map(meanParts);
    return weighed.map(({ own, ...one }, i) => ({
      ...one,
      before: figures.attributeSide(division.groups[i]!.before, own.before),
      after: figures.attributeSide(division.groups[i]!.after, own.after),
      ...parts[i]!,
    }));
  };
  /** What is gone when all of some causes are as they were. */
  const undoneTogether = (weighed: readonly Weighed[]): Bounds =>
    weighed.length === 0 ? NOTHING : undone(countsWith(divide(weighed), 2 ** (2 * weighed.length) - 1));
  const judgeCauses = (weighed: readonly Weighed[]): FoundCauses => {
    const judged = judge(weighed);
    const together = isWide
      ? undoneTogether(weighed)
      : judged.reduce((sum, { explains }) => addBounds(sum, explains), NOTHING);
    const adds = (at: number): number =>
      isWide && weighed.length > 1
        ? together.upper - undoneTogether(weighed.filter((_, i) => i !== at)).lower
        : judged[at]!.explains.upper;
    const kept = weighed.filter((_, at) => adds(at) >= LEAST_PART);
    if (kept.length < weighed.length) return judgeCauses(kept);
    return { causes: judged.sort((a, b) => b.explains.lower - a.explains.lower), together };
  };
  return { weigh, judge, judgeCauses };
}

function addBounds(a: Bounds, b: Bounds): Bounds {
  return { lower: a.lower + b.lower, upper: a.upper + b.upper };
}

type Parts = Pick<Judged, 'parts' | 'explains' | 'isKindKnown'>;

function meanParts(parts: GroupParts): Parts {
  const { values, share } = parts;
  const explains = { lower: values.lower + share.lower, upper: values.upper + share.upper };
  return { parts, explains, isKindKnown: true };
}

const NOTHING: Bounds = { lower: 0, upper: 0 };

/**
 * The part of a difference that is gone with another value after. It rises or falls with each of the three values, so its ends are
 * at ends of them.
 */
function explainedPart({ before, after }: SideValues, other: Bounds): Bounds {
  const parts: number[] = [];
  for (const now of [after.lower, after.upper]) {
    for (const then of [before.lower, before.upper]) {
      for (const without of [other.lower, other.upper]) {
        const part = (now - without) / (now - then);
        if (!Number.isNaN(part)) parts.push(part);
        // The limit of a value after that grows without end.
        else if (Number.isFinite(without)) parts.push(1);
      }
    }
  }
  return { lower: parts.reduce((a, b) => Math.min(a, b)), upper: parts.reduce((a, b) => Math.max(a, b)) };
}
