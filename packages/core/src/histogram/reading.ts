import type { Counted } from '../counted.ts';
import type { ReadonlyCounts } from '../counts/readonly-counts.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import { Inspectable, inspectionOf } from './inspection.ts';
import {
  allSteps,
  linearSteps,
  logarithmicSteps,
  percentileSteps,
  recordedSteps,
  type Steps,
} from './iteration.ts';
import { countOfSlots, valueAtPercentile, valuesAtPercentiles } from './percentiles.ts';
import { plus, type SlotValues } from './slot-values.ts';
import { computeMean, standardDeviationOf } from './statistics.ts';
import { countedSlotOf, slotOfValue } from './values.ts';

/**
 * Reads counts over an HDR layout, in numbers or in bigints, which are exact above 2^53 − 1 too.
 *
 * As in HdrHistogram, every result is a bound or the middle of a slot: it differs from the recorded value by no more than the
 * significant digits allow.
 */
export abstract class HdrReading<V extends number | bigint = number>
  extends Inspectable
  implements Counted<HdrLayout>
{
  /** Says which values share a slot. Widening the range replaces it. */
  abstract readonly layout: HdrLayout;
  /** The count of every slot. */
  abstract readonly counts: ReadonlyCounts;
  /** Converts slots and bounds to the type of the results: numbers or bigints. */
  protected abstract readonly values: SlotValues<V>;

  /** How many values were counted: exact, at most 2^53 − 1. */
  get totalCount(): number {
    return this.counts.total;
  }

  /** The lower bound of the lowest used slot; 0 when empty. */
  get min(): V {
    const { counts } = this;
    return counts.total === 0 ? this.values.of(0) : this.values.lower(this.layout, counts.first);
  }

  /** The upper bound of the highest used slot, so at least the largest value; 0 when empty. */
  get max(): V {
    const { counts } = this;
    return counts.total === 0 ? this.values.of(0) : this.values.upper(this.layout, counts.last);
  }

  /** The lower bound of the lowest used slot above slot 0; 0 when no such slot is used. */
  get minNonZero(): V {
    const { counts } = this;
    const slot = counts.next(1);
    return slot < counts.length ? this.values.lower(this.layout, slot) : this.values.of(0);
  }

  /** The mean of the slots' middles; 0 when empty. */
  get mean(): number {
    return computeMean(this);
  }

  /** The standard deviation (of a population) of the slots' middles; 0 when empty. */
  get standardDeviation(): number {
    return standardDeviationOf(this);
  }

  /**
   * A value such that `percentile` percent of all values are at most as large: the upper bound of its slot, or, for
   * percentile 0, the lower bound; 0 when empty. A percentile below 0 is read as the smallest one above 0, and one above 100
   * as 100.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the percentile is not a number.
   */
  valueAtPercentile(percentile: number): V {
    return valueAtPercentile(this, this.values, percentile);
  }

  /**
   * `valueAtPercentile` for several percentiles, in their order, in one pass over the counts.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when `percentiles` is not an array of numbers.
   */
  valuesAtPercentiles(percentiles: readonly number[]): V[] {
    return valuesAtPercentiles(this, this.values, percentiles);
  }

  /**
   * The percentage of the values that are at most `value` or share its slot; 100 when empty.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is negative or not a number.
   */
  percentileAtOrBelow(value: number | bigint): number {
    const { layout, counts } = this;
    const slot = countedSlotOf(layout, value);
    return counts.total === 0 ? 100 : (100 * countOfSlots(counts, 0, slot)) / counts.total;
  }

  /**
   * How many values share the slot of `value`.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is negative or not a number.
   */
  countAt(value: number | bigint): number {
    const slot = countedSlotOf(this.layout, value);
    return countOfSlots(this.counts, slot, slot);
  }

  /**
   * How many values lie in the slots from that of `low` to that of `high`, both included.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when one of them is negative or not a number.
   */
  countBetween(low: number | bigint, high: number | bigint): number {
    const { layout } = this;
    return countOfSlots(this.counts, countedSlotOf(layout, low), countedSlotOf(layout, high));
  }

  /**
   * Steps through every used slot.
   *
   * @throws HdrscopeError `ERR_CONCURRENT_MODIFICATION` at a step, when the counts have changed since.
   */
  recordedValues(): Steps<V> {
    return recordedSteps(seen(this), this.values);
  }

  /**
   * Steps through every slot, used or not.
   *
   * @throws HdrscopeError `ERR_CONCURRENT_MODIFICATION` at a step, when the counts have changed since.
   */
  allValues(): Steps<V> {
    return allSteps(seen(this), this.values);
  }

  /**
   * Steps through the distribution, in smaller and smaller steps towards its tail.
   *
   * @param ticksPerHalfDistance Steps before the distance to 100 % is halved: an integer of at least 1.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when the number is out of range; `ERR_CONCURRENT_MODIFICATION` at a step, when the
   *   counts have changed since.
   */
  percentiles(ticksPerHalfDistance = 5): Steps<V> {
    return percentileSteps(seen(this), this.values, ticksPerHalfDistance);
  }

  /**
   * Steps of equal width: up to `width - 1`, `2 * width - 1` and so on, empty ones included.
   *
   * @param width An integer of at least 1.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when the width is out of range; `ERR_CONCURRENT_MODIFICATION` at a step, when the
   *   counts have changed since.
   */
  linearValues(width: number | bigint): Steps<V> {
    return linearSteps(seen(this), this.values, width);
  }

  /**
   * Steps of growing width: up to `first - 1`, `first * base - 1`, `first * base ** 2 - 1` and so on, empty ones included.
   *
   * @param first An integer of at least 1.
   * @param base Above 1; below 2 the first steps may repeat a value.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when a number is out of range; `ERR_CONCURRENT_MODIFICATION` at a step, when the
   *   counts have changed since.
   */
  logarithmicValues(first: number | bigint, base: number): Steps<V> {
    return logarithmicSteps(seen(this), this.values, first, base);
  }

  /**
   * The smallest value that shares the slot of `value`.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is negative or not a number, `ERR_VALUE_OUT_OF_RANGE` when it is above
   *   2^63 − 1.
   */
  lowestEquivalentValue(value: number | bigint): V {
    return this.values.lower(this.layout, slotOfValue(this.layout, value));
  }

  /**
   * The largest value that shares the slot of `value`.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is negative or not a number, `ERR_VALUE_OUT_OF_RANGE` when it is above
   *   2^63 − 1.
   */
  highestEquivalentValue(value: number | bigint): V {
    return this.values.upper(this.layout, slotOfValue(this.layout, value));
  }

  /**
   * The value that stands for the slot of `value`: the upper of its two middle ones.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is negative or not a number, `ERR_VALUE_OUT_OF_RANGE` when it is above
   *   2^63 − 1.
   */
  medianEquivalentValue(value: number | bigint): V {
    return this.values.midpoint(this.layout, slotOfValue(this.layout, value));
  }

  /**
   * The smallest value above the slot of `value`.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is negative or not a number, `ERR_VALUE_OUT_OF_RANGE` when it is above
   *   2^63 − 1.
   */
  nextNonEquivalentValue(value: number | bigint): V {
    const slot = slotOfValue(this.layout, value);
    return plus(this.values.lower(this.layout, slot), this.values.size(this.layout, slot));
  }

  /**
   * The width of the slot of `value`: how many integers share it.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is negative or not a number, `ERR_VALUE_OUT_OF_RANGE` when it is above
   *   2^63 − 1.
   */
  sizeOfEquivalentValueRange(value: number | bigint): V {
    return this.values.size(this.layout, slotOfValue(this.layout, value));
  }

  /**
   * Whether two values share a slot.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when a value is negative or not a number, `ERR_VALUE_OUT_OF_RANGE` when one is above
   *   2^63 − 1.
   */
  valuesAreEquivalent(a: number | bigint, b: number | bigint): boolean {
    return slotOfValue(this.layout, a) === slotOfValue(this.layout, b);
  }

  /** One line: the total count, the minimum, a few percentiles and the maximum. `formatPercentiles` makes the whole distribution. */
  override toString(): string {
    return this.inspection();
  }

  /** The line that `console.log` shows: count, bounds and some percentiles. */
  protected inspection(): string {
    return inspectionOf(this, (percentile) => this.valueAtPercentile(percentile));
  }
}

/** The reading of any counts over an HDR layout, in numbers or bigints. The counts may change while it exists. */
export class ReadingOf<V extends number | bigint> extends HdrReading<V> {
  protected readonly values: SlotValues<V>;
  readonly #source: Counted<HdrLayout>;

  constructor(source: Counted<HdrLayout>, values: SlotValues<V>) {
    super();
    this.#source = source;
    this.values = values;
  }

  get layout(): HdrLayout {
    return this.#source.layout;
  }

  get counts(): ReadonlyCounts {
    return this.#source.counts;
  }
}

/** Layout and counts of one moment, for an iteration, which takes longer than a call. */
function seen({ layout, counts }: Counted<HdrLayout>): Counted<HdrLayout> {
  return { layout, counts };
}
