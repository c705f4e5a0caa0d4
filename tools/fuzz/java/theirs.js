/** The steps of a program in HdrHistogram of Java. */
import { MOST_ROWS, PERCENTILES } from './ours.js';

/** @import { Step } from './program.js' */

// The scripts in goldens carry no types.
const ORACLE = new URL('../../goldens/oracle.js', import.meta.url).href;
/** @type {any} */
const { OracleUnavailable, openOracle, Rejected } = await import(ORACLE);

export { OracleUnavailable, openOracle };

/**
 * The question to Java for a step.
 *
 * @param {Step} step
 * @returns {any[][]}
 */
function questionsOf([what, name, ...fields]) {
  switch (what) {
    case 'record':
      return [
        [
          what,
          name,
          ...fields[0].map(
            (/** @type {number[]} */ [value, count, interval]) => `${value}*${count}@${interval}`,
          ),
        ],
      ];
    case 'copy':
      return [[what, name, name]];
    case 'copyCorrected':
      return [[what, name, name, fields[0]]];
    case 'values':
      return [
        ['atValues', name, fields[0]],
        ['between', name, ...fields],
      ];
    default:
      return [[what, name, ...fields]];
  }
}

/**
 * @param {any} oracle
 * @param {Step} step
 * @returns {Promise<{ answer?: any, error?: string }>}
 */
export async function javaAnswer(oracle, step) {
  try {
    if (step[0] === 'code') {
      await oracle.ask('decompress', step[1], await oracle.ask('compress', step[1]), 8);
      return {};
    }
    const answers = await Promise.all(questionsOf(step).map((question) => oracle.ask(...question)));
    if (step[0] === 'values') return { answer: [answers[0][0], answers[1]] };
    if (step[0] === 'iterate') return { answer: answers[0].slice(0, MOST_ROWS) };
    return { answer: answers[0] };
  } catch (/** @type {any} */ error) {
    if (!(error instanceof Rejected)) throw error;
    return { error: `${error.message}: ${error.cause}` };
  }
}

/**
 * @param {any} oracle
 * @param {string} name
 */
export async function stateInJava(oracle, name) {
  const [summary, percentiles, v2] = await Promise.all([
    oracle.ask('summary', name),
    oracle.ask('percentiles', name, ...PERCENTILES),
    oracle.ask('encode', name).catch((/** @type {any} */ error) => {
      if (!String(error.cause).includes('buffer does not have capacity')) throw error;
      return undefined;
    }),
  ]);
  if (v2 === undefined) return undefined;
  return {
    totalCount: Number(summary.totalCount),
    min: Number(summary.min),
    max: hasOnlyZeros(summary) ? 0 : Number(summary.max),
    minNonZero: hasOnlyZeros(summary) ? 0 : Number(summary.minNonZero),
    mean: Number(summary.mean),
    standardDeviation: Number(summary.standardDeviation),
    highest: Number(summary.highestTrackableValue),
    slots: summary.countsArrayLength,
    percentiles: percentiles.map((/** @type {any[]} */ [, value]) => Number(value)),
    v2,
  };
}

/**
 * Without values above 0, Java states the largest integer as their minimum, and 0 or the end of the first slot as the maximum,
 * which depends on how the counts came there. We read both off the slots.
 *
 * @param {any} summary
 */
function hasOnlyZeros({ minNonZero }) {
  return Number(minNonZero) > 2 ** 53;
}
