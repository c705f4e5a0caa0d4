import type { KnownRange, ThresholdCounts } from '@hdrscope/core/internal';
import type { Exemplar } from './exemplars.ts';
import type { RejectedCounts } from './rejected.ts';

/**
 * The facts that are known of counts besides their slots. Values are in the family's unit. Extremes that contradict each other or
 * the slots are not used.
 */
export interface CountedFacts {
  /** The sum of the values: finite and at least 0. @default the sum of the values that stand for the slots */
  readonly sum?: number | undefined;
  /** The smallest value: at least 0. @default the value that stands for the lowest used slot */
  readonly min?: number | undefined;
  /** The largest value: at least 0. @default the value that stands for the highest used slot */
  readonly max?: number | undefined;
  /** A range that holds all values. Slots that reach beyond it are narrowed to it. @default not known */
  readonly within?: KnownRange | undefined;
  /** Values that could not be counted where the counts were made. @default no values */
  readonly rejected?: Partial<RejectedCounts> | undefined;
  /** Values that stand for others, with their times and attributes. @default no exemplars */
  readonly exemplars?: readonly Exemplar[] | undefined;
  /**
   * How the counts divide at thresholds: the `thresholds` of another family, and the `atThresholds` of its series. Only counts
   * over the slots of this family's own layout have a use for it. They are exact at the thresholds that both families have.
   * @default not known, each slot counts as its middle
   */
  readonly atThresholds?: ThresholdCounts | undefined;
  /**
   * When the counting began, in milliseconds since 1970. An earlier time than the start of the series becomes its
   * start, unless a snapshot has shown the start already.
   * @default the start of the series
   */
  readonly startTimeMs?: number | undefined;
}

/** How many of the added values a series has counted. */
export interface AddedCounts {
  /** Values that were counted. */
  readonly count: number;
  /**
   * Counted values of slots that are open on a side: they count at the bound of the slot, and may lie far beyond it.
   */
  readonly open: number;
}
