import type { Storage } from '../counts/readonly-counts.ts';
import { HdrscopeError, mustBe } from '../errors.ts';
import { assertOptions, callback, type OptionsOwner } from '../options.ts';
import { DoubleHistogram } from './double-histogram.ts';
import type { DoubleHistogramOptions } from './double-range.ts';
import type { DoubleReading } from './double-reading.ts';

/** Options of a `DoubleRecorder`. */
export interface DoubleRecorderOptions {
  /** Returns the time in milliseconds since 1970. @default Date.now */
  readonly clock?: () => number;
  /** The storage of the intervals, which use few of their slots as a rule. @default 'sparse' */
  readonly storage?: Exclude<Storage, 'shared'>;
}

/** The public members of `DoubleReading`: totals, bounds, percentiles, moments, iterations. */
type Reading = Pick<DoubleReading, keyof DoubleReading>;

/** A `DoubleHistogram` for those who only read it. */
export interface ReadonlyDoubleHistogram extends Reading {
  /** When the first value was counted, in milliseconds since 1970; `undefined` when unknown. */
  readonly startTimeMs: number | undefined;
  /** When the last value was counted, in milliseconds since 1970; `undefined` when unknown. */
  readonly endTimeMs: number | undefined;
  /** The tag of the histogram in interval logs; `undefined` when it has no tag. */
  readonly tag: string | undefined;
  /** See `DoubleHistogram.copy`. */
  copy(): DoubleHistogram;
}

const OWNER: OptionsOwner<DoubleRecorderOptions> = {
  name: 'DoubleRecorder',
  names: { clock: /* @__PURE__ */ callback(), storage: true },
  call: "new DoubleRecorder({ significantDigits: 3 }, { storage: 'dense' })",
};

/**
 * A `Recorder` of floating-point values: a histogram that is read in intervals while it counts. Every value is in exactly one
 * interval, and all intervals together are the histogram.
 *
 * @example
 * ```ts
 * import { DoubleRecorder } from '@hdrscope/core';
 *
 * const recorder = new DoubleRecorder({ significantDigits: 2 });
 * recorder.record(0.25);
 * recorder.record(1e-6, 2);
 * const first = recorder.intervalHistogram();
 * recorder.record(700);
 * const second = recorder.intervalHistogram();
 * [first.totalCount, second.totalCount, recorder.histogram.totalCount]; //=> [3, 1, 4]
 * ```
 */
export class DoubleRecorder {
  readonly #histogram: DoubleHistogram;
  readonly #clock: () => number;
  readonly #storage: Exclude<Storage, 'shared'>;
  /** The values of all intervals so far. */
  readonly #taken: DoubleHistogram;
  #intervalStartMs: number;

  /**
   * @param histogram The histogram to record into, or its options. The first interval has what it has counted already. From
   *   now on it may only count: after counts are taken out of it elsewhere, the next interval is refused.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
   */
  constructor(histogram: DoubleHistogram | DoubleHistogramOptions = {}, options: DoubleRecorderOptions = {}) {
    assertOptions(options, OWNER);
    const { clock = Date.now, storage = 'sparse' } = options;
    if (storage !== 'dense' && storage !== 'sparse') {
      throw mustBe('ERR_INVALID_OPTION', 'storage', "'dense' or 'sparse'", storage);
    }
    this.#histogram = histogram instanceof DoubleHistogram ? histogram : new DoubleHistogram(histogram);
    this.#clock = clock;
    this.#storage = storage;
    const { significantDigits } = this.#histogram;
    this.#taken = new DoubleHistogram({ significantDigits, storage: 'sparse' });
    this.#intervalStartMs = clock();
    this.#histogram.startTimeMs ??= this.#intervalStartMs;
  }

  /** The values since the start, or since `reset`. */
  get histogram(): ReadonlyDoubleHistogram {
    return this.#histogram;
  }

  /**
   * Counts a value: see `DoubleHistogram.record`.
   *
   * @throws HdrscopeError as `DoubleHistogram.record` does.
   */
  record(value: number, count = 1): void {
    this.#histogram.record(value, count);
  }

  /**
   * Counts a value and those that were missed during it: see `DoubleHistogram.recordCorrected`.
   *
   * @throws HdrscopeError as `DoubleHistogram.recordCorrected` does.
   */
  recordCorrected(value: number, expectedInterval: number, count = 1): void {
    this.#histogram.recordCorrected(value, expectedInterval, count);
  }

  /**
   * Counts each of many values: see `DoubleHistogram.recordValues`.
   *
   * @throws HdrscopeError as `DoubleHistogram.recordValues` does.
   */
  recordValues(values: ArrayLike<number>): void {
    this.#histogram.recordValues(values);
  }

  /**
   * The values since the interval before, with the start and end time of the interval and the tag of the histogram.
   *
   * @throws HdrscopeError `ERR_CONCURRENT_MODIFICATION` when counts were taken out of the histogram other than by `reset`.
   */
  intervalHistogram(): DoubleHistogram {
    const interval = this.#histogram.copy({ storage: this.#storage });
    try {
      interval.subtract(this.#taken);
    } catch (cause) {
      throw new HdrscopeError(
        'ERR_CONCURRENT_MODIFICATION',
        'counts were taken out of the histogram of a recorder: only the recorder itself may reset it',
        { cause },
      );
    }
    this.#taken.add(interval);
    const endTimeMs = this.#clock();
    [interval.startTimeMs, interval.endTimeMs] = [this.#intervalStartMs, endTimeMs];
    this.#intervalStartMs = endTimeMs;
    this.#histogram.endTimeMs = endTimeMs;
    return interval;
  }

  /** Forgets all values, those of the current interval too. The tag stays. */
  reset(): void {
    const { tag } = this.#histogram;
    this.#histogram.reset();
    this.#taken.reset();
    this.#intervalStartMs = this.#clock();
    this.#histogram.startTimeMs = this.#intervalStartMs;
    this.#histogram.tag = tag;
  }
}
