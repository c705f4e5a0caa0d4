import { join } from 'node:path';
import { rewrite } from './tree.js';

const DEPENDENCY = /("@hdrscope\/[\w-]+": ")[^"]*/g;
const RANGE = /(@hdrscope\/hdr-histogram-js@\^)[\w.-]+/g;

/**
 * Where the version stands besides the package.json files: files, and the text before it.
 *
 * @type {readonly { file: string, pattern: RegExp }[]}
 */
export const VERSION_PLACES = [
  { file: 'examples/data/package.json', pattern: DEPENDENCY },
  { file: 'examples/latency-by-size/package.json', pattern: DEPENDENCY },
  { file: 'examples/month/package.json', pattern: DEPENDENCY },
  { file: 'packages/otel/src/version.ts', pattern: /(VERSION = ')[^']*/g },
  { file: 'packages/hdr-histogram-js/README.md', pattern: RANGE },
  { file: 'docs/guides/replace-hdr-histogram-js.md', pattern: RANGE },
];

/**
 * @param {string} root
 * @param {string} version
 */
export function writeVersion(root, version) {
  for (const { file, pattern } of VERSION_PLACES)
    rewrite(join(root, file), (text) => text.replace(pattern, `$1${version}`));
}
