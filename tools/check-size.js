/**
 * Checks what the built packages cost their users: the code that a bundler takes for a use of them, the modules that
 * Node.js loads for an entry, the time that it takes to start with it, and what npm puts on a disk. Needs a build. Where npm cannot reach
 * a registry, it says so, and fails only in CI.
 *
 *   node tools/check-size.js
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { measureInstalls } from './lib/installed.js';
import { measureInTurns, measureWithin, REPORT } from './lib/processor-time.js';
import { isMain, workspaceRoot } from './lib/workspace.js';

/**
 * @typedef {{ title: string, code: string, limitKb: number }} Use
 * @typedef {{ entry: string, limitModules: number, limitRatio: number, environment?: Record<string, string> }} Start
 * @typedef {{ title: string, figure: number, limit: number, unit: string }} Row
 */

/** Code that a browser or an application contains, and its limit in kB (1000 bytes), minified and gzipped. @type {Use[]} */
export const USES = [
  use('a layout', 2.8, '@hdrscope/core', 'hdrLayout'),
  use('an error', 0.8, '@hdrscope/core', 'HdrscopeError'),
  use('record and read percentiles', 14.5, '@hdrscope/core', 'BasicHistogram'),
  use('encode, add and copy, too', 23.2, '@hdrscope/core', 'Histogram'),
  use('a registry', 41.6, '@hdrscope/registry', 'createRegistry'),
  use('a view for OpenTelemetry', 55.5, '@hdrscope/otel', 'createHdr'),
  use('a receiver of OTLP', 37, '@hdrscope/otel/receiver', 'serveOtlp'),
  use('a sender of remote write', 23.5, '@hdrscope/prometheus/remote-write', 'sendRemoteWrite'),
  use('several values of one event', 18.5, '@hdrscope/core/joint'),
  use('all of core', 51.6, '@hdrscope/core'),
];

/**
 * Entries that applications load when they start. Modules are those of this workspace, with all that they load at once.
 * The entries `internal` of core and registry are three files each more: their own, and those that they share with the main entry. A ratio
 * compares the processor time of a process that loads the entry with one that loads nothing.
 *
 * @type {Start[]}
 */
export const STARTS = [
  { entry: '@hdrscope/core', limitModules: 5, limitRatio: 1.7 },
  { entry: '@hdrscope/registry', limitModules: 9, limitRatio: 2 },
  // `register` shares most of it, so it is in a file of its own.
  { entry: '@hdrscope/otel', limitModules: 13, limitRatio: 2.6 },
  {
    entry: '@hdrscope/otel/register',
    limitModules: 13,
    limitRatio: 3,
    // Beside an SDK: otherwise it loads one, with its exporters.
    environment: { HDRSCOPE_PIPELINE: 'application' },
  },
  // Its entries share two files.
  { entry: '@hdrscope/prometheus', limitModules: 15, limitRatio: 2.6 },
  // The fsync of folders comes from an entry of the kit, and the rules of options from a file that core shares. Node.js
  // compiles its statements for engines at the start, too.
  { entry: '@hdrscope/history', limitModules: 14, limitRatio: 2.8 },
  // The ends of wide counts come from an entry of the registry.
  { entry: '@hdrscope/plot', limitModules: 12, limitRatio: 2.1 },
];

/** What a browser loads of the playground, and the limit in kB, gzipped. @type {{ title: string, files: string[], limitKb: number }[]} */
const PLAYGROUND = [
  {
    title: 'the playground before the first file',
    files: ['index.html', 'page.css', 'page.js'],
    limitKb: 66,
  },
  { title: 'the commands of the playground', files: ['worker.js'], limitKb: 340 },
  { title: 'the charts of the playground', files: ['charts.js'], limitKb: 230 },
  { title: 'the playground as one file', files: ['playground.html'], limitKb: 675 },
];

const PAIRS = 7;

/**
 * @param {string} title
 * @param {number} limitKb
 * @param {string} from
 * @param {string[]} names Without names, all exports.
 * @returns {Use}
 */
function use(title, limitKb, from, ...names) {
  const code =
    names.length === 0 ? `export * from '${from}';` : `export { ${names.join(', ')} } from '${from}';`;
  return { title: `${title}: ${names.join(', ') || '*'} of ${from}`, code, limitKb };
}

/**
 * The size that some code adds to an application: minified and gzipped, without the packages of others.
 *
 * @param {string} code
 * @param {string} folder Where the imports are resolved.
 * @returns {Promise<number>} kB
 */
export async function sizeOf(code, folder) {
  const { outputFiles } = await bundle(code, folder);
  const [output] = outputFiles.map(({ contents }) => gzipSync(contents).length);
  return (output ?? 0) / 1000;
}

/**
 * How many modules of this workspace Node.js loads before an import of an entry is complete.
 *
 * @param {string} entry
 * @param {string} folder Where the import is resolved.
 */
export async function countModules(entry, folder) {
  const { metafile } = await bundle(`export * from '${entry}';`, folder);
  const open = ['<stdin>'];
  const found = new Set(open);
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const { path, kind, external } of metafile.inputs[file]?.imports ?? []) {
      if (external || kind !== 'import-statement' || found.has(path)) continue;
      found.add(path);
      open.push(path);
    }
  }
  return found.size - 1;
}

/**
 * @param {string} contents
 * @param {string} resolveDir
 */
function bundle(contents, resolveDir) {
  return build({
    stdin: { contents, resolveDir },
    bundle: true,
    minify: true,
    metafile: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['node'],
    plugins: [OTHERS_ARE_EXTERNAL],
    logLevel: 'silent',
  });
}

/** Marks the question of a plugin to esbuild, which asks the plugin again. */
const RESOLVED = {};

/** @type {import('esbuild').Plugin} */
const OTHERS_ARE_EXTERNAL = {
  name: 'others',
  setup(build) {
    build.onResolve({ filter: /^[^.#/]/ }, ({ path }) =>
      path.startsWith('@hdrscope/') ? undefined : { path, external: true },
    );
    // What a package contains of packages of others.
    build.onResolve({ filter: /^#/ }, async ({ path, kind, resolveDir, importer, pluginData }) => {
      if (pluginData === RESOLVED) return undefined;
      const resolved = await build.resolve(path, { kind, resolveDir, importer, pluginData: RESOLVED });
      const external = /[\\/]third-party[\\/]/.test(resolved.path);
      return { path: resolved.path, sideEffects: resolved.sideEffects, external };
    });
  },
};

/**
 * The processor time of a process that loads an entry, in relation to one that loads nothing: the least time of each, of
 * processes that run in turns.
 *
 * @param {Start} start
 * @param {string} folder Where the import is resolved.
 */
function startRatio({ entry, environment }, folder) {
  const evaluate = (/** @type {string} */ code) => ['--input-type=module', '--eval', code + REPORT];
  const [empty, loaded] = measureInTurns(
    PAIRS,
    [evaluate(''), { cwd: folder }],
    [evaluate(`import '${entry}';`), { cwd: folder, env: { ...process.env, ...environment } }],
  );
  return loaded / empty;
}

/** @returns {Row[]} */
function measurePlayground() {
  const folder = join(workspaceRoot, 'packages/playground/dist');
  return PLAYGROUND.map(({ title, files, limitKb }) => ({
    title,
    figure: files.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0) / 1000,
    limit: limitKb,
    unit: 'kB',
  }));
}

/** @returns {Promise<Row[]>} */
async function measure() {
  // The agent depends on all packages.
  const folder = join(workspaceRoot, 'packages/agent');
  const sizes = USES.map(async ({ title, code, limitKb }) => ({
    title,
    figure: await sizeOf(code, folder),
    limit: limitKb,
    unit: 'kB',
  }));
  const modules = STARTS.map(async ({ entry, limitModules }) => ({
    title: `modules that ${entry} loads`,
    figure: await countModules(entry, folder),
    limit: limitModules,
    unit: '',
  }));
  const counted = await Promise.all([...sizes, ...modules]);
  const ratios = STARTS.map((start) => {
    const { entry, limitRatio: limit } = start;
    const figure = measureWithin(limit, () => startRatio(start, folder));
    return { title: `start with ${entry}, to a start without`, figure, limit, unit: 'x' };
  });
  return [...counted, ...measurePlayground(), ...ratios];
}

if (isMain(import.meta)) {
  const installs = measureInstalls(workspaceRoot);
  const rows = [...(await measure()), ...(installs ?? [])];
  const width = Math.max(...rows.map(({ title }) => title.length));
  for (const { title, figure, limit, unit } of rows) {
    const text = `${Number.isInteger(figure) ? figure : figure.toFixed(2)} ${unit}`.trimEnd();
    const verdict = figure > limit ? `TOO MUCH, at most ${limit}` : `at most ${limit}`;
    console.log(`${title.padEnd(width)}  ${text.padStart(9)}  ${verdict}`);
  }
  if (installs === undefined)
    console.log(
      'npm install is not measured, because npm cannot reach a registry and has not all packages in its cache',
    );
  const isComplete = installs !== undefined || !process.env.CI;
  process.exitCode = isComplete && rows.every(({ figure, limit }) => figure <= limit) ? 0 : 1;
}
