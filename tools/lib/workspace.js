import './node-version.js';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * @typedef {object} Manifest
 * @property {string} name
 * @property {boolean} [private]
 * @property {string[]} [workspaces]
 * @property {Record<string, string>} [scripts]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [devDependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {string} [main]
 * @property {unknown} [exports]
 * @property {Record<string, unknown>} [imports]
 * @property {string | Record<string, string>} [bin]
 * @property {{ url?: string, directory?: string }} [repository]
 * @property {{ access?: string }} [publishConfig]
 * @property {{ tags?: string[] }} [nx]
 *
 * @typedef {object} Project
 * @property {string} name The package name.
 * @property {string} path Its folder, relative to the root of the workspace, with `/`.
 * @property {string} dir Its folder, absolute.
 * @property {Manifest} manifest
 */

/** The root of this workspace. The tools take the root as an argument, so that tests can use another one. */
export const workspaceRoot = resolve(import.meta.dirname, '../..');

/**
 * @param {string} dir
 * @returns {Manifest}
 */
export function readManifest(dir) {
  return JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
}

/**
 * The packages that `workspaces` of the root names, sorted by path.
 *
 * @param {string} root
 * @returns {Project[]}
 */
export function listProjects(root) {
  const patterns = readManifest(root).workspaces ?? [];
  return patterns
    .flatMap((pattern) => (pattern.endsWith('/*') ? listFolders(root, pattern.slice(0, -2)) : [pattern]))
    .filter((path) => existsSync(join(root, path, 'package.json')))
    .sort()
    .map((path) => {
      const dir = join(root, path);
      const manifest = readManifest(dir);
      return { name: manifest.name, path, dir, manifest };
    });
}

/**
 * @param {string} root
 * @param {string} parent
 */
function listFolders(root, parent) {
  if (!existsSync(join(root, parent))) return [];
  return readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${parent}/${entry.name}`);
}

const NOT_SOURCES = new Set(['node_modules', 'dist', 'coverage', 'fixtures']);

/**
 * The files of a folder and its subfolders that people write: without build output, fixtures and dot-folders.
 *
 * @param {string} dir
 * @param {RegExp} wanted Matched against the file name.
 * @returns {string[]} Paths relative to `dir`, with `/`, sorted.
 */
export function listFiles(dir, wanted) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true })
    .flatMap((entry) => {
      if (entry.name.startsWith('.') || NOT_SOURCES.has(entry.name)) return [];
      if (entry.isDirectory())
        return listFiles(join(dir, entry.name), wanted).map((path) => `${entry.name}/${path}`);
      return wanted.test(entry.name) ? [entry.name] : [];
    })
    .sort();
}

/**
 * Whether Node.js was started with this module, so that no test or other tool imports it.
 *
 * @param {ImportMeta} meta
 */
export function isMain(meta) {
  return process.argv[1] !== undefined && meta.url === pathToFileURL(realpathSync(process.argv[1])).href;
}
