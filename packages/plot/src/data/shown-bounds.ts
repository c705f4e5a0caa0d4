import { type Counted, HistogramSum, type Layout } from '@hdrscope/core';
import { areWide } from '@hdrscope/kit';

/** A copy of counts, which answers with bounds. Most histograms of a plot have few values. */
export function sparseSum(counted: Counted): HistogramSum {
  const sum = new HistogramSum({ storage: 'sparse' });
  sum.add(counted);
  return sum;
}

/** The most significant digits that one of the layouts has; `Infinity`, which makes each width count, when none of them has digits. */
export function finestDigits(layouts: Iterable<Layout & { readonly significantDigits?: number }>): number {
  let finest = Number.NEGATIVE_INFINITY;
  for (const { significantDigits = Number.NEGATIVE_INFINITY } of layouts) {
    finest = Math.max(finest, significantDigits);
  }
  return finest === Number.NEGATIVE_INFINITY ? Number.POSITIVE_INFINITY : finest;
}

/** A percentile of a sum as one value, and its lower bound where it is known by bounds only. */
export interface ShownBounds {
  /** The upper bound; at percentile 0, where the bounds are not wide, the lower one. */
  readonly value: number;
  /** Left out where the bounds are not wider than the digits. */
  readonly lower?: number;
}

export function shownBounds(sum: HistogramSum, percentile: number, digits: number): ShownBounds {
  const { lower, upper } = sum.percentile(percentile);
  if (areWide({ lower, upper }, digits)) return { value: upper, lower };
  return { value: percentile === 0 ? lower : upper };
}
