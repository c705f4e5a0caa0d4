/**
 * Makes the playground, a page that runs the commands on dropped files: its folder for a site, where a browser loads each part when it is
 * needed, and one file that opens without a network. `tools/bundle.js` and `npm run site` call it.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { formatBanner, listContained } from './lib/notices.js';
import { workspaceRoot } from './lib/workspace.js';
import { writeChanged } from './lib/write-changed.js';

const FOLDER = join(workspaceRoot, 'packages/playground');

/** The parts of the page: the first load, and those that come with the first file. */
const PARTS = /** @type {const} */ (['page', 'worker', 'charts']);

/** Small files of `examples/data`, and what they are. */
const EXAMPLES = {
  'before.hlog': 'an interval log',
  'after.hlog': 'the same service after a change',
  'access.log': 'an access log of nginx',
  'latencies.txt': 'numbers',
  'last-month.hgrm': 'percentile text',
};

/** Modules of Node.js and of the kit that commands on files use, and those of the page in their place. */
const REPLACED = /** @type {Record<string, string>} */ ({
  'node:crypto': 'crypto.ts',
  'node:events': 'events.ts',
  'node:fs': 'fs.ts',
  'node:fs/promises': 'fs-promises.ts',
  'node:path': 'path.ts',
  'node:zlib': 'zlib.ts',
  '@hdrscope/history': 'history.ts',
  '@hdrscope/history/internal': 'history.ts',
  '@hdrscope/kit/files': 'kit-files.ts',
});

/** What stands for modules that a browser has not, or not so. */
const STAND_INS = join(FOLDER, 'browser/node');

/** What commands load for work that a browser cannot do, and for pictures, which the page draws. */
const ABSENT =
  /^(?:@hdrscope\/plot\/render|@hdrscope\/prometheus\/receiver|@napi-rs\/canvas|@duckdb\/|@clickhouse\/|koffi$|pg$)/;

/**
 * Gives modules what a browser has in place of Node.js. A module that nothing here replaces is empty: tests find commands that would use it.
 *
 * @type {import('esbuild').Plugin}
 */
const IN_BROWSER = {
  name: 'in-browser',
  setup(build) {
    build.onResolve({ filter: /^[^.]/ }, ({ path, namespace, importer }) => {
      // What stands for a package may import it.
      if (namespace === 'absent' || importer.startsWith(STAND_INS)) return undefined;
      const name = isBuiltin(path) && !path.startsWith('node:') ? `node:${path}` : path;
      const replaced = REPLACED[name] !== undefined;
      if (!replaced && !isBuiltin(name) && !ABSENT.test(name)) return undefined;
      return { path: name, namespace: 'absent', sideEffects: false };
    });
    // Through CommonJS, so that names that a module does not have are undefined.
    build.onLoad({ filter: /.*/, namespace: 'absent' }, ({ path }) => ({
      contents: REPLACED[path] === undefined ? '' : `module.exports = require('./${REPLACED[path]}');`,
      resolveDir: STAND_INS,
    }));
  },
};

/**
 * The scripts and the styles of the page.
 *
 * @returns {Promise<Record<(typeof PARTS)[number], string> & { css: string }>}
 */
async function bundleParts() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: FOLDER,
    entryPoints: PARTS.map((name) => `browser/${name}.ts`),
    outdir: 'dist',
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    platform: 'browser',
    conditions: ['@hdrscope/source'],
    plugins: [IN_BROWSER],
    legalComments: 'inline',
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  const find = (/** @type {string} */ file) => {
    const { text } = /** @type {import('esbuild').OutputFile} */ (
      outputFiles.find(({ path }) => path === join(FOLDER, 'dist', file))
    );
    const contained = listContained(FOLDER, metafile.outputs[`dist/${file}`]?.inputs ?? {});
    const whole = contained.size === 0 ? text : formatBanner('@hdrscope/playground', contained) + text;
    return escapeScript(whole).trim();
  };
  return {
    page: find('page.js'),
    worker: find('worker.js'),
    charts: find('charts.js'),
    css: find('page.css'),
  };
}

/** Text that cannot end or begin an element. @param {string} text */
function escapeScript(text) {
  return text.replace(/<\/(?=script|style)/gi, '<\\/').replaceAll('<!--', '<\\!--');
}

/** @param {string} text */
function hashOf(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/**
 * The page around its parts. Its policy forbids every request but those for its own parts.
 *
 * @param {{ scripts: readonly string[], workers: string, styles: string, head: string, body: string }} parts
 */
function formatPage({ scripts, workers, styles, head, body }) {
  const policy = [
    "default-src 'none'",
    "connect-src 'none'",
    `script-src ${scripts.join(' ')}`,
    `worker-src ${workers}`,
    // Charts set styles of their elements.
    `style-src ${styles}`,
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Drop a log, the output of a load test or any text of numbers: percentiles, plots and comparisons, on your machine alone.">
<title>hdrscope playground</title>
<link rel="icon" href="data:,">
${head}
</head>
<body>
<noscript>This page needs JavaScript: it reads your files on this machine.</noscript>
${body}
</body>
</html>
`;
}

/** @param {string} name */
function readExample(name) {
  return readFileSync(join(workspaceRoot, 'examples/data', name), 'utf8');
}

/** The script that has the examples, by their names. */
function formatExamples() {
  const examples = Object.entries(EXAMPLES).map(([name, what]) => ({ name, what, text: readExample(name) }));
  return `globalThis.hdrscopeExamples = ${JSON.stringify(examples).replaceAll('<', '\\u003c')};`;
}

/**
 * Writes the folder of the page and the file that has all of it.
 *
 * @param {string} [folder]
 */
export async function makePlayground(folder = join(FOLDER, 'dist')) {
  const { page, worker, charts, css } = await bundleParts();
  const examples = formatExamples();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = {
    'page.js': page,
    'worker.js': worker,
    'charts.js': charts,
    'page.css': css,
    'examples.js': examples,
  };
  for (const [name, text] of Object.entries(files)) writeChanged(join(folder, name), `${text}\n`);
  writeChanged(
    join(folder, 'index.html'),
    formatPage({
      scripts: ["'self'"],
      workers: "'self'",
      styles: "'self' 'unsafe-inline'",
      head: '<link rel="stylesheet" href="page.css">\n<script src="page.js" defer></script>',
      body: '',
    }),
  );
  // The page runs a part when it is needed, so a part is no script before.
  const part = (/** @type {string} */ name, /** @type {string} */ text) =>
    `<script type="text/plain" id="${name}">${text}</script>`;
  writeChanged(
    join(folder, 'playground.html'),
    formatPage({
      scripts: [page, charts, examples].map(hashOf),
      workers: 'blob:',
      styles: "'unsafe-inline'",
      head: `<style>${css}</style>`,
      body: `${part('worker', worker)}\n${part('charts', charts)}\n${part('examples', examples)}\n<script>${page}</script>`,
    }),
  );
}
