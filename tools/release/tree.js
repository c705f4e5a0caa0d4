import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listProjects } from '../lib/workspace.js';
import { run } from '../peers/run.js';

/**
 * The packages that a release publishes.
 *
 * @param {string} root
 */
export function published(root) {
  return listProjects(root).filter(({ manifest }) => manifest.private !== true);
}

/**
 * The one version of all packages.
 *
 * @param {string} root
 * @throws Error when packages differ.
 */
export function versionOf(root) {
  const versions = new Set(
    listProjects(root).map(({ dir }) => JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')).version),
  );
  const [version] = versions;
  if (versions.size !== 1 || version === undefined)
    throw new Error(`all packages must have one version, not ${[...versions].join(', ')}`);
  return version;
}

/**
 * @param {string} root
 * @throws Error when files differ from the latest commit.
 */
export function assertClean(root) {
  const changed = git(root, 'status', '--porcelain').trim();
  if (changed !== '') throw new Error(`commit or remove these files first:\n${changed}`);
}

/**
 * @param {string} root
 * @param {string[]} args
 */
export function git(root, ...args) {
  return run('git', args, { cwd: root, limitSeconds: 60 });
}

/**
 * @param {string} path
 * @param {(text: string) => string} change
 */
export function rewrite(path, change) {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}
