import { type DoubleHistogram, Histogram } from '@hdrscope/core';
import { lineError } from '../errors.ts';
import type { LogInterval } from '../reader/entry.ts';
import type { Correction } from './correction.ts';

/** The sum of the intervals of a log, in the layout of the first. */
export class IntervalSum {
  readonly #correction: Correction;
  #total: Histogram | DoubleHistogram | undefined;
  #isDouble = false;

  constructor(correction: Correction) {
    this.#correction = correction;
  }

  /** `undefined` before the first interval. */
  get total(): Histogram | DoubleHistogram | undefined {
    return this.#total;
  }

  /**
   * Adds an interval and returns the added histogram.
   *
   * @throws HdrscopeError `ERR_LOG_FORMAT` when the interval cannot be decoded, or holds doubles among integers or the
   *   other way round; the errors of `Correction.correct`.
   */
  add(interval: LogInterval): Histogram | DoubleHistogram {
    this.#assertSameKind(interval);
    const histogram = this.#correction.correct(interval);
    this.#total ??= emptied(histogram);
    this.#isDouble = interval.isDouble;
    // Both are of one class, as `#assertSameKind` has made sure.
    this.#total.add(histogram as never);
    return histogram;
  }

  /** Adds an interval without returning a histogram, which is several times faster if the correction does not apply. */
  addFast(interval: LogInterval): void {
    if (this.#total === undefined || this.#correction.appliesTo(interval)) {
      this.add(interval);
      return;
    }
    this.#assertSameKind(interval);
    interval.addTo(this.#total);
  }

  #assertSameKind(interval: LogInterval): void {
    if (this.#total === undefined || interval.isDouble === this.#isDouble) return;
    const [is, others] = this.#isDouble ? ['integers', 'doubles'] : ['doubles', 'integers'];
    const message = `a histogram of ${is} cannot be added to the histograms of ${others} above it`;
    throw lineError('ERR_LOG_FORMAT', interval.lineNumber, message, { details: { field: 'histogram' } });
  }
}

function emptied(histogram: Histogram | DoubleHistogram): Histogram | DoubleHistogram {
  const copy = histogram instanceof Histogram ? histogram.copy({ storage: 'dense' }) : histogram.copy();
  copy.reset();
  return copy;
}
