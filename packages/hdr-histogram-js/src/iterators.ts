import type { IterationStep } from '@hdrscope/core';
import { type EngineHistogram, engineOf } from './engine-histogram.ts';

/** A step of an iteration. */
export class HistogramIterationValue {
  /** The value that the step reaches, in the unit of the values. */
  valueIteratedTo = 0;
  /** The value that the step before reached, in the unit of the values; 0 in the first step. */
  valueIteratedFrom = 0;
  /** How many values share the slot of `valueIteratedTo`. */
  countAtValueIteratedTo = 0;
  /** How many values lie between the step before and this one. */
  countAddedInThisIterationStep = 0;
  /** How many values lie up to `valueIteratedTo`. */
  totalCountToThisValue = 0;
  /** The sum of the values up to `valueIteratedTo`, each as the upper bound of its slot. */
  totalValueToThisValue = 0;
  /** The share of the values up to `valueIteratedTo`, from 0 to 100. */
  percentile = 0;
  /** The percentile that the step aims at, from 0 to 100. */
  percentileLevelIteratedTo = 0;

  /** Sets all fields to 0. */
  reset(): void {
    Object.assign(this, new HistogramIterationValue());
  }
}

/** Steps through a histogram that must not change meanwhile. All steps are the same object. */
export abstract class JsHistogramIterator {
  /** The histogram that the steps are of. */
  protected readonly histogram: EngineHistogram;
  readonly #value = new HistogramIterationValue();
  #total = 0;
  #steps: Iterator<IterationStep> = [][Symbol.iterator]();
  #next: IterationStep | undefined;

  constructor(histogram: EngineHistogram) {
    this.histogram = histogram;
  }

  /**
   * Begins with the first of these steps.
   *
   * @internal
   */
  protected begin(steps: Iterator<IterationStep>): void {
    this.#total = this.histogram.totalCount;
    this.#steps = steps;
    this.#advance();
  }

  /**
   * Whether there is a further step.
   *
   * @throws Error when the histogram has changed.
   */
  hasNext(): boolean {
    if (this.histogram.totalCount !== this.#total) throw new Error('Concurrent Modification Exception');
    return this.#next !== undefined;
  }

  /**
   * Goes one step further. The returned object changes with the next step.
   *
   * @throws Error after the last step, or when the histogram has changed.
   */
  next(): HistogramIterationValue {
    if (!this.hasNext()) throw new Error('Index Out Of Bounds Exception');
    Object.assign(this.#value, this.#next);
    this.#advance();
    return this.#value;
  }

  #advance(): void {
    const { done, value } = this.#steps.next();
    this.#next = done ? undefined : value;
  }
}

/**
 * Steps through every used slot.
 *
 * @example
 * ```ts
 * import { build, type JsHistogram, RecordedValuesIterator } from '@hdrscope/hdr-histogram-js';
 *
 * const histogram = build();
 * histogram.recordValue(7);
 * const iterator = new RecordedValuesIterator(histogram as JsHistogram);
 * iterator.next().valueIteratedTo; //=> 7
 * iterator.hasNext(); //=> false
 * ```
 */
export class RecordedValuesIterator extends JsHistogramIterator {
  constructor(histogram: EngineHistogram) {
    super(histogram);
    this.reset();
  }

  /** Begins again at the lowest used slot. */
  reset(): void {
    this.begin(engineOf(this.histogram).recordedValues());
  }
}

/** Steps through percentiles, in ticks that become finer towards 100 %. */
export class PercentileIterator extends JsHistogramIterator {
  /**
   * @param percentileTicksPerHalfDistance How many steps each half distance to 100 % has: an integer of at least 1.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when it is not.
   */
  constructor(histogram: EngineHistogram, percentileTicksPerHalfDistance: number) {
    super(histogram);
    this.reset(percentileTicksPerHalfDistance);
  }

  /**
   * Begins again at percentile 0, with so many ticks for each half distance to 100 %.
   *
   * @throws HdrscopeError `ERR_INVALID_OPTION` when their number is not an integer of at least 1.
   */
  reset(percentileTicksPerHalfDistance: number): void {
    this.begin(engineOf(this.histogram).percentiles(percentileTicksPerHalfDistance));
  }
}
