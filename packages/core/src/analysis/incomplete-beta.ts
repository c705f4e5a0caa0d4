import { tailIntegral } from './tail-integral.ts';

/** The two parts into which a point divides a beta distribution. */
export interface BetaParts {
  /** The regularised incomplete beta function I_x(a, b): the probability of a value up to x. */
  readonly below: number;
  /** `1 - below`, without its cancellation. */
  readonly above: number;
  /** The density at x of ln(x / (1 - x)). */
  readonly logOddsDensity: number;
}

/**
 * The regularised incomplete beta function, for `a` and `b` from 1/2 to 2^54. The relative error of the smaller part is
 * below 1e-12, plus what the rounding of `odds` alone makes of it.
 *
 * The usual continued fraction (NIST DLMF 8.17.22) takes √max(a, b) steps near the middle, and cancellation destroys its leading
 * factor long before 2^53. So this is a quadrature, as in Numerical Recipes (3rd ed.) §6.4 for large parameters, but over the
 * log-odds y = ln(x / (1 - x)). There the density, proportional to e^(a y) / (1 + e^y)^(a + b), is smooth and log-concave for
 * all parameters, with its peak at ln(a / b).
 *
 * @param odds x / (1 - x), from 0 to infinity: it keeps the digits that x would lose near 1.
 */
export function betaParts(a: number, b: number, odds: number): BetaParts {
  if (a > b) {
    const mirrored = betaParts(b, a, 1 / odds);
    return { ...mirrored, below: mirrored.above, above: mirrored.below };
  }
  const n = a + b;
  const share = a / n; // in (0, 1/2], so that `fall` does not cancel
  const fromPeak = Math.log((odds * b) / a);
  const logDensity = -n * fall(share, fromPeak);
  const logOddsDensity = Math.exp(logDensity) * peakDensity(a, b);
  const isBelowPeak = fromPeak < 0;
  const tail = logOddsDensity === 0 ? 0 : logOddsDensity * tailBeyond();
  return {
    below: isBelowPeak ? tail : 1 - tail,
    above: isBelowPeak ? 1 - tail : tail,
    logOddsDensity,
  };

  function tailBeyond(): number {
    const direction = isBelowPeak ? -1 : 1;
    const growth = share * Math.expm1(fromPeak);
    const slope = Math.abs(a - (n * (share + growth)) / (1 + growth));
    const length = 1 / (slope + Math.sqrt((a * b) / n));
    return tailIntegral(
      (distance) => Math.exp(-n * fall(share, fromPeak + direction * distance) - logDensity),
      length,
    );
  }
}

/**
 * `ln(1 + share (e^d - 1)) - share d`: the fall of the logarithm of the density, for each unit of a + b, over a distance `d` from
 * the peak. It is about `share (1 - share) d² / 2`, the difference of two terms that are far larger when d is small.
 */
function fall(share: number, d: number): number {
  if (d > 500) return (1 - share) * d + Math.log(share); // before e^d overflows
  if (Math.abs(d) > 0.2) return Math.log1p(share * Math.expm1(d)) - share * d;
  return log1pRest(share * Math.expm1(d)) + share * expm1Rest(d);
}

/** `e^d - 1 - d` for |d| up to 1/5. */
function expm1Rest(d: number): number {
  const later = 1 / 5040 + d * (1 / 40320 + d * (1 / 362880 + d * (1 / 3628800 + d / 39916800)));
  return d * d * (1 / 2 + d * (1 / 6 + d * (1 / 24 + d * (1 / 120 + d * (1 / 720 + d * later)))));
}

/** `ln(1 + u) - u` for |u| up to 1/9. With r = u / (2 + u), ln(1 + u) is 2 artanh(r): NIST DLMF §4.6. */
function log1pRest(u: number): number {
  const r = u / (2 + u);
  const v = r * r;
  return 2 * r * v * (1 / 3 + v * (1 / 5 + v * (1 / 7 + v * (1 / 9 + v * (1 / 11 + v / 13))))) - u * r;
}

/** The density of the log-odds at their peak: Γ(a + b) / (Γ(a) Γ(b)) times powers, by Stirling's formula with its rest. */
function peakDensity(a: number, b: number): number {
  const rest = stirlingRest(a + b) - stirlingRest(a) - stirlingRest(b);
  return Math.sqrt((a * b) / ((a + b) * 2 * Math.PI)) * Math.exp(rest);
}

/**
 * `ln Γ(z) - ((z - 1/2) ln z - z + ln(2π) / 2)`, for z of at least 1/2, with an absolute error below 1e-15. Gamma
 * functions of 2^53 differ by less than the rounding of their logarithms; these rests do not.
 * Source: NIST DLMF 5.11.1.
 */
export function stirlingRest(z: number): number {
  let rest = 0;
  for (; z < 15; z++) rest += (z + 0.5) * Math.log1p(1 / z) - 1; // Γ(z + 1) = z Γ(z)
  const v = 1 / (z * z);
  return (
    rest +
    (1 / 12 - v * (1 / 360 - v * (1 / 1260 - v * (1 / 1680 - v * (1 / 1188 - (v * 691) / 360360))))) / z
  );
}
