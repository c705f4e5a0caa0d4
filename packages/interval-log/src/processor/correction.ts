import { type DoubleHistogram, HdrscopeError, Histogram } from '@hdrscope/core';
import type { LogInterval } from '../reader/entry.ts';

/**
 * How many values a correction may add to a log: those that 100 000 requests a second leave out in a day without an
 * answer. More come of an interval in another unit than the values have.
 */
export const MOST_ADDED_VALUES = 1e10;

const LARGEST_VALUE = 2n ** 63n - 1n;

/** Corrects coordinated omission in the intervals of one log, and counts what that adds. */
export class Correction {
  readonly #interval: number;
  #added = 0;

  /** @param interval In the raw unit of the log; 0 or less corrects nothing. */
  constructor(interval: number) {
    this.#interval = interval;
  }

  /** Whether anything is corrected: integers are not by less than 1. */
  appliesTo({ isDouble }: LogInterval): boolean {
    return this.#interval >= (isDouble ? Number.MIN_VALUE : 1);
  }

  /**
   * What `correctAgain` returns, and counts what it adds.
   *
   * @throws HdrscopeError `ERR_TOO_LARGE` when that would add too many values to the log.
   */
  correct(interval: LogInterval): Histogram | DoubleHistogram {
    if (!this.appliesTo(interval)) return interval.histogram({ storage: 'sparse' });
    this.#added += addedValues(interval.histogram(), this.#interval);
    if (this.#added > MOST_ADDED_VALUES) throw this.#refusal(interval.lineNumber);
    return this.correctAgain(interval);
  }

  /** The histogram of an interval with what was left out of it; as it is where nothing is corrected. */
  correctAgain(interval: LogInterval): Histogram | DoubleHistogram {
    const histogram = interval.histogram({ storage: 'sparse' });
    if (!this.appliesTo(interval)) return histogram;
    return histogram instanceof Histogram
      ? histogram.copyCorrected(asInteger(this.#interval))
      : histogram.copyCorrected(this.#interval);
  }

  #refusal(lineNumber: number): HdrscopeError {
    return new HdrscopeError(
      'ERR_TOO_LARGE',
      `an expected interval of ${this.#interval} would add ${this.#added} values by line ${lineNumber}, and at most ` +
        `${MOST_ADDED_VALUES} are added to a log: the interval is in the raw unit of the log's values, such as ` +
        'nanoseconds; did you mean 1000000 for 1 ms?',
    );
  }
}

/** How many values a correction adds to those that are there. */
export function addedValues(histogram: Histogram | DoubleHistogram, interval: number): number {
  let added = 0;
  for (const { valueIteratedTo, countAtValueIteratedTo } of histogram.recordedValues()) {
    if (valueIteratedTo > interval) {
      added += countAtValueIteratedTo * (Math.floor(valueIteratedTo / interval) - 1);
    }
  }
  return added;
}

/** As Java casts a double to a long. */
function asInteger(interval: number): number | bigint {
  const whole = Math.trunc(interval);
  if (Number.isSafeInteger(whole)) return whole;
  return whole < 2 ** 63 ? BigInt(whole) : LARGEST_VALUE;
}
