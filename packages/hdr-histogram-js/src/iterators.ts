import type { IterationStep } from '@hdrscope/core';
import { type EngineHistogram, engineOf } from './engine-histogram.ts';

/** A step of an iteration. */
export class HistogramIterationValue {
  valueIteratedTo = 0;
  valueIteratedFrom = 0;
  countAtValueIteratedTo = 0;
  countAddedInThisIterationStep = 0;
  totalCountToThisValue = 0;
  totalValueToThisValue = 0;
  percentile = 0;
  percentileLevelIteratedTo = 0;

  reset(): void {
    Object.assign(this, new HistogramIterationValue());
  }
}

/** Steps through a histogram that must not change meanwhile. All steps are the same object. */
export abstract class JsHistogramIterator {
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

  /** @throws Error when the histogram has changed. */
  hasNext(): boolean {
    if (this.histogram.totalCount !== this.#total) throw new Error('Concurrent Modification Exception');
    return this.#next !== undefined;
  }

  /** @throws Error after the last step, or when the histogram has changed. */
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

  reset(): void {
    this.begin(engineOf(this.histogram).recordedValues());
  }
}

/** Steps through percentiles, in ticks that become finer towards 100 %. */
export class PercentileIterator extends JsHistogramIterator {
  constructor(histogram: EngineHistogram, percentileTicksPerHalfDistance: number) {
    super(histogram);
    this.reset(percentileTicksPerHalfDistance);
  }

  reset(percentileTicksPerHalfDistance: number): void {
    this.begin(engineOf(this.histogram).percentiles(percentileTicksPerHalfDistance));
  }
}
