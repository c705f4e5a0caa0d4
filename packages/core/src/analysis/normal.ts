import { invertTail, tailIntegral } from './tail-integral.ts';

const SQRT_TWO_PI = Math.sqrt(2 * Math.PI);

/**
 * The probability that a standard normal variable exceeds `z`. The relative error is below 1e-13 until the result underflows,
 * beyond z = 37. Source: NIST DLMF §7.7.
 */
export function normalUpperTail(z: number): number {
  if (z < 0) return 1 - normalUpperTail(-z);
  const density = normalDensity(z);
  if (density === 0) return 0;
  // The density falls by exp(-z u - u²/2) over a distance u.
  return density * tailIntegral((u) => Math.exp(-u * (z + u / 2)), 1 / (z + 1));
}

/** The `z` that a standard normal variable exceeds with a probability in (0, 1/2]. */
export function normalUpperQuantile(probability: number): number {
  if (probability === 0.5) return 0;
  // The tail is at most exp(-z²/2) / 2 (NIST DLMF §7.8), so the solution lies below this.
  const start = Math.sqrt(-2 * Math.log(2 * probability));
  return invertTail((z) => ({ area: normalUpperTail(z), density: normalDensity(z) }), probability, start);
}

function normalDensity(z: number): number {
  return Math.exp((-z * z) / 2) / SQRT_TWO_PI;
}
