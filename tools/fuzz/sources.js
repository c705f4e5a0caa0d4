/** `node --conditions=@hdrscope/source --import tools/fuzz/sources.js`: Node.js then loads the sources of all packages. */
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';

register('./source-hooks.js', import.meta.url);

/** The arguments of Node.js that let it load the sources. */
export const SOURCE_ARGUMENTS = [
  '--conditions=@hdrscope/source',
  '--enable-source-maps',
  '--import',
  fileURLToPath(import.meta.url),
];

/**
 * A module of a package, exported by the package or not.
 *
 * @param {string} path Relative to `packages`, such as `core/src/index.ts`.
 * @returns {Promise<any>}
 */
export function sourceOf(path) {
  return import(new URL(`../../packages/${path}`, import.meta.url).href);
}
