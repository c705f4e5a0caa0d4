import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { lackOfBuild, testUnless } from '@hdrscope/testing';
import { Project } from './project.ts';

// An application that has installed the package in place of hdr-histogram-js. What it installs has no other package.
const require = createRequire(import.meta.url);
const project = new Project();
const { dir } = project;

beforeAll(() => project.install({ 'hdr-histogram-js': '3.0.1' }, true), 120_000);
afterAll(() => project.remove());

function run(file: string, code: string): string {
  writeFileSync(join(dir, file), code);
  return execFileSync(process.execPath, [file], { cwd: dir, encoding: 'utf8' });
}

const USE = `hdr.initWebAssemblySync();
const histogram = hdr.build({ useWebAssembly: true, bitBucketSize: 64 });
histogram.recordValue(42);
console.log(histogram.maxValue, hdr.decodeFromCompressedBase64(hdr.encodeIntoCompressedBase64(histogram)).totalCount);`;

test.each([
  ['main.cjs', `const hdr = require('hdr-histogram-js');\n${USE}`],
  ['main.mjs', `import * as hdr from 'hdr-histogram-js';\n${USE}`],
  ['default.mjs', `import hdr from 'hdr-histogram-js';\n${USE}`],
])('%s gets the whole API', (file, code) => {
  expect(run(file, code)).toBe('42 1\n');
});

test('it has all names of hdr-histogram-js, and so have its modules', () => {
  const names = Object.keys(require('hdr-histogram-js')).sort();
  const ours = run('names.cjs', "console.log(JSON.stringify(Object.keys(require('hdr-histogram-js'))))");
  expect(JSON.parse(ours)).toEqual(expect.arrayContaining(names));

  const modules = [
    ...[
      'ByteBuffer',
      'Float64Histogram',
      'HistogramIterationValue',
      'HistogramLogReader',
      'HistogramLogWriter',
    ],
    ...['Int16Histogram', 'Int32Histogram', 'Int8Histogram', 'JsHistogram', 'JsHistogramIterator'],
    ...['PackedHistogram', 'PercentileIterator', 'RecordedValuesIterator', 'Recorder', 'Histogram'],
    ...['HistogramBuilder', 'encoding', 'wasm'],
  ];
  const paths = modules.map((module) => `hdr-histogram-js/dist/${module}`);
  const got = run(
    'modules.cjs',
    `const paths = ${JSON.stringify(paths)};
console.log(JSON.stringify(paths.map((path) => [Object.keys(require(path)), require(path + '.js') === require(path)])));`,
  );
  const expected = paths.map((path) => Object.keys(require(path)).filter((name) => !INTERNAL.has(name)));
  expect(JSON.parse(got)).toEqual(expected.map((names) => [expect.arrayContaining(names), true]));
});

// Exports that no documentation names.
const INTERNAL = new Set(['defaultRequest', 'decompress']);

test('import, require and the modules share their classes', () => {
  const code = `import { createRequire } from 'node:module';
import { JsHistogram } from 'hdr-histogram-js';
const require = createRequire(import.meta.url);
const { default: Int32Histogram } = require('hdr-histogram-js/dist/Int32Histogram');
console.log(new Int32Histogram(1, 2, 3) instanceof JsHistogram, require('hdr-histogram-js').JsHistogram === JsHistogram);`;
  expect(run('classes.mjs', code)).toBe('true true\n');
});

test('the script for browsers needs nothing of Node.js, and sets `hdr`', () => {
  const script = readFileSync(join(dir, 'node_modules/hdr-histogram-js/dist/hdrhistogram.umd.js'), 'utf8');
  expect(script).not.toMatch(/["']node:/);
  const logged: unknown[] = [];
  const console = { log: (...values: unknown[]) => logged.push(...values) };
  runInNewContext(`${script};{${USE}}`, { atob, btoa, TextEncoder, TextDecoder, console });
  expect(logged).toEqual([42, 1]);
});

testUnless(lackOfBuild('hdr-histogram-js', 'dist/types')).each([
  ['typed.cts', 'node16', 'node16'],
  ['typed.mts', 'nodenext', 'nodenext'],
  ['typed.ts', 'esnext', 'bundler'],
])('TypeScript finds the types in %s with module %s', (file, module, resolution) => {
  const code = `import * as hdr from 'hdr-histogram-js';
import type { BuildRequest, Histogram, HistogramSummary } from 'hdr-histogram-js';
import { RecordedValuesIterator } from 'hdr-histogram-js/dist/RecordedValuesIterator';
const request: BuildRequest = { bitBucketSize: 'packed' };
const histogram: Histogram = hdr.build(request);
const summary: HistogramSummary = histogram.summary;
const iterator = new RecordedValuesIterator(histogram as hdr.JsHistogram);
export const p99: number = summary.p99 + iterator.next().valueIteratedTo;
// @ts-expect-error: not a number
histogram.recordValue('7');
`;
  writeFileSync(join(dir, file), code);
  const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  const { stdout } = spawnSync(
    process.execPath,
    [
      ...[
        tsc,
        '--noEmit',
        '--strict',
        '--target',
        'es2022',
        '--esModuleInterop',
        '--ignoreDeprecations',
        '6.0',
      ],
      ...['--module', module, '--moduleResolution', resolution, '--types', '', file],
    ],
    { cwd: dir, encoding: 'utf8' },
  );
  expect(stdout).toBe('');
});

test('it installs at most 250 kB, and nothing else', () => {
  const installed = readdirSync(join(dir, 'node_modules')).filter((name) => !name.startsWith('.'));
  expect(installed).toEqual(['hdr-histogram-js']);
  const files = readdirSync(join(dir, 'node_modules'), { recursive: true, withFileTypes: true });
  const bytes = files
    .filter((file) => file.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  expect(bytes).toBeLessThan(250_000);
});
