/**
 * `npm test [-- PROJECT...] [JEST OPTION...]`: the tests of all projects, or of those named by folder or package
 * name. `npm test -- core otel -t merge` runs what matches "merge" in two of them. The last line is the sum.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { formatCounts, RESULTS_FILE, sumCounts } from './lib/counts.js';
import { isMain, listProjects, workspaceRoot } from './lib/workspace.js';

/**
 * @typedef {import('./lib/counts.js').Counts} Counts
 * @typedef {import('./lib/workspace.js').Project} Project
 */

const NX_ENVIRONMENT = {
  NX_DAEMON: 'false',
  NX_TUI: 'false',
  // No banner of npm before every script, and no colours where nobody can see them: Nx asks for them everywhere.
  npm_config_loglevel: 'silent',
  FORCE_COLOR: process.stdout.isTTY ? '1' : '0',
};

/**
 * Splits the arguments into projects and options for Jest.
 *
 * @param {string[]} args
 * @param {Project[]} projects Those that have tests.
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
 * The counts of a run that has just ended. A project that left none never started, and is one failure.
 *
 * @param {Project[]} projects
 * @returns {{ counts: Counts, missing: Project[] }}
 */
export function collectCounts(projects) {
  const missing = projects.filter(({ dir }) => !existsSync(join(dir, RESULTS_FILE)));
  const counts = projects.map((project) =>
    missing.includes(project)
      ? { passed: 0, failed: 1, skipped: 0 }
      : JSON.parse(readFileSync(join(project.dir, RESULTS_FILE), 'utf8')),
  );
  return { counts: sumCounts(counts), missing };
}

/**
 * Nx joins the arguments of a script with spaces and gives them to a shell.
 *
 * @param {string} arg
 */
function quoteForShell(arg) {
  return /^[\w./=,:-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`;
}

/**
 * @param {string[]} [args]
 * @returns {{ counts: Counts, ok: boolean }}
 */
export function runTests(args = []) {
  const projects = listProjects(workspaceRoot).filter(({ manifest }) => manifest.scripts?.test !== undefined);
  const { selected, jestArgs } = selectProjects(args, projects);
  // Whatever an earlier run left must not be counted; Nx puts back what it takes from its cache.
  for (const { dir } of selected) rmSync(dirname(join(dir, RESULTS_FILE)), { recursive: true, force: true });

  const names = selected.map(({ name }) => name).join(',');
  const { status } = spawnSync(
    process.execPath,
    [
      createRequire(import.meta.url).resolve('nx/bin/nx.js'),
      ...['run-many', '-t', 'test', '-p', names, '--output-style=stream-without-prefixes'],
      ...(jestArgs.length > 0 ? ['--', ...jestArgs.map(quoteForShell)] : []),
    ],
    {
      cwd: workspaceRoot,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...NX_ENVIRONMENT },
    },
  );

  const { counts, missing } = collectCounts(selected);
  for (const { name } of missing) console.log(`${name}: its tests did not start`);
  if (status !== 0 && counts.failed === 0) counts.failed = 1;
  if (counts.passed + counts.failed === 0) console.log('no test ran');
  return { counts, ok: counts.failed === 0 && counts.passed > 0 };
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
