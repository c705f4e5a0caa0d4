import type { Counted } from '../counted.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import { assertHolds, atOneMoment } from './checks.ts';
import { exactUpperTail, kolmogorovUpperTail } from './kolmogorov-distribution.ts';
import { forEachCommonRange } from './paired-slots.ts';

/** What the two-sample Kolmogorov-Smirnov test says. */
export interface KolmogorovSmirnovResult {
  /** D: the largest difference between the two distribution functions, from 0 to 1. */
  readonly statistic: number;
  /** How often samples of one population differ as much or more. */
  readonly pValue: number;
}

/** Up to this product of the two counts the exact distribution takes about a millisecond. */
const LARGEST_EXACT = 100_000;

/**
 * The two-sample Kolmogorov-Smirnov test, two-sided: do two histograms come from one population? It sees any
 * difference, of location, spread or shape, but sees it best in the middle: for tails, see `percentileDifference`.
 *
 * The distribution functions are compared where both are known, which is at the bounds of slots; where the layouts
 * differ, of the coarser slots, since HDR slots nest. So the statistic is at most that of the values themselves.
 *
 * The p-value is exact for small samples, ties and all, while the product of the counts is at most 100 000. Beyond it is
 * the asymptotic one with Stephens' correction for the sample size, which takes no account of ties: values that share
 * a slot can only make it larger than it had to be. The values are taken to be independent.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when a histogram is empty.
 * @example
 * ```ts
 * import { Histogram, kolmogorovSmirnovTest } from '@hdrscope/core';
 *
 * const before = new Histogram({ highestTrackableValue: 1000 });
 * const after = new Histogram({ highestTrackableValue: 1000 });
 * for (const value of [10, 12, 14, 16, 18]) before.record(value);
 * for (const value of [15, 17, 19, 21, 23]) after.record(value);
 *
 * kolmogorovSmirnovTest(before, after).statistic; //=> 0.6
 * kolmogorovSmirnovTest(before, after).pValue.toFixed(4); //=> '0.3571'
 * ```
 */
export function kolmogorovSmirnovTest(a: Counted<HdrLayout>, b: Counted<HdrLayout>): KolmogorovSmirnovResult {
  const [first, second] = atOneMoment('kolmogorovSmirnovTest', a, b);
  assertHolds('kolmogorovSmirnovTest', 1, [first, second]);
  const n = first.counts.total;
  const m = second.counts.total;
  const isSmall = n * m <= LARGEST_EXACT;
  const tieEnds: number[] = [];
  let [upToA, upToB] = [0, 0];
  let distance = 0; // of the distribution functions, times n m
  let statistic = 0;
  forEachCommonRange(first, second, (countInA, countInB) => {
    upToA += countInA;
    upToB += countInB;
    statistic = Math.max(statistic, Math.abs(upToA / n - upToB / m));
    if (isSmall) {
      distance = Math.max(distance, Math.abs(upToA * m - upToB * n));
      tieEnds.push(upToA + upToB);
    }
  });
  if (isSmall) return { statistic: distance / (n * m), pValue: exactUpperTail(n, m, distance, tieEnds) };
  return { statistic, pValue: asymptoticUpperTail(n, m, statistic) };
}

/**
 * Source: M. Stephens, "Use of the Kolmogorov-Smirnov, Cramér-von Mises and related statistics without extensive
 * tables", J. Royal Statistical Society B 32 (1970); Numerical Recipes (3rd ed.) §14.3.3.
 */
function asymptoticUpperTail(n: number, m: number, statistic: number): number {
  const root = Math.sqrt(n / (1 + n / m)); // of n m / (n + m), which must not overflow
  // The correction is that of one sample. Two of equal size can differ by multiples of 1 / n alone, and of those the
  // limit itself is right: corrected, p would be 15 % too small at 300 values each.
  const correction = n === m ? 0 : 0.12 + 0.11 / root;
  return kolmogorovUpperTail((root + correction) * statistic);
}
