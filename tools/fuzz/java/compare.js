/** Runs a program here and in Java, and compares the answers and states after each step. */
import { explanationOf } from './explanations.js';
import { runHere, stateOf } from './ours.js';
import { NAMES } from './program.js';
import { javaAnswer, stateInJava } from './theirs.js';

/**
 * @import { Program, Step } from './program.js'
 *
 * @typedef {{ step: number, ours: unknown, java: unknown }} Difference
 */

const ASKS = new Set(['iterate', 'text', 'values']);

/**
 * @param {any} core
 * @param {any} oracle
 * @param {Program} program
 * @returns {Promise<Difference | string | undefined>} A difference, the name of the explained one, or `undefined`.
 */
export async function compareProgram(core, oracle, { options, steps }) {
  /** @type {Record<string, any>} */
  const made = {};
  for (const [i, [lowest, highest, digits, autoResize]] of options.entries()) {
    const name = /** @type {string} */ (NAMES[i]);
    made[name] = new core.Histogram({
      lowestDiscernibleValue: lowest,
      highestTrackableValue: highest,
      significantDigits: digits,
      autoResize,
      storage: (lowest + digits) % 2 === 0 ? 'dense' : 'sparse',
    });
    await oracle.ask('new', name, lowest, highest, digits, autoResize);
  }
  for (const [at, step] of steps.entries()) {
    const name = step[1];
    const slotsBefore = made[name].layout.slotCount;
    const isOtherEmpty = made[step[2]]?.minNonZero === 0;
    const ours = attempt(() => runHere(core, made, step));
    const java = await javaAnswer(oracle, step);
    if (ours.error !== undefined || java.error !== undefined) {
      // The state of Java's histogram after an exception is undefined.
      if (ours.error !== undefined && java.error !== undefined) return undefined;
      if (isOtherEmpty && java.error?.includes('do not fit')) return 'empty but for its range';
      return (
        explanationOf(step, ours, java, steps.slice(0, at)) ?? {
          step: at,
          ours: ours.error ?? 'done',
          java: java.error ?? 'done',
        }
      );
    }
    const hasAnswer = ASKS.has(step[0]);
    const withMax = step[0] !== 'text' || made[name].minNonZero > 0;
    const [left, right] = hasAnswer
      ? [ours.answer, java.answer].map((answer) =>
          withMax ? answer : String(answer).replace(/Max +=.*,/, ''),
        )
      : [stateOf(made[name]), await stateInJava(oracle, name)];
    if (right === undefined) return 'no room for the encoding';
    if (JSON.stringify(left) === JSON.stringify(right)) continue;
    if (step[0] === 'values' && step[3] > Number(made[name].layout.highestTrackableBigInt))
      return 'beyond the range';
    if (isOtherEmpty && /^add/.test(step[0])) return 'empty but for its range';
    const hasGrown = made[name].layout.slotCount > slotsBefore;
    if (hasGrown && steps.slice(0, at).some(([what, which]) => /^shift/.test(what) && which === name))
      return 'grown after a shift';
    return (
      explanationOf(step, { answer: left }, { answer: right }) ?? { step: at, ...shortened(left, right) }
    );
  }
  // Java compares the maximum too: see hasOnlyZeros.
  if (made.a.minNonZero === 0 || made.b.minNonZero === 0) return undefined;
  const same = await oracle.ask('same', 'a', 'b');
  return made.a.equals(made.b) === same ? undefined : { step: steps.length, ours: !same, java: same };
}

/**
 * The parts of two answers that differ.
 *
 * @param {any} ours
 * @param {any} java
 */
function shortened(ours, java) {
  if (typeof ours !== 'object') return { ours, java };
  const keys = Object.keys(ours).filter((key) => JSON.stringify(ours[key]) !== JSON.stringify(java[key]));
  /** @param {any} one */
  const picked = (one) => Object.fromEntries(keys.slice(0, 4).map((key) => [key, one[key]]));
  return { ours: picked(ours), java: picked(java) };
}

/** @param {() => unknown} run */
function attempt(run) {
  try {
    return { answer: run() };
  } catch (error) {
    if (/** @type {any} */ (error).name !== 'HdrscopeError') throw error;
    return { error: /** @type {Error} */ (error).message };
  }
}
