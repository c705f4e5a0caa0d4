/**
 * Makes the JavaScript of packages from their sources: `node tools/bundle.js [package...]`, by default of all packages.
 *
 * The compiler emits declarations only, and esbuild makes one file of each entry of a package. Node.js finds, reads and
 * links every module by itself, so a package of 80 small modules takes five times as long to load as the same code in one
 * file. Other packages stay imports. Modules that several entries share become files of their own, so that a class exists
 * once. The code is not minified, and source maps lead to `src`, which the packages contain.
 *
 * Scripts for browsers are whole and minified: the live page sends one, and HTML plots contain the other.
 *
 * A module in `src/third-party` exports what a package uses of a large package of others. Its file is whole and minified, too, so users
 * install only the part that we use. The licences of all that such files contain go to `dist/THIRD-PARTY.txt`.
 */
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { bundleDropIn } from './bundle-drop-in.js';
import { sourcesOf } from './lib/manifest-maps.js';
import { formatBanner, formatNotices, listContained, NOTICES } from './lib/notices.js';
import { restored } from './lib/restored.js';
import { isMain, listProjects, workspaceRoot } from './lib/workspace.js';
import { UNFINISHED, writeChanged } from './lib/write-changed.js';
import { makePlayground } from './playground.js';

/** @typedef {import('./lib/workspace.js').Project} Project */

/** The scripts for browsers: the module of each, and the file that is made of it, relative to `packages`. */
export const BROWSER_SCRIPTS = [
  { entry: 'plot/browser/main.ts', script: 'plot/dist/browser/plot.js' },
  { entry: 'dashboard/browser/main.ts', script: 'dashboard/dist/browser/page.js' },
];

/** Modules that Node.js starts by their path: the main module of a process, and of a thread. */
const PROGRAM = /^(main|.+-worker)\.ts$/;

/**
 * Makes the JavaScript of a package.
 *
 * @param {Project} project
 */
async function makePackage(project) {
  if (project.name === DROP_IN) await bundleDropIn(join(project.dir, 'dist'));
  else if (project.name === PLAYGROUND) await makePlayground();
  else await bundlePackage(project);
}

/** The package that is CommonJS and contains the others. */
const DROP_IN = '@hdrscope/hdr-histogram-js';

/** The package that is a page. */
const PLAYGROUND = '@hdrscope/playground';

/**
 * Makes the JavaScript of a package, and removes what earlier builds left in its `dist`.
 *
 * @param {Project} project
 */
export async function bundlePackage(project) {
  const made = [...(await bundleEntries(project)), ...(await bundleWholeFiles(project))];
  removeOthers(join(project.dir, 'dist'), project.dir, new Set(made));
}

/**
 * The modules that become files with the names of their own: those that `exports` and `imports` name, and programs.
 *
 * @param {Project} project
 * @returns {string[]} Relative to the package.
 */
export function listEntries({ dir, manifest }) {
  const src = join(dir, 'src');
  if (!existsSync(src)) return [];
  const programs = readdirSync(src).filter((name) => PROGRAM.test(name));
  return [
    ...new Set([
      ...sourcesOf(manifest.exports),
      ...sourcesOf(manifest.imports),
      ...programs.map((name) => `src/${name}`),
    ]),
  ];
}

/**
 * @param {Project} project
 * @returns {Promise<string[]>} The files that it wrote, relative to the package.
 */
async function bundleEntries(project) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: project.dir,
    entryPoints: listEntries(project).filter((entry) => !isThirdParty(entry)),
    outbase: 'src',
    outdir: 'dist',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    packages: 'external',
    external: ['#*'],
    conditions: ['@hdrscope/source'],
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  assertSameDepth(project, metafile);
  for (const { path, text } of outputFiles) {
    writeChanged(path, path.endsWith('.js') ? restored(text, project.dir, metafile) : text);
  }
  return outputFiles.map(({ path }) => slashed(relative(project.dir, path)));
}

/**
 * A module finds a file by its own URL. It has to lie as deep in `dist` as in `src`, or it looks in the wrong folder.
 *
 * @param {Project} project
 * @param {import('esbuild').Metafile} metafile
 */
function assertSameDepth({ dir, path }, { outputs }) {
  for (const [file, { inputs }] of Object.entries(outputs)) {
    for (const input of Object.keys(inputs)) {
      if (input.split('/').length === file.split('/').length) continue;
      if (/new URL\([^)]*import\.meta\.url/.test(readFileSync(join(dir, input), 'utf8'))) {
        throw new Error(
          `${path}/${input} uses import.meta.url and becomes a part of ${file}, which is not as deep: move it to the folder of the entry that imports it`,
        );
      }
    }
  }
}

/** @param {string} entry Relative to the package. */
const isThirdParty = (entry) => entry.startsWith('src/third-party/');

/**
 * Makes the files that contain packages of others, and one file with the licences of these.
 *
 * @param {Project} project
 * @returns {Promise<string[]>} The files that it wrote, relative to the package.
 */
async function bundleWholeFiles(project) {
  const { dir, path } = project;
  const scripts = BROWSER_SCRIPTS.filter(({ entry }) => `packages/${entry}`.startsWith(`${path}/`)).map(
    ({ entry, script }) =>
      bundleWhole(project, entry.slice(entry.indexOf('/') + 1), {
        outfile: script.slice(script.indexOf('/') + 1),
        format: 'iife',
        target: 'es2022',
      }),
  );
  const modules = listEntries(project)
    .filter(isThirdParty)
    .map((entry) =>
      bundleWhole(project, entry, { outbase: 'src', outdir: 'dist', format: 'esm', target: 'es2023' }),
    );
  const made = (await Promise.all([...scripts, ...modules])).flat();
  const files = made.map(({ file }) => file);
  const all = made.map(({ contained }) => contained).filter(({ size }) => size > 0);
  if (all.length === 0) return files;
  writeChanged(join(dir, 'dist', NOTICES), formatNotices(all));
  return [`dist/${NOTICES}`, ...files];
}

/**
 * @param {Project} project
 * @param {string} entry
 * @param {Pick<import('esbuild').BuildOptions, 'outfile' | 'outdir' | 'outbase' | 'format' | 'target'>} options
 */
async function bundleWhole({ dir, name }, entry, options) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: dir,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    conditions: ['@hdrscope/source'],
    // The pages that contain a script are passed on alone.
    legalComments: 'inline',
    metafile: true,
    write: false,
    logLevel: 'warning',
    ...options,
  });
  return outputFiles.map(({ path, text }) => {
    const file = slashed(relative(dir, path));
    const contained = listContained(dir, metafile.outputs[file]?.inputs ?? {});
    writeChanged(path, contained.size === 0 ? text : formatBanner(name, contained) + text);
    return { file, contained };
  });
}

/**
 * Removes files of `dist` that were not made now, and declarations whose source is gone.
 *
 * @param {string} folder
 * @param {string} root The folder of the package.
 * @param {ReadonlySet<string>} made Relative to `root`.
 */
function removeOthers(folder, root, made) {
  const entries = readdirSync(folder, { withFileTypes: true });
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const name = slashed(relative(root, path));
    if (entry.isDirectory()) removeOthers(path, root, made);
    else if (!made.has(name) && !isKept(name, root)) rmSync(path, { force: true });
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

/**
 * @param {string} name
 * @param {string} root
 */
function isKept(name, root) {
  if (name.endsWith('.tsbuildinfo')) return true;
  // Of another build at the same time.
  if (name.endsWith(UNFINISHED)) return true;
  const module = /^dist\/(.*)\.d\.ts(\.map)?$/.exec(name)?.[1];
  return module !== undefined && existsSync(join(root, `src/${module}.ts`));
}

/** @param {string} path */
function slashed(path) {
  return path.replaceAll('\\', '/');
}

if (isMain(import.meta)) {
  const names = process.argv.slice(2);
  const projects = listProjects(workspaceRoot).filter(
    ({ manifest }) => manifest.scripts?.build !== undefined,
  );
  const folders = projects.map(({ path }) => path.replace('packages/', ''));
  const unknown = names.find((name) => !folders.includes(name));
  if (unknown !== undefined) {
    console.error(`there is no package ${unknown} to build, only ${folders.join(', ')}`);
    process.exitCode = 1;
  } else {
    const selected = projects.filter(
      (_, i) => names.length === 0 || names.includes(/** @type {string} */ (folders[i])),
    );
    await Promise.all(selected.map(makePackage));
  }
}
