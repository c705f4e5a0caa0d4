import type { Bounds } from '../bounds.ts';
import type { Counted } from '../counted.ts';
import { nextDown } from '../double.ts';
import { mustBe } from '../errors.ts';
import { assertOptions, type OptionsOwner } from '../options.ts';
import { intervalOfSlot } from '../sum/intervals.ts';
import { assertCounted } from './operands.ts';
import { countOfSlots } from './percentiles.ts';
import { lengthOf } from './values.ts';

/** A quantile: the bounds of the slot that it lies in, and a value that stands for it. */
export interface Quantile extends Bounds {
  /** The value by the interpolation asked for; the finite bound of an open slot; `NaN` in an empty histogram. */
  readonly value: number;
  /** Whether the slot is open on a side. The quantile is then beyond `value`, which is no estimate of it. */
  readonly open: boolean;
}

/** How a quantile is read from its slot. */
export interface QuantileOptions {
  /**
   * `'midpoint'` errs by half a slot at most. `'linear'` assumes that the values of a slot are evenly spread up to its upper
   * bound, as Prometheus does. `'lower'` is never too large, and `'upper'` never too small.
   * @default 'midpoint'
   */
  readonly interpolation?: 'midpoint' | 'linear' | 'lower' | 'upper';
}

const EMPTY: Quantile = { value: Number.NaN, lower: Number.NaN, upper: Number.NaN, open: false };

/**
 * The quantile of a histogram of any layout: the value of rank `ceil(q * n)` of `n`, or of rank 1 where that is 0. The
 * bounds of its slot are certain. In an empty histogram all numbers are `NaN`, as in Prometheus.
 *
 * @param q From 0 to 1.
 * @throws HdrscopeError `ERR_INVALID_VALUE` when `q` is outside its range, `ERR_INVALID_OPTION` when the interpolation
 *   is another word, `ERR_INCOMPATIBLE` when `histogram` has no counts.
 * @example
 * ```ts
 * import { explicitLayout, LayoutHistogram, findQuantile } from '@hdrscope/core';
 *
 * const seconds = new LayoutHistogram(explicitLayout([0.25, 0.5, 1]));
 * seconds.recordValues([0.2, 0.3, 0.4, 7]);
 * findQuantile(seconds, 0.5); //=> { value: 0.375, lower: 0.25, upper: 0.5, open: false }
 * findQuantile(seconds, 0.99); //=> { value: 1, lower: 1, upper: Infinity, open: true }
 * ```
 */
export function findQuantile(histogram: Counted, q: number, options?: QuantileOptions): Quantile {
  return findQuantiles(histogram, [q], options)[0]!;
}

const OWNER: OptionsOwner<QuantileOptions> = { name: 'findQuantile', names: { interpolation: true } };

/**
 * `findQuantile` for several quantiles, in their order.
 *
 * @throws HdrscopeError as `findQuantile` does.
 */
export function findQuantiles(
  histogram: Counted,
  quantiles: readonly number[],
  options: QuantileOptions = {},
): Quantile[] {
  assertOptions(options, OWNER);
  const { interpolation = 'midpoint' } = options;
  assertCounted('findQuantile', histogram);
  const { layout, counts, placedFrom } = histogram;
  lengthOf(quantiles, 'quantiles');
  const asked = Array.from(quantiles);
  if (!INTERPOLATIONS.includes(interpolation)) {
    throw mustBe(
      'ERR_INVALID_OPTION',
      'interpolation',
      "'midpoint', 'linear', 'lower' or 'upper'",
      interpolation,
    );
  }
  for (const q of asked) {
    if (!(typeof q === 'number' && q >= 0 && q <= 1)) {
      throw mustBe('ERR_INVALID_VALUE', 'quantile', 'a number from 0 to 1', q);
    }
  }
  if (counts.total === 0) return asked.map(() => EMPTY);
  return asked.map((q) => {
    const rank = rankOfQuantile(q, counts.total);
    const slot = counts.slotOfRank(rank);
    const { lower, upper } = intervalOfSlot(layout, slot, 1, placedFrom);
    const open = !Number.isFinite(lower) || !Number.isFinite(upper);
    if (open || interpolation === 'midpoint') return { value: layout.midpoint(slot), lower, upper, open };
    if (interpolation !== 'linear')
      return { value: interpolation === 'lower' ? lower : upper, lower, upper, open };
    const share = (rank - countOfSlots(counts, 0, slot - 1)) / counts.at(slot);
    return { value: between(lower, upper, share), lower, upper, open };
  });
}

/** The value at a share of the way, exact at the end; in range even when the whole way exceeds the largest double. */
function between(lower: number, upper: number, share: number): number {
  if (share === 1) return upper;
  const width = upper - lower;
  return Number.isFinite(width) ? lower + width * share : lower * (1 - share) + upper * share;
}

const INTERPOLATIONS = ['midpoint', 'linear', 'lower', 'upper'] as const;

/**
 * Rounds up, unless `q * total` exceeds an integer by rounding alone: the double before `q` is below the decimal that the
 * caller means, and multiplication does not round beyond an integer that is above the product.
 */
function rankOfQuantile(q: number, total: number): number {
  return Math.min(Math.max(1, Math.ceil(Math.max(0, nextDown(q)) * total)), total);
}
