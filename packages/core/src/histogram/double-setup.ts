import type { Storage } from '../counts/readonly-counts.ts';
import { SharedCounts } from '../counts/shared.ts';
import type { CountsStore } from '../counts/store.ts';
import { assertOptions, flag, integer, number, type OptionsOwner } from '../options.ts';
import { type DoubleHistogramOptions, type DoubleRange, rangeFrom } from './double-range.ts';
import { assertPolicy, type OutOfRangePolicy } from './out-of-range.ts';
import { emptyStore } from './setup.ts';

/**
 * The parts that a `DoubleHistogram` starts with: a range, and counts of its integers. The constructor takes it in place of
 * options. The package exports none, so its users cannot combine parts that do not fit.
 */
export class DoubleSetup implements DoubleHistogramOptions {
  readonly range: DoubleRange;
  readonly store: CountsStore;
  readonly outOfRange: OutOfRangePolicy;

  constructor(range: DoubleRange, store: CountsStore, outOfRange: OutOfRangePolicy = 'throw') {
    this.range = range;
    this.store = store;
    this.outOfRange = outOfRange;
  }
}

const OWNER: OptionsOwner<DoubleHistogramOptions> = {
  name: 'DoubleHistogram',
  names: {
    significantDigits: /* @__PURE__ */ integer({ from: 0, to: 5 }),
    highestToLowestValueRatio: /* @__PURE__ */ number(),
    autoResize: flag,
    storage: true,
    outOfRange: true,
  },
  call: 'new DoubleHistogram({ significantDigits: 3 })',
};

/**
 * Checks and completes options; a setup stays as it is.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
 */
export function completeDoubleSetup(options: DoubleHistogramOptions): DoubleSetup {
  if (options instanceof DoubleSetup) return options;
  assertOptions(options, OWNER);
  const { storage = 'dense', outOfRange = 'throw' } = options;
  assertPolicy(outOfRange);
  const range = rangeFrom(options);
  return new DoubleSetup(range, emptyDoubleStore(storage, range), outOfRange);
}

/**
 * Counts of an empty histogram of doubles.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the storage is unknown.
 */
export function emptyDoubleStore(storage: Storage, { layout }: DoubleRange): CountsStore {
  if (storage === 'shared') return SharedCounts.of({ layout, autoResize: false, isDouble: true });
  return emptyStore(storage, layout, false);
}
