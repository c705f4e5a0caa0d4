// Writes the vectors of docs/formats/vectors: sketches that their own libraries make of known values, and what the libraries read from them.
//
//     node tools/peers/install.js sketches-go sketches-java sketches-js sketches-python
//     node tools/goldens/sketches/make-vectors.js           # writes the vectors; --check compares them with committed ones

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDdsketches } from './ddsketches.js';
import { makeExpositions, makeOtlp } from './metrics.js';
import { makeCircllhists, makeElasticsearchValues, makeHdrHistograms, makeVmranges } from './others.js';

const FOLDER = join(import.meta.dirname, '../../../docs/formats/vectors');

/** What is in each file. */
const FILES = {
  'ddsketch.json': makeDdsketches,
  'circllhist.json': makeCircllhists,
  'vmrange.json': makeVmranges,
  'base64.json': makeHdrHistograms,
  'elasticsearch.json': makeElasticsearchValues,
  'prometheus.json': makeExpositions,
  'otlp.json': makeOtlp,
};

const isCheck = process.argv.includes('--check');
for (const [file, make] of Object.entries(FILES)) {
  const vectors = (await make()).map((one) => `    ${JSON.stringify(one)}`);
  const text = `{\n  "version": 1,\n  "vectors": [\n${vectors.join(',\n')}\n  ]\n}\n`;
  const path = join(FOLDER, file);
  if (!isCheck) writeFileSync(path, text);
  else if (readFileSync(path, 'utf8') !== text) {
    console.error(`${file} differs from what the libraries make`);
    process.exitCode = 1;
  }
}
