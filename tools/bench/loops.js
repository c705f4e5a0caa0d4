/** The two loops that nearly all cases run. */

/** @import { Timed } from './types.js' */

/**
 * Replays values into a recorder. A process measures one case only, so `operation` is always the same function and the
 * compiler inlines it, like a loop written by hand for each case.
 *
 * @param {Float64Array | Int32Array} values its length is a power of two
 * @param {(value: number) => void} operation
 * @param {() => number} answer read after each sample, see {@link Timed}
 * @returns {Timed}
 */
export function feed(values, operation, answer) {
  const mask = values.length - 1;
  // Continues where the last run ended, so that all values are recorded equally often for every length of a run.
  let next = 0;
  return {
    run(iterations) {
      const end = next + iterations;
      for (let i = next; i < end; i++) operation(/** @type {number} */ (values[i & mask]));
      next = end & mask;
    },
    answer,
  };
}

/**
 * Asks for a number repeatedly. Recording a value before each question keeps the histogram from answering from a cache.
 * The result is the mean of the answers, so that the compiler cannot remove any of them.
 *
 * @param {() => number} asked
 * @param {(value: number) => void} [recorded] gets one value before each question
 * @param {Float64Array} [values] its length is a power of two
 * @returns {Timed}
 */
export function ask(asked, recorded = record, values = new Float64Array(1)) {
  // Long enough for the compiler to collect feedback at the call sites.
  repeat(values, 1e4);
  question = asked;
  record = recorded;
  let mean = 0;
  return {
    run(iterations) {
      mean = repeat(values, iterations) / iterations;
    },
    answer: () => mean,
  };
}

// Reassigned, and first called with other functions, so that the loop inlines neither: a question is compiled on its own,
// as in a program that asks now and then, and does not share the inlining budget of the loop.
let question = () => 0;
/** @type {(value: number) => void} */
let record = () => {};

/**
 * @param {Float64Array} values
 * @param {number} iterations
 */
function repeat(values, iterations) {
  const mask = values.length - 1;
  let sum = 0;
  for (let i = 0; i < iterations; i++) {
    record(/** @type {number} */ (values[i & mask]));
    sum += question();
  }
  return sum;
}
