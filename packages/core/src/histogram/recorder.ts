import type { Counted } from '../counted.ts';
import type { ReadonlyCounts, Storage } from '../counts/readonly-counts.ts';
import { SparseCounts } from '../counts/sparse.ts';
import { HdrscopeError, mustBe } from '../errors.ts';
import { countsSince } from '../increase.ts';
import { assertOptions, callback, type OptionsOwner } from '../options.ts';
import { Histogram, type ReadonlyHistogram } from './histogram.ts';
import type { HistogramOptions } from './setup.ts';
import type { TimeSpan } from './time-span.ts';

/** Options of a `Recorder`. */
export interface RecorderOptions {
  /** Returns the time in milliseconds since 1970. @default Date.now */
  readonly clock?: () => number;
  /** The storage of the intervals, which use few of their slots as a rule. @default 'sparse' */
  readonly storage?: Exclude<Storage, 'shared'>;
}

const OWNER: OptionsOwner<RecorderOptions> = {
  name: 'Recorder',
  names: { clock: /* @__PURE__ */ callback(), storage: true },
  call: "new Recorder({ significantDigits: 3 }, { storage: 'dense' })",
};

/**
 * A histogram that is read in intervals while it counts. An interval has the values since the interval before: the difference
 * between two states of the histogram. So every value is in exactly one interval, and all intervals together are the
 * histogram, even when other threads record into it through shared storage.
 *
 * @example
 * ```ts
 * import { Recorder } from '@hdrscope/core';
 *
 * const recorder = new Recorder({ highestTrackableValue: 3_600_000_000 });
 * recorder.record(250);
 * recorder.record(300);
 * const first = recorder.intervalHistogram();
 * recorder.record(700);
 * const second = recorder.intervalHistogram();
 * [first.totalCount, second.totalCount, recorder.histogram.totalCount]; //=> [2, 1, 3]
 * ```
 */
export class Recorder {
  readonly #histogram: Histogram;
  readonly #clock: () => number;
  readonly #storage: Exclude<Storage, 'shared'>;
  /** The counts of all intervals so far. No slot holds more than its slot in the histogram. */
  readonly #taken: SparseCounts;
  /** Intervals that the caller may hand back. */
  readonly #handedOut = new WeakSet<Histogram>();
  #intervalStartMs: number;

  /**
   * @param histogram The histogram to record into, or its options. The first interval has what it has counted already. From
   *   now on it may only count: after counts are taken out of it elsewhere, the next interval is refused.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
   */
  constructor(histogram: Histogram | HistogramOptions = {}, options: RecorderOptions = {}) {
    assertOptions(options, OWNER);
    const { clock = Date.now, storage = 'sparse' } = options;
    if (storage !== 'dense' && storage !== 'sparse') {
      throw mustBe('ERR_INVALID_OPTION', 'storage', "'dense' or 'sparse'", storage);
    }
    this.#histogram = histogram instanceof Histogram ? histogram : new Histogram(histogram);
    this.#clock = clock;
    this.#storage = storage;
    this.#taken = new SparseCounts(this.#histogram.layout.slotCount);
    this.#intervalStartMs = clock();
    this.#histogram.startTimeMs ??= this.#intervalStartMs;
  }

  /** The values since the start, or since `reset`. */
  get histogram(): ReadonlyHistogram {
    return this.#histogram;
  }

  /**
   * Counts a value: see `Histogram.record`.
   *
   * @throws HdrscopeError as `Histogram.record` does.
   */
  record(value: number | bigint, count = 1): void {
    this.#histogram.record(value, count);
  }

  /**
   * Counts a value and those that were missed during it: see `Histogram.recordCorrected`.
   *
   * @throws HdrscopeError as `Histogram.recordCorrected` does.
   */
  recordCorrected(value: number | bigint, expectedInterval: number | bigint, count = 1): void {
    this.#histogram.recordCorrected(value, expectedInterval, count);
  }

  /**
   * Counts each of many values: see `Histogram.recordValues`.
   *
   * @throws HdrscopeError as `Histogram.recordValues` does.
   */
  recordValues(values: ArrayLike<number> | ArrayLike<bigint>): void {
    this.#histogram.recordValues(values);
  }

  /**
   * The values since the interval before, with the start and end time of the interval, over the layout that the histogram has
   * now.
   *
   * @param recycled An interval of this recorder that is no longer needed. Its memory is used again, unless the range has
   *   widened since. Use the returned histogram in its place.
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when `recycled` is not an interval of this recorder, or was handed back
   *   before; `ERR_CONCURRENT_MODIFICATION` when counts were taken out of the histogram other than by `reset` here.
   * @example
   * ```ts
   * import { Recorder } from '@hdrscope/core';
   *
   * const recorder = new Recorder({ highestTrackableValue: 3_600_000_000 });
   * const maxima: number[] = [];
   * let interval = recorder.intervalHistogram();
   * for (const value of [17, 4, 30]) {
   *   recorder.record(value);
   *   interval = recorder.intervalHistogram(interval);
   *   maxima.push(interval.max);
   * }
   * maxima; //=> [17, 4, 30]
   * ```
   */
  intervalHistogram(recycled?: Histogram): Histogram {
    if (recycled !== undefined && !this.#handedOut.has(recycled)) {
      throw new HdrscopeError(
        'ERR_INCOMPATIBLE',
        'recycled must be an interval of this recorder that was not handed back before',
      );
    }
    const counted = this.#counted();
    const interval = this.#emptyInterval(counted, recycled);
    if (recycled !== undefined) this.#handedOut.delete(recycled);
    this.#handedOut.add(interval);
    this.#deliver(counted, interval);
    return interval;
  }

  /**
   * Replaces the values of `target`, which may have any layout and storage, by those since the interval before.
   *
   * @throws HdrscopeError `ERR_VALUE_OUT_OF_RANGE` when a value of the interval does not fit, `ERR_INCOMPATIBLE` when `target`
   *   is the histogram of this recorder or no `Histogram`, `ERR_CONCURRENT_MODIFICATION` as `intervalHistogram`.
   */
  intervalHistogramInto(target: Histogram): void {
    if (!(target instanceof Histogram)) throw mustBe('ERR_INCOMPATIBLE', 'target', 'a Histogram', target);
    const { sharedBuffer } = this.#histogram;
    if (target === this.#histogram || (sharedBuffer !== undefined && target.sharedBuffer === sharedBuffer)) {
      throw new HdrscopeError('ERR_INCOMPATIBLE', 'target must not be the histogram that is recorded into');
    }
    const counted = this.#counted();
    assertFits(counted, target);
    target.reset();
    this.#deliver(counted, target);
  }

  /** Forgets all values, those of the current interval too. The tag stays. */
  reset(): void {
    const { tag } = this.#histogram;
    this.#histogram.reset();
    this.#taken.clear();
    this.#intervalStartMs = this.#clock();
    this.#histogram.startTimeMs = this.#intervalStartMs;
    this.#histogram.tag = tag;
  }

  /** The counts since the last interval. This changes nothing. */
  #counted(): Interval {
    // Counts come first: another thread may widen the layout in between, and counts must not reach beyond their layout.
    const { counts } = this.#histogram;
    const { layout } = this.#histogram;
    const difference = countsSince(counts, this.#taken);
    assertNothingTaken(difference);
    return {
      layout,
      counts: difference.counts,
      startTimeMs: this.#intervalStartMs,
      endTimeMs: this.#clock(),
    };
  }

  #emptyInterval({ layout }: Interval, recycled: Histogram | undefined): Histogram {
    // A histogram that grew while the caller had it has another number of slots, too.
    if (recycled?.layout.slotCount === layout.slotCount) {
      recycled.reset();
      return recycled;
    }
    const { autoResize, outOfRange } = this.#histogram;
    return new Histogram({ layout, autoResize, outOfRange, storage: this.#storage });
  }

  #deliver(counted: Interval, target: Histogram): void {
    const { layout, counts, endTimeMs } = counted;
    target.add(counted);
    target.tag = this.#histogram.tag;
    if (this.#taken.length < layout.slotCount) this.#taken.resize(layout.slotCount);
    this.#taken.addAll(counts);
    this.#intervalStartMs = endTimeMs;
    this.#histogram.endTimeMs = endTimeMs;
  }
}

interface Interval extends Counted, TimeSpan {
  readonly layout: Histogram['layout'];
  readonly counts: ReadonlyCounts;
  readonly startTimeMs: number;
  readonly endTimeMs: number;
}

function assertNothingTaken(difference: unknown): asserts difference {
  if (difference !== undefined) return;
  throw new HdrscopeError(
    'ERR_CONCURRENT_MODIFICATION',
    'counts were taken out of the histogram of a recorder: only the recorder itself may reset it',
  );
}

function assertFits({ layout, counts }: Interval, { layout: allowed, autoResize }: Histogram): void {
  if (autoResize || counts.total === 0) return;
  const largest = allowed.upperBigInt(allowed.slotCount - 1);
  const max = layout.upperBigInt(counts.last);
  if (max > largest) {
    throw mustBe('ERR_VALUE_OUT_OF_RANGE', 'the interval', `of values up to ${largest}`, max);
  }
}
