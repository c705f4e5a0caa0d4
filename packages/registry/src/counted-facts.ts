import {
  assertOptions,
  custom,
  type KnownRange,
  listOf,
  number,
  type OptionRule,
  type OptionsOwner,
  optional,
  optionsIn,
  type ThresholdCounts,
} from '@hdrscope/core/internal';
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

/** NaN is an extreme that is not known. */
const extreme: OptionRule<number> = /* @__PURE__ */ custom('a number', (value) => typeof value === 'number');
const exemplar: OptionRule<Exemplar> = /* @__PURE__ */ custom(
  'an exemplar, with a value, timeMs and attributes',
  (one) => {
    const { value, timeMs, attributes } = (one ?? {}) as Partial<Exemplar>;
    return typeof value === 'number' && typeof timeMs === 'number' && typeof attributes === 'object';
  },
);
const tally = /* @__PURE__ */ optional(/* @__PURE__ */ number({ from: 0, to: Number.POSITIVE_INFINITY }));
const numbers: OptionRule<readonly number[]> = /* @__PURE__ */ custom('an array of numbers', Array.isArray);

/** `Series.add` checks the sum itself. */
const FACTS: OptionsOwner<CountedFacts> = {
  name: 'add',
  names: {
    sum: true,
    min: extreme,
    max: extreme,
    within: /* @__PURE__ */ optionsIn<KnownRange>({
      name: 'within',
      rules: { min: /* @__PURE__ */ optional(extreme), max: /* @__PURE__ */ optional(extreme) },
    }),
    rejected: /* @__PURE__ */ optionsIn<Partial<RejectedCounts>>({
      name: 'rejected',
      rules: { notANumber: tally, negative: tally, tooLarge: tally, largest: tally, overflowing: tally },
    }),
    exemplars: /* @__PURE__ */ listOf(exemplar, 'exemplars'),
    atThresholds: /* @__PURE__ */ optionsIn<ThresholdCounts>({
      name: 'atThresholds',
      rules: { thresholds: numbers, counts: numbers },
    }),
    startTimeMs: extreme,
  },
  call: 'series.add(counted, { sum: 1.4 })',
};

/** Refuses wrong facts. Usual ones, of numbers only, take a few nanoseconds, as a read of many series adds many. */
export function assertFacts(facts: CountedFacts): void {
  if (!areUsual(facts)) assertOptions(facts, FACTS);
}

function areUsual(facts: CountedFacts | null): boolean {
  if (typeof facts !== 'object' || facts === null || Array.isArray(facts)) return false;
  const { sum, min, max, within, rejected, exemplars, atThresholds, startTimeMs } = facts;
  if (rejected !== undefined || exemplars !== undefined || atThresholds !== undefined) return false;
  if (!(isKnown(sum) && isKnown(min) && isKnown(max) && isKnown(startTimeMs))) return false;
  if (within !== undefined && !areUsual(within)) return false;
  for (const name in facts) if (!(name in FACTS.names)) return false;
  return true;
}

function isKnown(value: number | undefined): boolean {
  return value === undefined || typeof value === 'number';
}
