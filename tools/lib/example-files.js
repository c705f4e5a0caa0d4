import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listProjects } from './workspace.js';

/** @typedef {import('./example-blocks.js').Block} Block */

/** Git ignores this folder. Every project has one, so that an example can import what its project can import. */
const FOLDER = '.examples';

/**
 * Removes the modules of an earlier run.
 *
 * @param {string} root
 * @param {'run' | 'types'} purpose
 */
export function clearExamples(root, purpose) {
  for (const dir of [root, ...listProjects(root).map((project) => project.dir)]) {
    rmSync(join(dir, FOLDER, purpose), { recursive: true, force: true });
  }
}

/**
 * @param {string} root
 * @param {'run' | 'types'} purpose
 * @param {Block} block
 * @param {string} source
 * @returns {string} The path of the module.
 */
export function writeExample(root, purpose, block, source) {
  const name = `${block.file.replaceAll('/', '-')}.L${block.line}`;
  // Jest transforms JavaScript and TypeScript alike; the compiler has different rules for them.
  const extension = purpose === 'run' ? 'ts' : block.language;
  const path = join(root, block.home, FOLDER, purpose, `${name}.${extension}`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, source);
  return path;
}
