import { DoubleHistogram, Histogram } from '@hdrscope/core';
import type { LogInterval } from '../reader/entry.ts';

/** The sum of the intervals that ended within so many milliseconds before the end of the latest. */
export class WindowSum {
  readonly #lengthMs: number;
  readonly #decode: (interval: LogInterval) => Histogram | DoubleHistogram;
  readonly #sum: Histogram | DoubleHistogram;
  /** Encoded, which takes a hundredth of the memory: each is decoded once more when it leaves. */
  #intervals: LogInterval[] = [];
  #first = 0;

  constructor(
    lengthMs: number,
    isDouble: boolean,
    decode: (interval: LogInterval) => Histogram | DoubleHistogram,
  ) {
    this.#lengthMs = lengthMs;
    this.#decode = decode;
    // Of three digits and growing, whatever the log has.
    this.#sum = isDouble ? new DoubleHistogram() : new Histogram({ autoResize: true });
  }

  get count(): number {
    return this.#sum.totalCount;
  }

  get max(): number {
    return this.#sum.max;
  }

  valueAtPercentile(percentile: number): number {
    // To Java what is no number is less than any percentile.
    return this.#sum.valueAtPercentile(Number.isNaN(percentile) ? -1 : percentile);
  }

  /** @param histogram What is counted of the interval. */
  add(interval: LogInterval, histogram: Histogram | DoubleHistogram): void {
    this.#sum.add(histogram as Histogram & DoubleHistogram);
    const leavesUpTo = interval.endTimeMs - this.#lengthMs;
    // The latest one stays, however short the window is.
    while (this.#first < this.#intervals.length && this.#intervals[this.#first]!.endTimeMs <= leavesUpTo) {
      this.#sum.subtract(this.#decode(this.#intervals[this.#first++]!) as Histogram & DoubleHistogram);
    }
    if (this.#first > 1000 && this.#first > this.#intervals.length / 2) {
      this.#intervals = this.#intervals.slice(this.#first);
      this.#first = 0;
    }
    this.#intervals.push(interval);
  }
}
