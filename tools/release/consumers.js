/**
 * Projects outside the workspace that use the published packages, each in its own way. They print `ok` when the result is right.
 *
 * @typedef {object} Consumer
 * @property {string} name
 * @property {Record<string, string>} files
 * @property {string[][]} commands Run one after the other in the folder of the project, from `node_modules/.bin` or the path.
 */

const USE = `
const histogram = new Histogram({ highestTrackableValue: 3_600_000, significantDigits: 3 });
for (let value = 1; value <= 1000; value++) histogram.record(value);
const decoded = Histogram.decode(histogram.encode());
if (decoded.valueAtPercentile(99.9) !== 999) throw new Error('wrong: ' + decoded.valueAtPercentile(99.9));
const registry = createRegistry();
registry.histogram({ name: 'http.duration', unit: 's' }).with({ route: '/pay' }).record(0.25);
console.log('ok');
`;

const IMPORTS = `import { Histogram } from '@hdrscope/core';
import { createRegistry } from '@hdrscope/registry';
`;

const REQUIRES = `const { Histogram } = require('@hdrscope/core');
const { createRegistry } = require('@hdrscope/registry');
`;

const TYPED = `${IMPORTS}
import type { Snapshot } from '@hdrscope/registry';
export const read = (snapshot: Snapshot): number => snapshot.families.length;
${USE}`;

/**
 * @param {'nodenext' | 'bundler'} resolution
 * @returns {string}
 */
const tsconfig = (resolution) =>
  JSON.stringify({
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: resolution === 'bundler',
      outDir: 'out',
      target: 'es2022',
      module: resolution === 'bundler' ? 'esnext' : 'nodenext',
      moduleResolution: resolution,
      // The types of the packages themselves are checked too.
      skipLibCheck: false,
      types: ['node'],
    },
    files: ['main.ts'],
  });

/** The packages make no code from texts: many pages forbid that. */
const NO_EVAL = ['--disallow-code-generation-from-strings'];

/** @type {readonly Consumer[]} */
export const CONSUMERS = [
  { name: 'esm', files: { 'main.mjs': IMPORTS + USE }, commands: [['node', ...NO_EVAL, 'main.mjs']] },
  {
    name: 'commonjs',
    files: { 'main.cjs': REQUIRES + USE },
    commands: [['node', ...NO_EVAL, '--disable-warning=ExperimentalWarning', 'main.cjs']],
  },
  {
    name: 'typescript-nodenext',
    files: {
      'main.ts': TYPED,
      'tsconfig.json': tsconfig('nodenext'),
      'package.json': '{ "type": "module" }',
    },
    commands: [['tsc'], ['node', 'out/main.js']],
  },
  {
    name: 'typescript-bundler',
    files: { 'main.ts': TYPED, 'tsconfig.json': tsconfig('bundler') },
    commands: [
      ['tsc'],
      ['esbuild', 'main.ts', '--bundle', '--platform=node', '--format=esm', '--outfile=out.mjs'],
      ['node', 'out.mjs'],
    ],
  },
  {
    name: 'esbuild',
    files: { 'main.mjs': IMPORTS + USE },
    commands: [
      [
        'esbuild',
        'main.mjs',
        '--bundle',
        '--minify',
        '--format=iife',
        '--platform=browser',
        '--outfile=out.js',
      ],
      ['node', ...NO_EVAL, 'out.js'],
    ],
  },
  {
    name: 'rollup',
    files: {
      'main.mjs': IMPORTS + USE,
      'rollup.config.mjs': `import { nodeResolve } from '@rollup/plugin-node-resolve';
export default { input: 'main.mjs', output: { file: 'out.mjs', format: 'es', inlineDynamicImports: true }, plugins: [nodeResolve({ browser: true })], external: [/^node:/] };`,
    },
    commands: [
      ['rollup', '--config', '--silent'],
      ['node', ...NO_EVAL, 'out.mjs'],
    ],
  },
  {
    name: 'webpack',
    files: {
      'main.mjs': IMPORTS + USE,
      'webpack.config.cjs': `module.exports = { mode: 'production', entry: './main.mjs', target: 'node', output: { path: __dirname, filename: 'out.cjs' } };`,
    },
    commands: [
      ['webpack', '--config', 'webpack.config.cjs'],
      ['node', ...NO_EVAL, 'out.cjs'],
    ],
  },
  {
    name: 'deno',
    files: { 'main.mjs': IMPORTS + USE },
    commands: [
      ['deno', 'run', '--no-prompt', '--node-modules-dir=manual', '--allow-env', '--allow-read', 'main.mjs'],
    ],
  },
  { name: 'bun', files: { 'main.mjs': IMPORTS + USE }, commands: [['bun', 'run', 'main.mjs']] },
];
