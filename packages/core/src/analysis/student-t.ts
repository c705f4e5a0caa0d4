import { betaParts } from './incomplete-beta.ts';
import { normalUpperQuantile } from './normal.ts';
import { invertTail } from './tail-integral.ts';

/**
 * The probability that Student's t exceeds `t`, for at least 1 degree of freedom. Relative error below 1e-12.
 * Source: Numerical Recipes (3rd ed.) §6.14.3.
 */
export function studentUpperTail(t: number, degreesOfFreedom: number): number {
  if (t < 0) return 1 - studentUpperTail(-t, degreesOfFreedom);
  return betaParts(degreesOfFreedom / 2, 0.5, degreesOfFreedom / (t * t)).below / 2;
}

/** The `t` that Student's t exceeds with a probability in (0, 1/2]. Relative error below 1e-12. */
export function studentUpperQuantile(probability: number, degreesOfFreedom: number): number {
  if (probability === 0.5) return 0;
  // The start is the normal quantile, which is closer to 0. For probabilities next to 1/2 it is only rounding.
  const start = Math.max(normalUpperQuantile(probability), Number.EPSILON);
  // Over ln t the density is that of the log-odds at -2 ln t, which is log-concave; over t it is not.
  const logT = invertTail(
    (point) => {
      const parts = betaParts(degreesOfFreedom / 2, 0.5, degreesOfFreedom * Math.exp(-2 * point));
      return { area: parts.below / 2, density: parts.logOddsDensity };
    },
    probability,
    Math.log(start),
  );
  return Math.exp(logT);
}
