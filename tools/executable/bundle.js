/**
 * The parts of the executable: all JavaScript of the command and of the packages that it loads, in one part for each command and for what
 * several commands share.
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, transform } from 'esbuild';
import { listContained } from '../lib/notices.js';
import { workspaceRoot } from '../lib/workspace.js';

/** Packages with a binary for each platform, which users add where they need them. */
const NATIVE = ['koffi', '@napi-rs/canvas', '@duckdb/node-api', 'pg-native'];

/** Files that packages read beside themselves. */
export const PACKAGE_FILES = [
  'packages/dashboard/dist/browser/page.js',
  'packages/dashboard/dist/browser/page.css',
  'packages/plot/dist/browser/plot.js',
  ...['blockio', 'runqueue', 'tcprtt'].map((name) => `packages/ebpf/program/${name}.bpf.o`),
];

const TARGET = /** @type {const} */ ({
  platform: 'node',
  target: 'node26',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
});

/** @typedef {{ name: string, version: string, license?: string }} Package */

/**
 * @returns {Promise<{ parts: { name: string, text: string }[], notices: import('../lib/notices.js').Contained, contained: Package[] }>} The
 *   parts, whose code is in ASCII, the licences of the packages of others in them, and all packages in them.
 */
export async function bundleParts() {
  const { outputFiles, metafile } = await build({
    ...TARGET,
    absWorkingDir: workspaceRoot,
    stdin: {
      contents: "export { runProcess } from './process.ts'; export { runCli } from './program.ts';",
      sourcefile: 'main.ts',
      resolveDir: join(workspaceRoot, 'packages/cli/src'),
    },
    outdir: 'parts',
    entryNames: 'main',
    bundle: true,
    splitting: true,
    format: 'esm',
    conditions: ['@hdrscope/source'],
    external: NATIVE,
    plugins: [WITHOUT_FILES],
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const parts = outputFiles.map(async ({ path, text }) => {
    // V8 keeps compiled code of scripts only. And there are no files to import.
    const { code } = await transform(text, {
      ...TARGET,
      format: 'cjs',
      supported: { 'dynamic-import': false },
    });
    return { name: `parts/${basename(path)}`, text: code };
  });
  const inputs = Object.assign({}, ...Object.values(metafile.outputs).map((output) => output.inputs));
  const folders = new Set(Object.keys(inputs).map((path) => PACKAGE.exec(path)?.[0] ?? ''));
  folders.delete('');
  const contained = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(workspaceRoot, folder, 'package.json'), 'utf8'),
    );
    return { name, version, license };
  });
  return { parts: await Promise.all(parts), notices: listContained(workspaceRoot, inputs), contained };
}

/** The folder of a package, before the path of a file in it. */
const PACKAGE = /^(?:packages\/[^/]+|.*node_modules\/(?:@[^/]+\/)?[^/]+)(?=\/)/;

/** The script that starts the command. */
export async function bundleBoot() {
  const { version } = JSON.parse(readFileSync(join(workspaceRoot, 'packages/cli/package.json'), 'utf8'));
  const { outputFiles } = await build({
    ...TARGET,
    entryPoints: [join(import.meta.dirname, 'boot.js')],
    bundle: true,
    format: 'cjs',
    define: {
      'process.env.HDRSCOPE_VERSION': JSON.stringify(version),
    },
    write: false,
    logLevel: 'warning',
  });
  return /** @type {import('esbuild').OutputFile} */ (outputFiles[0]).text;
}

/**
 * Gives each module the place that it has in the workspace, which the loader of the executable knows.
 *
 * @type {import('esbuild').Plugin}
 */
const WITHOUT_FILES = {
  name: 'without-files',
  setup(build) {
    build.onLoad({ filter: /\/packages\/[^/]+\/src\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const place = JSON.stringify(path.slice(workspaceRoot.length + 1));
      return { contents: text.replaceAll('import.meta.url', `moduleUrl(${place})`), loader: 'ts' };
    });
  },
};
