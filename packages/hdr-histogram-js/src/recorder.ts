import { mustBe } from '@hdrscope/core/internal';
import { build } from './build.ts';
import type { BuildRequest } from './build-request.ts';
import type { Histogram } from './histogram.ts';

/**
 * Records values, and gives what was recorded since the last time.
 *
 * @example
 * ```ts
 * import { Recorder } from '@hdrscope/hdr-histogram-js';
 *
 * const recorder = new Recorder();
 * recorder.recordValue(123);
 * recorder.getIntervalHistogram().totalCount; //=> 1
 * recorder.getIntervalHistogram().totalCount; //=> 0
 * ```
 */
export class Recorder {
  readonly #request: BuildRequest;
  readonly #clock: () => number;
  /** The histograms that this recorder has made and has not got back. */
  readonly #given = new WeakSet<Histogram>();
  #active: Histogram;
  #inactive: Histogram | undefined;

  /**
   * @param histogramBuildRequest The options of its histograms; the defaults of `build` when left out.
   * @param clock Milliseconds since 1970. `Date.now` when left out.
   * @throws HdrscopeError `ERR_INVALID_OPTION` as `build` does.
   */
  constructor(histogramBuildRequest: BuildRequest = {}, clock: () => number = () => Date.now()) {
    this.#request = histogramBuildRequest;
    this.#clock = clock;
    this.#active = build(histogramBuildRequest);
    this.#active.startTimeStampMsec = clock();
  }

  /** Counts a value once, until the next interval histogram is taken. */
  recordValue(value: number): void {
    this.#active.recordValue(value);
  }

  /** Counts a value `count` times. */
  recordValueWithCount(value: number, count: number): void {
    this.#active.recordValueWithCount(value, count);
  }

  /** Counts a value and, where it is above the interval, the values that were missed meanwhile (coordinated omission). */
  recordValueWithExpectedInterval(value: number, expectedIntervalBetweenValueSamples: number): void {
    this.#active.recordValueWithExpectedInterval(value, expectedIntervalBetweenValueSamples);
  }

  /**
   * What was recorded since the last call.
   *
   * @param histogramToRecycle A histogram that this method has returned. Its values are forgotten.
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when the histogram is another one, or was recycled already.
   */
  getIntervalHistogram(histogramToRecycle?: Histogram): Histogram {
    if (histogramToRecycle && !this.#given.delete(histogramToRecycle)) {
      throw mustBe(
        'ERR_INCOMPATIBLE',
        'replacement histogram',
        'one that getIntervalHistogram() of this recorder has returned',
        histogramToRecycle,
      );
    }
    const interval = this.#swap(histogramToRecycle ?? this.#inactive ?? build(this.#request));
    this.#inactive = undefined;
    this.#given.add(interval);
    return interval;
  }

  /** Adds what was recorded since the last call to a histogram, and sets its times. */
  getIntervalHistogramInto(targetHistogram: Histogram): void {
    const interval = this.#swap(this.#inactive ?? build(this.#request));
    this.#inactive = interval;
    targetHistogram.add(interval);
    targetHistogram.startTimeStampMsec = interval.startTimeStampMsec;
    targetHistogram.endTimeStampMsec = interval.endTimeStampMsec;
  }

  /** Forgets what was recorded since the last call. */
  reset(): void {
    this.#active.reset();
    this.#active.startTimeStampMsec = this.#clock();
  }

  /** Destroys the histograms that it holds. */
  destroy(): void {
    this.#active.destroy();
    this.#inactive?.destroy();
  }

  /** Goes on with another histogram, and returns the one that was used. */
  #swap(next: Histogram): Histogram {
    const nowMs = this.#clock();
    const used = this.#active;
    next.reset();
    next.startTimeStampMsec = nowMs;
    used.endTimeStampMsec = nowMs;
    this.#active = next;
    return used;
  }
}
