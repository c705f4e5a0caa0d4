/**
 * The child process of `check-regexes.js`. It gets one regular expression at a time, and answers with the text on which its
 * time grows faster than the text, if there is one.
 */
import { attacksOn } from './regex-attacks.js';

/**
 * @typedef {{ source: string, flags: string, everywhere: boolean }} Question `everywhere`: all matches in a text are looked for.
 * @typedef {{ start: string, part: string, end: string, shortMs: number, longMs: number }} Slow
 */

const SHORT = 3000;
const FACTOR = 4;
/** A quadratic expression needs several times as long for the short text; a linear one a hundredth. */
const SUSPECT_MS = 0.6;
/** Four times the text takes a linear expression 4 times as long, and a quadratic one 16 times. */
const GROWTH = 9;
/** Nobody notices less, and a process that the machine interrupts measures it too. */
const FLOOR_MS = 8;
const REPEATS = 4;

/**
 * @param {Question} question
 * @returns {Slow | undefined}
 */
export function slowestOf({ source, flags, everywhere }) {
  const regex = new RegExp(source, everywhere && !/[gy]/.test(flags) ? `${flags}g` : flags);
  for (const attack of attacksOn(source, flags)) {
    const short = pump(attack, SHORT);
    if (timeOf(regex, short) < SUSPECT_MS) continue;
    const shortMs = least(regex, short);
    if (shortMs < SUSPECT_MS) continue;
    const longMs = least(regex, pump(attack, SHORT * FACTOR));
    if (longMs > FLOOR_MS && longMs > GROWTH * shortMs) return { ...attack, shortMs, longMs };
  }
  return undefined;
}

/**
 * @param {import('./regex-attacks.js').Attack} attack
 * @param {number} length
 */
function pump({ start, part, end }, length) {
  return start + part.repeat(Math.ceil(length / part.length)) + end;
}

/**
 * @param {RegExp} regex
 * @param {string} text
 */
function least(regex, text) {
  return Math.min(...Array.from({ length: REPEATS }, () => timeOf(regex, text)));
}

/**
 * @param {RegExp} regex
 * @param {string} text
 */
function timeOf(regex, text) {
  regex.lastIndex = 0;
  const start = performance.now();
  if (regex.global) text.replace(regex, '');
  else regex.exec(text);
  return performance.now() - start;
}

process.on('message', (/** @type {Question} */ question) => process.send?.({ slow: slowestOf(question) }));
