import { percentileDifference, percentileInterval } from '@hdrscope/core';
import { fromTicks, mustBe, resolutionOf } from '@hdrscope/core/internal';
import { countedOfRow } from '../rows/counted-of-row.ts';
import { slotBounds } from '../rows/slots.ts';
import { growthEvidence, leastEvidence } from './association.ts';
import { type TwoSides, withOldShape, withOldShare } from './counterfactual.ts';
import type {
  AttributeSide,
  ChangeExplanation,
  ChangeQuestion,
  ExplainedSide,
  ExplainLimits,
} from './explanation.ts';
import { indexOfPercentile, type Pooled, pooled, type SlotAxis, slotAxis, totalOf } from './pooled.ts';
import { type Candidate, candidatesOf, type SeriesChange } from './series-change.ts';
import { againstRest, slowOf, sumOf } from './slow.ts';
import { type Judged, verdicts } from './verdicts.ts';

/**
 * Explains why a percentile has moved: ranks attribute values by what the difference has to do with them.
 *
 * **Whether it moved.** `percentileDifference` of the whole must be significant and at least `minChange`; otherwise there is nothing to
 * explain, and no attribute gets a verdict.
 *
 * **How much an attribute value explains.** Had it stayed as it was, the percentile after would have been another one, Q'. With Q for the
 * percentile, it explains
 * ```
 * (Q after - Q') / (Q after - Q before)
 * ```
 * Q' is computed twice: with the values of these series distributed as before (their number stays), and with their share of all values
 * as before (their distribution stays). The larger result says which of the two changed. Source: counterfactual distributions as in
 * J. DiNardo, N. Fortin and T. Lemieux, "Labor market institutions and the distribution of wages", Econometrica 64 (1996); the two
 * parts are those of E. Kitagawa, "Components of a difference between two rates", JASA 50 (1955).
 *
 * **Which one is the cause.** The explained part alone does not show it: when one route is slow and all its requests go through one host,
 * the host explains as much as the route, and a set with all series always explains everything. So candidates that explain `minShare` are
 * ranked by evidence: the growth of slow values among them against that of all others, where slow is above the lower one of the two
 * percentiles. It is largest for the very set of series whose values have changed: see `growthEvidence`. It must exceed what the largest
 * of all candidates reaches by chance: see `leastEvidence`. When all series change alike, no
 * candidate has evidence, and the verdict is `nothing explains it`.
 *
 * Fewer fast values move a percentile too, and leave no trace among slow ones. When no candidate has evidence, those are considered
 * whose share of all values has changed, by how much that explains.
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
  const whole = sidesOf(series, axis);
  const figures = figuresOf(axis, question);
  const [before, after] = [figures.side(whole.before, confidence), figures.side(whole.after, confidence)];
  const sides = { percentile, before, after };
  if (before.count === 0 || after.count === 0) {
    return { ...sides, difference: undefined, verdict: 'too few values', causes: [] };
  }
  const difference = figures.difference(whole, confidence);
  const [valueBefore, valueAfter] = [figures.value(whole.before), figures.value(whole.after)];
  const moved = valueAfter - valueBefore;
  if (difference.confidence < confidence) {
    return { ...sides, difference, verdict: 'too few values', causes: [] };
  }
  if (!difference.significant || moved === 0 || Math.abs(moved) < minChange * valueBefore) {
    return { ...sides, difference, verdict: 'no difference shown', causes: [] };
  }
  const direction = Math.sign(moved);
  const better = direction > 0 ? 'before' : 'after';
  const limit = { slot: figures.slot(whole[better]), better, betterCount: sides[better].count } as const;
  const slow = series.map((one) => slowOf(one, limit));
  const allSlow = sumOf(slow);
  const counts = { before: before.count, after: after.count };
  const explains = (weights: Pooled | undefined): number =>
    weights === undefined || totalOf(weights) === 0 ? 0 : (valueAfter - figures.value(weights)) / moved;
  const judge = (candidate: Candidate): Judged => {
    const part = sidesOf(
      candidate.members.map((i) => series[i]!),
      axis,
    );
    const parts = { values: explains(withOldShape(whole, part)), share: explains(withOldShare(whole, part)) };
    const own = { before: totalOf(part.before), after: totalOf(part.after) };
    const isInBoth = own.before > 0 && own.after > 0;
    const kind = isInBoth && parts.values >= parts.share ? 'values' : 'share';
    const slowInPart = sumOf(candidate.members.map((i) => slow[i]!));
    const sideOf = (pool: Pooled, count: number): AttributeSide => ({
      count,
      value: count === 0 ? undefined : figures.value(pool),
    });
    return {
      candidate,
      before: sideOf(part.before, own.before),
      after: sideOf(part.after, own.after),
      kind,
      explains: parts[kind],
      share: parts.share,
      evidence: Math.max(0, growthEvidence(againstRest(slowInPart, allSlow)) * direction),
      shareEvidence: Math.abs(growthEvidence(againstRest(own, counts))),
    };
  };
  const candidates = candidatesOf(series);
  const least = leastEvidence(candidates.length, 1 - confidence);
  return { ...sides, difference, ...verdicts(candidates.map(judge), slow, { least, minShare, direction }) };
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

/** Reads a percentile of pooled counts. Values are in the unit. */
function figuresOf(axis: SlotAxis, { percentile, scale, bits }: ChangeQuestion) {
  const resolution = resolutionOf(scale);
  const counted = (pool: Pooled): ReturnType<typeof countedOfRow> =>
    countedOfRow({ bits, k: axis.slots, c: Array.from(pool) });
  const inUnit = (ticks: number): number => fromTicks(resolution, ticks);
  const slot = (pool: Pooled): number => axis.slots[indexOfPercentile(pool, percentile)]!;
  return {
    slot,
    value: (pool: Pooled): number => inUnit(slotBounds(slot(pool), bits).upper),
    side: (pool: Pooled, confidence: number): ExplainedSide => {
      const count = totalOf(pool);
      if (count === 0) return { count, percentile: undefined };
      const found = percentileInterval(counted(pool), percentile, { confidence });
      const [value, lower, upper] = [inUnit(found.value), inUnit(found.lower), inUnit(found.upper)];
      return { count, percentile: { ...found, value, lower, upper } };
    },
    difference: ({ before, after }: TwoSides, confidence: number) => {
      const found = percentileDifference(counted(after), counted(before), percentile, { confidence });
      const [lower, upper] = [inUnit(found.lower), inUnit(found.upper)];
      return { ...found, difference: inUnit(found.difference), lower, upper };
    },
  };
}

function sidesOf(series: readonly SeriesChange[], axis: SlotAxis): TwoSides {
  return {
    before: pooled(
      series.map(({ before }) => before),
      axis,
    ),
    after: pooled(
      series.map(({ after }) => after),
      axis,
    ),
  };
}
