import { growthEvidence, leastEvidence } from './association.ts';
import { type AttributeIndex, listCandidates, selectSeries } from './attribute-index.ts';
import { indexOfPercentile, leaveOut, poolSides, type SlotAxis, type TwoSides, totalOf } from './pooled.ts';
import type { AttributeValue, Candidate, SeriesChange } from './series-change.ts';
import type { Steps } from './steps.ts';

/** How many values of each series are counted: on the side where there are fewer of them, and on the other one. */
export interface SeriesCounts {
  readonly from: ArrayLike<number>;
  readonly to: ArrayLike<number>;
}

/** What causes are looked for in. */
export interface CauseSearch {
  readonly series: readonly SeriesChange[];
  readonly index: AttributeIndex;
  readonly axis: SlotAxis;
  /** The counts of all series. */
  readonly whole: TwoSides;
  /** How many values each series has before and after. */
  readonly sizes: Readonly<Record<'before' | 'after', ArrayLike<number>>>;
  /** The probability with which chance makes a cause. */
  readonly probability: number;
  /** The explained percentile, from 0 to 100. */
  readonly percentile: number;
  /** 1 when the percentile has grown, -1 when it has fallen. */
  readonly direction: number;
}

/** More causes than these are no explanation. */
export const MOST_CAUSES = 3;
/** The most attribute values that are a cause together. */
const MOST_TOGETHER = 3;
/** How many attribute values are tried together with others: those with the most evidence. */
const TRIED = 8;
/** The least part of the new values with some attribute values that a joint cause has. */
const LEAST_PART = 0.85;
/** A rate that has become so many times as large has grown by more than the noise of days. */
const LEAST_GROWTH = 1.5;

/**
 * Sets of series whose slow values have become more frequent compared with those of all others, by one attribute value or by several
 * together. Each further set is looked for in the series that are in none of the others, and each is looked for again when the others
 * are known: of two equal causes, one alone hides the other.
 *
 * Several attribute values are a joint cause only if each is needed: without it, the set would have series with no new slow values. So
 * nearly all new slow values of the larger set are in the smaller one, and more of them than chance puts there, had all series of the
 * larger set as many for each of their values. And the other series of the larger set have not changed by their own measure, the same
 * percentile of their values: fast series may have become slower, and still be faster than the slow values of all.
 *
 * By their own measure, too, the series of no cause must have changed by less than those of the causes. When all are slower alike, those
 * that were near the limit have the most new slow values.
 *
 * @param slow The slow values of each series, those of the better side in as much traffic as on the other one.
 * @param mostAlike The logarithm of the growth of all other series, by their own measure, as a part of that of the causes: at most this.
 */
export function* findValueCauses(
  slow: SeriesCounts,
  search: CauseSearch,
  mostAlike: number,
): Steps<Candidate[]> {
  const all = [...search.series.keys()];
  const { axis, whole } = search;
  const isNeeded: IsNeeded = (part, larger, left, least) => {
    if (!hasNewValues(part, larger, left, { slow, search, least })) return false;
    const others = beyondOwn(leaveOut(poolSides(axis, larger), [poolSides(axis, part)]), search);
    return others.evidence < least || others.growth < LEAST_GROWTH;
  };
  const best: Find = (left) => strongestIn(left, slow, search, isNeeded);
  const found = yield* refine(yield* findInTurn(all, best), all, best);
  const causes = found.length > 0 ? found : yield* findTwins(all, slow, search, best);
  const own = poolSides(
    axis,
    causes.flatMap(({ members }) => members),
  );
  const others = beyondOwn(leaveOut(whole, [own]), search).growth;
  const isAlike =
    others >= LEAST_GROWTH && Math.log(others) >= mostAlike * Math.log(beyondOwn(own, search).growth);
  return isAlike ? [] : causes.map((one) => asCandidate(one, search.series));
}

/** How many values of a series its own percentile has beyond it at least. */
const LEAST_BEYOND = 10;

/**
 * The values of each series beyond its own percentile on the better side, on that side and on the other one. Where an incident concerns
 * series of different speed, few of the fast ones have values above the limit of all. Series with few values have a lower percentile, or
 * count as without values.
 */
export function countBeyondOwn({ axis, sizes, percentile, direction }: CauseSearch): SeriesCounts {
  const [better, other] = sidesFrom(direction);
  const [from, to] = [new Float64Array(axis.series.length), new Float64Array(axis.series.length)];
  for (const [i, one] of axis.series.entries()) {
    const size = sizes[better][i]!;
    const beyond = Math.max((1 - percentile / 100) * size, LEAST_BEYOND);
    if (size < 2 * beyond || sizes[other][i] === 0) continue;
    const { first, c } = one[better];
    let at = first.length - 1;
    for (let seen = c[at]!; seen <= beyond && at > 0; seen += c[at]!) at--;
    const limit = first[at]!;
    from[i] = beyond;
    for (let j = 0; j < one[other].c.length; j++)
      if (one[other].first[j]! > limit) to[i]! += one[other].c[j]!;
  }
  return { from, to };
}

/** The side on which the percentile is lower, and the other one. */
function sidesFrom(direction: number): ['before', 'after'] | ['after', 'before'] {
  return direction > 0 ? ['before', 'after'] : ['after', 'before'];
}

/**
 * Sets of series whose share of all values has grown or fallen by more than the noise of days, by one attribute value or by several
 * together.
 *
 * @param isWorth Whether the share of some series explains enough.
 */
export function* findShareCauses(
  search: CauseSearch,
  isWorth: (members: readonly number[]) => boolean,
): Steps<Candidate[]> {
  const { before, after } = search.sizes;
  const all = [...search.series.keys()];
  const strongest = (left: readonly number[], counts: SeriesCounts): Steps<Ranked | undefined> => {
    const isCause = (members: readonly number[]): boolean =>
      relativeGrowth(members, left, counts) >= LEAST_GROWTH && isWorth(members);
    const isNeeded: IsNeeded = (part, larger) =>
      relativeGrowth(subtract(larger, part), left, counts) < LEAST_GROWTH;
    return strongestIn(left, counts, search, isNeeded, isCause);
  };
  const changed: Find = function* (left) {
    const more = yield* strongest(left, { from: before, to: after });
    const fewer = yield* strongest(left, { from: after, to: before });
    if (more === undefined || fewer === undefined) return more ?? fewer;
    // All others of a set have the evidence of the set, but for rounding: errors that came, and success that became rarer.
    return fewer.evidence > more.evidence * (1 + 1e-9) ? fewer : more;
  };
  const found = yield* findInTurn(all, changed);
  return found.map((one) => asCandidate(one, search.series));
}

/** A candidate, and the evidence that it is a cause. */
type Ranked = Candidate & { readonly evidence: number };

type Find = (left: readonly number[]) => Steps<Ranked | undefined>;

/** The series of a cause, and its attribute values in the order of their keys in a series. */
function asCandidate({ attributes, members }: Ranked, series: CauseSearch['series']): Candidate {
  const keys = Object.keys(series[members[0]!]!.attributes);
  const inOrder = (together: readonly AttributeValue[]): AttributeValue[] =>
    [...together].sort((a, b) => keys.indexOf(a.key) - keys.indexOf(b.key));
  return { attributes: attributes.map(inOrder), members };
}

/** Causes one after another, each in the series that are in none before. */
function* findInTurn(all: readonly number[], find: Find): Steps<Ranked[]> {
  const found: Ranked[] = [];
  let left = all;
  while (found.length < MOST_CAUSES) {
    const cause = yield* find(left);
    if (cause === undefined) break;
    found.push(cause);
    left = subtract(left, cause.members);
  }
  return found;
}

/** Looks for each of several causes again, in the series that are in none of the others. */
function* refine(found: readonly Ranked[], all: readonly number[], find: Find): Steps<Ranked[]> {
  if (found.length < 2) return [...found];
  const causes = [...found];
  for (let at = 0; at < causes.length; at++) {
    const others = causes.flatMap(({ members }, i) => (i === at ? [] : members));
    causes[at] = (yield* find(subtract(all, others))) ?? causes[at]!;
  }
  return causes;
}

/** Two causes, neither of which has enough evidence while the other one counts among all others. */
function* findTwins(
  all: readonly number[],
  slow: SeriesCounts,
  search: CauseSearch,
  find: Find,
): Steps<Ranked[]> {
  for (const first of rank(all, all, slow, search).slice(0, TRIED)) {
    const second = yield* find(subtract(all, first.members));
    const one = second && (yield* find(subtract(all, second.members)));
    if (one !== undefined && second !== undefined) {
      const third = yield* find(subtract(all, [...one.members, ...second.members]));
      return [one, second, ...(third === undefined ? [] : [third])];
    }
  }
  return [];
}

/** The attribute values in some series by the evidence that their counts have grown compared with all others in `left`. */
function rank(
  among: readonly number[],
  left: readonly number[],
  counts: SeriesCounts,
  { index }: CauseSearch,
): Ranked[] {
  const all = addUp(left, counts);
  return listCandidates(index, among)
    .map((one) => ({ ...one, evidence: evidenceIn(addUp(one.members, counts), all) }))
    .sort((a, b) => b.evidence - a.evidence);
}

/** Whether some series are a cause rather than the larger set that one attribute value less selects, of those in `left`. */
type IsNeeded = (
  part: readonly number[],
  larger: readonly number[],
  left: readonly number[],
  least: number,
) => boolean;

/** Whether nearly all new slow values of a set are in a part of it, and more of them than chance puts there. */
function hasNewValues(
  part: readonly number[],
  whole: readonly number[],
  left: readonly number[],
  {
    slow,
    search,
    least,
  }: { readonly slow: SeriesCounts; readonly search: CauseSearch; readonly least: number },
): boolean {
  const [, side] = sidesFrom(search.direction);
  const sizeOf = (members: readonly number[]): number =>
    members.reduce((sum, i) => sum + search.sizes[side][i]!, 0);
  const [own, larger, all] = [addUp(part, slow), addUp(whole, slow), addUp(left, slow)];
  const growth = (all.to - larger.to) / (all.from - larger.from);
  // Those beyond the growth of all others.
  const newIn = ({ from, to }: Counts): number => to - from * growth;
  if (!(newIn(own) >= LEAST_PART * newIn(larger))) return false;
  const rest = { before: sizeOf(whole) - sizeOf(part), after: Math.max(0, newIn(larger) - newIn(own)) };
  return growthEvidence({ part: { before: sizeOf(part), after: newIn(own) }, rest }) >= least;
}

/** The cause with the most evidence in some series. */
function* strongestIn(
  left: readonly number[],
  counts: SeriesCounts,
  search: CauseSearch,
  isNeeded: IsNeeded,
  isCause: (members: readonly number[]) => boolean = () => true,
): Steps<Ranked | undefined> {
  const { series, probability } = search;
  /** The part of some series with the most evidence, by one more attribute value. */
  const narrow = (whole: Ranked): (Ranked & { readonly least: number }) | undefined => {
    const candidates = rank(whole.members, left, counts, search);
    const part = candidates.find(({ members }) => members.length < whole.members.length);
    const attributes = whole.attributes.flatMap((outer) =>
      (part?.attributes ?? []).map((inner) => [...outer, ...inner]),
    );
    return part && { ...part, attributes, least: leastEvidence(candidates.length, probability) };
  };
  const isJoint = function* (part: Ranked & { readonly least: number }): Steps<boolean> {
    const [first = []] = part.attributes;
    for (let dropped = 0; dropped < first.length; dropped++) {
      yield;
      const larger = selectSeries(left, series, withoutOne(first, dropped));
      if (!isNeeded(part.members, larger, left, part.least)) return false;
    }
    return true;
  };
  yield;
  const candidates = rank(left, left, counts, search);
  const least = leastEvidence(candidates.length, probability);
  const tried = candidates.filter(({ evidence }, i) => i < TRIED && evidence > 0);
  let cause = tried.find(({ evidence, members }) => evidence >= least && isCause(members));
  if (cause === undefined) return undefined;
  for (const single of tried) {
    const joint: (Ranked & { readonly least: number })[] = [];
    for (let whole: Ranked | undefined = single; joint.length < MOST_TOGETHER - 1; ) {
      yield;
      const part = narrow(whole);
      if (part === undefined) break;
      joint.push(part);
      whole = part;
    }
    for (const part of joint) {
      // To tell whether each attribute value is needed takes long.
      if (!joint.some(({ evidence }) => evidence > cause!.evidence) || !(yield* isJoint(part))) break;
      if (part.evidence > cause.evidence && isCause(part.members)) cause = part;
    }
  }
  return cause;
}

function withoutOne(attributes: readonly AttributeValue[], dropped: number): AttributeValue[] {
  return attributes.filter((_, i) => i !== dropped);
}

/** How many values there are on the side where there are fewer, and on the other one. */
interface Counts {
  readonly from: number;
  readonly to: number;
}

function addUp(members: readonly number[], counts: SeriesCounts): Counts {
  let [from, to] = [0, 0];
  for (const i of members) {
    from += counts.from[i]!;
    to += counts.to[i]!;
  }
  return { from, to };
}

function evidenceIn(own: Counts, all: Counts): number {
  const rest = { before: all.from - own.from, after: all.to - own.to };
  return growthEvidence({ part: { before: own.from, after: own.to }, rest });
}

/** How many times as much some series have grown as all others in `left`. */
function relativeGrowth(members: readonly number[], left: readonly number[], counts: SeriesCounts): number {
  const [own, all] = [addUp(members, counts), addUp(left, counts)];
  return (own.to * (all.from - own.from)) / (own.from * (all.to - own.to));
}

function subtract(all: readonly number[], members: Iterable<number>): readonly number[] {
  const own = new Set(members);
  return all.filter((i) => !own.has(i));
}

/**
 * How many times as frequent values of some series beyond their own percentile on the better side have become, and the evidence that they
 * have. 1 without values on a side.
 */
function beyondOwn(
  counts: TwoSides,
  { percentile, direction }: CauseSearch,
): { readonly growth: number; readonly evidence: number } {
  const [from, to] = sidesFrom(direction);
  const [better, other] = [counts[from].first, counts[to].first];
  const sizes = [totalOf(better), totalOf(other)] as const;
  if (sizes[0] === 0 || sizes[1] === 0) return { growth: 1, evidence: 0 };
  const limit = indexOfPercentile(better, percentile);
  const beyond = { before: totalOf(better.subarray(limit + 1)), after: totalOf(other.subarray(limit + 1)) };
  const below = { before: sizes[0] - beyond.before, after: sizes[1] - beyond.after };
  // A slot may have more values than lie beyond the percentile.
  const usual = Math.max(beyond.before, (1 - percentile / 100) * sizes[0]);
  return {
    growth: beyond.after / sizes[1] / (usual / sizes[0]),
    evidence: growthEvidence({ part: beyond, rest: below }),
  };
}
