import type { Counted } from '../counted.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import { atOneMoment } from './checks.ts';
import { normalUpperTail } from './normal.ts';
import { forEachCommonRange } from './paired-slots.ts';

/** The result of a Mann-Whitney U test. */
export interface MannWhitneyResult {
  /** U of `a`: the number of pairs of a value of `a` and a value of `b` in which the former is larger; ties count half. */
  readonly u: number;
  /** The distance of U from its mean for one population, in standard deviations. Above 0 when `a` is larger. */
  readonly z: number;
  /** The probability that samples of one population are as far apart, either way. */
  readonly pValue: number;
  /**
   * Cliff's delta, also known as the rank-biserial correlation: the probability that a value of `a` is larger than a value of `b`,
   * less the probability that it is smaller. From -1 to 1; 0 when neither tends to be larger.
   */
  readonly effectSize: number;
}

/**
 * The Mann-Whitney U test (Wilcoxon's rank-sum test), two-sided: does one histogram tend to larger values? The distributions may
 * have any shape, and a few enormous values count for no more than large ones.
 *
 * The p-value comes from the normal approximation with corrections for ties and for continuity, which is good from about eight
 * values in each histogram. Values that share a slot are tied; when the layouts differ, values that share the coarser slot, since
 * HDR slots nest. When all values are tied, z is 0 and p is 1. The test assumes independent values.
 *
 * With large counts every difference becomes significant: `effectSize` shows whether it matters.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when a histogram is empty or has no integers.
 * @example
 * ```ts
 * import { Histogram, mannWhitneyTest } from '@hdrscope/core';
 *
 * const before = new Histogram({ highestTrackableValue: 1000 });
 * const after = new Histogram({ highestTrackableValue: 1000 });
 * for (let value = 100; value < 120; value++) {
 *   before.record(value);
 *   after.record(value + 5);
 * }
 * const { u, effectSize, pValue } = mannWhitneyTest(after, before);
 * u; //=> 287.5
 * effectSize; //=> 0.4375
 * pValue.toFixed(4); //=> '0.0185'
 * ```
 */
export function mannWhitneyTest(a: Counted<HdrLayout>, b: Counted<HdrLayout>): MannWhitneyResult {
  const [first, second] = atOneMoment('mannWhitneyTest', a, b);
  const n = first.counts.total;
  const m = second.counts.total;
  let [belowA, belowB] = [0, 0];
  let surplus = 0; // pairs in which a is larger, less pairs in which b is larger
  let squares = 0; // the sum of squares of all ranks' doubled distances from the middle rank
  forEachCommonRange(first, second, (countInA, countInB) => {
    // One difference is exactly 0 for equal samples, and exactly the opposite for swapped ones.
    surplus += countInA * belowB - countInB * belowA;
    const inBoth = countInA + countInB;
    const fromMiddle = 2 * (belowA + belowB) + inBoth - (n + m);
    squares += inBoth * fromMiddle * fromMiddle;
    belowA += countInA;
    belowB += countInB;
  });
  // The variance of U is n m / (N (N - 1)) times the sum of squares of the ranks' distances from their middle. Tied values have the
  // middle of their ranks, so this has the usual correction for ties. A sum of squares does not cancel when nearly all values are
  // tied. Source: E. Lehmann, "Nonparametrics" §1.4.
  const total = n + m;
  const pairs = n * m;
  const deviation = Math.sqrt(((pairs / total) * squares) / (total - 1)) / 2;
  surplus = Math.min(Math.max(surplus, -pairs), pairs); // rounding of enormous counts can pass these bounds
  const distance = Math.max(0, (Math.abs(surplus) - 1) / 2); // from U to its middle, less half a step for continuity
  // Values of a sample vary as their weights say: each side adds the inverse of its number of independent values to the variance.
  const inflation = ((first.weight ?? 1) * m + (second.weight ?? 1) * n) / total;
  const z = distance === 0 ? 0 : (Math.sign(surplus) * distance) / (deviation * Math.sqrt(inflation));
  return {
    u: (pairs + surplus) / 2,
    z,
    pValue: 2 * normalUpperTail(Math.abs(z)),
    effectSize: surplus / pairs,
  };
}
