/**
 * `npm test [-- PROJECT...] [JEST OPTION...]`: runs the tests of all projects, or of the projects named by folder or
 * package name. `npm test -- core otel -t percentile` runs the tests of two projects whose titles match "percentile".
 * `--long`, `--walk` or `--peer` as the first argument runs the files `*.long.test.ts` and so on in place of all others,
 * and `--with-walks` runs the walks too. `--skipped-in FOLDER` after it runs, of these, what skipped a test in the latest run of
 * another clone, such as one on a machine without peers, and what that run left out.
 * Prints failures in full, one line for each project, the reasons of skipped tests, and in the last line the sum.
 * With `CI` in the environment, a file that failed beside others runs once more alone: see `runAgain`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runJest } from './jest.js';
import { formatCounts, formatSkips, RESULTS_FILE, SUMMARY, sumCounts } from './lib/counts.js';
import { SELECTIONS, selectFiles } from './lib/test-kinds.js';
import { isMain, listFiles, listProjects, workspaceRoot } from './lib/workspace.js';

/**
 * @typedef {import('./lib/counts.js').Counts} Counts
 * @typedef {import('./lib/counts.js').Results} Results
 * @typedef {import('./lib/workspace.js').Project} Project
 */

/**
 * Splits the arguments into projects and options for Jest.
 *
 * @param {string[]} args
 * @param {Project[]} projects The projects that have tests.
 * @returns {{ selected: Project[], jestArgs: string[] }}
 */
export function selectProjects(args, projects) {
  const firstOption = args.findIndex((arg) => arg.startsWith('-'));
  const names = firstOption === -1 ? args : args.slice(0, firstOption);
  const jestArgs = firstOption === -1 ? [] : args.slice(firstOption).filter((arg) => arg !== '--');
  const named = names.map((name) => {
    const project = projects.find(
      (one) => one.name === name || basename(one.path) === name || one.path === name,
    );
    if (project !== undefined) return project;
    throw new Error(
      `no project '${name}' has tests, only ${projects.map(({ path }) => basename(path)).join(', ')}`,
    );
  });
  return { selected: named.length > 0 ? named : projects, jestArgs };
}

/**
 * The results of a run that has just ended. A project without results never started, and counts as one failure.
 *
 * @param {Project[]} projects
 * @returns {{ all: { project: Project, results: Results }[], missing: Project[] }}
 */
export function collectResults(projects) {
  const missing = projects.filter(({ dir }) => !existsSync(join(dir, RESULTS_FILE)));
  const all = projects.map((project) => ({
    project,
    /** @type {Results} */
    results: missing.includes(project)
      ? { passed: 0, failed: 1, skipped: 0 }
      : JSON.parse(readFileSync(join(project.dir, RESULTS_FILE), 'utf8')),
  }));
  return { all, missing };
}

/**
 * @param {Project} project
 * @param {RegExp} [only]
 */
function hasTests({ dir, manifest }, only) {
  if (manifest.scripts?.test === undefined) return false;
  return only === undefined || listFiles(join(dir, 'test'), only).length > 0;
}

/**
 * The test files of a project that did not run whole in another clone, where `npm test` ran: those that skipped a test, and those that it
 * leaves out.
 *
 * @param {Project} project
 * @param {string} clone The root of the other clone, or of a copy of its files of results.
 * @param {string} [selection] Which files this run has: see `SELECTIONS`.
 * @returns {string[]} Absolute paths.
 */
export function listSkippedFiles({ path, dir }, clone, selection) {
  /** @type {Results} */
  const { skips = [] } = JSON.parse(readFileSync(join(clone, path, RESULTS_FILE), 'utf8'));
  const skipped = new Set(skips.flatMap(({ files }) => files));
  const { without: leftOut } = selectFiles(undefined);
  const { only = /\.test\.ts$/, without } = selectFiles(selection);
  return listFiles(join(dir, 'test'), only)
    .filter((file) => !without?.test(file))
    .filter((file) => skipped.has(`${basename(dir)}/test/${file}`) || leftOut?.test(file))
    .map((file) => join(dir, 'test', file));
}

/** Projects whose tests start built programs. The compiler, which checks types and writes declarations, is no part of this. */
const BUILT = ['e2e', 'packages/cli', 'packages/demo', 'tools'];

function bundle() {
  const program = fileURLToPath(new URL('./bundle.js', import.meta.url));
  const { status } = spawnSync(process.execPath, [program], { stdio: 'inherit', timeout: 120_000 });
  if (status !== 0) throw new Error('the packages cannot be built');
}

/** More failed files than this are the fault of a change, not of a busy machine. */
const MAX_FILES_AGAIN = 6;

/**
 * Runs a file with failures once more, with no other test beside it, and prints its failures. A shared machine can take
 * seconds from a test that watches real clocks, processes or kernels.
 *
 * @param {string} dir The folder of the project.
 * @param {string} file
 * @param {string[]} jestArgs Options, without the files of the run.
 * @returns {Counts} Its new counts.
 */
function runAlone(dir, file, jestArgs) {
  runJest([dir], ['--runTestsByPath', file, ...jestArgs]);
  return JSON.parse(readFileSync(join(dir, RESULTS_FILE), 'utf8'));
}

/**
 * Runs the failed files of all projects once more and replaces their counts. A file that passes now is printed as
 * unsteady: such a test is a defect to mend, but no reason to refuse a change.
 *
 * @param {{ project: Project, results: Results }[]} all
 * @param {(dir: string, file: string) => Counts} run
 * @returns {string[]} The unsteady files.
 */
export function runAgain(all, run) {
  const failed = all.flatMap(({ project, results }) =>
    (results.failedFiles ?? []).map((before) => ({ project, results, before })),
  );
  if (failed.length > MAX_FILES_AGAIN) return [];
  return failed.flatMap(({ project, results, before }) => {
    const after = run(project.dir, before.file);
    // A file that runs no test keeps its failures.
    if (after.passed + after.failed === 0) return [];
    for (const key of /** @type {const} */ (['passed', 'failed', 'skipped'])) {
      results[key] += after[key] - before[key];
    }
    return after.failed === 0 ? [`${project.path}/${before.file}`] : [];
  });
}

/**
 * @param {string[]} [args]
 * @returns {{ counts: Counts, ok: boolean }}
 */
export function runTests(args = []) {
  const selection = Object.keys(SELECTIONS).find((name) => args[0] === `--${name}`);
  if (selection !== undefined) process.env.HDRSCOPE_TESTS = selection;
  const { only } = selectFiles(selection);
  const projects = listProjects(workspaceRoot).filter((project) => hasTests(project, only));
  const rest = selection === undefined ? args : args.slice(1);
  const clone = rest[0] === '--skipped-in' ? rest.splice(0, 2)[1] : undefined;
  const { selected, jestArgs } = selectProjects(rest, projects);
  if (selected.length === 0) throw new Error('no project has such tests');
  const files = clone && selected.flatMap((project) => listSkippedFiles(project, clone, selection));
  if (selected.some(({ path }) => BUILT.includes(path))) bundle();
  const dirs = selected.map(({ dir }) => dir);
  const chosen = files ? ['--runTestsByPath', ...files] : [];
  const status = runJest(dirs, [...chosen, ...jestArgs], { [SUMMARY]: '1' });
  const { all, missing } = collectResults(selected);
  const failedAtFirst = sumCounts(all.map(({ results }) => results)).failed;
  for (const { name } of missing) console.log(`${name}: its tests did not start`);
  const unsteady = process.env.CI ? runAgain(all, (dir, file) => runAlone(dir, file, jestArgs)) : [];
  // A file that ran alone has left its own results in their place.
  for (const { project, results } of all)
    writeFileSync(join(project.dir, RESULTS_FILE), `${JSON.stringify(results)}\n`);
  for (const file of unsteady) console.log(`unsteady: ${file} failed beside others and passed alone`);
  const counts = sumCounts(all.map(({ results }) => results));
  if (status !== 0 && failedAtFirst === 0) counts.failed = 1;
  for (const line of formatSkips(all.flatMap(({ results }) => results.skips ?? []))) console.log(line);
  const hasRun = counts.passed + counts.failed > 0;
  if (!hasRun)
    console.log(
      `no test ran: no test of ${selected.map(({ path }) => basename(path)).join(', ')} matches ${jestArgs.join(' ')}`,
    );
  return { counts, ok: counts.failed === 0 && hasRun };
}

if (isMain(import.meta)) {
  try {
    const { counts, ok } = runTests(process.argv.slice(2));
    console.log(formatCounts(counts));
    process.exitCode = ok ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
