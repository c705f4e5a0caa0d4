import { betaParts } from './incomplete-beta.ts';
import { normalUpperQuantile } from './normal.ts';

/** Ranks of values, counted from 1 in ascending order, and how sure a quantile is to lie between them. */
export interface RankInterval {
  readonly lower: number;
  readonly upper: number;
  /** As asked for; below it where the sample is too small for that, and its lowest or highest value was taken. */
  readonly confidence: number;
}

/**
 * The narrowest ranks of `n` values between which the quantile lies with the given confidence, each end being wrong
 * with at most half of what is left.
 *
 * How many of the values are at or below the quantile is a binomial variable, whatever their distribution. The value
 * of rank r is above the quantile when fewer than r are, and below it when r or more are; where values are tied, less
 * often. No approximation enters at any n: the binomial tails are incomplete beta functions.
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

/**
 * The first integer in `[from, to]` of which `holds` is true, as it is from there on, and at `to` in any case. Doubling
 * steps lead away from `guess`, which is close, and halving ones back.
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
