/** Where `Histogram` and Java differ, and why that is right. */

/** @import { Step } from './program.js' */

/**
 * Where the two differ, and why that is right. The first one that applies ends the comparison of a program.
 *
 * @type {Record<string, string>}
 */
export const EXPLAINED = {
  'grown by adding':
    'Java makes the maximum of the other histogram the highest trackable value; here it is the end of the slots',
  'added to itself': 'Java cannot correct the values of a histogram while it adds them to itself',
  'grown after decoding': 'a decoded histogram grows here; in Java it must be asked to',
  'grown after a shift': 'Java moves counts to wrong values when a histogram grows that was shifted',
  'recorded beyond a shifted range':
    'Java counts values beyond the range of a shifted histogram, at a wrong value',
  'beyond the range': 'Java states the count of the last slot for values beyond the range, and we state 0',
  'no room for the encoding':
    'Java computes too small a buffer for some encodings, and cannot encode its own histogram',
  'empty but for its range':
    'the maximum of an empty histogram can be the end of its first slot in Java, which then must fit or widens the range',
  'maximum after a shift':
    'Java shifts the largest equivalent value, which then lies above the slot that holds the count, and encodes the slots up to it',
  'sum beyond 2^63': 'the sum of the values wraps round in Java, and is exact here',
  'refused by us': 'a step that would pass 2^53 - 1 in counts or values, which doubles cannot hold',
};

/**
 * @param {Step} step
 * @param {{ answer?: any, error?: string }} ours
 * @param {{ answer?: any, error?: string }} java
 * @param {Step[]} [before] The steps before it, when one of the two refuses the step.
 * @returns {string | undefined}
 */
export function explanationOf([what, name], ours, java, before = []) {
  const isShifted = before.some((step) => /^shift/.test(step[0]) && step[1] === name);
  if (isShifted && what === 'record' && ours.error !== undefined) return 'recorded beyond a shifted range';
  const isDecoded = before.some((step) => step[0] === 'code' && step[1] === name);
  if (isDecoded && java.error?.startsWith('ArrayIndexOutOfBounds')) return 'grown after decoding';
  if (ours.error !== undefined && /2\^53|9007199254740991/.test(ours.error)) return 'refused by us';
  if (java.error?.startsWith('ConcurrentModification')) return 'added to itself';
  if (
    /add/.test(what) &&
    ours.answer?.slots === java.answer?.slots &&
    ours.answer?.highest > java.answer?.highest
  )
    return 'grown by adding';
  if (/^shift/.test(what) && isMaximumOnly(ours.answer, java.answer)) return 'maximum after a shift';
  if (what === 'iterate' && isSumOnly(ours.answer, java.answer)) return 'sum beyond 2^63';
  return undefined;
}

/**
 * Whether two states have the same counts, but another maximum and the slots up to it.
 *
 * @param {any} ours
 * @param {any} java
 */
function isMaximumOnly(ours, java) {
  if (!(ours?.max < java?.max)) return false;
  const equal = ['totalCount', 'min', 'minNonZero', 'mean', 'standardDeviation', 'slots', 'percentiles'];
  // The header is 40 bytes long, with the length of the counts in its second word.
  return (
    equal.every((key) => JSON.stringify(ours[key]) === JSON.stringify(java[key])) &&
    java.v2.slice(16).startsWith(ours.v2.slice(16))
  );
}

/**
 * Whether rows differ only in sums that a signed integer of 64 bits does not hold.
 *
 * @param {any[][]} ours
 * @param {any[][]} java
 */
function isSumOnly(ours, java) {
  return (
    ours?.length === java?.length &&
    ours.every((row, i) =>
      row.every((column, j) => column === java[i]?.[j] || (j === 5 && BigInt(column) >= 2n ** 63n)),
    )
  );
}
