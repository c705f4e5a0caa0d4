import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from './workspace.js';

/**
 * What is between two comments of a document.
 *
 * @param {string} path
 * @param {string} name
 */
export function readMarkers(path, name) {
  const { content, from, to } = findMarkers(path, name);
  return content.slice(from, to).trim();
}

/**
 * Replaces what is between two comments of a document.
 *
 * @param {string} path
 * @param {string} name
 * @param {string} text
 */
export function fillMarkers(path, name, text) {
  const { file, content, from, to } = findMarkers(path, name);
  writeFileSync(file, `${content.slice(0, from)}\n\n${text}\n\n${content.slice(to)}`);
}

/**
 * @param {string} path
 * @param {string} name
 */
function findMarkers(path, name) {
  const file = join(workspaceRoot, path);
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const content = readFileSync(file, 'utf8');
  const [at, to] = [content.indexOf(begin), content.indexOf(end)];
  if (at < 0 || to < at) throw new Error(`${path} has no ${begin} and ${end}`);
  return { file, content, from: at + begin.length, to };
}
