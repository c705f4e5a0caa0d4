import type { Counted } from '../counted.ts';
import type { Storage } from '../counts/readonly-counts.ts';
import { SharedCounts } from '../counts/shared.ts';
import { slotOfLowest, TranslatedRuns } from '../counts/slot-runs.ts';
import type { CountsStore } from '../counts/store.ts';
import { usedSlots } from '../counts/used-slots.ts';
import { bytesOf, toBase64 } from '../encoding/base64.ts';
import { decode } from '../encoding/decode.ts';
import { type HistogramJson, histogramFromJson, histogramToJson } from '../encoding/json.ts';
import { encodeCompressedV2, encodeV2 } from '../encoding/v2.ts';
import { type CompressionOptions, levelOf } from '../encoding/zlib-stream.ts';
import { HdrscopeError } from '../errors.ts';
import { type HdrLayout, isHdrLayout } from '../layout/hdr.ts';
import type { Layout } from '../layout/layout.ts';
import { resolutionOf, scaledLayout } from '../layout/scaled.ts';
import { assertOptions, flag, type OptionsOwner } from '../options.ts';
import { layoutsPlaced, NO_LAYOUTS, placedFromAfter } from '../sum/placed-from.ts';
import { formatPercentiles } from '../text/percentile-text.ts';
import { assertInterval, BasicHistogram } from './basic-histogram.ts';
import { correctedTotal } from './coordinated-omission.ts';
import { assertCounted, assertHdrCounted, assertIntegers } from './operands.ts';
import { assertPolicy } from './out-of-range.ts';
import { type HdrReading, ReadingOf } from './reading.ts';
import type { ReadonlyHistogramOf } from './readonly-histogram.ts';
import { emptyStore, type HistogramOptions, HistogramSetup } from './setup.ts';
import { assertOrders, shiftedCounts } from './shift.ts';
import { asBigInts } from './slot-values.ts';
import { STORAGE, type StorageOptions, storageOf } from './storage-options.ts';
import { least, most, type TimeSpan } from './time-span.ts';
import { slotOfValue, valueOfSlot } from './values.ts';

/**
 * A `Histogram` for those who only read it: it cannot be recorded into, reset or relabelled.
 *
 * @example
 * ```ts
 * import { Histogram, type ReadonlyHistogram } from '@hdrscope/core';
 *
 * const worst = (histogram: ReadonlyHistogram): number => histogram.valueAtPercentile(99.9);
 * const latencies = new Histogram({ highestTrackableValue: 3_600_000_000 });
 * latencies.record(1250);
 * worst(latencies); //=> 1250
 * ```
 */
export type ReadonlyHistogram = ReadonlyHistogramOf<Histogram>;

/** How an encoding is read. */
export interface DecodeOptions extends StorageOptions {
  /** The range reaches to this value at least: an integer from 0 to 2^63 − 1. @default the range of the encoding */
  readonly highestTrackableValue?: number | bigint;
  /** Whether a value above the range widens it later. @default true */
  readonly autoResize?: boolean;
}

/**
 * The counts that a `Histogram` takes: over any layout, but not those of a `DoubleHistogram`, whose fractions would count
 * as 0.
 */
export interface IntegerCounts extends Counted, TimeSpan {
  /** Always absent. Only a `DoubleHistogram` has it, so the compiler refuses that class here. */
  readonly integerToDoubleValueConversionRatio?: never;
}

const DECODE: OptionsOwner<DecodeOptions> = {
  name: 'Histogram.decode',
  names: { storage: STORAGE, highestTrackableValue: true, autoResize: flag },
  call: "Histogram.decode(bytes, { storage: 'sparse' })",
};

/**
 * An HDR histogram of integers: counts over an `HdrLayout`. A fraction counts as its integer part.
 *
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 *
 * const latencies = new Histogram({ highestTrackableValue: 3_600_000_000, significantDigits: 3 });
 * for (let microseconds = 1; microseconds <= 1000; microseconds++) latencies.record(microseconds);
 * latencies.record(250_000);
 *
 * latencies.totalCount; //=> 1001
 * latencies.valuesAtPercentiles([50, 99, 100]); //=> [501, 991, 250111]
 * ```
 */
export class Histogram extends BasicHistogram implements ReadonlyHistogram {
  /** How many slots the counts were shifted by. Encodings have this number. */
  #normalizingOffset = 0;
  #placedFrom: readonly Layout[] = NO_LAYOUTS;

  /**
   * Layouts with wider slots from which `add` and its like have moved counts here, until `reset`. A value then lies in the slot of such
   * a layout, and only maybe in its slot here: `percentileInterval`, `findQuantile` and `HistogramSum` answer accordingly, and all
   * methods as in the other HdrHistograms. Encodings and JSON do not have these layouts.
   */
  get placedFrom(): readonly Layout[] {
    return this.#placedFrom;
  }

  /**
   * The most values that one counted value stands for: an integer of at least 2, see `Counted`. `add` and its like keep the largest one, and `reset` forgets it.
   * Encodings and JSON do not have it. `undefined` when each value stands for itself.
   */
  declare weight: number | undefined;

  /** @internal A histogram over a store whose counts were placed there. */
  static placed(setup: HistogramSetup, placedFrom: readonly Layout[] = NO_LAYOUTS): Histogram {
    const histogram = new Histogram(setup);
    histogram.#placedFrom = placedFrom;
    return histogram;
  }

  /** The same values as bigints: exact above 2^53 − 1 too. */
  get exact(): HdrReading<bigint> {
    return new ReadingOf(this, asBigInts);
  }

  /**
   * Counts everything that `other` has counted. Nothing is lost when both layouts number their slots alike. Otherwise each
   * count goes to the slot of the lowest value of its old slot, as in the other HdrHistograms, or, when `other` has no HDR
   * layout, of the middle of its old slot: see `placedFrom`. Start and end time are widened. A sum that loses nothing is `HistogramSum`.
   *
   * @throws HdrscopeError `ERR_VALUE_OUT_OF_RANGE` when a value of `other` does not fit, `ERR_INVALID_VALUE` when the middle of
   *   one of its slots is negative, `ERR_COUNT_OVERFLOW` when the total would pass 2^53 − 1, `ERR_INCOMPATIBLE` when `other` is
   *   a `DoubleHistogram` or has no counts.
   */
  add(other: IntegerCounts): void {
    assertIntegers('add', other);
    const { layout, counts } = other;
    if (counts.total > 0) {
      this.store.assertRoomFor(counts.total);
      const sameSlots = this.#sharesSlotsWith(layout);
      const translated = sameSlots ? NOTHING : this.#translated({ layout, counts });
      this.reach(valueOfSlot(layout, counts.last, 'highest'));
      if (sameSlots) this.store.addAll(counts);
      else for (const [i, slot] of translated.slots.entries()) this.store.add(slot, translated.counts[i]!);
      this.#notePlaced(other);
    }
    this.#widenTimes(other);
  }

  /**
   * Counts the values in an encoding, as `add(Histogram.decode(encoded))` does, but makes no histogram in between.
   *
   * @param encoded An encoding of version 0, 1 or 2, compressed or not, as bytes or as base64 text.
   * @throws HdrscopeError `ERR_DECODE` as `decode` does, `ERR_VALUE_OUT_OF_RANGE` and `ERR_COUNT_OVERFLOW` as `add` does.
   * @example
   * ```ts
   * import { Histogram } from '@hdrscope/core';
   *
   * const interval = new Histogram({ highestTrackableValue: 3_600_000_000 });
   * interval.record(1250, 2);
   * const all = new Histogram({ highestTrackableValue: 3_600_000_000 });
   * for (let n = 0; n < 3; n++) all.addEncoded(interval.toBase64());
   * all.countAt(1250); //=> 6
   * ```
   */
  addEncoded(encoded: Uint8Array | string): void {
    const { layout, runs } = decode(bytesOf(encoded));
    runs.readThrough();
    if (runs.total === 0) return;
    this.store.assertRoomFor(runs.total);
    const sameSlots = this.layout.sharesSlotsWith(layout);
    if (!sameSlots || runs.last >= this.layout.slotCount) this.reach(layout.upperBigInt(runs.last));
    this.store.addRuns(sameSlots ? runs : new TranslatedRuns(runs, layout, this.layout));
    this.#notePlaced({ layout });
  }

  /**
   * Counts everything that `other` has counted, and for each value the values that were missed during it, as
   * `recordCorrected` does. Values are read as the upper bound of their slots. Start and end time are widened.
   *
   * @throws HdrscopeError as `add` does.
   */
  addCorrected(other: Counted<HdrLayout> & TimeSpan, expectedInterval: number | bigint): void {
    assertHdrCounted('addCorrected', other);
    assertInterval(expectedInterval);
    const { layout, counts } = other;
    const values = [...usedSlots(counts)].map(([slot, count]) => [layout.upperBigInt(slot), count] as const);
    const added = (value: bigint): number =>
      expectedInterval > 0 ? correctedTotal(value, expectedInterval) : 1;
    this.store.assertRoomFor(values.reduce((sum, [value, count]) => sum + added(value) * count, 0));
    if (counts.total > 0) this.reach(layout.upperBigInt(counts.last));
    for (const [value, count] of values) this.recordCorrected(value, expectedInterval, count);
    this.#notePlaced(other);
    this.#widenTimes(other);
  }

  /**
   * Takes out everything that `other` has counted: undoes `add(other)`.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when a slot of `other` holds more values than its slot here, or as `add` does.
   */
  subtract(other: IntegerCounts): void {
    assertIntegers('subtract', other);
    const { layout, counts } = this;
    const taken = this.#translated(other);
    for (let i = 0; i < taken.slots.length; i++) {
      const slot = taken.slots[i]!;
      const count = taken.counts[i]!;
      const available = slot < counts.length ? counts.at(slot) : 0;
      if (count > available) {
        throw new HdrscopeError(
          'ERR_INCOMPATIBLE',
          `subtract: the counts must be contained in this histogram, got ${count} and have ${available} values ` +
            `from ${layout.lower(slot)} to ${layout.upper(slot)}`,
        );
      }
    }
    for (let i = 0; i < taken.slots.length; i++) this.store.remove(taken.slots[i]!, taken.counts[i]!);
    this.store.settleBounds();
  }

  /**
   * Multiplies all values by `2 ** orders`. Zero stays zero.
   *
   * @param orders An integer from 0.
   * @throws HdrscopeError `ERR_VALUE_OUT_OF_RANGE` when a value would leave the range, which a shift does not widen;
   *   `ERR_INVALID_OPTION` when `orders` is not such an integer.
   */
  shiftLeft(orders: number): void {
    this.#shift(orders, 1);
  }

  /**
   * Divides all values by `2 ** orders`. Zero stays zero.
   *
   * @param orders An integer from 0.
   * @throws HdrscopeError `ERR_VALUE_OUT_OF_RANGE` when a value would lose digits, `ERR_INVALID_OPTION` when `orders` is not
   *   such an integer.
   */
  shiftRight(orders: number): void {
    this.#shift(orders, -1);
  }

  /**
   * An independent histogram with the same counts, times and tag.
   *
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or the storage is unknown.
   */
  copy(options: StorageOptions = {}): Histogram {
    const storage = storageOf('copy', options, this.storage);
    const counts = this.store.seen();
    const isAlike = counts.storage === storage;
    const copy = this.#like(storage, isAlike ? counts.clone() : undefined);
    if (!isAlike) copy.store.addAll(counts);
    copy.#notePlaced(this);
    return copy;
  }

  /**
   * A copy in which coordinated omission is corrected: see `recordCorrected`.
   *
   * @param expectedInterval An integer, in the unit of the values; 0 corrects nothing.
   * @throws HdrscopeError `ERR_INVALID_OPTION` as `copy` does; as `recordCorrected` does.
   */
  copyCorrected(expectedInterval: number | bigint, options: StorageOptions = {}): Histogram {
    const copy = this.#like(storageOf('copyCorrected', options, this.storage));
    copy.addCorrected(this, expectedInterval);
    return copy;
  }

  /**
   * Whether both have the same digits and unit, and the same count in every slot. Range, storage, times and tag may differ.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when `other` has no counts.
   */
  equals(other: Counted<HdrLayout>): boolean {
    assertCounted('equals', other);
    const [{ layout, counts }, { layout: otherLayout, counts: otherCounts }] = [this, other];
    if (
      layout.lowestDiscernibleBigInt !== otherLayout.lowestDiscernibleBigInt ||
      layout.significantDigits !== otherLayout.significantDigits ||
      counts.total !== otherCounts.total
    ) {
      return false;
    }
    // The totals are equal, so the other histogram has no further counts.
    for (const [slot, count] of usedSlots(counts)) {
      if (slot >= otherCounts.length || otherCounts.at(slot) !== count) return false;
    }
    return true;
  }

  /** Forgets all values, the outliers, the times, the tag and the shifts. The range stays. */
  override reset(): void {
    super.reset();
    this.#normalizingOffset = 0;
    this.#placedFrom = NO_LAYOUTS;
    this.weight &&= undefined;
  }

  /** The V2 encoding, which every HdrHistogram reads. */
  encode(): Uint8Array<ArrayBuffer> {
    return encodeV2(this, this.#normalizingOffset);
  }

  /**
   * The compressed V2 encoding, as interval logs hold it.
   *
   * @throws HdrscopeError `ERR_INVALID_OPTION` when the level is outside [0, 9].
   */
  encodeCompressed(options: CompressionOptions = {}): Uint8Array<ArrayBuffer> {
    return encodeCompressedV2(this, this.#normalizingOffset, levelOf(options));
  }

  /**
   * The compressed V2 encoding as base64 text, which begins with `HISTFAAAA`.
   *
   * @throws HdrscopeError `ERR_INVALID_OPTION` when the level is outside [0, 9].
   */
  toBase64(options?: CompressionOptions): string {
    return toBase64(this.encodeCompressed(options));
  }

  /**
   * The percentile distribution as text, with values as they are: `formatPercentiles` has options.
   *
   * @example
   * ```ts
   * import { Histogram } from '@hdrscope/core';
   *
   * const histogram = new Histogram({ highestTrackableValue: 1000 });
   * histogram.record(7, 2);
   * String(histogram).includes('Total count    =            2'); //=> true
   * ```
   */
  override toString(): string {
    return formatPercentiles(this);
  }

  /**
   * The histogram as plain data, for `JSON.stringify` and `structuredClone`: layout, used slots, times and tag. Its storage
   * and its policy for values out of range are not part of it.
   *
   * @example
   * ```ts
   * import { Histogram } from '@hdrscope/core';
   *
   * const histogram = new Histogram({ highestTrackableValue: 3_600_000_000 });
   * histogram.record(42, 3);
   * histogram.toJSON().counts; //=> [[42, 3]]
   * ```
   */
  override toJSON(): HistogramJson {
    return histogramToJson(this, this.#normalizingOffset);
  }

  /**
   * A histogram with the range, counts, times and tag of the one that `toJSON` was called on.
   *
   * @param json The value that `toJSON` returned, maybe after `JSON.parse` or `structuredClone`.
   * @throws HdrscopeError `ERR_DECODE` when `json` is anything else; the message names the place and the fault.
   * @example
   * ```ts
   * import { Histogram } from '@hdrscope/core';
   *
   * const histogram = new Histogram({ highestTrackableValue: 3_600_000_000 });
   * histogram.record(42, 3);
   * const copy = Histogram.fromJSON(JSON.parse(JSON.stringify(histogram)));
   * copy.equals(histogram); //=> true
   * ```
   */
  static fromJSON(json: unknown, options: StorageOptions = {}): Histogram {
    const storage = storageOf('Histogram.fromJSON', options, 'dense');
    const decoded = histogramFromJson(json);
    const { startTimeMs, endTimeMs, tag } = decoded;
    const { layout, autoResize, counts, normalizingOffset } = decoded;
    const isAlike = storage === counts.storage;
    const store = isAlike ? counts : emptyStore(storage, layout, autoResize);
    if (!isAlike) store.addAll(counts);
    const histogram = new Histogram(new HistogramSetup(layout, store, { autoResize }));
    histogram.#normalizingOffset = normalizingOffset;
    [histogram.startTimeMs, histogram.endTimeMs, histogram.tag] = [startTimeMs, endTimeMs, tag];
    return histogram;
  }

  /**
   * Reads HdrHistogram's encoding in version 0, 1 or 2, compressed or not, as bytes or as base64 text.
   *
   * @throws HdrscopeError `ERR_DECODE` when the bytes are not such an encoding, or a count is outside [0, 2^53 − 1];
   *   `ERR_INVALID_OPTION` when an option is outside the range stated on it.
   * @example
   * ```ts
   * import { Histogram } from '@hdrscope/core';
   *
   * const histogram = Histogram.decode('HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe');
   * [histogram.totalCount, histogram.max]; //=> [1, 42]
   * ```
   */
  static decode(encoded: Uint8Array | string, options: DecodeOptions = {}): Histogram {
    assertOptions(options, DECODE);
    const { storage = 'dense', highestTrackableValue, autoResize = true } = options;
    const { layout, runs, normalizingOffset } = decode(bytesOf(encoded), highestTrackableValue);
    if (storage === 'shared') runs.readThrough();
    const isDense = storage === 'dense';
    const store = isDense ? runs.toDense(layout.slotCount) : emptyStore(storage, layout, autoResize);
    if (!isDense) store.addRuns(runs);
    const histogram = new Histogram(new HistogramSetup(layout, store, { autoResize }));
    histogram.#normalizingOffset = normalizingOffset;
    return histogram;
  }

  /**
   * A histogram with the counts of one in another thread: each sees the values that the other records.
   *
   * @param buffer The `sharedBuffer` of a histogram with shared storage, as it arrived by `postMessage` or `workerData`.
   * @param options The policy for values out of range, by default `'throw'`; the buffer has all other options.
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when `buffer` is anything else; `ERR_INVALID_OPTION` when the policy is unknown.
   * @example
   * ```ts
   * import { Histogram } from '@hdrscope/core';
   *
   * const ours = new Histogram({ highestTrackableValue: 3_600_000_000, storage: 'shared' });
   * // in a worker: const theirs = Histogram.attach(workerData);
   * const theirs = Histogram.attach(ours.sharedBuffer as SharedArrayBuffer);
   * theirs.record(1000);
   * ours.totalCount; //=> 1
   * ```
   */
  static attach(buffer: SharedArrayBuffer, options: Pick<HistogramOptions, 'outOfRange'> = {}): Histogram {
    assertOptions(options, ATTACH);
    const { outOfRange = 'throw' } = options;
    const store = SharedCounts.attach(buffer);
    const { layout, autoResize } = store.setup;
    assertPolicy(outOfRange);
    return new Histogram(new HistogramSetup(layout, store, { autoResize, outOfRange }));
  }

  /** A histogram with the layout, policy, times and tag of this one, and with these counts or none. */
  #like(storage: Storage, counts?: CountsStore): Histogram {
    const { layout, autoResize, outOfRange, startTimeMs, endTimeMs, tag } = this;
    const store = counts ?? emptyStore(storage, layout, autoResize);
    const histogram = new Histogram(new HistogramSetup(layout, store, { autoResize, outOfRange }));
    return Object.assign(histogram, { startTimeMs, endTimeMs, tag });
  }

  #notePlaced(added: Omit<Counted, 'counts'>): void {
    this.#placedFrom = placedFromAfter(this.#placedFrom, layoutsPlaced(added, this.layout));
    // Without a weight there is no such field: all histograms are alike for V8.
    if (added.weight! > (this.weight ?? 1)) this.weight = added.weight;
  }

  #widenTimes({ startTimeMs, endTimeMs }: TimeSpan): void {
    this.startTimeMs = least(this.startTimeMs, startTimeMs);
    this.endTimeMs = most(this.endTimeMs, endTimeMs);
  }

  #shift(orders: number, direction: 1 | -1): void {
    assertOrders(orders);
    const { layout, counts } = this;
    if (orders === 0 || counts.total === 0 || counts.last === 0) return;
    const shifted = shiftedCounts({ layout, counts }, orders * direction);
    this.store.clear();
    for (const [slot, count] of shifted) this.store.add(slot, count);
    this.#normalizingOffset += (direction * orders * layout.subBucketCount) / 2;
    const factor = resolutionOf(2 ** (orders * direction));
    this.#placedFrom = this.#placedFrom.map((from) => scaledLayout(from, factor));
  }

  #sharesSlotsWith(layout: Layout): boolean {
    return isHdrLayout(layout) && this.layout.sharesSlotsWith(layout);
  }

  /** The counts of another layout by the slots of this one, ascending. */
  #translated({ layout, counts }: Counted): Translated {
    const own = this.layout;
    const slotFor = this.#sharesSlotsWith(layout)
      ? (slot: number): number => slot
      : isHdrLayout(layout)
        ? (slot: number): number => slotOfLowest(layout, slot, own)
        : (slot: number): number => slotOfValue(own, valueOfSlot(layout, slot, 'lowest'));
    const translated = { slots: [] as number[], counts: [] as number[] };
    for (let slot = counts.first; slot < counts.length; slot = counts.next(slot + 1)) {
      const target = slotFor(slot);
      const end = translated.slots.length - 1;
      if (end >= 0 && translated.slots[end] === target) translated.counts[end]! += counts.at(slot);
      else {
        translated.slots.push(target);
        translated.counts.push(counts.at(slot));
      }
    }
    return translated;
  }
}

const ATTACH: OptionsOwner<Pick<HistogramOptions, 'outOfRange'>> = {
  name: 'Histogram.attach',
  names: { outOfRange: true },
};

/** Used slots, ascending and each once, and their counts. */
interface Translated {
  readonly slots: readonly number[];
  readonly counts: readonly number[];
}

const NOTHING: Translated = { slots: [], counts: [] };
