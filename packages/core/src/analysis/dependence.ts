import { normalUpperQuantile } from './normal.ts';
import { studentUpperQuantile } from './student-t.ts';

/** The values of a stretch of time. */
export interface StretchCount {
  readonly count: number;
  /** How many of them are at most the percentile of all. */
  readonly within: number;
}

/** How much of a sample is news: values of a program that stalls, or slows down, repeat each other. */
export interface Dependence {
  /** How many independent values would know the share of values within the percentile as well. At most the number of values. */
  readonly asGoodAs: number;
  /** How many independent stretches of time the sample is as good as. At most the number of stretches. */
  readonly pieces: number;
}

/**
 * How dependent the values of a sample are, from the counts of successive stretches of time.
 *
 * The share of values within a percentile is a ratio of two sums over stretches, whose variance is that of
 * `within - share count`. When neighbouring stretches are alike, they count for less: with a correlation r of neighbours that fades
 * with the distance, the variance of a sum is (1 + r) / (1 - r) times that of independent ones. The estimate of r is too low by
 * (1 + 3 r) / n on average, which is added. The variance divided by that of independent values is the design effect.
 * Source: W. Cochran, "Sampling Techniques" (3rd ed.) §6.3; M. Kendall, "Note on bias in the estimation of autocorrelation",
 * Biometrika 41 (1954).
 *
 * @param stretches In the order of time; at least 2.
 * @param share The percentile as a part of 1, above 0 and below 1.
 */
export function measureDependence(stretches: readonly StretchCount[], share: number): Dependence {
  const n = stretches.length;
  const total = stretches.reduce((sum, { count }) => sum + count, 0);
  const excess = stretches.map(({ count, within }) => within - share * count);
  const mean = excess.reduce((sum, one) => sum + one, 0) / n;
  let [squares, products, before] = [0, 0, 0];
  for (const one of excess) {
    const deviation = one - mean;
    squares += deviation * deviation;
    products += deviation * before;
    before = deviation;
  }
  if (squares === 0) return { asGoodAs: total, pieces: n };
  const raw = products / squares;
  const correlation = Math.min(Math.max(raw + (1 + 3 * raw) / n, 0), MOST_CORRELATION);
  const inflation = (1 + correlation) / (1 - correlation);
  const designEffect = ((squares / (n - 1)) * n * inflation) / (total * share * (1 - share));
  return { asGoodAs: total / Math.max(designEffect, 1), pieces: n / inflation };
}

// No sample shows that its stretches are equal for ever.
const MOST_CORRELATION = 0.99;

/**
 * The number of independent values for which the binomial interval of a share is as wide as that of the sample. It is below
 * `asGoodAs`, since the variance is an estimate from few pieces, too.
 * Source: E. Korn and B. Graubard, "Confidence intervals for proportions with small expected number of positive counts estimated from
 * survey data", Survey Methodology 24 (1998).
 */
export function effectiveCount({ asGoodAs, pieces }: Dependence, confidence: number): number {
  const miss = (1 - confidence) / 2;
  const wider = studentUpperQuantile(miss, Math.max(pieces - 1, 1)) / normalUpperQuantile(miss);
  return Math.max(1, Math.floor(asGoodAs / wider ** 2));
}
