/**
 * The recorded values. A seeded generator makes them before the measurement, so that every process of every run has the
 * same values.
 */

/**
 * Number of values in a replayed set: a power of two, for an index by mask. Large enough that the branch predictor cannot
 * learn the sequence (it learns up to 2^13), and small enough that 256 KB of doubles leave room for the counts in the cache.
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
    // Box-Muller transform: two uniform numbers make a normal one.
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
