/**
 * `node tools/peers/suites/run-suite.js [--stock] [SUITE...]`: runs tests of other packages with hdrscope in place of a
 * part of the package, and compares the failures with a list of expected ones. Exits with 1 when a test fails that is not
 * on the list, or when one on the list passes. Where the sources are missing, it prints the reason and exits with 0.
 *
 *   --stock     runs the tests with the package as it is
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
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { build } from 'esbuild';
import { freePort } from '../../lib/free-port.js';
import { isMain, workspaceRoot } from '../../lib/workspace.js';
import { PEERS, programOf } from '../peers.js';
import { EXPORTER_PROMETHEUS } from './exporter-prometheus.js';
import { SDK_METRICS } from './sdk-metrics.js';

/**
 * @typedef {object} Suite
 * @property {string} name
 * @property {string} folder The folder of the package in opentelemetry-js.
 * @property {string} [published] The package of the peer `opentelemetry-3` whose code the tests run with. Left out, it is
 *   the code of the commit of the tests.
 * @property {Readonly<Record<string, string>>} shims By module of the package, without its ending: the file, beside this
 *   one, that replaces it. The file exports by default a function that takes the exports of the module, and `options`,
 *   and returns the exports in their place.
 * @property {object} [options]
 * @property {Readonly<Record<string, string>>} expected By full title of a test: why it fails with hdrscope.
 * @property {Readonly<Record<string, string>>} [expectedOfStock] The same for the package as it is, whose code may be newer than the tests.
 * @property {Readonly<Record<string, string>>} [without] By file: why its tests cannot run with the published package.
 */

/** @type {readonly Suite[]} */
const SUITES = [...SDK_METRICS, ...EXPORTER_PROMETHEUS];

const LIMIT_SECONDS = 300;
const ATTEMPTS = 4;
const PAUSE_SECONDS = 20;

/** A port that the tests of the exporter choose. Here it is one that is free when they start. */
const CHOSEN_PORT = /\b9991\b/g;

/**
 * @typedef {object} Outcome
 * @property {number} passed
 * @property {Map<string, string>} failed By full title: the message of the failure.
 * @property {string[]} [without] Files of tests of modules that the published package does not have.
 */

/** The folder of the packages of OpenTelemetry 3; `undefined` where they are not installed. */
const packages3 = programNamed('opentelemetry-3');

/** @param {string} name */
function programNamed(name) {
  const peer = PEERS.find((one) => one.name === name);
  return peer && programOf(peer);
}

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
    await compile(suite, join(sources, suite.folder), dir);
    linkPackages(suite, sources, dir);
    const without = suite.published === undefined ? [] : removeTestsWithoutModule(dir);
    if (!isStock) await replaceModules(suite, dir);
    const mocha = join(sources, 'node_modules/mocha/bin/mocha.js');
    let outcome = runMocha(mocha, dir);
    // The tests listen at ports of their own choice. Where another process has one, they pass when it is free again.
    for (let attempt = 1; attempt < ATTEMPTS && foundPortInUse(outcome); attempt++) {
      await setTimeout(PAUSE_SECONDS * 1000);
      outcome = runMocha(mocha, dir);
    }
    return { ...outcome, without };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/**
 * Each file becomes a CommonJS module of its own, so that tests see the module that the code uses.
 *
 * @param {Suite} suite
 * @param {string} from
 * @param {string} into
 */
async function compile({ published }, from, into) {
  const folders = published === undefined ? ['src', 'test'] : ['test'];
  const files = folders.flatMap((folder) =>
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
  if (published !== undefined) {
    copyPublished(join(packages3 ?? '', published, 'dist'), join(into, 'src'));
    return;
  }
  // A script of the repository writes this module before each build.
  const { name, version } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  const constants = { VERSION: version, PACKAGE_NAME: name };
  writeFileSync(join(into, 'src/version.js'), `module.exports = ${JSON.stringify(constants)};`);
}

/**
 * Puts the CommonJS modules of a published package where its sources would be.
 *
 * @param {string} dist
 * @param {string} into
 */
function copyPublished(dist, into) {
  const modules = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.cjs'),
  );
  for (const module of modules) {
    const file = join(into, module.replace(/\.cjs$/, '.js'));
    mkdirSync(dirname(file), { recursive: true });
    const text = readFileSync(join(dist, module), 'utf8');
    writeFileSync(file, text.replace(/(require\("\.[^"]*)\.cjs"\)/g, '$1.js")'));
  }
  // The build drops modules that only export what others have.
  for (const folder of new Set(modules.map(dirname))) {
    const index = join(into, folder, 'index.js');
    if (existsSync(index)) continue;
    const parts = readdirSync(join(into, folder)).filter((file) => file.endsWith('.js'));
    writeFileSync(
      index,
      `module.exports = { ${parts.map((file) => `...require('./${file}')`).join(', ')} };`,
    );
  }
}

/**
 * Removes the tests of modules that the published package does not have.
 *
 * @param {string} dir
 * @returns {string[]} Their files.
 */
function removeTestsWithoutModule(dir) {
  const files = readdirSync(join(dir, 'test'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => {
      if (!file.endsWith('.test.js')) return false;
      const path = join(dir, 'test', file);
      const wanted = readFileSync(path, 'utf8').matchAll(/require\("(\.[^"]*\/src[^"]*)"\)/g);
      const { resolve } = createRequire(path);
      const isComplete = [...wanted].every(([, module = '']) => resolves(resolve, module));
      if (!isComplete) rmSync(path);
      return !isComplete;
    })
    .sort();
}

/**
 * @param {NodeJS.RequireResolve} resolve
 * @param {string} module
 */
function resolves(resolve, module) {
  try {
    resolve(module);
    return true;
  } catch {
    return false;
  }
}

/**
 * Other packages of OpenTelemetry are those of this workspace, so that hdrscope and the tests share one API. Those that the SDK has
 * for itself come first, so that all of them have one version. For a published package they are those that belong to it.
 *
 * @param {Suite} suite
 * @param {string} sources
 * @param {string} dir
 */
function linkPackages({ published }, sources, dir) {
  const packages = join(dir, 'node_modules');
  const scope = join(packages, '@opentelemetry');
  mkdirSync(scope, { recursive: true });
  const isPublished = published !== undefined && packages3 !== undefined;
  const all = join(isPublished ? packages3 : join(workspaceRoot, 'node_modules'), '@opentelemetry');
  const sdk = isPublished ? join(packages3, 'sdk-metrics-3') : join(all, 'sdk-metrics');
  symlinkSync(sdk, join(scope, 'sdk-metrics'));
  for (const from of [join(sdk, 'node_modules/@opentelemetry'), all].filter(existsSync)) {
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
 * Compares the failures with the expected ones, and the tests that cannot run.
 *
 * @param {Outcome} outcome
 * @param {Readonly<Record<string, string>>} expected
 * @param {Readonly<Record<string, string>>} [expectedWithout]
 * @returns {string[]} What differs; empty where all is as expected.
 */
export function differences({ failed, without = [] }, expected, expectedWithout = {}) {
  return [
    ...without.flatMap((file) => (file in expectedWithout ? [] : [`lacks a module: ${file}`])),
    ...Object.keys(expectedWithout).flatMap((file) =>
      without.includes(file) ? [] : [`is expected to lack a module, and runs or is gone: ${file}`],
    ),
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
  const packages = programNamed('opentelemetry-suites');
  if (packages === undefined) {
    console.log('skipped: the peer opentelemetry-suites is not installed, see tools/peers/README.md');
    return true;
  }
  let isAsExpected = true;
  for (const suite of SUITES) {
    if (names.length > 0 && !names.includes(suite.name)) continue;
    if (suite.published !== undefined && packages3 === undefined) {
      console.log(
        `skipped: ${suite.name}: the peer opentelemetry-3 is not installed, see tools/peers/README.md`,
      );
      continue;
    }
    const outcome = await runSuite(suite, { sources: dirname(packages), isStock });
    const { expectedOfStock = {}, without } = suite;
    const expected = isStock ? expectedOfStock : suite.expected;
    const found = differences(outcome, expected, without);
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
