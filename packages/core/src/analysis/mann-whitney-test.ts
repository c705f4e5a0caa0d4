import type { Counted } from '../counted.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import { assertHolds, atOneMoment } from './checks.ts';
import { normalUpperTail } from './normal.ts';
import { forEachCommonRange } from './paired-slots.ts';

/** What the Mann-Whitney U test says. */
export interface MannWhitneyResult {
  /** U of `a`: of all pairs of a value of `a` and one of `b`, in how many that of `a` is larger; ties count half. */
  readonly u: number;
  /** How far U is from what one population would make it, in standard deviations. Above 0 where `a` is larger. */
  readonly z: number;
  /** How often samples of one population are as far apart, either way. */
  readonly pValue: number;
  /**
   * Cliff's delta, which is the rank-biserial correlation: how much more probable it is that a value of `a` is larger
   * than one of `b` than that it is smaller. From -1 to 1, 0 where neither tends to be larger.
   */
  readonly effectSize: number;
}

/**
 * The Mann-Whitney U test (Wilcoxon's rank-sum test), two-sided: does one histogram tend to larger values? Nothing is
 * assumed of the distributions, and a few enormous values count for no more than large ones.
 *
 * The p-value is that of the normal approximation, with the corrections for ties and for continuity; that is good from
 * about eight values in each. Values that share a slot are tied; where the layouts differ, those that share the
 * coarser of two slots, since HDR slots nest. Where all are tied nothing tells the two apart: z is 0, and p is 1. The
 * values are taken to be independent.
 *
 * With large counts every difference becomes significant: `effectSize` says whether it matters.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when a histogram is empty.
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
  assertHolds('mannWhitneyTest', 1, [first, second]);
  const n = first.counts.total;
  const m = second.counts.total;
  let [belowA, belowB] = [0, 0];
  let surplus = 0; // pairs in which a is larger, less those in which b is
  let squares = 0; // of the distances of all ranks from the middle one, doubled
  forEachCommonRange(first, second, (countInA, countInB) => {
    // In one difference, which is exactly 0 for equal samples, and exactly the opposite for swapped ones.
    surplus += countInA * belowB - countInB * belowA;
    const inBoth = countInA + countInB;
    const fromMiddle = 2 * (belowA + belowB) + inBoth - (n + m);
    squares += inBoth * fromMiddle * fromMiddle;
    belowA += countInA;
    belowB += countInB;
  });
  // The variance of U is n m / (N (N - 1)) times the squares of the ranks' distances from their middle. Tied values
  // have the middle of their ranks, so that this is the usual correction for ties; but as a sum of squares it does not
  // cancel where nearly all values are tied. Source: E. Lehmann, "Nonparametrics" §1.4.
  const total = n + m;
  const pairs = n * m;
  const deviation = Math.sqrt(((pairs / total) * squares) / (total - 1)) / 2;
  surplus = Math.min(Math.max(surplus, -pairs), pairs); // which the rounding of enormous counts can exceed
  const distance = Math.max(0, (Math.abs(surplus) - 1) / 2); // of U from its middle, less half a step for continuity
  const z = distance === 0 ? 0 : (Math.sign(surplus) * distance) / deviation;
  return {
    u: (pairs + surplus) / 2,
    z,
    pValue: 2 * normalUpperTail(Math.abs(z)),
    effectSize: surplus / pairs,
  };
}
