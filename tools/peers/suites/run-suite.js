/**
 * `node tools/peers/suites/run-suite.js [--stock] [SUITE...]`: runs tests of other packages with hdrscope in place of a
 * part of the package, and compares the failures with a list of expected ones. Exits with 1 when a test fails that is not
 * on the list, or when one on the list passes. Where the sources are missing, it prints the reason and exits with 0.
 *
 *   --stock     runs the tests with the package as it is, and expects no failure
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { build } from 'esbuild';
import { freePort } from '../../lib/free-port.js';
import { isMain, workspaceRoot } from '../../lib/workspace.js';
import { PEERS, programOf } from '../peers.js';
import { exporterPrometheus } from './exporter-prometheus.js';
import { sdkMetrics, sdkMetricsExplicit } from './sdk-metrics.js';

/**
 * @typedef {object} Suite
 * @property {string} name
 * @property {string} folder The folder of the package in opentelemetry-js.
 * @property {Readonly<Record<string, string>>} shims By module of the package, without its ending: the file, beside this
 *   one, that replaces it. The file exports by default a function that takes the exports of the module, and `options`,
 *   and returns the exports in their place.
 * @property {object} [options]
 * @property {Readonly<Record<string, string>>} expected By full title of a test: why it fails with hdrscope.
 */

/** @type {readonly Suite[]} */
const SUITES = [sdkMetrics, sdkMetricsExplicit, exporterPrometheus];

const LIMIT_SECONDS = 300;
const ATTEMPTS = 4;
const PAUSE_SECONDS = 20;

/** A port that the tests of the exporter choose. Here it is one that is free when they start. */
const CHOSEN_PORT = /\b9991\b/g;

/**
 * @typedef {object} Outcome
 * @property {number} passed
 * @property {Map<string, string>} failed By full title: the message of the failure.
 */

/**
 * Runs the tests of a suite.
 *
 * @param {Suite} suite
 * @param {{ sources: string, isStock: boolean }} how `sources` is the folder of opentelemetry-js.
 * @returns {Promise<Outcome>}
 */
export async function runSuite(suite, { sources, isStock }) {
  const dir = mkdtempSync(join(tmpdir(), 'hdrscope-suite-'));
  try {
    await compile(join(sources, suite.folder), dir);
    linkPackages(sources, dir);
    if (!isStock) await replaceModules(suite, dir);
    const mocha = join(sources, 'node_modules/mocha/bin/mocha.js');
    let outcome = runMocha(mocha, dir);
    // The tests listen at ports of their own choice. Where another process has one, they pass when it is free again.
    for (let attempt = 1; attempt < ATTEMPTS && foundPortInUse(outcome); attempt++) {
      await setTimeout(PAUSE_SECONDS * 1000);
      outcome = runMocha(mocha, dir);
    }
    return outcome;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/**
 * Each file becomes a CommonJS module of its own, so that tests see the module that the code uses.
 *
 * @param {string} from
 * @param {string} into
 */
async function compile(from, into) {
  const files = ['src', 'test'].flatMap((folder) =>
    readdirSync(join(from, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.includes('webpack'))
      .map((file) => join(from, folder, file)),
  );
  const { outputFiles } = await build({
    entryPoints: files,
    outbase: from,
    outdir: into,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    tsconfigRaw: { compilerOptions: { useDefineForClassFields: true } },
    logLevel: 'error',
    write: false,
  });
  const port = String(await freePort());
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    // As with `esModuleInterop: false`: tests replace functions of modules such as `node:http`, and a copy would hide that.
    writeFileSync(path, text.replace(/__toESM\((require\("[^"]+"\))\)/g, '$1').replace(CHOSEN_PORT, port));
  }
  writeFileSync(join(into, 'package.json'), '{ "type": "commonjs" }');
  // A script of the repository writes this module before each build.
  const { name, version } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  const constants = { VERSION: version, PACKAGE_NAME: name };
  writeFileSync(join(into, 'src/version.js'), `module.exports = ${JSON.stringify(constants)};`);
}

/**
 * Other packages of OpenTelemetry are those of this workspace, so that hdrscope and the tests share one API. Those that the SDK has
 * for itself come first, so that all of them have one version.
 *
 * @param {string} sources
 * @param {string} dir
 */
function linkPackages(sources, dir) {
  const packages = join(dir, 'node_modules');
  const scope = join(packages, '@opentelemetry');
  mkdirSync(scope, { recursive: true });
  const ofWorkspace = join(workspaceRoot, 'node_modules/@opentelemetry');
  const ofSdk = join(ofWorkspace, 'sdk-metrics/node_modules/@opentelemetry');
  for (const from of [ofSdk, ofWorkspace].filter(existsSync)) {
    for (const name of readdirSync(from)) {
      if (!existsSync(join(scope, name))) symlinkSync(join(from, name), join(scope, name));
    }
  }
  symlinkSync(join(sources, 'node_modules/sinon'), join(packages, 'sinon'));
}

/**
 * @param {Suite} suite
 * @param {string} dir
 */
async function replaceModules({ shims, options = {} }, dir) {
  for (const [module, shim] of Object.entries(shims)) {
    const file = join(dir, `${module}.js`);
    const original = join(dir, `${module}.stock.js`);
    const args = `require(${JSON.stringify(original)}), ${JSON.stringify(options)}`;
    renameSync(file, original);
    await build({
      stdin: {
        contents: `module.exports = require('./${shim}').default(${args});`,
        resolveDir: import.meta.dirname,
      },
      outfile: file,
      bundle: true,
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      conditions: ['@hdrscope/source'],
      external: ['@opentelemetry/*', original],
      logLevel: 'error',
    });
  }
}

/**
 * @param {string} mocha
 * @param {string} dir
 * @returns {Outcome}
 */
function runMocha(mocha, dir) {
  const report = join(dir, 'report.json');
  const { stdout, stderr, error } = spawnSync(
    process.execPath,
    [
      mocha,
      '--no-config',
      '--exit',
      '--reporter=json',
      `--reporter-option=output=${report}`,
      'test/**/*.test.js',
    ],
    { cwd: dir, encoding: 'utf8', timeout: LIMIT_SECONDS * 1000, maxBuffer: 64 * 1024 * 1024 },
  );
  let text;
  try {
    text = readFileSync(report, 'utf8');
  } catch {
    throw new Error(
      `mocha has written no report: ${error?.message ?? (stderr || stdout).trim().split('\n')[0]}`,
    );
  }
  /** @type {{ passes: unknown[], failures: { fullTitle: string, err: { message?: string } }[] }} */
  const { passes, failures } = JSON.parse(text);
  return {
    passed: passes.length,
    failed: new Map(failures.map(({ fullTitle, err }) => [fullTitle, err.message ?? 'no message'])),
  };
}

/**
 * Whether another process had a port of the tests. It may have ended before a test asked for it.
 *
 * @param {Outcome} outcome
 */
function foundPortInUse({ failed }) {
  return [...failed.values()].some((message) => /EADDRINUSE|ECONNREFUSED/.test(message));
}

/**
 * Compares the failures with the expected ones.
 *
 * @param {Outcome} outcome
 * @param {Readonly<Record<string, string>>} expected
 * @returns {string[]} What differs; empty where all is as expected.
 */
export function differences({ failed }, expected) {
  return [
    ...[...failed].flatMap(([title, message]) =>
      title in expected ? [] : [`fails: ${title}\n    ${message}`],
    ),
    ...Object.keys(expected).flatMap((title) =>
      failed.has(title) ? [] : [`is expected to fail, and passes or is gone: ${title}`],
    ),
  ];
}

/** @param {string[]} args */
async function main(args) {
  const isStock = args.includes('--stock');
  const names = args.filter((arg) => arg !== '--stock');
  for (const name of names) {
    if (SUITES.some((suite) => suite.name === name)) continue;
    throw new Error(`no suite is called '${name}', only ${SUITES.map((suite) => suite.name).join(', ')}`);
  }
  const peer = PEERS.find(({ name }) => name === 'opentelemetry-suites');
  const packages = peer && programOf(peer);
  if (packages === undefined) {
    console.log('skipped: the peer opentelemetry-suites is not installed, see tools/peers/README.md');
    return true;
  }
  let isAsExpected = true;
  for (const suite of SUITES) {
    if (names.length > 0 && !names.includes(suite.name)) continue;
    const outcome = await runSuite(suite, { sources: dirname(packages), isStock });
    const expected = isStock ? {} : suite.expected;
    const found = differences(outcome, expected);
    const known = Object.keys(expected).length;
    console.log(
      `${suite.name}: ${outcome.passed} passed, ${outcome.failed.size} failed, ${known} expected to fail`,
    );
    for (const line of found) console.log(`  ${line}`);
    isAsExpected &&= found.length === 0;
  }
  return isAsExpected;
}

if (isMain(import.meta)) {
  try {
    process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 2;
  }
}
