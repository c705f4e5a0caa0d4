import { DenseCounts } from '../counts/dense.ts';
import type { Storage } from '../counts/readonly-counts.ts';
import { SharedCounts } from '../counts/shared.ts';
import { SparseCounts } from '../counts/sparse.ts';
import type { CountsStore } from '../counts/store.ts';
import { mustBe } from '../errors.ts';
import { HdrLayout, isHdrLayout } from '../layout/hdr.ts';
import { assertOptions, custom, flag, type OptionsOwner } from '../options.ts';
import { assertPolicy, type OutOfRangePolicy } from './out-of-range.ts';

/** Options of a `Histogram` or `BasicHistogram`. */
export interface HistogramOptions {
  /** The smallest difference between values that must stay visible: an integer of at least 1. @default 1 */
  readonly lowestDiscernibleValue?: number | bigint;
  /**
   * The largest value that must fit: an integer from twice the lowest discernible value to 2^63 − 1.
   * Without it the histogram grows with its values.
   */
  readonly highestTrackableValue?: number | bigint;
  /** Decimal digits to which a value keeps its precision: an integer from 0 to 5. @default 3 */
  readonly significantDigits?: number;
  /** An existing layout, in place of the three options above. Histograms of one shape should share it. */
  readonly layout?: HdrLayout;
  /**
   * `'dense'` is fastest and allocates everything at once, `'sparse'` allocates only what is used, and many threads can
   * record into `'shared'`: see `Histogram.attach`.
   * @default 'dense'
   */
  readonly storage?: Storage;
  /** Whether a value above the range widens it instead of being refused. @default only without `highestTrackableValue` */
  readonly autoResize?: boolean;
  /**
   * The treatment of a value that is negative, not a number or above the range: `'throw'` refuses it with an error,
   * `'clamp'` counts the nearest value that has a slot (NaN has none and is discarded), `'discard'` does not count it.
   * `outliers` counts all three.
   * @default 'throw'
   */
  readonly outOfRange?: OutOfRangePolicy;
}

/**
 * The parts that a histogram starts with: checked options and counts that fit the layout. The constructor of a histogram
 * takes a setup in place of options. The package exports no setup, so its users cannot combine parts that do not fit.
 */
export class HistogramSetup implements HistogramOptions {
  readonly layout: HdrLayout;
  readonly store: CountsStore;
  readonly autoResize: boolean;
  readonly outOfRange: OutOfRangePolicy;

  constructor(
    layout: HdrLayout,
    store: CountsStore,
    {
      autoResize,
      outOfRange = 'throw',
    }: { readonly autoResize: boolean; readonly outOfRange?: OutOfRangePolicy },
  ) {
    this.layout = layout;
    this.store = store;
    this.autoResize = autoResize;
    this.outOfRange = outOfRange;
  }
}

const OWNER: OptionsOwner<HistogramOptions> = {
  name: 'Histogram',
  names: {
    lowestDiscernibleValue: true,
    highestTrackableValue: true,
    significantDigits: true,
    layout: /* @__PURE__ */ custom('a layout that hdrLayout makes', (value) =>
      isHdrLayout(value as HdrLayout),
    ),
    storage: true,
    autoResize: flag,
    outOfRange: true,
  },
  call: 'new Histogram({ highestTrackableValue: 3_600_000_000, significantDigits: 3 })',
};

/**
 * Checks and completes options; a setup stays as it is.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
 */
export function completeSetup(options: HistogramOptions): HistogramSetup {
  if (options instanceof HistogramSetup) return options;
  assertOptions(options, OWNER);
  const { storage = 'dense', outOfRange = 'throw' } = options;
  assertPolicy(outOfRange);
  const layout = options.layout ?? layoutFrom(options);
  const autoResize = options.autoResize ?? (options.layout ?? options.highestTrackableValue) === undefined;
  return new HistogramSetup(layout, emptyStore(storage, layout, autoResize), { autoResize, outOfRange });
}

/**
 * Counts of an empty histogram.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the storage is unknown.
 */
export function emptyStore(storage: Storage, layout: HdrLayout, autoResize: boolean): CountsStore {
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
