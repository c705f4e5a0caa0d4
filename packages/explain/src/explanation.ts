import type { PercentileDifference, PercentileInterval } from '@hdrscope/core';
import type { AttributeValue } from './series-change.ts';
import type { ChangeSlots } from './slots.ts';

/** How sure an explanation must be. */
export interface ExplainLimits {
  /** The probability with which intervals hold, and with which no cause is named by chance: above 0 and below 1. @default 0.999 */
  readonly confidence?: number;
  /** The least change of the percentile that is explained, as a part of it before. At least 0. @default 0.05 */
  readonly minChange?: number;
  /** The least part of the difference that the causes explain together: above 0 and at most 1. @default 0.5 */
  readonly minShare?: number;
}

/** What is asked of the distributions of series in two ranges. */
export interface ChangeQuestion extends ExplainLimits {
  /** From 0 to 100. */
  readonly percentile: number;
  /** What the slots of all series mean. */
  readonly slots: ChangeSlots;
}

/** A percentile of one range of time. */
export interface ExplainedSide {
  /** How many values were counted in the range. */
  readonly count: number;
  /** How many independent values say as much, where values of a sample stand for several. @default all of them */
  readonly asGoodAs?: number;
  /** The percentile, and its interval, in the unit. `undefined` without values. Ends in buckets without an end are `Infinity`. */
  readonly percentile: PercentileInterval | undefined;
  /** The least that the percentile of these values may be, in the unit. `undefined` without values. */
  readonly lower: number | undefined;
  /** Whether the percentile may lie in several slots; otherwise it lies in that of `percentile.value`. */
  readonly isWide: boolean;
}

/** The percentile of some series in one range of time. */
export interface AttributeSide {
  /** How many values these series counted in the range. */
  readonly count: number;
  /** In the unit: the upper bound of a slot. `undefined` without values; `Infinity` in a bucket without an end. */
  readonly value: number | undefined;
  /** The least that it may be, in the unit. `undefined` without values. */
  readonly lower: number | undefined;
  /** Whether it may lie in several slots; otherwise it lies in that of `value`. */
  readonly isWide: boolean;
}

/**
 * `values`: the values of the series are distributed otherwise. `share`: there are relatively more or fewer of them, as in "more of
 * /reports"; so it is for series that have values in only one of the ranges.
 */
export type ChangeKind = 'values' | 'share';

/**
 * - `explains it`: the cause that the data names, or the first one of several.
 * - `explains it as well`: another cause, which holds in the series outside those before too.
 * - `overlaps`: explains the difference only by the values that it shares with the cause.
 * - `part`: has changed beyond doubt, and explains less than is demanded.
 * - `not shown`: has less evidence than chance gives.
 * - `undecided`: values of wide buckets decide which of the others it is.
 */
export type CauseVerdict =
  | 'explains it'
  | 'explains it as well'
  | 'overlaps'
  | 'part'
  | 'not shown'
  | 'undecided';

/** Attribute values, and what their series have to do with the difference. */
export interface ExplainedCause {
  /**
   * One attribute value, or several of which each is needed: their series have all of them. There are several lists of them when they
   * select the same series: the data cannot distinguish them. Series of a cause before are left out.
   */
  readonly attributes: readonly (readonly AttributeValue[])[];
  /** Its series in the earlier range. */
  readonly before: AttributeSide;
  /** Its series in the later range. */
  readonly after: AttributeSide;
  /** How it has changed. */
  readonly kind: ChangeKind;
  /**
   * The part of the difference that comes from these series: 1 is all of it. Below 0 their change has made the difference smaller, so that
   * others explain more than all of it. The parts of all named causes and of all other series add up to 1. Where values are in wide
   * buckets, it is the least part that would not be there, had these series alone stayed as they were.
   */
  readonly explains: number;
  /**
   * What of it comes from how their values are distributed, and what from their share of all values. Where values are in wide buckets,
   * the least part that would not be there, had this alone stayed as it was: they do not add up.
   */
  readonly parts: Readonly<Record<ChangeKind, number>>;
  /**
   * How much its slow values have grown compared with those of all others: G of a test of likelihoods, at least 0, and the least that it
   * may be. A cause of the kind `share` may have 0: fewer fast values leave the slow ones as they are.
   */
  readonly evidence: number;
  /** What it has to do with the difference. */
  readonly verdict: CauseVerdict;
}

/**
 * - `explained`: a cause is named.
 * - `nothing explains it`: the percentile has moved, but no attribute value has enough evidence and explains enough of it.
 * - `no difference shown`: the difference is not significant, or smaller than `minChange`.
 * - `too few values`: for an interval of the demanded confidence.
 * - `undecided`: values of wide buckets decide whether the percentile has moved, or what explains it.
 */
export type ExplanationVerdict =
  | 'explained'
  | 'nothing explains it'
  | 'no difference shown'
  | 'too few values'
  | 'undecided';

/** Why a percentile has moved. */
export interface ChangeExplanation {
  /** The explained percentile, from 0 to 100. */
  readonly percentile: number;
  /** All series in the earlier range. */
  readonly before: ExplainedSide;
  /** All series in the later range. */
  readonly after: ExplainedSide;
  /**
   * After less before, in the unit; `undefined` when one of them has no values. Its `difference` is `NaN` when both percentiles lie in
   * buckets without an end.
   */
  readonly difference: PercentileDifference | undefined;
  /** Whether values may lie in several slots, because they were counted in wider buckets. */
  readonly isWide: boolean;
  /** Whether a cause is named, and otherwise why not. */
  readonly verdict: ExplanationVerdict;
  /**
   * The part of the difference that all named causes explain together, at least `minShare`: 1 is all of it. Where values are in wide buckets, it
   * is the least part, and the parts of the causes do not add up to it. `undefined` without a named cause.
   */
  readonly explains: number | undefined;
  /**
   * The causes first, by what they explain, then others by evidence, of those without enough of it at most 50. Empty when no difference is
   * shown.
   */
  readonly causes: readonly ExplainedCause[];
}
