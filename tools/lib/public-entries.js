import { join } from 'node:path';
import { listProjects } from './workspace.js';

/**
 * @typedef {object} PublicEntry A module that users import.
 * @property {string} package The name of its package.
 * @property {string} path The folder of its package, relative to the root, with `/`.
 * @property {string} dir The folder of its package, absolute.
 * @property {string} entry The key in `exports`: `.` or `./joint`.
 * @property {string} source Its source, absolute.
 * @property {string} types Its declarations, absolute. A build makes them.
 */

/**
 * The modules that users import. `./internal` and entries below it are for other packages of this workspace.
 *
 * @param {string} root
 * @returns {PublicEntry[]}
 */
export function publicEntries(root) {
  return listProjects(root)
    .filter(({ manifest }) => manifest.private !== true)
    .flatMap(({ name, path, dir, manifest }) =>
      Object.entries(/** @type {Record<string, Record<string, string>>} */ (manifest.exports ?? {})).flatMap(
        ([entry, { types, '@hdrscope/source': source }]) =>
          /^\.\/internal\b/.test(entry) || types === undefined || source === undefined || source.includes('*')
            ? []
            : [{ package: name, path, dir, entry, source: join(dir, source), types: join(dir, types) }],
      ),
    );
}
