/**
 * How many tests passed, failed and were skipped.
 *
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 *
 * @typedef {object} Skip
 * @property {string} reason
 * @property {string[]} files The test files that skip tests for this reason.
 *
 * @typedef {Counts & { file: string }} FailedFile A test file with failures, as a path from the folder of its project.
 *
 * @typedef {Counts & { skips?: Skip[], failedFiles?: FailedFile[] }} Results The results of one project.
 */

/** Where a project leaves the results of its latest run. Nx keeps this folder in its cache beside the output. */
export const RESULTS_FILE = '.test-results/jest.json';

/** An environment variable that `run-tests.js` sets: the reporter then prints failures and one line for each project. */
export const SUMMARY = 'HDRSCOPE_TEST_SUMMARY';

/**
 * @param {Counts} counts
 * @returns {string} `12 passed, 0 failed`, followed by `, 1 skipped` when tests were skipped.
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

/**
 * Merges skips with the same reason.
 *
 * @param {Skip[]} skips
 * @returns {Skip[]} Sorted by reason.
 */
export function mergeSkips(skips) {
  /** @type {Map<string, Set<string>>} */
  const filesByReason = new Map();
  for (const { reason, files } of skips) {
    filesByReason.set(reason, new Set([...(filesByReason.get(reason) ?? []), ...files]));
  }
  return [...filesByReason]
    .map(([reason, files]) => ({ reason, files: [...files].sort() }))
    .sort((a, b) => (a.reason < b.reason ? -1 : 1));
}

const SHOWN_FILES = 3;

/**
 * @param {Skip[]} skips
 * @returns {string[]} One line for each reason.
 */
export function formatSkips(skips) {
  if (skips.length === 0) return [];
  const lines = mergeSkips(skips).map(({ reason, files }) => {
    const more = files.length > SHOWN_FILES ? ` and ${files.length - SHOWN_FILES} more` : '';
    return `  ${reason} (${files.slice(0, SHOWN_FILES).join(', ')}${more})`;
  });
  return ['skipped:', ...lines];
}
