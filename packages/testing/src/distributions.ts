import { createRandom } from './random.ts';

/** Latencies in seconds, from 10 µs to 10 s, of known distributions and of random ones. A seed determines all of them. */

const LEAST_SECONDS = 1e-5;
const MOST_SECONDS = 10;

/** Draws a number in (0, 1). */
type Random = () => number;
/** Draws a value in seconds, of any size. */
type Draw = (random: Random) => number;

const lognormal =
  (median: number, sigma: number): Draw =>
  (random) =>
    median * Math.exp(sigma * Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random()));
const uniform =
  (from: number, to: number): Draw =>
  (random) =>
    from + (to - from) * random();
const exponential =
  (mean: number): Draw =>
  (random) =>
    -mean * Math.log(random());
const pareto =
  (from: number, alpha: number): Draw =>
  (random) =>
    from * random() ** (-1 / alpha);
/** Every magnitude is equally likely. */
const logUniform =
  (from: number, to: number): Draw =>
  (random) =>
    from * (to / from) ** random();
const mixture =
  (...parts: readonly (readonly [weight: number, draw: Draw])[]): Draw =>
  (random) => {
    let left = random() * parts.reduce((sum, [weight]) => sum + weight, 0);
    const found = parts.find(([weight]) => {
      left -= weight;
      return left <= 0;
    });
    return (found ?? parts.at(-1)!)[1](random);
  };

const NAMED = {
  uniform: uniform(0.001, 1),
  lognormal: lognormal(0.02, 0.8),
  exponential: exponential(0.05),
  bimodal: mixture([0.8, lognormal(0.002, 0.2)], [0.2, lognormal(0.3, 0.3)]),
  Pareto: pareto(0.005, 1.5),
  'wide, over 6 decades': logUniform(LEAST_SECONDS, MOST_SECONDS),
  'nearly constant': uniform(0.04998, 0.05002),
} as const satisfies Record<string, Draw>;

/** What {@link drawNamed} draws from. */
export const DISTRIBUTIONS = Object.keys(NAMED) as (keyof typeof NAMED)[];

/** Draws values of a known distribution. */
export function drawNamed(name: keyof typeof NAMED, count: number, seed: number): Float64Array {
  return fill(count, NAMED[name], aboveZero(seed));
}

/**
 * Draws values of a random mixture of one to four parts, each of them lognormal, uniform, exponential, Pareto or constant.
 *
 * @param index Each index of a seed has a mixture of its own.
 */
export function drawRandom(count: number, seed: number, index: number): Float64Array {
  const random = aboveZero(Math.imul(seed, 0x9e3779b1) + index);
  const parts = Array.from(
    { length: 1 + Math.floor(random() * 4) },
    () => [random(), drawPart(random)] as const,
  );
  // Bounded: at most four.
  return fill(count, mixture(...parts), random);
}

/**
 * Draws the latencies of a route of a service: lognormal, with a failing dependency for some routes and with one slow request in a
 * thousand. A few routes have most of the requests: the first has 100,001, and the thousandth 101.
 *
 * @param index From 0 to 999.
 */
export function drawRoute(seed: number, index: number): Float64Array {
  const random = aboveZero(Math.imul(seed, 0x85ebca6b) + index);
  const median = logUniform(0.002, 0.3)(random);
  const usual = lognormal(median, 0.3 + 0.6 * random());
  const slow = lognormal(median * 20, 0.5);
  const timeout = random() < 0.2 ? 0.002 : 0;
  const draw = mixture([1, usual], [0.001, slow], [timeout, () => 5]);
  return fill(10 * Math.ceil(10_000 / (index + 1)) + 1, draw, random);
}

/** The value at a rank of {@link drawNamed} or {@link drawRandom}: the least one such that a share `quantile` of all is not above it. */
export function nearestRank(sorted: Float64Array, quantile: number): number {
  return sorted[Math.max(1, Math.ceil(quantile * sorted.length)) - 1]!;
}

function drawPart(random: Random): Draw {
  const size = logUniform(1e-4, 3)(random);
  const kinds = [
    () => lognormal(size, logUniform(0.02, 1.5)(random)),
    () => uniform(size, size * logUniform(1.01, 1000)(random)),
    () => exponential(size),
    () => pareto(size, 1 + 3 * random()),
    () => () => size,
  ];
  return kinds[Math.floor(random() * kinds.length)]!();
}

/** Values outside of the range are drawn again. */
function fill(count: number, draw: Draw, random: Random): Float64Array {
  const values = new Float64Array(count);
  for (let at = 0; at < count; ) {
    const value = draw(random);
    if (value >= LEAST_SECONDS && value <= MOST_SECONDS) values[at++] = value;
  }
  return values;
}

/** Logarithms of these are finite. */
function aboveZero(seed: number): Random {
  const random = createRandom(seed);
  return () => random() + 2 ** -33;
}
