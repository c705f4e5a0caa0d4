/**
 * `npm test [-- PROJECT...] [JEST OPTION...]`: runs the tests of all projects, or of the projects named by folder or
 * package name. `npm test -- core otel -t percentile` runs the tests of two projects whose titles match "percentile".
 * Prints failures in full, one line for each project, the reasons of skipped tests, and in the last line the sum.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { formatCounts, formatSkips, RESULTS_FILE, SUMMARY_MARK, sumCounts } from './lib/counts.js';
import { isMain, listProjects, workspaceRoot } from './lib/workspace.js';

/**
 * @typedef {import('./lib/counts.js').Counts} Counts
 * @typedef {import('./lib/counts.js').Results} Results
 * @typedef {import('./lib/workspace.js').Project} Project
 */

const NX_ENVIRONMENT = {
  NX_DAEMON: 'false',
  NX_TUI: 'false',
  [SUMMARY_MARK]: '1',
  // npm prints no banner before every script.
  npm_config_loglevel: 'silent',
  // Nx asks for colours even where the output is not a terminal.
  FORCE_COLOR: process.stdout.isTTY ? '1' : '0',
};

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
 * @returns {{ results: Results, missing: Project[] }}
 */
export function collectResults(projects) {
  const missing = projects.filter(({ dir }) => !existsSync(join(dir, RESULTS_FILE)));
  /** @type {Results[]} */
  const all = projects.map((project) =>
    missing.includes(project)
      ? { passed: 0, failed: 1, skipped: 0 }
      : JSON.parse(readFileSync(join(project.dir, RESULTS_FILE), 'utf8')),
  );
  return { results: { ...sumCounts(all), skips: all.flatMap(({ skips }) => skips ?? []) }, missing };
}

/**
 * Nx joins the arguments of a script with spaces and passes them to a shell.
 *
 * @param {string} arg
 */
function quoteForShell(arg) {
  return /^[\w./=,:-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`;
}

/**
 * Runs the tests of projects under Nx and prints the lines of the reporter as they come.
 *
 * @param {Project[]} projects
 * @param {string[]} jestArgs
 * @returns {Promise<{ status: number | null, rest: string[] }>} `rest` are the lines of Nx and npm.
 */
async function runNx(projects, jestArgs) {
  const names = projects.map(({ name }) => name).join(',');
  const child = spawn(
    process.execPath,
    [
      createRequire(import.meta.url).resolve('nx/bin/nx.js'),
      ...['run-many', '-t', 'test', '-p', names, '--output-style=stream-without-prefixes'],
      ...(jestArgs.length > 0 ? ['--', ...jestArgs.map(quoteForShell)] : []),
    ],
    { cwd: workspaceRoot, stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...NX_ENVIRONMENT } },
  );
  const ended = once(child, 'close');
  const mark = `${SUMMARY_MARK} `;
  /** @type {string[]} */
  const rest = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith(mark)) console.log(line.slice(mark.length));
    else rest.push(line);
  }
  const [status] = await ended;
  return { status, rest };
}

/**
 * @param {string[]} [args]
 * @returns {Promise<{ counts: Counts, ok: boolean }>}
 */
export async function runTests(args = []) {
  const projects = listProjects(workspaceRoot).filter(({ manifest }) => manifest.scripts?.test !== undefined);
  const { selected, jestArgs } = selectProjects(args, projects);
  // Results of an earlier run must not count; Nx restores those that it takes from its cache.
  for (const { dir } of selected) rmSync(dirname(join(dir, RESULTS_FILE)), { recursive: true, force: true });

  const { status, rest } = await runNx(selected, jestArgs);
  const { results, missing } = collectResults(selected);
  if (missing.length > 0 || (status !== 0 && results.failed === 0)) {
    console.log(rest.join('\n'));
    for (const { name } of missing) console.log(`${name}: its tests did not start`);
  }
  if (status !== 0 && results.failed === 0) results.failed = 1;
  for (const line of formatSkips(results.skips ?? [])) console.log(line);
  const hasRun = results.passed + results.failed > 0;
  if (!hasRun)
    console.log(
      `no test ran: no test of ${selected.map(({ path }) => basename(path)).join(', ')} matches ${jestArgs.join(' ')}`,
    );
  return { counts: results, ok: results.failed === 0 && hasRun };
}

if (isMain(import.meta)) {
  try {
    const { counts, ok } = await runTests(process.argv.slice(2));
    console.log(formatCounts(counts));
    process.exitCode = ok ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
