import { mustBe } from '@hdrscope/core/internal';
import { leastEvidence } from './association.ts';
import { indexAttributes, listCandidates } from './attribute-index.ts';
import type { ChangeExplanation, ChangeKind, ChangeQuestion, ExplainLimits } from './explanation.ts';
import { readFigures } from './figures.ts';
import {
  countBeyondOwn,
  findShareCauses,
  findValueCauses,
  MOST_CAUSES,
  type SeriesCounts,
} from './find-causes.ts';
import { createJudge, LEAST_PART, type SideValues, type Weighed } from './judge.ts';
import { poolSides, slotAxis } from './pooled.ts';
import type { Candidate, SeriesChange, SlotCounts } from './series-change.ts';
import { countSlow, type SlowValues, standardizeTraffic } from './slow.ts';
import { finish, type Steps } from './steps.ts';
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
 * **Samples.** Where values stand for several, intervals are those of as many fewer values as the largest `weight` of the series says. For the
 * evidence, all counts are divided by it, or by up to twice as much.
 *
 * @param series Each attribute combination once.
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the percentile is outside its range; `ERR_INVALID_OPTION` when a limit is.
 */
export function explainChange(series: readonly SeriesChange[], question: ChangeQuestion): ChangeExplanation {
  return finish(explainInSteps(series, question));
}

/** Explains as `explainChange`, in steps of a few milliseconds for 5,000 series. */
export function* explainInSteps(
  given: readonly SeriesChange[],
  question: ChangeQuestion,
): Steps<ChangeExplanation> {
  const { confidence, minChange, minShare } = checkedLimits(question);
  const { percentile } = question;
  const weight = given.reduce((most, one) => Math.max(most, one.weight ?? 1), 1);
  // A power of two: sums and differences of counts stay exact.
  const divisor = 2 ** Math.ceil(Math.log2(weight));
  const series = divisor === 1 ? given : given.map((one) => divideCounts(one, divisor));
  const axis = slotAxis(series);
  yield;
  const whole = poolSides(axis, series.keys());
  yield;
  const figures = readFigures(axis, question, { weight, divisor });
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
  const counts = { before: before.count / divisor, after: after.count / divisor };
  const limit = { slot: figures.slot(whole[better].last), counts };
  yield;
  const slow = series.map((one) => countSlow(one, limit));
  yield;
  const sizes = {
    before: Float64Array.from(series, (one) => sumOfCounts(one.before)),
    after: Float64Array.from(series, (one) => sumOfCounts(one.after)),
  };
  const { weigh, judge, judgeCauses } = createJudge({ axis, whole, figures, values, slow, sizes, direction });
  const index = indexAttributes(series);
  yield;
  const candidates = listCandidates(index);
  const probability = 1 - confidence;
  const least = leastEvidence(candidates.length, probability);
  const findAll = function* (): Steps<FoundCauses> {
    const search = { series, index, axis, whole, sizes, probability, percentile, direction };
    const worse = better === 'before' ? 'after' : 'before';
    const slowSides = { from: slow.map((one) => one[better].lower), to: slow.map((one) => one[worse].lower) };
    const inTraffic = (counts: SeriesCounts): SeriesCounts => standardizeTraffic(counts, sizes, direction);
    const bySlow = yield* findValueCauses(inTraffic(slowSides), search, 1 / 2);
    const changed =
      bySlow.length > 0 ? bySlow : yield* findValueCauses(inTraffic(countBeyondOwn(search)), search, 0);
    const withKind = (one: Candidate, kind: ChangeKind): Weighed => ({
      ...weigh(one),
      ...(isWide && { kind }),
    });
    const ofValues = changed.map((one) => withKind(one, 'values'));
    const isWorth = (members: readonly number[]): boolean =>
      judge([weigh({ attributes: [], members })])[0]!.parts.share.upper >= LEAST_PART;
    const ofShare = (yield* findShareCauses(search, isWorth)).map((one) => withKind(one, 'share'));
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
  const found = slow.every(isExact) ? yield* findAll() : undefined;
  yield;
  const judged: Judged[] = [];
  for (const one of worthJudging(candidates.map(weigh), least, found !== undefined)) {
    yield;
    judged.push(judge([one])[0]!);
  }
  return { ...known, ...verdicts(judged, found, slow, { least, minShare, direction }) };
}

function divideCounts(series: SeriesChange, divisor: number): SeriesChange {
  const divide = (side: SlotCounts): SlotCounts => ({ ...side, c: side.c.map((count) => count / divisor) });
  return { ...series, before: divide(series.before), after: divide(series.after) };
}

const NO_CAUSES = { explains: undefined, causes: [] } as const;

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

/** Whether values differ by at least a part of the one before: certainly, possibly or not at all. */
function changeOf({ before, after }: SideValues, minChange: number): 'certain' | 'possible' | 'none' {
  const isApart = after.lower > before.upper || after.upper < before.lower;
  const changes = [after.lower, after.upper].flatMap((now) =>
    [before.lower, before.upper].map((then) => now !== then && Math.abs(now - then) >= minChange * then),
  );
  if (isApart && changes.every(Boolean)) return 'certain';
  return changes.some(Boolean) ? 'possible' : 'none';
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
