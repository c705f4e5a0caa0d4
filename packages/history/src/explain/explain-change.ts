import {
  type Bounds,
  type PercentileDifference,
  percentileDifference,
  percentileInterval,
} from '@hdrscope/core';
import { fromTicks, mustBe, resolutionOf } from '@hdrscope/core/internal';
import { countedOfRow } from '../rows/counted-of-row.ts';
import { LAST_TICK, slotBounds } from '../rows/slots.ts';
import { growthEvidence, leastEvidence } from './association.ts';
import { indexAttributes, listCandidates } from './attribute-index.ts';
import {
  countsWith,
  type Division,
  divideDifference,
  type GroupParts,
  type TwoSides,
} from './counterfactual.ts';
import type {
  AttributeSide,
  ChangeExplanation,
  ChangeQuestion,
  ExplainedSide,
  ExplainLimits,
} from './explanation.ts';
import {
  countBeyondOwn,
  findShareCauses,
  findValueCauses,
  MOST_CAUSES,
  type SeriesCounts,
} from './find-causes.ts';
import {
  indexOfPercentile,
  type Pooled,
  type PooledEnds,
  pooled,
  type SlotAxis,
  slotAxis,
  totalOf,
  without,
} from './pooled.ts';
import type { Candidate, SeriesChange, SlotCounts } from './series-change.ts';
import { evidenceOf, slowOf, standardizeTraffic, sumOf } from './slow.ts';
import { type Judged, verdicts } from './verdicts.ts';

/**
 * Explains why a percentile has moved, by what attribute values have to do with the difference.
 *
 * **Whether it moved.** `percentileDifference` of the whole must be significant and at least `minChange`; otherwise there is nothing to
 * explain, and no attribute gets a verdict.
 *
 * **Which one is the cause.** When one route is slow and all its requests go through one host, the host explains as much as the route, and a
 * set with all series always explains everything. So causes are ranked by evidence: the growth of slow values among them against that of
 * all others, where slow is above the lower one of the two percentiles. It is largest for the very set of series whose values have
 * changed: see `growthEvidence`. It must exceed what the largest of all candidates reaches by chance: see `leastEvidence`. When all
 * series change alike, no candidate has evidence, and the verdict is `nothing explains it`. `findCauses` looks for attribute values that are a
 * cause together, and for further causes.
 *
 * **How much a cause explains.** Its mean over all orders in which the values of each cause, the share of each cause, and the values of all
 * other series are put back to how they were: see `divideDifference`. Causes must explain `minShare` together, and each a tenth.
 *
 * Fewer fast values move a percentile too, and leave no trace among slow ones. When no candidate has evidence, those are considered
 * whose share of all values has changed, by how much that explains.
 *
 * **Wide buckets.** Values of a bucket may lie anywhere in it. Each figure is computed for the least and the most that it may be, with all
 * values at the begin or at the end of their buckets. A cause, which is one attribute value then, is named only if no place of the values makes
 * another one the cause, or none; otherwise the verdict is `undecided`. `explains` is what is gone when the cause alone is as it was: a
 * part of the sums of many would have bounds too far apart. `explains` and `evidence` are the least that they may be.
 *
 * The intervals take values for independent. Choose ranges of equal conditions, as the same hour of two days.
 *
 * @param series Each attribute combination once.
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the percentile is outside its range; `ERR_INVALID_OPTION` when the confidence, `bits` or
 *   `scale` is.
 */
export function explainChange(series: readonly SeriesChange[], question: ChangeQuestion): ChangeExplanation {
  const { confidence, minChange, minShare } = checkedLimits(question);
  const { percentile } = question;
  const axis = slotAxis(series);
  const whole = sidesOf(series.keys(), axis);
  const figures = figuresOf(axis, question);
  const [before, after] = [figures.side(whole.before, confidence), figures.side(whole.after, confidence)];
  const sides = { percentile, before, after };
  if (before.count === 0 || after.count === 0) {
    const { isWide } = axis;
    return { ...sides, isWide, difference: undefined, verdict: 'too few values', causes: [] };
  }
  const difference = figures.difference(whole, confidence);
  const { isWide } = axis;
  const known = { ...sides, isWide, difference };
  if (difference.confidence < confidence) return { ...known, verdict: 'too few values', causes: [] };
  const values = { before: figures.value(whole.before), after: figures.value(whole.after) };
  const change = changeOf(values, minChange);
  if (!difference.significant || change !== 'certain') {
    const mayDiffer = isWide && change !== 'none' && figures.maySignify(whole, confidence);
    return { ...known, verdict: mayDiffer ? 'undecided' : 'no difference shown', causes: [] };
  }
  const direction = Math.sign(values.after.upper - values.before.upper);
  const better = direction > 0 ? 'before' : 'after';
  const counts = { before: before.count, after: after.count };
  const limit = { slot: figures.slot(whole[better].last), counts };
  const slow = series.map((one) => slowOf(one, limit));
  const allSlow = sumOf(slow);
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
  const sizes = {
    before: Float64Array.from(series, (one) => sumOfCounts(one.before)),
    after: Float64Array.from(series, (one) => sumOfCounts(one.after)),
  };
  const weigh = (candidate: Candidate): Weighed => {
    const { members } = candidate;
    const own = { before: 0, after: 0 };
    for (const i of members) {
      own.before += sizes.before[i]!;
      own.after += sizes.after[i]!;
    }
    const rest = { before: before.count - own.before, after: after.count - own.after };
    const evidence = evidenceOf(sumOf(members.map((i) => slow[i]!)), allSlow, direction);
    return { candidate, own, evidence, shareEvidence: Math.abs(growthEvidence({ part: own, rest })) };
  };
  /** Candidates without a series in common; one where values are in wide buckets. */
  const judge = (weighed: readonly Weighed[]): Judged[] => {
    const groups = weighed.map(({ candidate }) => sidesOf(candidate.members, axis));
    const rest = {
      before: without(
        whole.before,
        groups.map((group) => group.before),
      ),
      after: without(
        whole.after,
        groups.map((group) => group.after),
      ),
    };
    const division = { groups, rest };
    const parts = isWide ? [] : divideDifference(division, undone);
    return weighed.map(({ own, ...one }, i) => ({
      ...one,
      before: figures.attributeSide(groups[i]!.before, own.before),
      after: figures.attributeSide(groups[i]!.after, own.after),
      ...(isWide ? leastParts(division) : meanParts(parts[i]!)),
    }));
  };
  const index = indexAttributes(series);
  const candidates = listCandidates(index);
  const probability = 1 - confidence;
  const least = leastEvidence(candidates.length, probability);
  const findAll = (): Judged[] => {
    const search = { series, index, axis, sizes, probability, percentile, direction };
    const worse = better === 'before' ? 'after' : 'before';
    const slowSides = { from: slow.map((one) => one[better].lower), to: slow.map((one) => one[worse].lower) };
    const inTraffic = (counts: SeriesCounts): SeriesCounts => standardizeTraffic(counts, sizes, direction);
    const bySlow = findValueCauses(inTraffic(slowSides), search, 1 / 2);
    const byValues =
      bySlow.length > 0 ? bySlow : findValueCauses(inTraffic(countBeyondOwn(search)), search, 0);
    const byShare = findShareCauses(search, (members) => {
      const [one] = judge([weigh({ attributes: [], members })]);
      return one!.parts.share.lower >= LEAST_PART;
    });
    const taken = new Set(byValues.flatMap(({ members }) => members));
    const others = byShare.filter(({ members }) => !members.some((i) => taken.has(i)));
    const both = [...byValues, ...others].slice(0, MOST_CAUSES);
    const found = [byValues, byShare, both].map((causes) => judgeCauses(causes.map(weigh), judge));
    const [values, share, together] = found.map(sumOfParts) as [number, number, number];
    if (Math.max(values, share) < minShare) return together >= minShare ? found[2]! : [];
    return share > values ? found[1]! : found[0]!;
  };
  const found = isWide ? [] : findAll();
  const judged = worthJudging(candidates.map(weigh), least).flatMap((one) => judge([one]));
  return { ...known, ...verdicts(judged, found, slow, { least, minShare, direction, isWide }) };
}

/** The least part of the difference that makes one of several causes. */
const LEAST_PART = 0.1;

/** Causes with what they explain together, without those that explain hardly anything. */
function judgeCauses(
  weighed: readonly Weighed[],
  judge: (weighed: readonly Weighed[]) => Judged[],
): Judged[] {
  const judged = judge(weighed);
  const kept = weighed.filter((_, i) => judged[i]!.explains.lower >= LEAST_PART);
  if (kept.length < judged.length) return judgeCauses(kept, judge);
  return judged.sort((a, b) => b.explains.lower - a.explains.lower);
}

/** What causes explain together: at most all. */
function sumOfParts(causes: readonly Judged[]): number {
  return Math.min(
    1,
    causes.reduce((sum, { explains }) => sum + explains.lower, 0),
  );
}

/** How many candidates are named that have less evidence than chance gives. */
const MOST_NOT_SHOWN = 50;

/** Those that may have changed, and a few others: thousands of attribute values have one series each. */
function worthJudging(weighed: readonly Weighed[], least: number): Weighed[] {
  const hasEnough = ({ evidence, shareEvidence }: Weighed): boolean =>
    evidence.upper >= least || shareEvidence >= least;
  const others = weighed.filter((one) => !hasEnough(one));
  const most = others.sort((a, b) => b.evidence.lower - a.evidence.lower).slice(0, MOST_NOT_SHOWN);
  return [...weighed.filter(hasEnough), ...most];
}

function sumOfCounts({ c }: SlotCounts): number {
  return c.reduce((sum, count) => sum + count, 0);
}

/** A candidate, how many values it has, and the evidence that it has changed. */
interface Weighed extends Pick<Judged, 'candidate' | 'evidence' | 'shareEvidence'> {
  readonly own: Readonly<Record<'before' | 'after', number>>;
}

type Parts = Pick<Judged, 'parts' | 'explains' | 'isKindKnown'>;

function meanParts(parts: GroupParts): Parts {
  const { values, share } = parts;
  const explains = { lower: values.lower + share.lower, upper: values.upper + share.upper };
  return { parts, explains, isKindKnown: true };
}

const NOTHING: Bounds = { lower: 0, upper: 0 };

/** The percentile on both sides. */
type SideValues = Readonly<Record<'before' | 'after', Bounds>>;

/** Whether values differ by at least a part of the one before: certainly, possibly or not at all. */
function changeOf({ before, after }: SideValues, minChange: number): 'certain' | 'possible' | 'none' {
  const isApart = after.lower > before.upper || after.upper < before.lower;
  const changes = [after.lower, after.upper].flatMap((now) =>
    [before.lower, before.upper].map((then) => now !== then && Math.abs(now - then) >= minChange * then),
  );
  if (isApart && changes.every(Boolean)) return 'certain';
  return changes.some(Boolean) ? 'possible' : 'none';
}

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

/** The limits, with their defaults. @throws HdrscopeError `ERR_INVALID_OPTION` */
export function checkedLimits(limits: ExplainLimits): Required<ExplainLimits> {
  const { confidence = 0.999, minChange = 0.05, minShare = 0.5 } = limits;
  const isNumber = (value: unknown): value is number => typeof value === 'number';
  if (!(isNumber(confidence) && confidence > 0 && confidence < 1)) {
    throw mustBe('ERR_INVALID_OPTION', 'confidence', 'a number above 0 and below 1', confidence);
  }
  if (!(isNumber(minChange) && minChange >= 0 && minChange < Number.POSITIVE_INFINITY)) {
    throw mustBe('ERR_INVALID_OPTION', 'minChange', 'a finite number of at least 0', minChange);
  }
  if (!(isNumber(minShare) && minShare > 0 && minShare <= 1)) {
    throw mustBe('ERR_INVALID_OPTION', 'minShare', 'a number above 0 and at most 1', minShare);
  }
  return { confidence, minChange, minShare };
}

/** Where the percentile of no values lies. */
const NOWHERE = { lower: undefined, isWide: false } as const;

/** Reads a percentile of pooled counts. Values are in the unit. */
function figuresOf(axis: SlotAxis, { percentile, scale, bits }: ChangeQuestion) {
  const resolution = resolutionOf(scale);
  const counted = (pool: Pooled): ReturnType<typeof countedOfRow> =>
    countedOfRow({ bits, k: axis.slots, c: Array.from(pool) });
  const isEndless = (ticks: number): boolean => axis.isWide && ticks === LAST_TICK;
  const inUnit = (ticks: number): number =>
    isEndless(ticks) ? Number.POSITIVE_INFINITY : fromTicks(resolution, ticks);
  const slot = (pool: Pooled): number => axis.slots[indexOfPercentile(pool, percentile)]!;
  const whereIn = ({ first, last }: PooledEnds): { readonly lower: number; readonly isWide: boolean } => {
    const from = slot(first);
    return { lower: fromTicks(resolution, slotBounds(from, bits).lower), isWide: from !== slot(last) };
  };
  const value = (pool: PooledEnds): Bounds => {
    const { lower, isWide } = whereIn(pool);
    const upper = inUnit(slotBounds(slot(pool.last), bits).upper);
    // Values of one slot are all at its end.
    return { lower: isWide ? lower : upper, upper };
  };
  const measure = (after: Pooled, before: Pooled, confidence: number): PercentileDifference =>
    percentileDifference(counted(after), counted(before), percentile, { confidence });
  return {
    slot,
    value,
    attributeSide: (pool: PooledEnds, count: number): AttributeSide => {
      if (count === 0) return { count, value: undefined, ...NOWHERE };
      return { count, value: value(pool).upper, ...whereIn(pool) };
    },
    side: (pool: PooledEnds, confidence: number): ExplainedSide => {
      const count = totalOf(pool.last);
      if (count === 0) return { count, percentile: undefined, ...NOWHERE };
      const found = percentileInterval(counted(pool.last), percentile, { confidence });
      const least = percentileInterval(counted(pool.first), percentile, { confidence });
      const ends = { lower: fromTicks(resolution, least.lower), upper: inUnit(found.upper) };
      return { count, percentile: { ...found, value: inUnit(found.value), ...ends }, ...whereIn(pool) };
    },
    /** The interval contains the difference wherever values lie in their buckets. */
    difference: ({ before, after }: TwoSides, confidence: number): PercentileDifference => {
      const found = measure(after.last, before.last, confidence);
      const least = axis.isWide ? measure(after.first, before.last, confidence) : found;
      const most = axis.isWide ? measure(after.last, before.first, confidence) : found;
      const isApart = least.lower > 0 || most.upper < 0;
      const significant = found.confidence >= confidence && isApart;
      const hasEnd = (pool: PooledEnds): boolean =>
        !isEndless(percentileInterval(counted(pool.last), percentile, { confidence }).upper);
      return {
        ...found,
        difference: value(after).upper - value(before).upper,
        lower: hasEnd(before) ? fromTicks(resolution, least.lower) : Number.NEGATIVE_INFINITY,
        upper: hasEnd(after) ? fromTicks(resolution, most.upper) : Number.POSITIVE_INFINITY,
        significant,
      };
    },
    /** Whether the difference is significant for some places of the values in their buckets. */
    maySignify: ({ before, after }: TwoSides, confidence: number): boolean =>
      [measure(after.first, before.last, confidence), measure(after.last, before.first, confidence)].some(
        ({ significant }) => significant,
      ),
  };
}

function sidesOf(members: Iterable<number>, axis: SlotAxis): TwoSides {
  const all = [...members];
  return { before: pooled(axis, all, 'before'), after: pooled(axis, all, 'after') };
}
