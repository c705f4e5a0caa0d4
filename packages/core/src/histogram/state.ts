import type { ReadonlyCounts, Storage } from '../counts/readonly-counts.ts';
import { SharedCounts } from '../counts/shared.ts';
import type { CountsStore } from '../counts/store.ts';
import { mustBe } from '../errors.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import { NO_OUTLIERS, type Outliers, type OutOfRangePolicy } from './out-of-range.ts';
import { HdrReading } from './reading.ts';
import { completeSetup, type HistogramOptions } from './setup.ts';
import { asNumbers, type SlotValues } from './slot-values.ts';

/** The state of a histogram: its layout and counts, which widen together, its policy, times and tag. */
export abstract class HistogramState extends HdrReading<number> {
  /** Whether a value above the range widens it. */
  readonly autoResize: boolean;
  /** The treatment of values out of range. */
  readonly outOfRange: OutOfRangePolicy;
  /** How many values were out of range. Belongs to this instance: copies and encodings do not have it. */
  outliers: Outliers = NO_OUTLIERS;
  /** When the first of the values was counted, in milliseconds since 1970; `undefined` when nobody has set it. */
  startTimeMs: number | undefined = undefined;
  /** When the last of the values was counted, in milliseconds since 1970; `undefined` when nobody has set it. */
  endTimeMs: number | undefined = undefined;
  /** The subject of the values, in an interval log. */
  tag: string | undefined = undefined;

  protected readonly values: SlotValues<number> = asNumbers;
  #layout: HdrLayout;
  readonly #store: CountsStore;

  /**
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
   */
  constructor(options: HistogramOptions = {}) {
    super();
    const { layout, store, autoResize, outOfRange } = completeSetup(options);
    this.#layout = layout;
    this.#store = store;
    this.autoResize = autoResize;
    this.outOfRange = outOfRange;
  }

  /** Says which values share a slot. Widening the range replaces it. */
  get layout(): HdrLayout {
    // Another thread may have widened the range.
    if (this.#store.length !== this.#layout.slotCount) this.#followStore();
    return this.#layout;
  }

  /** The count of every slot. With shared storage each read makes a consistent copy. */
  get counts(): ReadonlyCounts {
    return this.#store.seen();
  }

  /** How the counts are kept in memory. */
  get storage(): Storage {
    return this.#store.storage;
  }

  /** Bytes held by the counts. */
  get byteLength(): number {
    return this.#store.byteLength;
  }

  /** The buffer that other threads attach to, with shared storage only: see `Histogram.attach`. */
  get sharedBuffer(): SharedArrayBuffer | undefined {
    return this.#store instanceof SharedCounts ? this.#store.buffer : undefined;
  }

  /** The layout as this thread knows it, which another thread may have widened. */
  protected get knownLayout(): HdrLayout {
    return this.#layout;
  }

  protected get store(): CountsStore {
    return this.#store;
  }

  /** Forgets the outliers, the times and the tag. */
  protected forget(): void {
    this.outliers = NO_OUTLIERS;
    this.startTimeMs = undefined;
    this.endTimeMs = undefined;
    this.tag = undefined;
  }

  /** Runs after the layout has been replaced. */
  protected abstract layoutChanged(layout: HdrLayout): void;

  /**
   * Makes sure that `value` has a slot.
   *
   * @throws HdrscopeError `ERR_VALUE_OUT_OF_RANGE` when the range is fixed.
   */
  protected reach(value: bigint): void {
    const { layout } = this;
    if (value <= layout.upperBigInt(layout.slotCount - 1)) return;
    if (!this.autoResize) {
      const allowed = `at most ${layout.largestValue} (highestTrackableValue ${layout.highestTrackableBigInt})`;
      throw mustBe('ERR_VALUE_OUT_OF_RANGE', 'value', allowed, value);
    }
    this.#store.resize(layout.reaching(value).slotCount);
    this.#followStore();
  }

  #followStore(): void {
    const { length } = this.#store;
    const layout = this.#layout;
    this.#layout = layout.reaching(layout.upperBigInt(length - 1));
    this.layoutChanged(this.#layout);
  }
}
