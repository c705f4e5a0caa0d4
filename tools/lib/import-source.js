import { fileURLToPath } from 'node:url';

/** The arguments of Node.js that let it load the sources. */
export const SOURCE_ARGUMENTS = [
  '--conditions=@hdrscope/source',
  '--enable-source-maps',
  '--import',
  fileURLToPath(new URL('./sources.js', import.meta.url)),
];

/**
 * A module of a package, exported by the package or not.
 *
 * @param {string} path Relative to `packages`, such as `core/src/index.ts`.
 * @returns {Promise<any>}
 */
export function importSource(path) {
  return import(new URL(`../../packages/${path}`, import.meta.url).href);
}
