/**
 * How many tests came to which end.
 *
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 */

/** Where a project leaves the counts of its latest run. Nx keeps this folder in its cache beside the output. */
export const RESULTS_FILE = '.test-results/jest.json';

/**
 * @param {Counts} counts
 * @returns {string} `12 passed, 0 failed`, and `, 1 skipped` where any.
 */
export function formatCounts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/**
 * @param {Counts[]} list
 * @returns {Counts}
 */
export function sumCounts(list) {
  /** @param {keyof Counts} key */
  const sum = (key) => list.reduce((total, counts) => total + counts[key], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
}
