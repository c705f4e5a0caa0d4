import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The end of the name of a file that is being written. */
export const UNFINISHED = '.new';

/**
 * Writes a file if its content changes, in one step: a program that starts during a build reads whole files.
 *
 * @param {string} path
 * @param {string} text
 */
export function writeChanged(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}${UNFINISHED}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, path);
}
