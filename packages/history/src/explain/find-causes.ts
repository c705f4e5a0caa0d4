import { growthEvidence, leastEvidence } from './association.ts';
import { type AttributeValue, type Candidate, listCandidates, type SeriesChange } from './series-change.ts';
import { type SlowValues, sumOf } from './slow.ts';

/** What causes are looked for in. */
export interface CauseSearch {
  readonly series: readonly SeriesChange[];
  /** The slow values of each series. The ends of their bounds are equal. */
  readonly slow: readonly SlowValues[];
  /** The probability with which chance makes a cause. */
  readonly probability: number;
  /** The explained percentile, from 0 to 100. */
  readonly percentile: number;
  /** 1 when the percentile has grown, -1 when it has fallen. */
  readonly direction: number;
}

/** More causes than these are no explanation. */
const MOST_CAUSES = 3;
/** The most attribute values that are a cause together. */
const MOST_TOGETHER = 3;
/** How many attribute values are tried together with others: those with the most evidence. */
const TRIED = 8;
/** The least part of the new slow values with some attribute values that a joint cause has. */
const LEAST_PART = 0.85;
/** Values beyond a percentile that have become so many times as many, for as many values, are more than the noise of days. */
const LEAST_GROWTH = 1.5;

/**
 * Sets of series whose slow values have grown compared with those of all others, by one attribute value or by several together. Each
 * further set is looked for in the series that are in none before.
 *
 * Several attribute values are a joint cause only if each is needed: without it, the set would have series with no new slow values. So
 * nearly all new slow values of the larger set are in the smaller one, and more of them than chance puts there, had all series of the
 * larger set as many for each of their values. And the other series of the larger set have not changed by their own measure, the same
 * percentile of their values: fast series may have become slower, and still be faster than the slow values of all.
 */
export function findCauses(search: CauseSearch): Candidate[] {
  const found: Candidate[] = [];
  let left = [...search.series.keys()];
  while (found.length < MOST_CAUSES) {
    const cause = strongestIn(left, search);
    if (cause === undefined) break;
    found.push(cause);
    const own = new Set(cause.members);
    left = left.filter((i) => !own.has(i));
  }
  return found;
}

/** The cause with the most evidence in some series. */
function strongestIn(left: readonly number[], search: CauseSearch): Candidate | undefined {
  const { series, slow, probability, percentile, direction } = search;
  const [from, to] = direction > 0 ? (['before', 'after'] as const) : (['after', 'before'] as const);
  const slowIn = (members: readonly number[]): Counts => {
    const sum = sumOf(members.map((i) => slow[i]!));
    return { from: sum[from].lower, to: sum[to].lower };
  };
  const all = slowIn(left);
  const sizeOf = (members: readonly number[]): number =>
    members.reduce((sum, i) => series[i]![to].c.reduce((own, count) => own + count, sum), 0);
  const evidence = (members: readonly number[]): number => {
    const own = slowIn(members);
    const rest = { before: all.from - own.from, after: all.to - own.to };
    return growthEvidence({ part: { before: own.from, after: own.to }, rest });
  };
  const isNeeded = (part: readonly number[], whole: readonly number[], tried: number): boolean => {
    const [own, larger] = [slowIn(part), slowIn(whole)];
    const growth = (all.to - larger.to) / (all.from - larger.from);
    // Those beyond the growth of all others.
    const newIn = (counts: Counts): number => counts.to - counts.from * growth;
    if (!(newIn(own) >= LEAST_PART * newIn(larger))) return false;
    const sizes = [sizeOf(part), sizeOf(whole)] as const;
    const outside = { before: sizes[1] - sizes[0], after: Math.max(0, newIn(larger) - newIn(own)) };
    const spread = growthEvidence({ part: { before: sizes[0], after: newIn(own) }, rest: outside });
    const least = leastEvidence(tried, probability);
    if (spread < least) return false;
    const inside = new Set(part);
    const others = beyondOwn(
      whole.filter((i) => !inside.has(i)).map((i) => series[i]!),
      { percentile, from, to },
    );
    const grown = growthEvidence({ part: others.beyond, rest: others.below });
    const rate = ({ beyond, below }: typeof others, side: 'before' | 'after'): number =>
      beyond[side] / (beyond[side] + below[side]);
    return grown < least || rate(others, 'after') < LEAST_GROWTH * rate(others, 'before');
  };
  const strongest = (among: readonly number[]): { candidates: Ranked[]; tried: number } => {
    const candidates = listCandidates(series, among);
    const ranked = candidates.map((one) => ({ ...one, evidence: evidence(one.members) }));
    return { candidates: ranked.sort((a, b) => b.evidence - a.evidence), tried: candidates.length };
  };
  const membersWith = (attributes: readonly AttributeValue[]): number[] =>
    left.filter((i) => attributes.every(({ key, value }) => series[i]!.attributes[key] === value));
  const narrowed = (whole: Ranked): Ranked | undefined => {
    const { candidates, tried } = strongest(whole.members);
    const part = candidates.find(({ members }) => members.length < whole.members.length);
    if (part === undefined) return undefined;
    const attributes = whole.attributes.flatMap((outer) =>
      part.attributes.map((inner) => [...outer, ...inner]),
    );
    const [first = []] = attributes;
    const isJoint = first.every((_, dropped) =>
      isNeeded(part.members, membersWith(first.filter((_, i) => i !== dropped)), tried),
    );
    return isJoint ? { ...part, attributes } : undefined;
  };
  const { candidates, tried } = strongest(left);
  let cause = candidates[0];
  if (cause === undefined || cause.evidence < leastEvidence(tried, probability)) return undefined;
  for (const single of candidates.slice(0, TRIED)) {
    let joint: Ranked | undefined = single;
    for (let count = 2; count <= MOST_TOGETHER && joint !== undefined; count++) {
      joint = narrowed(joint);
      if (joint !== undefined && joint.evidence > cause.evidence) cause = joint;
    }
  }
  return { attributes: cause.attributes, members: cause.members };
}

/** How many values of some series lie beyond their own percentile on the better side, and how many do not. */
function beyondOwn(
  series: readonly SeriesChange[],
  { percentile, from, to }: { percentile: number; from: 'before' | 'after'; to: 'before' | 'after' },
): Record<'beyond' | 'below', { before: number; after: number }> {
  const countsOf = (side: 'before' | 'after'): [slot: number, count: number][] => {
    const counts = new Map<number, number>();
    for (const {
      [side]: { k, c },
    } of series) {
      for (const [i, slot] of k.entries()) counts.set(slot, (counts.get(slot) ?? 0) + c[i]!);
    }
    return [...counts].sort(([a], [b]) => a - b);
  };
  const sum = (counts: readonly [number, number][]): number =>
    counts.reduce((all, [, count]) => all + count, 0);
  const [better, other] = [countsOf(from), countsOf(to)];
  const rank = (percentile / 100) * sum(better);
  let seen = 0;
  let limit = Number.NEGATIVE_INFINITY;
  for (const [slot, count] of better) {
    limit = slot;
    seen += count;
    if (seen >= rank) break;
  }
  const split = (counts: readonly [number, number][]): [beyond: number, below: number] => {
    const beyond = sum(counts.filter(([slot]) => slot > limit));
    return [beyond, sum(counts) - beyond];
  };
  const [then, now] = [split(better), split(other)];
  return { beyond: { before: then[0], after: now[0] }, below: { before: then[1], after: now[1] } };
}

/** How many slow values there are on the better side and on the other one. */
interface Counts {
  readonly from: number;
  readonly to: number;
}

/** A candidate, and the evidence that it is a cause. */
type Ranked = Candidate & { readonly evidence: number };
