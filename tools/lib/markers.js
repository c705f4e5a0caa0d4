import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from './workspace.js';

/**
 * Replaces what is between two comments of a document.
 *
 * @param {string} path
 * @param {string} name
 * @param {string} text
 */
export function fillMarkers(path, name, text) {
  const file = join(workspaceRoot, path);
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const before = readFileSync(file, 'utf8');
  const [from, to] = [before.indexOf(begin), before.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${path} has no ${begin} and ${end}`);
  writeFileSync(file, `${before.slice(0, from)}${begin}\n\n${text}\n\n${before.slice(to)}`);
}
