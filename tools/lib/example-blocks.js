import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles, listProjects } from './workspace.js';

/**
 * @typedef {object} Block A fenced block of code in a document or a doc comment.
 * @property {string} file Relative to the root of the workspace.
 * @property {number} line Line number of its first line of code, from 1.
 * @property {'ts' | 'js'} language
 * @property {string} code
 * @property {string | undefined} noRun The reason why it is compiled and not run.
 * @property {string} home The folder from which it imports: its project, or the root (`''`).
 */

/**
 * Every document with examples: the Markdown that users read, and the doc comments of the packages.
 *
 * @param {string} root
 */
export function listDocuments(root) {
  const top = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'];
  const docs = listFiles(join(root, 'docs'), /\.md$/).map((path) => `docs/${path}`);
  const packages = listProjects(root)
    .filter(({ path }) => path.startsWith('packages/'))
    .flatMap(({ path, dir }) => [
      `${path}/README.md`,
      ...listFiles(join(dir, 'src'), /\.ts$/).map((file) => `${path}/src/${file}`),
    ]);
  return [...top, ...docs, ...packages].filter((file) => existsSync(join(root, file)));
}

/**
 * @param {string} root
 * @returns {Block[]}
 */
export function listBlocks(root) {
  return listDocuments(root).flatMap((file) => findBlocks(readFileSync(join(root, file), 'utf8'), file));
}

/**
 * @param {string} text
 * @param {string} file
 * @returns {Block[]}
 * @throws Error when a fence is not closed, or a marker is not known.
 */
export function findBlocks(text, file) {
  if (file.endsWith('.md')) return findFences(text.split('\n'), 1, file);
  return [...text.matchAll(/^[ \t]*\/\*\*[\s\S]*?\*\//gm)].flatMap((comment) => {
    const firstLine = text.slice(0, comment.index).split('\n').length;
    const lines = comment[0].split('\n').map((line) => line.replace(/^\s*\* ?/, ''));
    return findFences(lines, firstLine, file);
  });
}

const LANGUAGES = new Map(
  /** @type {const} */ ([
    ['ts', 'ts'],
    ['typescript', 'ts'],
    ['js', 'js'],
    ['javascript', 'js'],
  ]),
);

/**
 * @param {string[]} lines
 * @param {number} firstLine
 * @param {string} file
 */
function findFences(lines, firstLine, file) {
  /** @type {Block[]} */
  const blocks = [];
  for (let i = 0; i < lines.length; i += 1) {
    const [, indent = '', fence, name = '', marker = ''] =
      /^(\s*)(`{3,}|~{3,})\s*(\S*)\s*(.*)$/.exec(/** @type {string} */ (lines[i])) ?? [];
    if (fence === undefined) continue;
    const start = i + 1;
    const where = `${file}:${firstLine + i}`;
    do {
      i += 1;
      if (i >= lines.length) throw new Error(`${where}: the fence is never closed`);
    } while (lines[i]?.trim() !== fence);
    const language = LANGUAGES.get(/** @type {any} */ (name.toLowerCase()));
    if (language === undefined) continue;
    const code = lines
      .slice(start, i)
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    blocks.push({
      file,
      line: firstLine + start,
      language,
      code: code.join('\n'),
      noRun: parseMarker(marker, where),
      home: /^packages\/[^/]+/.exec(file)?.[0] ?? '',
    });
  }
  return blocks;
}

/**
 * @param {string} marker The text after the language on the line of the fence.
 * @param {string} where
 */
function parseMarker(marker, where) {
  if (marker === '') return undefined;
  const reason = /^no-run\s+(\S.*)$/.exec(marker)?.[1];
  if (reason === undefined) {
    throw new Error(`${where}: the marker of an example must be 'no-run' and a reason, got '${marker}'`);
  }
  return reason;
}
