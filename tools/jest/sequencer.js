import { statSync } from 'node:fs';

/** @typedef {{ path: string }} Test */

/** Paths of files that wait for other programs for minutes, the longest first: one that comes last has a machine for itself. */
const LONGEST = [/\.walk\.test\.ts$/, /\/e2e\//, /\/tools\//];

/**
 * The order of test files: the longest first, then those with the most text. It is the same on each machine and in each run, where Jest's own
 * depends on the runs before. It has the methods that Jest calls.
 */
export default class Sequencer {
  /** @param {Test[]} tests */
  sort(tests) {
    const rank = (/** @type {Test} */ { path }) => {
      const found = LONGEST.findIndex((pattern) => pattern.test(path));
      return found < 0 ? LONGEST.length : found;
    };
    return tests
      .map((test) => ({ test, rank: rank(test), size: statSync(test.path).size }))
      .sort((a, b) => a.rank - b.rank || b.size - a.size)
      .map(({ test }) => test);
  }

  /** @param {Test[]} tests */
  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
}
