import type { ReadonlyCounts } from '../counts/readonly-counts.ts';
import { nextDown } from '../double.ts';
import { mustBe } from '../errors.ts';
import type { Layout } from '../layout/layout.ts';
import { countOfSlots } from './percentiles.ts';

/** Where a quantile lies: in which slot, and the value that is reported for it. */
export interface Quantile {
  /** By the interpolation asked for; the finite bound where the slot is open. `NaN` when nothing was counted. */
  readonly value: number;
  /** The lower bound of the slot: `-Infinity` where it is open downwards. */
  readonly lower: number;
  /** The upper bound of the slot: `Infinity` where it is open upwards. */
  readonly upper: number;
  /** Whether the slot is open on a side. The value is then no estimate, but the bound that the quantile is beyond. */
  readonly open: boolean;
}

/** Which value of its slot a quantile is reported as. */
export interface QuantileOptions {
  /**
   * `'midpoint'` is wrong by half a slot at most; `'linear'` takes the values of a slot as evenly spread up to its upper
   * bound, as Prometheus does; `'lower'` and `'upper'` never report too much, or too little.
   * @default 'midpoint'
   */
  readonly interpolation?: 'midpoint' | 'linear' | 'lower' | 'upper';
}

/** Counts over any layout. */
interface Counted {
  readonly layout: Layout;
  readonly counts: ReadonlyCounts;
}

const OF_NOTHING: Quantile = { value: Number.NaN, lower: Number.NaN, upper: Number.NaN, open: false };

/**
 * The quantile of a histogram of any layout: the value of rank `ceil(q * n)` of `n`, or of rank 1 where that is 0. The
 * bounds are certain, as the value is in the slot. Of an empty histogram there is none: all is `NaN`, as in Prometheus.
 *
 * @param q From 0 to 1.
 * @throws HdrscopeError `ERR_INVALID_VALUE` when `q` is outside its range, `ERR_INVALID_OPTION` when the interpolation
 *   is none of the four.
 * @example
 * ```ts
 * import { explicitLayout, LayoutHistogram, quantileOf } from '@hdrscope/core';
 *
 * const seconds = new LayoutHistogram(explicitLayout([0.25, 0.5, 1]));
 * seconds.recordValues([0.2, 0.3, 0.4, 7]);
 * quantileOf(seconds, 0.5); //=> { value: 0.375, lower: 0.25, upper: 0.5, open: false }
 * quantileOf(seconds, 0.99); //=> { value: 1, lower: 1, upper: Infinity, open: true }
 * ```
 */
export function quantileOf(histogram: Counted, q: number, options?: QuantileOptions): Quantile {
  return quantilesOf(histogram, [q], options)[0]!;
}

/** `quantileOf` for several quantiles, in the order given. */
export function quantilesOf(
  { layout, counts }: Counted,
  quantiles: readonly number[],
  { interpolation = 'midpoint' }: QuantileOptions = {},
): Quantile[] {
  if (!INTERPOLATIONS.includes(interpolation)) {
    throw mustBe(
      'ERR_INVALID_OPTION',
      'interpolation',
      "'midpoint', 'linear', 'lower' or 'upper'",
      interpolation,
    );
  }
  for (const q of quantiles) {
    if (!(typeof q === 'number' && q >= 0 && q <= 1)) {
      throw mustBe('ERR_INVALID_VALUE', 'quantile', 'a number from 0 to 1', q);
    }
  }
  if (counts.total === 0) return quantiles.map(() => OF_NOTHING);
  return quantiles.map((q) => {
    const rank = rankOfQuantile(q, counts.total);
    const slot = counts.slotOfRank(rank);
    const [lower, upper] = [layout.lower(slot), layout.upper(slot)];
    const open = !Number.isFinite(lower) || !Number.isFinite(upper);
    if (open || interpolation === 'midpoint') return { value: layout.midpoint(slot), lower, upper, open };
    if (interpolation !== 'linear')
      return { value: interpolation === 'lower' ? lower : upper, lower, upper, open };
    const share = (rank - countOfSlots(counts, 0, slot - 1)) / counts.at(slot);
    return { value: share === 1 ? upper : lower + (upper - lower) * share, lower, upper, open };
  });
}

const INTERPOLATIONS = ['midpoint', 'linear', 'lower', 'upper'] as const;

/**
 * Rounds up, but not where `q * total` exceeds an integer by rounding alone: the double before `q` is below the decimal
 * that a person means, and multiplication does not round beyond an integer that is above the product.
 */
function rankOfQuantile(q: number, total: number): number {
  return Math.min(Math.max(1, Math.ceil(Math.max(0, nextDown(q)) * total)), total);
}
