import { writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { formatCounts, RESULTS_FILE } from './lib/counts.js';

/**
 * The parts of Jest's results that are used here.
 *
 * @typedef {object} FileResult
 * @property {string} testFilePath
 * @property {number} numPassingTests
 * @property {number} numFailingTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {unknown} [testExecError] Why the file did not even load.
 * @property {string | null} [failureMessage]
 * @property {{ status: string, fullName: string }[]} testResults
 * @property {{ message: string }[]} [console]
 * @property {{ runtime: number }} perfStats
 *
 * @typedef {object} RunResult
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {number} numRuntimeErrorTestSuites
 */

/**
 * One line per test file, then what a reader has to see: failures in full, the names of tests that skip themselves,
 * and what the tests printed (a skipped test prints its reason). Leaves the counts for `run-tests.js`.
 */
export default class CompactReporter {
  #rootDir;
  #isFiltered;

  /** @param {{ rootDir: string, testNamePattern?: string }} config */
  constructor({ rootDir, testNamePattern }) {
    this.#rootDir = rootDir;
    this.#isFiltered = Boolean(testNamePattern);
  }

  /**
   * @param {unknown} _test
   * @param {FileResult} result
   */
  onTestResult(_test, result) {
    const file = join(basename(this.#rootDir), relative(this.#rootDir, result.testFilePath));
    const seconds = (result.perfStats.runtime / 1000).toFixed(1);
    const counts = {
      passed: result.numPassingTests,
      failed: result.numFailingTests + (result.testExecError ? 1 : 0),
      skipped: result.numPendingTests + result.numTodoTests,
    };
    const lines = [`${counts.failed > 0 ? 'FAIL' : 'ok  '} ${file}: ${formatCounts(counts)} (${seconds} s)`];
    for (const { status, fullName } of this.#isFiltered ? [] : result.testResults) {
      if (status === 'pending' || status === 'todo') lines.push(`     skipped: ${fullName}`);
    }
    for (const { message } of result.console ?? []) lines.push(indent(message));
    if (result.failureMessage) lines.push(result.failureMessage);
    // In one piece: the test processes of several packages share the terminal.
    process.stdout.write(`${lines.join('\n')}\n`);
  }

  /**
   * @param {unknown} _contexts
   * @param {RunResult} results
   */
  onRunComplete(_contexts, results) {
    const counts = {
      passed: results.numPassedTests,
      // A file that does not even load has no tests to count, and must not pass for an empty one.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    };
    writeFileSync(join(this.#rootDir, RESULTS_FILE), `${JSON.stringify(counts)}\n`);
  }
}

/** @param {string} message */
function indent(message) {
  return message
    .trimEnd()
    .split('\n')
    .map((line) => `     | ${line}`)
    .join('\n');
}
