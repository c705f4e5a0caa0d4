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
import { countsWith, type Division, divideDifference, type GroupParts } from './counterfactual.ts';
import type {
  AttributeSide,
  ChangeExplanation,
  ChangeKind,
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
  leaveOut,
  type Pooled,
  type PooledEnds,
  poolSides,
  type SlotAxis,
  slotAxis,
  type TwoSides,
  totalOf,
} from './pooled.ts';
import type { Candidate, SeriesChange, SlotCounts } from './series-change.ts';
import { evidenceOf, type SlowValues, slowOf, standardizeTraffic, sumOf } from './slow.ts';
import { type FoundCauses, type Judged, verdicts } from './verdicts.ts';

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
 * series change alike, the verdict is `nothing explains it`. `findValueCauses` looks for attribute values that are a cause together, and for
 * further causes, and `findShareCauses` does so for series that have become more or fewer, which leave no trace among slow values.
 *
 * **How much a cause explains.** Its mean over all orders in which the values of each cause, the share of each cause, and the values of all
 * other series are put back to how they were: see `divideDifference`. Causes must explain `minShare` together, and each a tenth.
 *
 * **Wide buckets.** Values of a bucket may lie anywhere in it. Each figure is computed for the least and the most that it may be, with all
 * values at the begin or at the end of their buckets. Slow values are known exactly where all series have the same bounds, so causes are
 * found as without buckets; what they explain together is the least that is gone when all of them are as they were, and the `explains`
 * of each when it alone is, because a part of the sums of many would have bounds too far apart. Where series have different bounds,
 * one attribute value is the cause, and only if no place of the values makes another one the cause, or none; otherwise the verdict
 * is `undecided`. `explains` and `evidence` are the least that they may be.
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
  const whole = poolSides(axis, series.keys());
  const figures = figuresOf(axis, question);
  const [before, after] = [figures.side(whole.before, confidence), figures.side(whole.after, confidence)];
  const sides = { percentile, before, after };
  if (before.count === 0 || after.count === 0) {
    const { isWide } = axis;
    return { ...sides, isWide, difference: undefined, ...NO_CAUSES, verdict: 'too few values' };
  }
  const difference = figures.difference(whole, confidence);
  const { isWide } = axis;
  const known = { ...sides, isWide, difference };
  if (difference.confidence < confidence) return { ...known, ...NO_CAUSES, verdict: 'too few values' };
  const values = { before: figures.value(whole.before), after: figures.value(whole.after) };
  const change = changeOf(values, minChange);
  if (!difference.significant || change !== 'certain') {
    const mayDiffer = isWide && change !== 'none' && figures.maySignify(whole, confidence);
    return { ...known, ...NO_CAUSES, verdict: mayDiffer ? 'undecided' : 'no difference shown' };
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
  const divide = (weighed: readonly Weighed[]): Division => {
    const groups = weighed.map(({ candidate }) => poolSides(axis, candidate.members));
    return { groups, rest: leaveOut(whole, groups) };
  };
  /** Candidates without a series in common. Where values are in wide buckets, each by itself. */
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
  const index = indexAttributes(series);
  const candidates = listCandidates(index);
  const probability = 1 - confidence;
  const least = leastEvidence(candidates.length, probability);
  /** Causes with what they explain together, without those that explain hardly anything. */
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
  const findAll = (): FoundCauses => {
    const search = { series, index, axis, whole, sizes, probability, percentile, direction };
    const worse = better === 'before' ? 'after' : 'before';
    const slowSides = { from: slow.map((one) => one[better].lower), to: slow.map((one) => one[worse].lower) };
    const inTraffic = (counts: SeriesCounts): SeriesCounts => standardizeTraffic(counts, sizes, direction);
    const bySlow = findValueCauses(inTraffic(slowSides), search, 1 / 2);
    const changed =
      bySlow.length > 0 ? bySlow : findValueCauses(inTraffic(countBeyondOwn(search)), search, 0);
    const withKind = (one: Candidate, kind: ChangeKind): Weighed => ({
      ...weigh(one),
      ...(isWide && { kind }),
    });
    const ofValues = changed.map((one) => withKind(one, 'values'));
    const isWorth = (members: readonly number[]): boolean =>
      judge([weigh({ attributes: [], members })])[0]!.parts.share.upper >= LEAST_PART;
    const ofShare = findShareCauses(search, isWorth).map((one) => withKind(one, 'share'));
    const taken = new Set(changed.flatMap(({ members }) => members));
    const others = ofShare.filter(({ candidate }) => !candidate.members.some((i) => taken.has(i)));
    const [values, share, both] = [
      judgeCauses(ofValues),
      judgeCauses(ofShare),
      judgeCauses([...ofValues, ...others].slice(0, MOST_CAUSES)),
    ];
    const partOf = ({ together }: FoundCauses): number => Math.min(1, together.lower);
    if (Math.max(partOf(values), partOf(share)) < minShare) return both;
    return partOf(share) > partOf(values) ? share : values;
  };
  const found = slow.every(isExact) ? findAll() : undefined;
  const judged = worthJudging(candidates.map(weigh), least, found !== undefined).flatMap((one) =>
    judge([one]),
  );
  return { ...known, ...verdicts(judged, found, slow, { least, minShare, direction }) };
}

const NO_CAUSES = { explains: undefined, causes: [] } as const;

/** The least part of the difference that makes one of several causes. */
const LEAST_PART = 0.1;

function addBounds(a: Bounds, b: Bounds): Bounds {
  return { lower: a.lower + b.lower, upper: a.upper + b.upper };
}

/** Whether no value lies in a bucket around the limit. */
function isExact({ before, after }: SlowValues): boolean {
  return before.lower === before.upper && after.lower === after.upper;
}

/** How many candidates are named that have less evidence than chance gives. */
const MOST_NOT_SHOWN = 50;

/**
 * Those that may have changed, and a few others: thousands of attribute values have one series each.
 *
 * @param isSearched Whether a search has looked for those whose share has changed.
 */
function worthJudging(weighed: readonly Weighed[], least: number, isSearched: boolean): Weighed[] {
  const hasEnough = ({ evidence, shareEvidence }: Weighed): boolean =>
    evidence.upper >= least || (!isSearched && shareEvidence >= least);
  const others = weighed.filter((one) => !hasEnough(one));
  const most = others.sort((a, b) => b.evidence.lower - a.evidence.lower).slice(0, MOST_NOT_SHOWN);
  return [...weighed.filter(hasEnough), ...most];
}

function sumOfCounts({ c }: SlotCounts): number {
  let sum = 0;
  for (let i = 0; i < c.length; i++) sum += c[i]!;
  return sum;
}

/** A candidate, how many values it has, and the evidence that it has changed. */
interface Weighed extends Pick<Judged, 'candidate' | 'evidence' | 'shareEvidence' | 'kind'> {
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
