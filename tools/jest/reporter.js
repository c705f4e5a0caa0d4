import { writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { formatCounts, formatSkips, mergeSkips, RESULTS_FILE, SUMMARY_MARK } from '../lib/counts.js';

/**
 * The parts of Jest's results that this reporter reads.
 *
 * @typedef {import('../lib/counts.js').Skip} Skip
 *
 * @typedef {object} FileResult
 * @property {string} testFilePath
 * @property {number} numPassingTests
 * @property {number} numFailingTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {unknown} [testExecError] The error when the file did not load.
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
 * Prints one line for each test file, failures in full, and at the end the reasons of skipped tests. Under `run-tests.js`
 * it prints failures and one line for the project instead. Leaves the results for `run-tests.js`.
 */
export default class CompactReporter {
  #rootDir;
  #isFiltered;
  #isSummary = process.env[SUMMARY_MARK] !== undefined;
  #startMs = performance.now();
  /** @type {Skip[]} */
  #skips = [];
  /** @type {import('../lib/counts.js').FailedFile[]} */
  #failedFiles = [];

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
    const counts = {
      passed: result.numPassingTests,
      failed: result.numFailingTests + (result.testExecError ? 1 : 0),
      skipped: result.numPendingTests + result.numTodoTests,
    };
    // A name pattern skips tests that have no reason to report.
    if (!this.#isFiltered) this.#skips.push(...skipsOf(result, file));
    const hasFailed = counts.failed > 0;
    if (hasFailed) this.#failedFiles.push({ file: relative(this.#rootDir, result.testFilePath), ...counts });
    const isQuiet = this.#isSummary || (this.#isFiltered && counts.passed === 0);
    if (isQuiet && !hasFailed) return;
    const lines = [
      `${hasFailed ? 'FAIL' : 'ok  '} ${file}: ${formatCounts(counts)}${took(result.perfStats.runtime)}`,
    ];
    if (hasFailed) for (const { message } of result.console ?? []) lines.push(indent(message));
    if (result.failureMessage) lines.push(result.failureMessage);
    this.#print(lines);
  }

  /**
   * @param {unknown} _contexts
   * @param {RunResult} results
   */
  onRunComplete(_contexts, results) {
    const counts = {
      passed: results.numPassedTests,
      // A file that does not load has no tests, and counts as one failure.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    };
    writeFileSync(
      join(this.#rootDir, RESULTS_FILE),
      `${JSON.stringify({ ...counts, skips: mergeSkips(this.#skips), failedFiles: this.#failedFiles })}\n`,
    );
    if (!this.#isSummary) this.#print(formatSkips(this.#skips));
    else {
      const state = counts.failed > 0 ? 'FAIL' : 'ok  ';
      const seconds = took(performance.now() - this.#startMs);
      this.#print([`${state} ${basename(this.#rootDir)}: ${formatCounts(counts)}${seconds}`]);
    }
  }

  /**
   * Writes lines in one piece, because the test processes of several packages share the terminal.
   *
   * @param {string[]} lines
   */
  #print(lines) {
    if (lines.length === 0) return;
    const text = lines.join('\n');
    const mark = `${SUMMARY_MARK} `;
    process.stdout.write(`${this.#isSummary ? text.replace(/^/gm, mark) : text}\n`);
  }
}

/**
 * The reasons for which a file skips tests. A test file prints `skipped: REASON`, or names the reason in the title.
 *
 * @param {FileResult} result
 * @param {string} file
 * @returns {Skip[]}
 */
function skipsOf({ testResults, console = [] }, file) {
  const skipped = testResults.filter(({ status }) => status === 'pending' || status === 'todo');
  if (skipped.length === 0) return [];
  const printed = console.flatMap(({ message }) =>
    [...message.matchAll(/^skipped(?: "[^"]*")?: (.+)$/gm)].map(([, reason = '']) => reason),
  );
  const reasons =
    printed.length > 0
      ? printed
      : skipped.map(({ fullName }) => /\(([^()]+)\)$/.exec(fullName)?.[1] ?? 'no reason is printed');
  return [...new Set(reasons)].map((reason) => ({ reason, files: [file] }));
}

/** @param {number} ms */
function took(ms) {
  return ` (${(ms / 1000).toFixed(1)} s)`;
}

/** @param {string} message */
function indent(message) {
  return message
    .trimEnd()
    .split('\n')
    .map((line) => `     | ${line}`)
    .join('\n');
}
