/**
 * `node tools/peers/suites/hdr-histogram-js.js [LOGS]`: runs the tests that hdr-histogram-js publishes, with `@hdrscope/hdr-histogram-js` in
 * its place, and compares the failures with the list below. Exits with 1 when another test fails, or when one of the list
 * passes. Tests of modules that no documentation names are left out. `LOGS` is the folder `test_files` of its repository, which is not
 * published with the tests: without it, those that read logs are left out.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bundleDropIn } from '../../bundle-drop-in.js';
import { isMain, workspaceRoot } from '../../lib/workspace.js';
import { differences } from './run-suite.js';

const require = createRequire(import.meta.url);

/** By full title of a test: why it fails with ours. @type {Readonly<Record<string, string>>} */
const EXPECTED = {
  'Histogram encoding should throw an error when trying to decompress an histogram using V1 encoding':
    'encodings of versions 0 and 1 are read',
  'Histogram encoding should encode and compress an histogram to a base64 string':
    'the ratio of the header is the double 1, as Java writes it, and not the integer 1',
  'Histogram clearing support should reset data in order to reuse histogram':
    'the smallest value of an empty histogram is 2^53 - 1 with WebAssembly too, and not 2^64',
};

/** Modules of hdr-histogram-js that only itself uses. */
const INTERNAL = /^(ZigZagEncoding|formatters|ulp|TypedArrayHistogram)\./;

const LOGS = process.argv[2] ?? join(workspaceRoot, '../shared/data/hlog');

/**
 * @typedef {object} Outcome
 * @property {number} passed
 * @property {Map<string, string>} failed By full title: the message of the failure.
 * @property {string[]} left The titles of tests whose logs are not here.
 */

/** @returns {Promise<Outcome>} */
export async function runSpecs() {
  const dir = mkdtempSync(join(tmpdir(), 'hdrscope-specs-'));
  try {
    const specs = copySpecs(dir);
    await bundleDropIn(join(dir, 'dist'));
    return runJest(dir, specs);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/**
 * Puts the tests beside the modules of ours that they load by relative paths.
 *
 * @param {string} dir
 */
function copySpecs(dir) {
  const theirs = dirname(require.resolve('hdr-histogram-js'));
  const specs = readdirSync(theirs).filter((name) => name.endsWith('.spec.js') && !INTERNAL.test(name));
  mkdirSync(join(dir, 'dist'));
  mkdirSync(join(dir, 'test_files'));
  for (const name of specs) {
    // Jest 30 has only one of the two names.
    const text = readFileSync(join(theirs, name), 'utf8').replaceAll('.toThrowError(', '.toThrow(');
    writeFileSync(join(dir, 'dist', name), text);
  }
  const logs = existsSync(LOGS) ? readdirSync(LOGS) : [];
  for (const name of logs) symlinkSync(join(LOGS, name), join(dir, 'test_files', name));
  return specs;
}

/**
 * @param {string} dir
 * @param {readonly string[]} specs
 * @returns {Outcome}
 */
function runJest(dir, specs) {
  writeFileSync(
    join(dir, 'jest.config.json'),
    JSON.stringify({
      testMatch: specs.map((name) => `<rootDir>/dist/${name}`),
      transform: {},
      moduleNameMapper: { '^fast-check$': require.resolve('fast-check-1') },
    }),
  );
  const report = join(dir, 'report.json');
  const args = ['--config', join(dir, 'jest.config.json'), '--json', '--outputFile', report, '--silent'];
  spawnSync(process.execPath, [require.resolve('jest/bin/jest'), ...args], { cwd: dir, encoding: 'utf8' });
  /** @type {{ testResults: { assertionResults: { status: string, fullName: string, failureMessages: string[] }[] }[] }} */
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failures = all.filter(({ status }) => status === 'failed');
  const isLeft = (/** @type {{ failureMessages: string[] }} */ { failureMessages }) =>
    failureMessages.some((message) => message.includes('ENOENT') && message.includes('test_files'));
  return {
    passed: all.filter(({ status }) => status === 'passed').length,
    failed: new Map(
      failures.filter((one) => !isLeft(one)).map((one) => [one.fullName, one.failureMessages[0] ?? '']),
    ),
    left: failures.filter(isLeft).map(({ fullName }) => fullName),
  };
}

if (isMain(import.meta)) {
  const outcome = await runSpecs();
  const { passed, failed, left } = outcome;
  console.log(`hdr-histogram-js: ${passed} passed, ${failed.size} failed, ${left.length} left out`);
  for (const [title, reason] of Object.entries(EXPECTED)) console.log(`  expected: ${title}: ${reason}`);
  if (left.length > 0) console.log(`skipped: ${left.length} tests read logs that are not published`);
  const found = differences(outcome, EXPECTED);
  for (const line of found) console.log(`  ${line}`);
  process.exitCode = found.length === 0 ? 0 : 1;
}
