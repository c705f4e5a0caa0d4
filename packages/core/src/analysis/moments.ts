import type { Counted } from '../counted.ts';
import type { ReadonlyCounts } from '../counts/readonly-counts.ts';
import { assertHdrCounted } from '../histogram/operands.ts';
import { computeMean } from '../histogram/statistics.ts';
import type { HdrLayout } from '../layout/hdr.ts';

/** Sums of powers of the deviations from the mean, computed from the middles of the slots. */
export interface Moments {
  readonly count: number;
  readonly mean: number;
  /** Σ (x - mean)². */
  readonly squares: number;
  readonly cubes: number;
  readonly fourths: number;
}

/**
 * Computes the moments in two passes. The first finds the mean; the second sums deviations from the rounded mean, and their
 * own mean corrects the rounding. Source: T. Chan, G. Golub and R. LeVeque, "Algorithms for computing the
 * sample variance", The American Statistician 37 (1983); Numerical Recipes (3rd ed.) §14.1.
 *
 * The counts must not be empty.
 */
export function momentsOf({ layout, counts }: Counted<HdrLayout>): Moments {
  // The origin is an integer, as the middles are. So the deviation of a single slot is exactly 0.
  const origin = Math.round(computeMean({ layout, counts }));
  let [s1, s2, s3, s4] = [0, 0, 0, 0];
  for (let slot = counts.first; slot < counts.length; slot = counts.next(slot + 1)) {
    const deviation = layout.midpoint(slot) - origin;
    const weighted = counts.at(slot) * deviation;
    const square = deviation * deviation;
    s1 += weighted;
    s2 += weighted * deviation;
    s3 += weighted * square;
    s4 += weighted * square * deviation;
  }
  const off = s1 / counts.total;
  return {
    count: counts.total,
    mean: origin + off,
    squares: s2 - off * s1,
    cubes: s3 - off * (3 * s2 - 2 * off * s1),
    fourths: s4 - off * (4 * s3 - off * (6 * s2 - 3 * off * s1)),
  };
}

/**
 * The skewness of a population, γ₁ = m₃ / m₂^(3/2), from the middles of the slots: above 0 when the upper tail is the longer
 * one, and 0 when both tails are alike. `NaN` in an empty histogram, and when all values share a slot.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when `histogram` has no integers.
 * @example
 * ```ts
 * import { Histogram, computeSkewness } from '@hdrscope/core';
 *
 * const histogram = new Histogram({ highestTrackableValue: 1000 });
 * for (const value of [1, 2, 3]) histogram.record(value);
 * computeSkewness(histogram); //=> 0
 * histogram.record(1000);
 * computeSkewness(histogram).toFixed(4); //=> '1.1547'
 * ```
 */
export function computeSkewness(histogram: Counted<HdrLayout>): number {
  assertHdrCounted('computeSkewness', histogram);
  const { layout, counts } = histogram;
  if (!isSpread(counts)) return Number.NaN;
  const { count, squares, cubes } = momentsOf({ layout, counts });
  const variance = squares / count;
  return cubes / count / (variance * Math.sqrt(variance));
}

/**
 * The excess kurtosis of a population, γ₂ = m₄ / m₂² - 3, from the middles of the slots: 0 for a normal distribution, above 0
 * when the tails are heavier, and at least -2. `NaN` in an empty histogram, and when all values share a slot.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when `histogram` has no integers.
 * @example
 * ```ts
 * import { computeExcessKurtosis, Histogram } from '@hdrscope/core';
 *
 * const histogram = new Histogram({ highestTrackableValue: 1000 });
 * for (const value of [1, 3]) histogram.record(value);
 * computeExcessKurtosis(histogram); //=> -2
 * histogram.record(2, 10);
 * computeExcessKurtosis(histogram); //=> 3
 * ```
 */
export function computeExcessKurtosis(histogram: Counted<HdrLayout>): number {
  assertHdrCounted('computeExcessKurtosis', histogram);
  const { layout, counts } = histogram;
  if (!isSpread(counts)) return Number.NaN;
  const { count, squares, fourths } = momentsOf({ layout, counts });
  const variance = squares / count;
  return fourths / count / (variance * variance) - 3;
}

/** Whether more than one slot is used. */
function isSpread(counts: ReadonlyCounts): boolean {
  return counts.first < counts.last;
}
