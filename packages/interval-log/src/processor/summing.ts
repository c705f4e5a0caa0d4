import { type DoubleHistogram, Histogram } from '@hdrscope/core';
import { type LogInterval, lineError } from '../reader/entry.ts';
import type { Correction } from './correction.ts';

/** The sum of the intervals of a log, of the layout of the first. */
export class Summing {
  readonly #correction: Correction;
  #total: Histogram | DoubleHistogram | undefined;
  #isDouble = false;

  constructor(correction: Correction) {
    this.#correction = correction;
  }

  /** Nothing before the first interval. */
  get total(): Histogram | DoubleHistogram | undefined {
    return this.#total;
  }

  /**
   * Adds an interval, and returns what was added.
   *
   * @throws HdrscopeError `ERR_LOG_FORMAT`, and as `Correction.correct` does.
   */
  add(interval: LogInterval): Histogram | DoubleHistogram {
    this.#assertAlike(interval);
    const histogram = this.#correction.correct(interval);
    this.#total ??= emptied(histogram);
    this.#isDouble = interval.isDouble;
    this.#total.add(histogram as Histogram & DoubleHistogram);
    return histogram;
  }

  /** As `add`, without a histogram in between where there can be none: several times faster. */
  addUnseen(interval: LogInterval): void {
    if (this.#total === undefined || this.#correction.appliesTo(interval)) {
      this.add(interval);
      return;
    }
    this.#assertAlike(interval);
    interval.addTo(this.#total);
  }

  #assertAlike(interval: LogInterval): void {
    if (this.#total === undefined || interval.isDouble === this.#isDouble) return;
    const [is, others] = this.#isDouble ? ['integers', 'doubles'] : ['doubles', 'integers'];
    const message = `a histogram of ${is} cannot be added to the histograms of ${others} above it`;
    throw lineError('ERR_LOG_FORMAT', interval.lineNumber, message);
  }
}

function emptied(histogram: Histogram | DoubleHistogram): Histogram | DoubleHistogram {
  const copy = histogram instanceof Histogram ? histogram.copy({ storage: 'dense' }) : histogram.copy();
  copy.reset();
  return copy;
}
