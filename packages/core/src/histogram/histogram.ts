import { Counts, LARGEST_COUNT, type ReadonlyCounts, type Storage } from '../counts/counts.ts';
import { DenseCounts } from '../counts/dense.ts';
import { SparseCounts } from '../counts/sparse.ts';
import { fromBase64, toBase64 } from '../encoding/base64.ts';
import { compressV2, decodeV2, encodeV2 } from '../encoding/v2.ts';
import { HdrscopeError, mustBe } from '../errors.ts';
import { HdrLayout, RECIPROCAL } from '../layout/hdr.ts';
import { correctedCounts } from './coordinated-omission.ts';
import { type IterationStep, percentileSteps, recordedSteps } from './iteration.ts';
import { valueAtPercentile, valuesAtPercentiles } from './percentiles.ts';
import { meanOf, standardDeviationOf } from './statistics.ts';

const TWO_POW_31 = 2 ** 31;
const TWO_POW_MINUS_22 = 2 ** -22;

/** How a histogram is set up. */
export interface HistogramOptions {
  /** The smallest difference that must be told apart: an integer of at least 1. @default 1 */
  readonly lowestDiscernibleValue?: number | bigint;
  /**
   * The largest value that must fit: an integer from twice the lowest discernible value to 2^63 − 1.
   * Without it the histogram grows with its values.
   */
  readonly highestTrackableValue?: number | bigint;
  /** Decimal digits to which a value keeps its precision: an integer from 0 to 5. @default 3 */
  readonly significantDigits?: number;
  /** A layout that exists already, in place of the three options above. Histograms of one shape best share it. */
  readonly layout?: HdrLayout;
  /** `'dense'` is fastest and allocates everything at once, `'sparse'` only what is touched. @default 'dense' */
  readonly storage?: Storage;
  /** Whether a value above the range widens it instead of being refused. @default only without `highestTrackableValue` */
  readonly autoResize?: boolean;
}

/** What can be read of a histogram: everything but recording. */
export type ReadonlyHistogram = Omit<Histogram, 'record' | 'recordCorrected' | 'add' | 'subtract' | 'reset'>;

/**
 * An HDR histogram of integers: counts over an `HdrLayout`.
 *
 * Minimum, maximum, percentiles and moments are those of the slots, as in HdrHistogram: a value is reported as the
 * bound or the middle of its slot, within the significant digits. A fraction counts as its integer part.
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
export class Histogram {
  readonly autoResize: boolean;

  #layout: HdrLayout;
  #counts: Counts;

  // The layout's constants, brought to where one small-integer record reads them. See `#readLayout`.
  #slotCount = 0;
  #mask = 0;
  #shiftBase = 0;
  #unitShift = 0;
  #halfBits = 0;
  #unitMagnitude = 0;
  #wideShiftBase = 0;

  /**
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
   */
  constructor(options: HistogramOptions = {}) {
    this.#layout = options.layout ?? layoutFrom(options);
    this.#counts = emptyCounts(options.storage ?? 'dense', this.#layout.slotCount);
    this.autoResize = options.autoResize ?? (options.layout ?? options.highestTrackableValue) === undefined;
    this.#readLayout();
  }

  /**
   * Counts a value, once or `count` times. Allocates nothing.
   *
   * @param value From 0 to the highest trackable value; not above 2^53 − 1.
   * @param count An integer from 0 to 2^53 − 1.
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is no number or negative, `ERR_VALUE_OUT_OF_RANGE` when
   *   it is too large, `ERR_INVALID_COUNT` and `ERR_COUNT_OVERFLOW` when the count is wrong or would not be exact.
   */
  record(value: number, count = 1): void {
    // As `HdrLayout.slotOf`, in 32-bit integers nearly all the way. All of it is here, as handing a double to a method
    // that is too large to be inlined would allocate.
    if (count === 1 && typeof value === 'number') {
      if (value >= 0 && value < TWO_POW_31) {
        const int = value | 0;
        const shift = this.#shiftBase - Math.clz32(int | this.#mask);
        const slot = ((shift - this.#unitShift) << this.#halfBits) + (int >>> shift);
        if (slot < this.#slotCount) {
          this.#counts.increment(slot);
          return;
        }
      } else if (value >= TWO_POW_31 && value <= LARGEST_COUNT) {
        // The upper 31 of at most 53 bits tell how many there are.
        const upper = (value * TWO_POW_MINUS_22) | 0;
        const shift = Math.max(this.#wideShiftBase - Math.clz32(upper), this.#unitMagnitude);
        const slot = ((shift - this.#unitMagnitude) << this.#halfBits) + ((value * RECIPROCAL[shift]!) | 0);
        if (slot < this.#slotCount) {
          this.#counts.increment(slot);
          return;
        }
      }
    }
    this.#recordAny(value, count);
  }

  /**
   * Counts a value, and the values that were not seen while it was waited for: `value - expectedInterval`,
   * `value - 2 * expectedInterval`, and so on down to `expectedInterval`. This undoes coordinated omission, where a
   * load generator that waits for a slow answer leaves out the requests that would have been slow too.
   *
   * @param expectedInterval An integer, in the unit of the values; 0 corrects nothing.
   * @throws HdrscopeError as `record` does.
   * @example
   * ```ts
   * import { Histogram } from '@hdrscope/core';
   *
   * const histogram = new Histogram({ highestTrackableValue: 10_000 });
   * histogram.recordCorrected(1000, 250);
   * [...histogram.recordedValues()].map((step) => step.valueIteratedTo); //=> [250, 500, 750, 1000]
   * ```
   */
  recordCorrected(value: number, expectedInterval: number): void {
    if (!Number.isSafeInteger(expectedInterval) || expectedInterval < 0) {
      throw mustBe(
        'ERR_INVALID_VALUE',
        'expectedInterval',
        'an integer from 0 to 2^53 - 1',
        expectedInterval,
      );
    }
    if (expectedInterval === 0 || !(value >= 2 * expectedInterval && value <= LARGEST_COUNT)) {
      this.record(value);
      return;
    }
    const whole = Math.floor(value);
    this.#counts.assertRoomFor(Math.floor(whole / expectedInterval));
    this.#slotFor(value);
    for (const [slot, count] of correctedCounts(this.#layout, whole, expectedInterval))
      this.#counts.add(slot, count);
  }

  /** Which values share a slot. Another one after a resize. */
  get layout(): HdrLayout {
    return this.#layout;
  }

  /** The count of every slot. */
  get counts(): ReadonlyCounts {
    return this.#counts;
  }

  get storage(): Storage {
    return this.#counts.storage;
  }

  /** How many values were counted: exact, at most 2^53 − 1. */
  get totalCount(): number {
    return this.#counts.total;
  }

  /** The lower bound of the lowest used slot; 0 when empty. */
  get min(): number {
    return this.#counts.total === 0 ? 0 : this.#layout.lower(this.#counts.first);
  }

  /** The upper bound of the highest used slot, so at least the largest value; 0 when empty. */
  get max(): number {
    return this.#counts.total === 0 ? 0 : this.#layout.upper(this.#counts.last);
  }

  /** The mean of the slots' middles; 0 when empty. */
  get mean(): number {
    return meanOf(this);
  }

  /** The standard deviation (of a population) of the slots' middles; 0 when empty. */
  get standardDeviation(): number {
    return standardDeviationOf(this);
  }

  /** Bytes held by the counts. */
  get byteLength(): number {
    return this.#counts.byteLength;
  }

  /**
   * The value below or at which `percentile` percent of the values lie: the upper bound of its slot, or at
   * percentile 0 the lower bound; 0 when empty. Below 0 counts as 0, above 100 as 100.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the percentile is not a number.
   */
  valueAtPercentile(percentile: number): number {
    return valueAtPercentile(this, percentile);
  }

  /** `valueAtPercentile` for several percentiles, in the order given, in one pass over the counts. */
  valuesAtPercentiles(percentiles: readonly number[]): number[] {
    return valuesAtPercentiles(this, percentiles);
  }

  /** Steps through every used slot. */
  recordedValues(): Generator<IterationStep, void, undefined> {
    return recordedSteps(this);
  }

  /**
   * Steps through the distribution ever more finely towards its tail.
   *
   * @param ticksPerHalfDistance Steps before the distance to 100 % is halved: an integer of at least 1.
   */
  percentiles(ticksPerHalfDistance = 5): Generator<IterationStep, void, undefined> {
    return percentileSteps(this, ticksPerHalfDistance);
  }

  /**
   * Counts everything that `other` has counted. Where the layouts number their slots alike nothing is lost; otherwise
   * each count is taken at the lowest value of its slot, as the other HdrHistograms do it.
   *
   * @throws HdrscopeError `ERR_VALUE_OUT_OF_RANGE` when a value of `other` does not fit, `ERR_COUNT_OVERFLOW`.
   */
  add(other: ReadonlyHistogram): void {
    if (other.totalCount === 0) return;
    this.#counts.assertRoomFor(other.totalCount);
    this.#reach(other.layout.upperBigInt(other.counts.last));
    const sameSlots = this.#layout.sharesSlotsWith(other.layout);
    if (sameSlots && other.counts instanceof Counts) {
      this.#counts.addAll(other.counts);
      return;
    }
    for (const [slot, count] of usedSlots(other.counts)) {
      this.#counts.add(sameSlots ? slot : this.#layout.slotOf(other.layout.lower(slot)), count);
    }
  }

  /**
   * Takes out everything that `other` has counted: undoes `add(other)`.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when a slot holds fewer values than are to be taken out of it.
   */
  subtract(other: ReadonlyHistogram): void {
    const taken = this.#layout.sharesSlotsWith(other.layout) ? other : this.#translated(other);
    for (const [slot, count] of usedSlots(taken.counts)) {
      const available = slot < this.#slotCount ? this.#counts.at(slot) : 0;
      if (count > available) {
        throw new HdrscopeError(
          'ERR_INCOMPATIBLE',
          `subtract: the counts must be contained in this histogram, got ${count} and have ${available} values ` +
            `from ${taken.layout.lower(slot)} to ${taken.layout.upper(slot)}`,
        );
      }
    }
    for (const [slot, count] of usedSlots(taken.counts)) this.#counts.remove(slot, count);
    this.#counts.settleBounds();
  }

  /** An independent histogram with the same counts. */
  copy(): Histogram {
    const copy = new Histogram({ layout: this.#layout, storage: 'sparse', autoResize: this.autoResize });
    copy.#counts = this.#counts.clone();
    return copy;
  }

  /** Forgets all values. The range stays. */
  reset(): void {
    this.#counts.clear();
  }

  /** The V2 encoding, which every HdrHistogram reads. */
  encode(): Uint8Array<ArrayBuffer> {
    return encodeV2(this);
  }

  /** The V2 encoding, deflated: what interval logs hold. */
  encodeCompressed(): Uint8Array<ArrayBuffer> {
    return compressV2(encodeV2(this));
  }

  /** The compressed V2 encoding as base64 text; it begins with `HISTFAAAA`. */
  toBase64(): string {
    return toBase64(this.encodeCompressed());
  }

  /**
   * Reads a V2 encoding, compressed or not, as bytes or as base64 text. The result resizes itself.
   *
   * @throws HdrscopeError `ERR_DECODE` when the bytes are no such encoding.
   * @example
   * ```ts
   * import { Histogram } from '@hdrscope/core';
   *
   * const histogram = Histogram.decode('HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe');
   * [histogram.totalCount, histogram.max]; //=> [1, 42]
   * ```
   */
  static decode(encoded: Uint8Array | string, { storage = 'dense' }: { storage?: Storage } = {}): Histogram {
    const { layout, slots, counts } = decodeV2(typeof encoded === 'string' ? fromBase64(encoded) : encoded);
    const histogram = new Histogram({ layout, storage, autoResize: true });
    for (let i = 0; i < slots.length; i++) histogram.#counts.add(slots[i]!, counts[i]!);
    return histogram;
  }

  /** The whole way of a record: values to 2^53 − 1, any count, resizing, and what to say when it is refused. */
  #recordAny(value: number, count: number): void {
    if (!Number.isSafeInteger(count) || count < 0) {
      throw mustBe('ERR_INVALID_COUNT', 'count', 'an integer from 0 to 2^53 - 1', count);
    }
    // Before a slot is looked up, which may widen the range.
    this.#counts.assertRoomFor(count);
    this.#counts.add(this.#slotFor(value), count);
  }

  #slotFor(value: number): number {
    if (!(value >= 0) || typeof value !== 'number') {
      throw mustBe('ERR_INVALID_VALUE', 'value', `a number from 0 to ${this.#layout.largestValue}`, value);
    }
    if (value > LARGEST_COUNT) {
      throw mustBe('ERR_VALUE_OUT_OF_RANGE', 'value', 'at most 2^53 - 1', value);
    }
    const slot = this.#layout.slotOf(value);
    if (slot >= this.#slotCount) this.#reach(BigInt(Math.floor(value)));
    return slot;
  }

  /** Makes sure that `value` has a slot. */
  #reach(value: bigint): void {
    if (value <= this.#layout.upperBigInt(this.#slotCount - 1)) return;
    if (!this.autoResize) {
      const allowed = `at most ${this.#layout.largestValue} (highestTrackableValue ${this.#layout.highestTrackableBigInt})`;
      throw mustBe('ERR_VALUE_OUT_OF_RANGE', 'value', allowed, Number(value));
    }
    const wider = this.#layout.reaching(value);
    this.#layout = this.#layout.reaching(wider.upperBigInt(wider.slotCount - 1));
    this.#counts.resize(this.#layout.slotCount);
    this.#readLayout();
  }

  #readLayout(): void {
    const { slotCount, unitMagnitude, subBucketBits } = this.#layout;
    this.#slotCount = slotCount;
    this.#halfBits = subBucketBits - 1;
    this.#unitShift = Math.min(unitMagnitude, 31);
    this.#unitMagnitude = unitMagnitude;
    this.#wideShiftBase = 22 + 32 - subBucketBits;
    if (unitMagnitude + subBucketBits <= 31) {
      this.#mask = (2 ** subBucketBits - 1) << unitMagnitude;
      this.#shiftBase = 32 - subBucketBits;
    } else {
      // All 31-bit integers lie in bucket 0: a full mask gives them all its shift.
      this.#mask = 0x7fffffff;
      this.#shiftBase = this.#unitShift + 1;
    }
  }

  #translated(other: ReadonlyHistogram): Histogram {
    const translated = new Histogram({ layout: this.#layout, storage: 'sparse', autoResize: true });
    translated.add(other);
    return translated;
  }
}

/** The used slots and their counts, ascending. */
function* usedSlots(counts: ReadonlyCounts): Generator<[slot: number, count: number], void, undefined> {
  for (let slot = counts.next(0); slot < counts.length; slot = counts.next(slot + 1))
    yield [slot, counts.at(slot)];
}

function layoutFrom({
  lowestDiscernibleValue = 1,
  highestTrackableValue = doubled(lowestDiscernibleValue),
  significantDigits = 3,
}: HistogramOptions): HdrLayout {
  return new HdrLayout({ lowestDiscernibleValue, highestTrackableValue, significantDigits });
}

function emptyCounts(storage: Storage, slotCount: number): Counts {
  switch (storage) {
    case 'dense':
      return new DenseCounts(slotCount);
    case 'sparse':
      return new SparseCounts(slotCount);
    default:
      throw mustBe('ERR_INVALID_OPTION', 'storage', "'dense' or 'sparse'", storage satisfies never);
  }
}

function doubled(value: number | bigint): number | bigint {
  if (typeof value === 'bigint') return value * 2n;
  return Number.isSafeInteger(value) ? BigInt(value) * 2n : value;
}
