import { findRank } from '../histogram/percentiles.ts';
import { betaParts } from './incomplete-beta.ts';
import { normalUpperQuantile } from './normal.ts';

/** Two ranks of values in ascending order, from 1, and the confidence that a quantile lies between them. */
export interface RankInterval {
  readonly lower: number;
  readonly upper: number;
  /** The confidence asked for, or less when the sample is too small and an end is its lowest or highest value. */
  readonly confidence: number;
}

/**
 * The closest ranks of `n` values between which the quantile lies with the given confidence. Each end is wrong with at most half of
 * the remaining probability.
 *
 * The number of values at or below the quantile is a binomial variable, whatever their distribution. The value of rank r is above
 * the quantile when fewer than r values are at or below it, and below the quantile when r or more are; with ties, less often. There
 * is no approximation at any n, as binomial tails are incomplete beta functions.
 * Source: H. David and H. Nagaraja, "Order Statistics" (3rd ed.) §7.1; NIST DLMF 8.17.5.
 *
 * @param n From 1 to 2^53 - 1.
 * @param quantile From 0 to 1.
 */
export function rankInterval(n: number, quantile: number, confidence: number): RankInterval {
  const miss = (1 - confidence) / 2;
  const odds = quantile / (1 - quantile);
  /** The probability that `rank` or more values are at or below the quantile, and that fewer are. */
  const tailsAt = (rank: number): { fewer: number; asMany: number } => {
    if (rank <= 0) return { fewer: 0, asMany: 1 };
    if (rank > n) return { fewer: 1, asMany: 0 };
    const { below, above } = betaParts(rank, n - rank + 1, odds);
    return { fewer: above, asMany: below };
  };
  const mean = n * quantile;
  const z = normalUpperQuantile(miss);
  const reach = z * Math.sqrt(mean * (1 - quantile));
  const skew = ((z * z - 1) * (1 - 2 * quantile)) / 6;
  const lower = firstInteger(1, n + 1, mean - reach + skew, (rank) => tailsAt(rank).fewer > miss) - 1;
  const upper = firstInteger(1, n + 1, mean + reach + skew, (rank) => tailsAt(rank).asMany <= miss);
  if (lower >= 1 && upper <= n) return { lower, upper, confidence };
  const bounded = { lower: Math.max(lower, 1), upper: Math.min(upper, n) };
  const missed = tailsAt(bounded.lower).fewer + tailsAt(bounded.upper).asMany;
  return { ...bounded, confidence: Math.min(confidence, Math.max(0, 1 - missed)) };
}

/** The ranks of an interval, and that of the percentile, which is between them. */
export interface PercentileRanks extends RankInterval {
  readonly rank: number;
}

/**
 * The closest ranks of all values between which a percentile lies: those of as many independent ones, as parts of all.
 *
 * @param n How many independent values say as much: from 1 to the total.
 */
export function percentileRanks(
  total: number,
  n: number,
  percentile: number,
  confidence: number,
): PercentileRanks {
  const rank = findRank(percentile, total);
  const ranks = rankInterval(n, Math.abs(percentile) / 100, confidence); // of -0 too
  const each = total / n;
  return {
    rank,
    // The rank lies between the two, except for rounding near 2^53.
    lower: Math.min(rank, Math.floor((ranks.lower - 1) * each) + 1),
    upper: Math.max(rank, Math.min(total, Math.ceil(ranks.upper * each))),
    confidence: ranks.confidence,
  };
}

/**
 * The first integer in `[from, to]` for which `holds` is true. It is true for all integers after that, and taken to be true for
 * `to`. The search goes away from `guess`, which is close, in doubling steps, and back in halving ones.
 */
function firstInteger(from: number, to: number, guess: number, holds: (integer: number) => boolean): number {
  let [low, high] = [from - 1, to]; // the first is in (low, high]
  let at = Math.min(Math.max(Math.round(guess), from), to - 1);
  for (let step = 1; low < at && at < high; step *= 2) {
    if (holds(at)) {
      high = at;
      at -= step;
    } else {
      low = at;
      at += step;
    }
  }
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}
