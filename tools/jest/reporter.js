import { writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { formatCounts, formatSkips, mergeSkips, RESULTS_FILE, SUMMARY, sumCounts } from '../lib/counts.js';

/**
 * The parts of Jest's results that this reporter reads.
 *
 * @typedef {import('../lib/counts.js').Skip} Skip
 * @typedef {import('../lib/counts.js').FailedFile} FailedFile
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
 */

/** @typedef {import('../lib/counts.js').Results & { skips: Skip[], failedFiles: FailedFile[], ms: number, filesLeft: number }} ProjectResults */

const SLOW_MS = 20_000;
const MOST_SLOW_FILES = 12;

/**
 * Prints one line for each test file, failures in full, and at the end the reasons of skipped tests. Under `run-tests.js`
 * it prints failures, one line for each project and the slowest files instead. Leaves the results of each project for `run-tests.js`.
 */
export default class CompactReporter {
  #isFiltered;
  #isSummary = process.env[SUMMARY] !== undefined;
  /**
   * By the folders of the projects.
   *
   * @type {Map<string, ProjectResults>}
   */
  #projects;
  /** @type {{ file: string, ms: number }[]} */
  #slowFiles = [];

  /**
   * @param {{ testNamePattern?: string }} config
   * @param {{ projects: { dir: string, files: number }[] }} options With the number of test files.
   */
  constructor({ testNamePattern }, { projects }) {
    this.#isFiltered = Boolean(testNamePattern);
    this.#projects = new Map(
      projects.map(({ dir, files }) => [
        dir,
        { passed: 0, failed: 0, skipped: 0, skips: [], failedFiles: [], ms: 0, filesLeft: files },
      ]),
    );
  }

  /**
   * @param {{ context: { config: { rootDir: string } } }} test
   * @param {FileResult} result
   */
  onTestResult({ context }, result) {
    const dir = context.config.rootDir;
    const project = /** @type {ProjectResults} */ (this.#projects.get(dir));
    const path = relative(dir, result.testFilePath);
    const file = join(basename(dir), path);
    const counts = {
      passed: result.numPassingTests,
      // A file that does not load has no tests, and counts as one failure.
      failed: result.numFailingTests + (result.testExecError ? 1 : 0),
      skipped: result.numPendingTests + result.numTodoTests,
    };
    Object.assign(project, sumCounts([project, counts]));
    // A name pattern skips tests that have no reason to report.
    if (!this.#isFiltered) project.skips.push(...skipsOf(result, file));
    const hasFailed = counts.failed > 0;
    if (hasFailed) project.failedFiles.push({ file: path, ...counts });
    const { runtime: ms } = result.perfStats;
    project.ms += ms;
    project.filesLeft--;
    if (ms > SLOW_MS) this.#slowFiles.push({ file, ms });
    const isQuiet = this.#isSummary || (this.#isFiltered && counts.passed === 0);
    if (!isQuiet || hasFailed) {
      print([`${hasFailed ? 'FAIL' : 'ok  '} ${file}: ${formatCounts(counts)}${took(ms)}`]);
      if (hasFailed) for (const { message } of result.console ?? []) print([indent(message)]);
      if (result.failureMessage) print([result.failureMessage]);
    }
    if (project.filesLeft === 0) this.#end(dir);
  }

  onRunComplete() {
    // The arguments may have left files out.
    for (const [dir, { filesLeft }] of this.#projects) if (filesLeft > 0) this.#end(dir);
    if (!this.#isSummary) print(formatSkips([...this.#projects.values()].flatMap(({ skips }) => skips)));
    else {
      const slowest = this.#slowFiles.sort((a, b) => b.ms - a.ms).slice(0, MOST_SLOW_FILES);
      if (slowest.length > 0) print(['slowest:', ...slowest.map(({ file, ms }) => `  ${file}${took(ms)}`)]);
    }
  }

  /**
   * Writes the results of a project and, under `run-tests.js`, its line: the time is that of its files, some of which
   * ran at the same time.
   *
   * @param {string} dir
   */
  #end(dir) {
    const { ms, filesLeft, skips, ...results } = /** @type {ProjectResults} */ (this.#projects.get(dir));
    writeFileSync(join(dir, RESULTS_FILE), `${JSON.stringify({ ...results, skips: mergeSkips(skips) })}\n`);
    const state = results.failed > 0 ? 'FAIL' : 'ok  ';
    if (this.#isSummary) print([`${state} ${basename(dir)}: ${formatCounts(results)}${took(ms)}`]);
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

/** @param {string[]} lines */
function print(lines) {
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
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
