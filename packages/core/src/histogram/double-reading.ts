import type { ReadonlyCounts } from '../counts/readonly-counts.ts';
import { nextDown } from '../double.ts';
import { mustBe } from '../errors.ts';
import type { DoubleLayout } from './double-layout.ts';
import { Inspectable, inspectionOf } from './inspection.ts';
import type { IterationStep, Steps } from './iteration.ts';
import type { ReadingOf } from './reading.ts';

/** Reads counts of doubles: results for the integers, times the ratio. */
export abstract class DoubleReading extends Inspectable {
  /** Says which values share a slot. Moving the range replaces it. */
  abstract readonly layout: DoubleLayout;
  /** The reading of the integers that stand for the values. */
  protected abstract readonly integers: ReadingOf<number>;
  /** The value of the integer 1: a power of two. */
  abstract readonly integerToDoubleValueConversionRatio: number;

  /** The count of every slot. */
  get counts(): ReadonlyCounts {
    return this.integers.counts;
  }

  /** How many values were counted: exact, at most 2^53 − 1. */
  get totalCount(): number {
    return this.counts.total;
  }

  /** The lower bound of the lowest used slot; 0 when empty. */
  get min(): number {
    return this.#scaled(this.integers.min);
  }

  /** The largest value of the highest used slot, equal to `valueAtPercentile(100)`; 0 when empty. */
  get max(): number {
    return this.#scaled(this.integers.max);
  }

  /** The lower bound of the lowest used slot above slot 0; 0 when no such slot is used. */
  get minNonZero(): number {
    return this.#scaled(this.integers.minNonZero);
  }

  /** The mean of the slots' middles; 0 when empty. */
  get mean(): number {
    return this.#scaled(this.integers.mean);
  }

  /** The standard deviation (of a population) of the slots' middles; 0 when empty. */
  get standardDeviation(): number {
    return this.#scaled(this.integers.standardDeviation);
  }

  /**
   * A value such that `percentile` percent of all values are at most as large: the upper end of its slot, in steps of the
   * conversion ratio, or, for percentile 0, the lower bound; 0 when empty.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the percentile is not a number.
   */
  valueAtPercentile(percentile: number): number {
    return this.#scaled(this.integers.valueAtPercentile(percentile));
  }

  /**
   * `valueAtPercentile` for several percentiles, in their order, in one pass over the counts.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when `percentiles` is not an array of numbers.
   */
  valuesAtPercentiles(percentiles: readonly number[]): number[] {
    return this.integers.valuesAtPercentiles(percentiles).map((integer) => this.#scaled(integer));
  }

  /** The percentage of the values that are at most `value` or share its slot; 100 when empty. */
  percentileAtOrBelow(value: number): number {
    return this.integers.percentileAtOrBelow(this.#integerOf(value));
  }

  /** How many values share the slot of `value`. */
  countAt(value: number): number {
    return this.integers.countAt(this.#integerOf(value));
  }

  /** How many values lie in the slots from that of `low` to that of `high`, both included. */
  countBetween(low: number, high: number): number {
    return this.integers.countBetween(this.#integerOf(low), this.#integerOf(high));
  }

  /** Steps through every used slot. */
  recordedValues(): Steps<number> {
    return this.#steps(this.integers.recordedValues());
  }

  /** Steps through every slot, used or not. */
  allValues(): Steps<number> {
    return this.#steps(this.integers.allValues());
  }

  /**
   * Steps through the distribution, in smaller and smaller steps towards its tail.
   *
   * @param ticksPerHalfDistance Steps before the distance to 100 % is halved: an integer of at least 1.
   */
  percentiles(ticksPerHalfDistance = 5): Steps<number> {
    return this.#steps(this.integers.percentiles(ticksPerHalfDistance));
  }

  /**
   * Steps of equal width, empty ones included. The width is cut to a multiple of the conversion ratio, and each step ends one
   * ratio before a multiple of the width.
   *
   * @param width At least the conversion ratio, and at most 2^53 − 1 times that.
   */
  linearValues(width: number): Steps<number> {
    return this.#steps(this.integers.linearValues(this.#unitsOf('width', width)));
  }

  /**
   * Steps of growing width, empty ones included; `first` is cut to a multiple of the conversion ratio.
   *
   * @param first At least the conversion ratio, and at most 2^53 − 1 times that.
   * @param base Above 1.
   */
  logarithmicValues(first: number, base: number): Steps<number> {
    return this.#steps(this.integers.logarithmicValues(this.#unitsOf('first', first), base));
  }

  /** The smallest value that shares the slot of `value`. */
  lowestEquivalentValue(value: number): number {
    return this.#scaled(this.integers.lowestEquivalentValue(this.#slotted(value)));
  }

  /** The largest double that shares the slot of `value`. */
  highestEquivalentValue(value: number): number {
    return nextDown(this.nextNonEquivalentValue(value));
  }

  /** The value that stands for the slot of `value`: its middle, cut to a multiple of the conversion ratio. */
  medianEquivalentValue(value: number): number {
    return this.#scaled(this.integers.medianEquivalentValue(this.#slotted(value)));
  }

  /** The smallest value above the slot of `value`. */
  nextNonEquivalentValue(value: number): number {
    return this.#scaled(this.integers.nextNonEquivalentValue(this.#slotted(value)));
  }

  /** How wide the slot of `value` is. */
  sizeOfEquivalentValueRange(value: number): number {
    return this.#scaled(this.integers.sizeOfEquivalentValueRange(this.#slotted(value)));
  }

  /** Whether two values share a slot. */
  valuesAreEquivalent(a: number, b: number): boolean {
    return this.integers.valuesAreEquivalent(this.#slotted(a), this.#slotted(b));
  }

  protected inspection(): string {
    return inspectionOf(this, (percentile) => this.valueAtPercentile(percentile));
  }

  #scaled(integer: number): number {
    return integer * this.integerToDoubleValueConversionRatio;
  }

  #integerOf(value: number): number {
    if (typeof value !== 'number' || !(value >= 0)) {
      throw mustBe('ERR_INVALID_VALUE', 'value', 'a number of at least 0', value);
    }
    return value / this.integerToDoubleValueConversionRatio;
  }

  /** The integer of a value that has a slot, or would have one in a wider range. */
  #slotted(value: number): number {
    const integer = this.#integerOf(value);
    if (integer < 2 ** 63) return integer;
    throw mustBe('ERR_VALUE_OUT_OF_RANGE', 'value', `below ${this.#scaled(2 ** 63)}`, value);
  }

  #unitsOf(what: string, width: number): number {
    const ratio = this.integerToDoubleValueConversionRatio;
    const units = typeof width === 'number' ? Math.floor(width / ratio) : Number.NaN;
    if (units >= 1 && units <= Number.MAX_SAFE_INTEGER) return units;
    const allowed = `a number from ${ratio} to ${this.#scaled(Number.MAX_SAFE_INTEGER)}`;
    throw mustBe('ERR_INVALID_OPTION', what, allowed, width);
  }

  /** Steps in doubles. A range that moves ends the iteration with an error, so the ratio stays. */
  *#scaledSteps(steps: Steps<number>, ratio: number): Steps<number> {
    for (const step of steps) yield scaledStep(step, ratio);
  }

  #steps(steps: Steps<number>): Steps<number> {
    return this.#scaledSteps(steps, this.integerToDoubleValueConversionRatio);
  }
}

function scaledStep(step: IterationStep, ratio: number): IterationStep {
  return {
    ...step,
    valueIteratedTo: step.valueIteratedTo * ratio,
    valueIteratedFrom: step.valueIteratedFrom * ratio,
    totalValueToThisValue: step.totalValueToThisValue * ratio,
  };
}
