/**
 * The JavaScript of `@hdrscope/hdr-histogram-js`, which takes the place of a package of CommonJS. The compiler has put its declarations
 * into `dist/types`.
 *
 *   dist/index.js              for Node.js, as CommonJS, which `import` and `require` share: a class exists once
 *   dist/hdrhistogram.umd.js   for browsers and their bundlers, with a decompressor; as a script it sets `hdr`
 *   dist/NAME.js, NAME.d.ts    the modules that programs import by their paths, such as `dist/RecordedValuesIterator`
 *
 * The engine is a part of these files. A program that installs this package gets nothing else.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, transform } from 'esbuild';
import { restored } from './lib/restored.js';
import { workspaceRoot } from './lib/workspace.js';
import { writeChanged } from './lib/write-changed.js';

const SOURCES = join(workspaceRoot, 'packages/hdr-histogram-js');

/** The modules of hdr-histogram-js, and the export that each one has as its default. */
const MODULES = {
  ByteBuffer: 'ByteBuffer',
  Float64Histogram: 'Float64Histogram',
  HistogramIterationValue: 'HistogramIterationValue',
  HistogramLogReader: 'HistogramLogReader',
  HistogramLogWriter: 'HistogramLogWriter',
  Int8Histogram: 'Int8Histogram',
  Int16Histogram: 'Int16Histogram',
  Int32Histogram: 'Int32Histogram',
  JsHistogram: 'JsHistogram',
  JsHistogramIterator: 'JsHistogramIterator',
  PackedHistogram: 'PackedHistogram',
  PercentileIterator: 'PercentileIterator',
  RecordedValuesIterator: 'RecordedValuesIterator',
  Recorder: 'Recorder',
};

/** Modules without a default export. */
const NAMED_MODULES = ['HistogramBuilder', 'encoding', 'wasm'];

/**
 * Makes one file of all sources.
 *
 * @param {'node' | 'browser'} platform
 * @param {import('esbuild').TransformOptions} options
 */
async function makeFile(platform, options) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: SOURCES,
    entryPoints: ['src/index.ts'],
    platform,
    bundle: true,
    format: 'esm',
    target: TARGET,
    conditions: ['@hdrscope/source'],
    // Files for browsers leave out the parts that need them: a test looks for them.
    external: ['node:*'],
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const text = restored(outputFiles[0]?.text ?? '', SOURCES, metafile);
  return (await transform(text, { target: TARGET, minifyWhitespace: true, ...options })).code;
}

const TARGET = 'es2023';

/** Short names inside the file. Classes and functions keep theirs, which errors and `constructor.name` show. */
const SHORT = { minifyIdentifiers: true, minifySyntax: true, keepNames: true };

/** @param {string} dist The folder of the files. */
export async function bundleDropIn(dist) {
  // The package itself is of ES modules; its users have loaded CommonJS so far.
  writeChanged(join(dist, 'package.json'), '{ "type": "commonjs" }\n');
  writeChanged(join(dist, 'index.js'), await makeFile('node', { format: 'cjs', platform: 'node', ...SHORT }));
  const script = await makeFile('browser', { format: 'iife', globalName: 'hdr', ...SHORT });
  const forModules = 'if(typeof module==="object"&&module.exports)module.exports=hdr;\n';
  writeChanged(join(dist, 'hdrhistogram.umd.js'), `${script}${forModules}`);
  // Old compilers do not follow an import of a .ts file.
  const types = join(dist, 'types');
  for (const name of existsSync(types) ? readdirSync(types) : []) {
    const file = join(types, name);
    writeChanged(file, readFileSync(file, 'utf8').replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
  }
  writeChanged(join(dist, 'index.d.ts'), "export * from './types/index.js';\n");
  for (const [module, name] of Object.entries(MODULES)) {
    writeChanged(
      join(dist, `${module}.js`),
      `"use strict";\nconst hdr = require("./index.js");\nObject.defineProperty(exports, "__esModule", { value: true });\nexports.default = hdr.${name};\nexports.${name} = hdr.${name};\n${module === 'HistogramLogReader' ? 'exports.listTags = hdr.listTags;\n' : ''}`,
    );
    const others = module === 'HistogramLogReader' ? ', listTags' : '';
    writeChanged(
      join(dist, `${module}.d.ts`),
      `export { ${name} as default, ${name}${others} } from './index.js';\n`,
    );
  }
  for (const module of NAMED_MODULES) {
    writeChanged(join(dist, `${module}.js`), '"use strict";\nmodule.exports = require("./index.js");\n');
    writeChanged(join(dist, `${module}.d.ts`), "export * from './index.js';\n");
  }
  writeChanged(
    join(dist, 'Histogram.js'),
    '"use strict";\nconst { NO_TAG, toSummary } = require("./index.js");\nObject.defineProperty(exports, "__esModule", { value: true });\nObject.assign(exports, { NO_TAG, toSummary });\n',
  );
  writeChanged(
    join(dist, 'Histogram.d.ts'),
    "import type { Histogram } from './index.js';\nexport default Histogram;\nexport { type BitBucketSize, type HistogramConstructor, type HistogramSummary, NO_TAG, toSummary } from './index.js';\n",
  );
}
