import type { ReadonlyCounts } from './counts/readonly-counts.ts';
import { RunCounts } from './counts/run.ts';
import { mustBe } from './errors.ts';
import { assertInteger, assertLayout } from './layout/checks.ts';
import type { Layout } from './layout/layout.ts';
import { assertOptions, type OptionsOwner } from './options.ts';

/**
 * Counts over a layout: what every histogram, kernel map, Ceph dump, OTLP point and log entry is. Whatever compares,
 * adds, converts or reads distributions takes this, whoever counted.
 *
 * @example
 * ```ts
 * import { countedIn, explicitLayout, Histogram, type Counted } from '@hdrscope/core';
 *
 * const total = ({ counts }: Counted) => counts.total;
 * const histogram = new Histogram({ highestTrackableValue: 1000 });
 * histogram.record(42);
 * total(histogram); //=> 1
 * total(countedIn(explicitLayout([0.1, 0.5]), [7, 2, 0])); //=> 9
 * ```
 */
export interface Counted<L extends Layout = Layout> {
  /** Says which values share a slot. */
  readonly layout: L;
  /** The count of each slot: as many as the layout has slots. */
  readonly counts: ReadonlyCounts;
  /**
   * Layouts of other slots whose counts were moved here, the last one first: a value may lie anywhere in a slot of theirs that has a
   * value in common with its slot here. Bounds and intervals take this into account. @default none
   */
  readonly placedFrom?: readonly Layout[] | undefined;
  /**
   * The most values that one counted value stands for, where the others were left out at random, as in a sample: an integer of at least 1.
   * So many counted values say as much as one, and intervals and tests take them for one. @default 1
   */
  readonly weight?: number | undefined;
}

/** What is to be known of counts to know how much they say. */
export interface CountedTotal extends Pick<Counted, 'weight'> {
  readonly counts: Pick<ReadonlyCounts, 'total'>;
}

/**
 * How many independent values say no more than the counted ones.
 *
 * The share of values up to a limit is a mean of zeros and ones, each with the weight of its value. Weights of a given sum and a given
 * largest one make it vary most when all are the largest. Then n values have a sum of n weights. So the sum by the largest weight is
 * the number of values that vary at least as much, also where weights depend on values.
 * Source: A. Marshall and F. Proschan, "An inequality for convex functions involving majorization", Journal of Mathematical Analysis and
 * Applications 12 (1965).
 */
export function countIndependent({ counts: { total }, weight = 1 }: CountedTotal): number {
  return Math.min(total, Math.floor(total / weight) || 1);
}

/** Where in a layout an array of counts begins. */
export interface CountedInOptions {
  /**
   * The slot of the first count: an integer from 0 to the number of slots. Slots before it, and those after the last count, have
   * counted nothing. @default 0
   */
  readonly from?: number;
}

/**
 * An array of counts over a layout. The array is kept, not copied: it must not change afterwards.
 *
 * @param counts Integers from 0 to 2^53 − 1: with `from` at most one for each slot from there on, without it one for each slot.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `layout` is not a layout, an option does not exist, or `from` is not a slot;
 *   `ERR_INVALID_COUNT` when there are too many counts or, without `from`, too few, a count is not such an integer, or their sum
 *   passes 2^53 − 1.
 * @example
 * ```ts
 * import { countedIn, linearLayout } from '@hdrscope/core';
 *
 * const { counts } = countedIn(linearLayout({ width: 10, slots: 6 }), [3, 0, 4], { from: 2 });
 * [counts.total, counts.first, counts.last]; //=> [7, 2, 4]
 * ```
 */
export function countedIn<L extends Layout>(
  layout: L,
  counts: ArrayLike<number>,
  options: CountedInOptions = {},
): Counted<L> {
  assertOptions(options, COUNTED_IN);
  const { from } = options;
  assertLayout('layout', layout);
  const { slotCount } = layout;
  if (from !== undefined) assertInteger('from', from, 0, slotCount);
  if (typeof counts?.length !== 'number') throw mustBe('ERR_INVALID_COUNT', 'counts', 'an array', counts);
  const { length } = counts;
  if (from === undefined ? length !== slotCount : from + length > slotCount) {
    const allowed =
      from === undefined
        ? `one for each of the ${slotCount} slots`
        : `at most one for each of the ${slotCount - from} slots from ${from} on`;
    throw mustBe('ERR_INVALID_COUNT', 'counts', allowed, length);
  }
  return { layout, counts: new RunCounts(slotCount, from ?? 0, counts) };
}

const COUNTED_IN: OptionsOwner<CountedInOptions> = {
  name: 'countedIn',
  names: { from: true },
  call: 'countedIn(layout, counts, { from: 2 })',
};
