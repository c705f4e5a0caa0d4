/**
 * Runs Jest in the package of the current directory, with the shared set-up, and leaves its results for
 * `run-tests.js`. Arguments go to Jest: `node ../../tools/jest.js --watch`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RESULTS_FILE } from './lib/counts.js';
import { SOURCE_ARGUMENTS } from './lib/import-source.js';

const resultsFile = resolve(RESULTS_FILE);
rmSync(dirname(resultsFile), { recursive: true, force: true });
mkdirSync(dirname(resultsFile), { recursive: true });

const { status } = spawnSync(
  process.execPath,
  [
    ...SOURCE_ARGUMENTS,
    '--disable-warning=ExperimentalWarning',
    createRequire(import.meta.url).resolve('jest/bin/jest'),
    '--config',
    fileURLToPath(new URL('./jest/config.js', import.meta.url)),
    '--rootDir',
    process.cwd(),
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit' },
);

// Jest can fail without a failed test: no test found, a bad option, a crash.
/** @type {import('./lib/counts.js').Results} */
const results = existsSync(resultsFile)
  ? JSON.parse(readFileSync(resultsFile, 'utf8'))
  : { passed: 0, failed: 0, skipped: 0 };
if (status !== 0 && results.failed === 0) results.failed = 1;
writeFileSync(resultsFile, `${JSON.stringify(results)}\n`);
process.exitCode = status ?? 1;
