import type { Storage } from '../counts/readonly-counts.ts';
import { SharedCounts } from '../counts/shared.ts';
import type { CountsStore } from '../counts/store.ts';
import { usedSlots } from '../counts/used-slots.ts';
import { bytesOf, toBase64 } from '../encoding/base64.ts';
import { decodeDoubles, encodeCompressedDoubles, encodeDoubles } from '../encoding/double.ts';
import { type DoubleHistogramJson, doubleFromJson, doubleToJson } from '../encoding/double-json.ts';
import { type CompressionOptions, levelOf } from '../encoding/zlib-stream.ts';
import { HdrscopeError, mustBe } from '../errors.ts';
import type { Layout } from '../layout/layout.ts';
import { assertOptions, type OptionsOwner } from '../options.ts';
import { NO_LAYOUTS, placedFromAfter } from '../sum/placed-from.ts';
import { formatPercentiles } from '../text/percentile-text.ts';
import { type DoubleHistogramOptions, type DoubleRange, widestRange } from './double-range.ts';
import { assertDoubleInterval, type CountedValue, DoubleRecording } from './double-recording.ts';
import { DoubleSetup, emptyDoubleStore } from './double-setup.ts';
import { assertPolicy } from './out-of-range.ts';
import { type StorageOptions, storageOf } from './storage-options.ts';
import { least, most } from './time-span.ts';

/**
 * An HDR histogram of floating-point values, which need neither scaling to integers nor a known range: the range moves to
 * where the values are.
 *
 * @example
 * ```ts
 * import { DoubleHistogram } from '@hdrscope/core';
 *
 * const seconds = new DoubleHistogram({ significantDigits: 2 });
 * for (const latency of [0.000_25, 0.5, 0.75, 12]) seconds.record(latency);
 *
 * seconds.totalCount; //=> 4
 * seconds.countAt(0.5); //=> 1
 * seconds.min <= 0.000_25 && seconds.max >= 12; //=> true
 * ```
 */
export class DoubleHistogram extends DoubleRecording {
  #placedFrom: readonly Layout[] = NO_LAYOUTS;

  /** Layouts with wider slots from which counts were moved here, until `reset`: see `Histogram.placedFrom`. */
  get placedFrom(): readonly Layout[] {
    return this.#placedFrom;
  }

  /**
   * Counts everything that `other` has counted, each count at the lowest value of its slot. With equal significant digits
   * nothing is lost. Start and end time are widened.
   *
   * @throws HdrscopeError `ERR_VALUE_OUT_OF_RANGE` when a value of `other` does not fit, `ERR_COUNT_OVERFLOW` when the
   *   total would pass 2^53 − 1, `ERR_INCOMPATIBLE` when `other` is not a `DoubleHistogram`.
   */
  add(other: DoubleHistogram): void {
    assertDoubles('add', other);
    const [own, theirs] = [this.range, other.range];
    const counts = other.store.seen();
    const isAligned = own.isPlaced && own.halfBits === theirs.halfBits && own.octave === theirs.octave;
    if (isAligned && counts.last < this.store.length) {
      this.store.assertRoomFor(counts.total);
      this.store.addAll(counts);
    } else {
      this.recordAll(other.#values('lower'));
    }
    this.#notePlaced(other);
    this.startTimeMs = least(this.startTimeMs, other.startTimeMs);
    this.endTimeMs = most(this.endTimeMs, other.endTimeMs);
  }

  /**
   * Counts the values in an encoding of doubles, as `add(DoubleHistogram.decode(encoded))` does.
   *
   * @param encoded An encoding of doubles, compressed or not, as bytes or as base64 text.
   * @throws HdrscopeError `ERR_DECODE` as `decode` does, otherwise as `add` does.
   * @example
   * ```ts
   * import { DoubleHistogram } from '@hdrscope/core';
   *
   * const interval = new DoubleHistogram();
   * interval.record(0.25, 2);
   * const all = new DoubleHistogram();
   * for (let n = 0; n < 3; n++) all.addEncoded(interval.toBase64());
   * all.countAt(0.25); //=> 6
   * ```
   */
  addEncoded(encoded: Uint8Array | string): void {
    this.add(DoubleHistogram.decode(encoded, { storage: 'sparse' }));
  }

  /**
   * Counts everything that `other` has counted, and for each value the values that were missed during it, as
   * `recordCorrected` does. Values are read at the upper end of their slots, as by `max`.
   *
   * @throws HdrscopeError as `add` does.
   */
  addCorrected(other: DoubleHistogram, expectedInterval: number): void {
    assertDoubles('addCorrected', other);
    assertDoubleInterval(expectedInterval);
    this.recordAll(other.#values('upper'), expectedInterval);
    this.#notePlaced(other);
  }

  /**
   * Takes out everything that `other` has counted: undoes `add(other)`.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when a slot of `other` holds more values than its slot here, or `other` is not
   *   a `DoubleHistogram`.
   */
  subtract(other: DoubleHistogram): void {
    assertDoubles('subtract', other);
    const { counts, layout, currentLowestTrackableNonZeroValue: lowest } = this;
    const taken = new Map<number, number>();
    for (const [value, count] of other.#values('lower')) {
      const slot = layout.slotOf(value);
      const sum = (taken.get(slot) ?? 0) + count;
      // Slot 0 of the layout reaches up to the range, but counts nothing except 0.
      const isInRange = value === 0 || (value >= lowest && slot < counts.length);
      const available = isInRange ? counts.at(slot) : 0;
      if (sum > available) {
        const where = isInRange ? `from ${layout.lower(slot)} to below ${layout.upper(slot)}` : `at ${value}`;
        throw new HdrscopeError(
          'ERR_INCOMPATIBLE',
          `subtract: the counts must be contained in this histogram, got ${sum} and have ${available} values ${where}`,
        );
      }
      taken.set(slot, sum);
    }
    for (const [slot, count] of taken) this.store.remove(slot, count);
    this.store.settleBounds();
  }

  /**
   * An independent histogram with the same counts, range, policy, times and tag.
   *
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or the storage is unknown.
   */
  copy(options: StorageOptions = {}): DoubleHistogram {
    const storage = storageOf('copy', options, this.storage);
    const counts = this.store.seen();
    if (storage === 'shared') {
      const copy = this.#like(widestRange(this.significantDigits), storage);
      copy.recordAll(this.#values('lower'));
      return copy;
    }
    const range = this.range.released();
    const isAlike = storage === counts.storage;
    const copy = this.#like(range, storage, isAlike ? counts.clone() : undefined);
    if (!isAlike) copy.store.addAll(counts);
    return copy;
  }

  /**
   * A copy in which coordinated omission is corrected: see `recordCorrected`.
   *
   * @param expectedInterval In the unit of the values; 0 corrects nothing.
   * @throws HdrscopeError `ERR_INVALID_OPTION` as `copy` does; as `recordCorrected` does.
   */
  copyCorrected(expectedInterval: number, options: StorageOptions = {}): DoubleHistogram {
    const storage = storageOf('copyCorrected', options, this.storage);
    const range =
      storage === 'shared' ? widestRange(this.significantDigits) : this.range.released().emptied();
    const copy = this.#like(range, storage);
    copy.addCorrected(this, expectedInterval);
    return copy;
  }

  /**
   * Whether both have the same digits, and the same count in every slot. Range, storage, times and tag may differ.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when `other` is not a `DoubleHistogram`.
   */
  equals(other: DoubleHistogram): boolean {
    assertDoubles('equals', other);
    if (this.significantDigits !== other.significantDigits || this.totalCount !== other.totalCount) {
      return false;
    }
    const theirs = other.#values('lower');
    return this.#values('lower').every(
      ([value, count], i) => theirs[i]?.[0] === value && theirs[i][1] === count,
    );
  }

  /** Forgets all values, the outliers, the times and the tag. The range moves back to its start, and keeps its width. */
  reset(): void {
    this.clear();
    this.#placedFrom = NO_LAYOUTS;
  }

  /** HdrHistogram's encoding of doubles. */
  encode(): Uint8Array<ArrayBuffer> {
    return encodeDoubles(this.integers, this.range);
  }

  /**
   * HdrHistogram's compressed encoding of doubles, as interval logs hold it.
   *
   * @throws HdrscopeError `ERR_INVALID_OPTION` when the level is outside [0, 9].
   */
  encodeCompressed(options: CompressionOptions = {}): Uint8Array<ArrayBuffer> {
    return encodeCompressedDoubles(this.integers, this.range, levelOf(options));
  }

  /**
   * The compressed encoding as base64 text, which begins with `DHIST`.
   *
   * @throws HdrscopeError `ERR_INVALID_OPTION` when the level is outside [0, 9].
   */
  toBase64(options?: CompressionOptions): string {
    return toBase64(this.encodeCompressed(options));
  }

  /** The percentile distribution as text, with values as they are: `formatPercentiles` has options. */
  override toString(): string {
    return formatPercentiles(this);
  }

  /**
   * The histogram as plain data, for `JSON.stringify` and `structuredClone`: range, used slots, times and tag. Its storage
   * and its policy for values out of range are not part of it.
   *
   * @example
   * ```ts
   * import { DoubleHistogram } from '@hdrscope/core';
   *
   * const seconds = new DoubleHistogram();
   * seconds.record(0.25, 3);
   * const copy = DoubleHistogram.fromJSON(JSON.parse(JSON.stringify(seconds)));
   * copy.countAt(0.25); //=> 3
   * ```
   */
  toJSON(): DoubleHistogramJson {
    return doubleToJson(this.range, this.counts, this);
  }

  /**
   * A histogram with the range, counts, times and tag of the one that `toJSON` was called on.
   *
   * @param json The value that `toJSON` returned, maybe after `JSON.parse` or `structuredClone`.
   * @throws HdrscopeError `ERR_DECODE` when `json` is anything else; the message names the place and the fault.
   */
  static fromJSON(json: unknown, options: StorageOptions = {}): DoubleHistogram {
    const storage = storageOf('DoubleHistogram.fromJSON', options, 'dense');
    const { range, counts, startTimeMs, endTimeMs, tag } = doubleFromJson(json);
    const histogram = new DoubleHistogram(new DoubleSetup(range, counts));
    [histogram.startTimeMs, histogram.endTimeMs, histogram.tag] = [startTimeMs, endTimeMs, tag];
    return storage === 'dense' ? histogram : histogram.copy({ storage });
  }

  /**
   * Reads HdrHistogram's encoding of doubles, compressed or not, as bytes or as base64 text. The result resizes itself.
   *
   * @throws HdrscopeError `ERR_DECODE` when the bytes are not such an encoding.
   */
  static decode(encoded: Uint8Array | string, options: StorageOptions = {}): DoubleHistogram {
    const storage = storageOf('DoubleHistogram.decode', options, 'dense');
    const { range, integers } = decodeDoubles(bytesOf(encoded));
    const { layout, runs } = integers;
    if (storage === 'dense')
      return new DoubleHistogram(new DoubleSetup(range, runs.toDense(layout.slotCount)));
    const store = emptyDoubleStore('sparse', range);
    store.addRuns(runs);
    const histogram = new DoubleHistogram(new DoubleSetup(range, store));
    return storage === 'sparse' ? histogram : histogram.copy({ storage });
  }

  /**
   * A histogram with the counts of one in another thread: each sees the values that the other records.
   *
   * @param buffer The `sharedBuffer` of a histogram with shared storage, as it arrived by `postMessage` or `workerData`.
   * @param options The policy for values out of range, by default `'throw'`; the buffer has all other options.
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when `buffer` is anything else.
   * @example
   * ```ts
   * import { DoubleHistogram } from '@hdrscope/core';
   *
   * const ours = new DoubleHistogram({ storage: 'shared' });
   * // in a worker: const theirs = DoubleHistogram.attach(workerData);
   * const theirs = DoubleHistogram.attach(ours.sharedBuffer as SharedArrayBuffer);
   * theirs.record(0.25);
   * ours.countAt(0.25); //=> 1
   * ```
   */
  static attach(
    buffer: SharedArrayBuffer,
    options: Pick<DoubleHistogramOptions, 'outOfRange'> = {},
  ): DoubleHistogram {
    assertOptions(options, ATTACH);
    const { outOfRange = 'throw' } = options;
    assertPolicy(outOfRange);
    const store = SharedCounts.attach(buffer, true);
    const range = widestRange(store.setup.layout.significantDigits);
    return new DoubleHistogram(new DoubleSetup(range, store, outOfRange));
  }

  /** A histogram with the policy, times and tag of this one, and with these counts or none. */
  #like(range: DoubleRange, storage: Storage, counts?: CountsStore): DoubleHistogram {
    const store = counts ?? emptyDoubleStore(storage, range);
    const histogram = new DoubleHistogram(new DoubleSetup(range, store, this.outOfRange));
    [histogram.startTimeMs, histogram.endTimeMs] = [this.startTimeMs, this.endTimeMs];
    histogram.tag = this.tag;
    histogram.#placedFrom = this.#placedFrom;
    return histogram;
  }

  #notePlaced({ layout, significantDigits, placedFrom }: DoubleHistogram): void {
    const isContained = this.significantDigits <= significantDigits;
    this.#placedFrom = placedFromAfter(this.#placedFrom, isContained ? placedFrom : [layout, ...placedFrom]);
  }

  /** The used slots, ascending, each as the value at one of its ends, and their counts. */
  #values(end: 'lower' | 'upper'): CountedValue[] {
    const { layout } = this.integers;
    const { ratio } = this.range;
    return [...usedSlots(this.counts)].map(([slot, count]) => [layout[end](slot) * ratio, count]);
  }
}

const ATTACH: OptionsOwner<Pick<DoubleHistogramOptions, 'outOfRange'>> = {
  name: 'DoubleHistogram.attach',
  names: { outOfRange: true },
};

function assertDoubles(call: string, other: unknown): asserts other is DoubleHistogram {
  if (other instanceof DoubleHistogram) return;
  const { message, details } = mustBe(
    'ERR_INCOMPATIBLE',
    `${call}: the argument`,
    'a DoubleHistogram',
    other,
  );
  throw new HdrscopeError(
    'ERR_INCOMPATIBLE',
    `${message}; record the values of a Histogram: for (const step of histogram.recordedValues()) ` +
      'doubles.record(step.valueIteratedTo, step.countAddedInThisIterationStep)',
    { details },
  );
}
