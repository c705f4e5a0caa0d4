import { DoubleHistogram, Histogram } from '@hdrscope/core';
import type { LogInterval } from '../reader/entry.ts';
import type { Correction } from './correction.ts';

/** The sum of a moving window: the intervals that ended less than `lengthMs` before the end of the latest. */
export class WindowSum {
  readonly #lengthMs: number;
  readonly #correction: Correction;
  readonly #sum: Histogram | DoubleHistogram;
  /** Reused for an interval that leaves, in the layout of the sum. */
  readonly #leaving: Histogram = new Histogram({ autoResize: true, storage: 'sparse' });
  /** Encoded intervals take a hundredth of the memory. Each is decoded again when it leaves. */
  #intervals: LogInterval[] = [];
  #first = 0;

  constructor(lengthMs: number, isDouble: boolean, correction: Correction) {
    this.#lengthMs = lengthMs;
    this.#correction = correction;
    // As in Java, three significant digits for every log.
    this.#sum = isDouble ? new DoubleHistogram() : new Histogram({ autoResize: true });
  }

  get count(): number {
    return this.#sum.totalCount;
  }

  get max(): number {
    return this.#sum.max;
  }

  valueAtPercentile(percentile: number): number {
    // Java takes NaN for less than any percentile.
    return this.#sum.valueAtPercentile(Number.isNaN(percentile) ? -1 : percentile);
  }

  add(interval: LogInterval): void {
    this.#add(interval, this.#sum);
    const leavesUpTo = interval.endTimeMs - this.#lengthMs;
    // The latest interval stays even in a window of length 0.
    while (this.#first < this.#intervals.length && this.#intervals[this.#first]!.endTimeMs <= leavesUpTo) {
      this.#subtract(this.#intervals[this.#first++]!);
    }
    if (this.#first > 1000 && this.#first > this.#intervals.length / 2) {
      this.#intervals = this.#intervals.slice(this.#first);
      this.#first = 0;
    }
    this.#intervals.push(interval);
  }

  #add(interval: LogInterval, target: Histogram | DoubleHistogram): void {
    if (!this.#correction.appliesTo(interval)) interval.addTo(target);
    // All intervals of a log are of one class.
    else target.add(this.#correction.correctAgain(interval) as never);
  }

  #subtract(interval: LogInterval): void {
    if (this.#sum instanceof DoubleHistogram) {
      this.#sum.subtract(this.#correction.correctAgain(interval) as DoubleHistogram);
      return;
    }
    this.#leaving.reset();
    this.#add(interval, this.#leaving);
    this.#sum.subtract(this.#leaving);
  }
}
