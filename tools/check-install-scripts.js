/**
 * Fails when a package that is published brings an install script or native code to its users. Walks the tree that
 * `npm install` makes for it, by package-lock.json: dependencies, optional ones and peers, and theirs.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMain, listProjects, workspaceRoot } from './lib/workspace.js';

/**
 * @typedef {object} Locked
 * @property {string} [name]
 * @property {boolean} [link]
 * @property {string} [resolved]
 * @property {boolean} [hasInstallScript]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {Record<string, string>} [peerDependencies]
 *
 * @typedef {Record<string, Locked>} Lock The entries of package-lock.json, by folder.
 */

/**
 * Packages that may have them, and why.
 *
 * @type {ReadonlyMap<string, string>}
 */
export const ALLOWED = new Map([
  ['koffi', 'optional: reads maps of the kernel; without it, bpftool does'],
  ['@napi-rs/canvas', 'optional: draws PNG pictures; SVG needs nothing'],
  ['@duckdb/node-bindings', 'optional: answers questions about a history; other engines read its files too'],
]);

/** How the names of packages for one platform begin, which have the native code of an allowed one. */
const PLATFORMS = new Map([
  ['@koromix/koffi-', 'koffi'],
  ['@napi-rs/canvas-', '@napi-rs/canvas'],
  ['@duckdb/node-bindings-', '@duckdb/node-bindings'],
]);

const NATIVE = /\.(node|so|dylib|dll|wasm)$|^binding\.gyp$/;

/**
 * The folder that `require(name)` in a folder finds, as Node.js looks for it.
 *
 * @param {Lock} lock
 * @param {string} folder
 * @param {string} name
 */
function folderOf(lock, folder, name) {
  for (let from = folder; ; from = from.slice(0, Math.max(0, from.lastIndexOf('/')))) {
    const found = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
    const entry = lock[found];
    if (entry !== undefined) return entry.link === true ? (entry.resolved ?? found) : found;
    if (from === '') return undefined;
  }
}

/**
 * The folders of everything that an installed package needs, each with the names that lead to it.
 *
 * @param {Lock} lock
 * @param {string} start
 * @returns {Map<string, string>}
 */
export function closureOf(lock, start) {
  const paths = new Map([[start, lock[start]?.name ?? start]]);
  for (const [folder, path] of paths) {
    const { dependencies, optionalDependencies, peerDependencies } = lock[folder] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = folderOf(lock, folder, name);
      // npm leaves out optional packages of other platforms, and optional peers.
      if (found !== undefined && !paths.has(found)) paths.set(found, `${path} > ${name}`);
    }
  }
  return paths;
}

/**
 * @param {string} folder
 * @returns {string[]} Files of native code, without those of packages inside.
 */
function nativeFilesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return [];
    if (entry.isDirectory())
      return nativeFilesIn(join(folder, entry.name)).map((file) => `${entry.name}/${file}`);
    return NATIVE.test(entry.name) ? [entry.name] : [];
  });
}

/**
 * @param {string} root
 * @returns {{ packages: number, used: Set<string>, problems: string[] }}
 */
export function checkInstallScripts(root) {
  const { packages: lock } = /** @type {{ packages: Lock }} */ (
    JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  );
  const published = listProjects(root).filter(({ manifest }) => manifest.private !== true);
  const own = new Set(listProjects(root).map(({ path }) => path));
  /** @type {Map<string, string>} */
  const all = new Map();
  const problems = [];
  for (const { path, name } of published) {
    if (lock[path] === undefined) problems.push(`${name} is not in package-lock.json: npm install`);
    for (const [folder, names] of closureOf(lock, path)) if (!all.has(folder)) all.set(folder, names);
  }
  const used = new Set();
  for (const [folder, names] of all) {
    if (own.has(folder)) continue;
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const found = [
      ...(lock[folder]?.hasInstallScript === true ? ['an install script'] : []),
      ...nativeFilesIn(join(root, folder)).map((file) => `native code, ${file}`),
    ];
    if (found.length === 0) continue;
    const [, owner = name] = [...PLATFORMS].find(([prefix]) => name.startsWith(prefix)) ?? [];
    used.add(owner);
    if (ALLOWED.has(owner)) continue;
    problems.push(`${names} brings ${found.join(', ')}`);
  }
  return { packages: all.size, used, problems };
}

if (isMain(import.meta)) {
  const { packages, used, problems } = checkInstallScripts(workspaceRoot);
  for (const problem of problems) console.log(problem);
  // An entry that is not needed any more would let the next one in.
  const unused = [...ALLOWED.keys()].filter((name) => !used.has(name));
  for (const name of unused) console.log(`${name} has neither: take it off the list in this file`);
  console.log(`${packages} packages of users, ${problems.length + unused.length} problems`);
  process.exitCode = problems.length + unused.length === 0 ? 0 : 1;
}
