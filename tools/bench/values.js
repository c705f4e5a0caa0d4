/**
 * The values that are recorded: made before anything is timed, by a seeded generator, so that every process of every
 * run sees the same ones.
 */

/**
 * Values in a replayed set: a power of two, for an index by mask. Too many for the branch predictor to learn by heart
 * (it does up to 2^13), and few enough that 256 KB of doubles leave room in the cache for the counts.
 */
const replayed = 2 ** 15;

/**
 * A 32-bit linear congruential generator with the constants of Numerical Recipes.
 *
 * @param {number} seed
 * @returns {() => number} uniform in (0, 1)
 */
function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}

/**
 * Service times in nanoseconds: lognormal around 2 ms, a long tail, all below 2^31.
 *
 * @param {number} [count]
 */
export function latencies(count = replayed) {
  const random = uniform(20250101);
  return fill(count, () => {
    // Box and Muller: two uniform numbers make a normal one.
    const normal = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    const value = Math.round(2e6 * Math.exp(1.2 * normal));
    return value >= 1 && value < 2 ** 31 ? value : undefined;
  });
}

/**
 * Every magnitude from 1 to 2^53 - 1 equally often: all slots of a histogram are used, and the branch between
 * 31-bit values and larger ones cannot be predicted.
 *
 * @param {number} [count]
 */
export function allMagnitudes(count = replayed) {
  const random = uniform(20250102);
  return fill(count, () => Math.min(Math.floor(2 ** (53 * random())), Number.MAX_SAFE_INTEGER));
}

/**
 * Magnitudes from 2^31 to 2^53 - 1: nanoseconds of more than two seconds, bytes of large files.
 *
 * @param {number} [count]
 */
export function largeMagnitudes(count = replayed) {
  const random = uniform(20250103);
  return fill(count, () => Math.min(Math.floor(2 ** (31 + 22 * random())), Number.MAX_SAFE_INTEGER));
}

/** {@link latencies} in seconds, as instruments of OpenTelemetry record them. */
export function seconds() {
  return latencies().map((nanoseconds) => nanoseconds / 1e9);
}

/**
 * @param {number} count
 * @param {() => number | undefined} draw `undefined` draws again
 */
function fill(count, draw) {
  const values = new Float64Array(count);
  for (let i = 0; i < count; ) {
    const value = draw();
    if (value !== undefined) values[i++] = value;
  }
  return values;
}
