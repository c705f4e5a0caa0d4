/**
 * Runs Jest in the package of the current directory, with the shared set-up, and leaves its results for
 * `run-tests.js`. Arguments go to Jest: `node ../../tools/jest.js --watch`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RESULTS_FILE } from './lib/counts.js';
import { SOURCE_ARGUMENTS } from './lib/import-source.js';
import { isMain } from './lib/workspace.js';

/**
 * Runs the tests of some packages in one Jest, so that its workers load and compile sources that packages share once.
 * Each package then has a file of results, unless Jest could not start.
 *
 * @param {string[]} dirs The folders of the packages.
 * @param {string[]} args Arguments of Jest.
 * @param {NodeJS.ProcessEnv} [env] Further environment variables.
 * @returns {number} The exit code of Jest.
 */
export function runJest(dirs, args, env = {}) {
  const resultsFiles = dirs.map((dir) => join(dir, RESULTS_FILE));
  for (const file of resultsFiles) {
    rmSync(dirname(file), { recursive: true, force: true });
    mkdirSync(dirname(file), { recursive: true });
  }
  const { status } = spawnSync(
    process.execPath,
    [
      ...SOURCE_ARGUMENTS,
      // The workers take all processors already, and most of what a test allocates is garbage soon: an eighth less processor time.
      '--single-threaded-gc',
      '--max-semi-space-size=64',
      '--disable-warning=ExperimentalWarning',
      createRequire(import.meta.url).resolve('jest/bin/jest'),
      '--config',
      fileURLToPath(new URL('./jest/config.js', import.meta.url)),
      ...args,
    ],
    {
      cwd: dirs[0],
      stdio: 'inherit',
      env: {
        ...process.env,
        ...env,
        HDRSCOPE_TESTED: JSON.stringify(dirs.map((dir) => realpathSync(dir))),
      },
    },
  );
  return status ?? 1;
}

if (isMain(import.meta)) {
  process.exitCode = runJest([process.cwd()], process.argv.slice(2));
  // Jest can fail without a failed test: no test found, a bad option, a crash.
  /** @type {import('./lib/counts.js').Results} */
  const results = existsSync(RESULTS_FILE)
    ? JSON.parse(readFileSync(RESULTS_FILE, 'utf8'))
    : { passed: 0, failed: 0, skipped: 0 };
  if (process.exitCode !== 0 && results.failed === 0) results.failed = 1;
  writeFileSync(RESULTS_FILE, `${JSON.stringify(results)}\n`);
}
