import { parseSync } from '@swc/core';

/** @typedef {Record<string, any> & { type: string }} Node A node of swc's syntax tree. */

/**
 * @param {string} source
 * @param {string} file The extension determines the language.
 * @returns {Node}
 * @throws Error with swc's code frame when the source does not parse.
 */
export function parse(source, file) {
  const hasJsx = file.endsWith('x');
  return /\.[cm]?tsx?$/.test(file)
    ? parseSync(source, { syntax: 'typescript', tsx: hasJsx, target: 'esnext', decorators: true })
    : parseSync(source, { syntax: 'ecmascript', jsx: hasJsx, target: 'esnext' });
}

/**
 * Calls `visit` for every node, parents first.
 *
 * @param {unknown} node
 * @param {(node: Node) => void} visit
 */
export function walk(node, visit) {
  if (Array.isArray(node)) {
    for (const child of node) walk(child, visit);
  } else if (typeof node === 'object' && node !== null) {
    if ('type' in node && typeof node.type === 'string') visit(/** @type {Node} */ (node));
    for (const child of Object.values(node)) walk(child, visit);
  }
}

/**
 * The text of a string literal, or of a template without expressions; `undefined` for a computed text.
 *
 * @param {Node | undefined} node
 * @returns {string | undefined}
 */
export function literalText(node) {
  if (node?.type === 'StringLiteral') return node.value;
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0].cooked;
  return undefined;
}

/**
 * Converts the positions of swc, which counts bytes of UTF-8 from 1, to positions in a text.
 *
 * @param {string} source
 */
export function createPositions(source) {
  const bytes = Buffer.from(source);
  /** @param {number} position */
  const before = (position) => bytes.subarray(0, position - 1).toString();
  return {
    /** @param {number} position */
    index: (position) => before(position).length,
    /** @param {number} position */
    line: (position) => before(position).split('\n').length,
  };
}
