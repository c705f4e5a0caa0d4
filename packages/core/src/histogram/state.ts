import type { Counts } from '../counts/counts.ts';
import { DenseCounts } from '../counts/dense.ts';
import { SharedCounts } from '../counts/shared.ts';
import { SparseCounts } from '../counts/sparse.ts';
import type { CountsStore, Storage } from '../counts/store.ts';
import { mustBe } from '../errors.ts';
import { HdrLayout } from '../layout/hdr.ts';
import { assertPolicy, NO_OUTLIERS, type Outliers, type OutOfRangePolicy } from './out-of-range.ts';
import { HdrReading } from './reading.ts';
import { asNumbers, type SlotValues } from './slot-values.ts';

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
  /**
   * `'dense'` is fastest and allocates everything at once, `'sparse'` only what is touched, `'shared'` can be recorded
   * into by many threads: see `Histogram.attach`.
   * @default 'dense'
   */
  readonly storage?: Storage;
  /** Whether a value above the range widens it instead of being refused. @default only without `highestTrackableValue` */
  readonly autoResize?: boolean;
  /**
   * What is done with a value above the range, below 0 or that is no number: it is refused with an error, counted as the
   * nearest value that has a slot (except NaN, which has none and is discarded), or not counted at all. `outliers` counts
   * all three.
   * @default 'throw'
   */
  readonly outOfRange?: OutOfRangePolicy;
}

/** With counts that exist already. Not for users, who could take any that do not fit the layout. */
export interface StoreOptions extends HistogramOptions {
  readonly store?: CountsStore | undefined;
}

/** What a histogram is made of, besides what its values say: layout and counts, which widen together, and notes. */
export abstract class HistogramState extends HdrReading<number> {
  readonly autoResize: boolean;
  readonly outOfRange: OutOfRangePolicy;
  /** How many values were out of range. Kept by the instance: neither copied nor encoded. */
  outliers: Outliers = NO_OUTLIERS;
  /** When the first of the values was counted, in milliseconds since 1970, if anybody said so. */
  startTimeMs: number | undefined = undefined;
  /** When the last of the values was counted, likewise. */
  endTimeMs: number | undefined = undefined;
  /** What the values are about, in an interval log. */
  tag: string | undefined = undefined;

  protected readonly values: SlotValues<number> = asNumbers;
  #layout: HdrLayout;
  readonly #store: CountsStore;

  /**
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
   */
  constructor(options: HistogramOptions = {}) {
    super();
    const { storage = 'dense', outOfRange = 'throw', store }: StoreOptions = options;
    assertPolicy(outOfRange);
    this.outOfRange = outOfRange;
    this.#layout = options.layout ?? layoutFrom(options);
    this.autoResize = options.autoResize ?? (options.layout ?? options.highestTrackableValue) === undefined;
    this.#store = store ?? emptyStore(storage, this.#layout, this.autoResize);
  }

  get layout(): HdrLayout {
    // Another thread may have widened the range.
    if (this.#store.length !== this.#layout.slotCount) this.#followStore();
    return this.#layout;
  }

  /** The count of every slot. Those of shared storage are copied when this is read, and agree with each other. */
  get counts(): Counts {
    return this.#store.seen();
  }

  get storage(): Storage {
    return this.#store.storage;
  }

  /** Bytes held by the counts. */
  get byteLength(): number {
    return this.#store.byteLength;
  }

  /** What other threads attach to: see `Histogram.attach`. Only with shared storage. */
  get sharedBuffer(): SharedArrayBuffer | undefined {
    return this.#store instanceof SharedCounts ? this.#store.buffer : undefined;
  }

  /** The layout without a look at what other threads did to it. */
  protected get knownLayout(): HdrLayout {
    return this.#layout;
  }

  protected forget(): void {
    this.outliers = NO_OUTLIERS;
    this.startTimeMs = undefined;
    this.endTimeMs = undefined;
    this.tag = undefined;
  }

  protected get store(): CountsStore {
    return this.#store;
  }

  /** Takes note that the layout is another one. */
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

function layoutFrom({
  lowestDiscernibleValue = 1,
  highestTrackableValue = doubled(lowestDiscernibleValue),
  significantDigits = 3,
}: HistogramOptions): HdrLayout {
  return new HdrLayout({ lowestDiscernibleValue, highestTrackableValue, significantDigits });
}

function doubled(value: number | bigint): number | bigint {
  if (typeof value === 'bigint') return value * 2n;
  return Number.isSafeInteger(value) ? BigInt(value) * 2n : value;
}

function emptyStore(storage: Storage, layout: HdrLayout, autoResize: boolean): CountsStore {
  switch (storage) {
    case 'dense':
      return new DenseCounts(layout.slotCount);
    case 'sparse':
      return new SparseCounts(layout.slotCount);
    case 'shared':
      return SharedCounts.of({ layout, autoResize });
    default:
      throw mustBe('ERR_INVALID_OPTION', 'storage', "'dense', 'sparse' or 'shared'", storage satisfies never);
  }
}
