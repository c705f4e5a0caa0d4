import { type DoubleHistogram, HdrscopeError, Histogram } from '@hdrscope/core';
import type { LogInterval } from '../reader/entry.ts';

/**
 * Largest number of values that a correction may add to a log. It is what 100 000 requests a second leave out during
 * a day without an answer. An expected interval in the wrong unit adds more.
 */
const MOST_ADDED_VALUES = 1e10;

const LARGEST_VALUE = 2n ** 63n - 1n;

/** Corrects coordinated omission in the intervals of one log, and limits the number of added values. */
export class Correction {
  readonly #interval: number;
  #added = 0;

  /** @param interval The expected interval in the raw unit of the log. 0 or less turns the correction off. */
  constructor(interval: number) {
    this.#interval = interval;
  }

  /** Whether the interval is corrected. Integers need an expected interval of at least 1. */
  appliesTo({ isDouble }: LogInterval): boolean {
    return this.#interval >= (isDouble ? Number.MIN_VALUE : 1);
  }

  /**
   * Returns what `correctAgain` returns, and counts the added values.
   *
   * @throws HdrscopeError `ERR_TOO_LARGE` when the correction would add too many values to the log.
   */
  correct(interval: LogInterval): Histogram | DoubleHistogram {
    if (!this.appliesTo(interval)) return interval.histogram({ storage: 'sparse' });
    this.#added += addedValues(interval.histogram(), this.#interval);
    if (this.#added > MOST_ADDED_VALUES) throw this.#refusal(interval.lineNumber);
    return this.correctAgain(interval);
  }

  /** Decodes the histogram of an interval and adds the omitted values, if the correction applies to it. */
  correctAgain(interval: LogInterval): Histogram | DoubleHistogram {
    const histogram = interval.histogram({ storage: 'sparse' });
    if (!this.appliesTo(interval)) return histogram;
    return histogram instanceof Histogram
      ? histogram.copyCorrected(asInteger(this.#interval))
      : histogram.copyCorrected(this.#interval);
  }

  #refusal(line: number): HdrscopeError {
    return new HdrscopeError(
      'ERR_TOO_LARGE',
      `an expected interval of ${this.#interval} would add ${this.#added} values by line ${line}, and at most ` +
        `${MOST_ADDED_VALUES} are added to a log: the interval is in the raw unit of the log's values, such as ` +
        'nanoseconds. Did you mean 1000000 for 1 ms?',
      { details: { line, expectedInterval: this.#interval, addedValues: this.#added } },
    );
  }
}

/** Returns the number of values that a correction adds to a histogram. */
export function addedValues(histogram: Histogram | DoubleHistogram, interval: number): number {
  let added = 0;
  for (const { valueIteratedTo, countAtValueIteratedTo } of histogram.recordedValues()) {
    if (valueIteratedTo > interval) {
      added += countAtValueIteratedTo * (Math.floor(valueIteratedTo / interval) - 1);
    }
  }
  return added;
}

/** Casts a double as Java casts it to a long. */
function asInteger(interval: number): number | bigint {
  const whole = Math.trunc(interval);
  if (Number.isSafeInteger(whole)) return whole;
  return whole < 2 ** 63 ? BigInt(whole) : LARGEST_VALUE;
}
