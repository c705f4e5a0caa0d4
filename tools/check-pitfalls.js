/**
 * Checks the sources of the packages for two things that work in every test and fail or slow down later: `npm run check` runs it.
 *
 * - `f(...items)` puts all items on the stack, and overflows it when a foreign text has a hundred thousand of them. A comment
 *   `// Bounded: REASON` in front of the line says why there are few. Rest parameters, and lists that are written out, need none.
 * - Functions of the modules that each record goes through read no numbers of other modules: V8 reads a number that a module exports anew
 *   at each use. Copy it to a constant at the top of the module.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPositions, parse, walk } from './lib/syntax.js';
import { isMain, listFiles, listProjects, workspaceRoot } from './lib/workspace.js';

/**
 * @typedef {import('./lib/syntax.js').Node} Node
 * @typedef {{ where: string, message: string }} Finding
 */

/**
 * The modules of core that each record goes through: files, and folders with a slash at the end. Other packages have their record path
 * in one file when they are built, where V8 knows the numbers, and a copy of one makes a record slower.
 */
export const HOT = ['packages/core/src/counts/', 'packages/core/src/layout/hdr.ts'];

const REASON = /\/\/ Bounded: \S/;

/**
 * @param {string} source The text of a module.
 * @param {string} file
 * @returns {Finding[]} Calls with a list of unknown length.
 */
export function findSpreads(source, file) {
  const positions = createPositions(source);
  const lines = source.split('\n');
  /** @type {Finding[]} */
  const found = [];
  /** @param {Node} node */
  const isExcused = (node) => {
    const line = positions.line(node.span.start);
    return REASON.test(lines[line - 1] ?? '') || REASON.test(lines[line - 2] ?? '');
  };
  /**
   * @param {unknown} node
   * @param {ReadonlySet<string>} rests The rest parameters that are in scope.
   */
  const visit = (node, rests) => {
    if (Array.isArray(node)) {
      for (const child of node) visit(child, rests);
      return;
    }
    if (typeof node !== 'object' || node === null) return;
    const one = /** @type {Node} */ (node);
    if (one.type === 'CallExpression' || one.type === 'NewExpression') {
      for (const { spread, expression } of one.arguments ?? []) {
        if (spread == null || isShort(expression, rests) || isExcused(one) || isExcused(expression)) continue;
        const message =
          'a list of unknown length goes to the stack: loop, or say why it is short after // Bounded:';
        found.push({ where: `${file}:${positions.line(expression.span.start)}`, message });
      }
      const [, list] = one.callee?.property?.value === 'apply' ? (one.arguments ?? []) : [];
      if (list !== undefined && !isShort(list.expression, rests) && !isExcused(one)) {
        const message =
          'apply puts a list of unknown length on the stack: loop, or say why it is short after // Bounded:';
        found.push({ where: `${file}:${positions.line(one.span.start)}`, message });
      }
    }
    const inside = new Set([...rests, ...restsOf(one)]);
    for (const child of Object.values(one)) visit(child, inside);
  };
  visit(parse(source, file), new Set());
  return found;
}

/**
 * Whether a list is written out, or consists of the arguments of a call that did succeed.
 *
 * @param {Node} list
 * @param {ReadonlySet<string>} rests
 * @returns {boolean}
 */
function isShort(list, rests) {
  if (list.type === 'ParenthesisExpression' || list.type === 'TsAsExpression')
    return isShort(list.expression, rests);
  if (list.type === 'ConditionalExpression')
    return isShort(list.consequent, rests) && isShort(list.alternate, rests);
  if (list.type === 'Identifier') return rests.has(list.value) || list.value === 'arguments';
  return (
    list.type === 'ArrayExpression' &&
    list.elements.every((/** @type {any} */ one) => one?.spread == null || isShort(one.expression, rests))
  );
}

/**
 * @param {Node} node
 * @returns {string[]} The names of rest parameters.
 */
function restsOf(node) {
  const params = node.params ?? node.function?.params ?? [];
  if (!Array.isArray(params)) return [];
  return params
    .map((/** @type {Node} */ one) => one.pat ?? one)
    .filter((/** @type {Node} */ one) => one.type === 'RestElement' && one.argument.type === 'Identifier')
    .map((/** @type {Node} */ one) => one.argument.value);
}

/**
 * @param {string} source The text of a module.
 * @param {string} file
 * @returns {string[]} The names of the numbers that it exports.
 */
export function exportedNumbers(source, file) {
  /** @type {string[]} */
  const names = [];
  for (const { type, declaration } of parse(source, file).body) {
    if (type !== 'ExportDeclaration' || declaration.type !== 'VariableDeclaration') continue;
    for (const { id, init } of declaration.declarations) {
      const kind = id.typeAnnotation?.typeAnnotation?.kind;
      if (kind === 'number' || (kind === undefined && init?.type === 'NumericLiteral')) names.push(id.value);
    }
  }
  return names;
}

const FUNCTIONS = new Set([
  'ArrowFunctionExpression',
  'ClassMethod',
  'ClassProperty',
  'Constructor',
  'FunctionDeclaration',
  'FunctionExpression',
  'GetterProperty',
  'MethodProperty',
  'PrivateMethod',
  'PrivateProperty',
  'SetterProperty',
]);

/**
 * @param {string} source The text of a hot module.
 * @param {string} file
 * @param {ReadonlySet<string>} numbers The numbers that modules export.
 * @returns {Finding[]} Functions that read a number of another module.
 */
export function findImportedNumbers(source, file, numbers) {
  const program = parse(source, file);
  const positions = createPositions(source);
  /** @type {Map<string, string>} The exported name, by the local one. */
  const imported = new Map();
  const namespaces = new Set();
  for (const { type, specifiers } of program.body) {
    if (type !== 'ImportDeclaration') continue;
    for (const one of specifiers) {
      if (one.type === 'ImportNamespaceSpecifier') namespaces.add(one.local.value);
      else imported.set(one.local.value, one.imported?.value ?? one.local.value);
    }
  }
  /** @type {Finding[]} */
  const found = [];
  /** @param {Node} node @param {string} name */
  const add = (node, name) => {
    const message = `${name} is a number of another module, which V8 reads anew at each use: copy it to a constant of this module`;
    found.push({ where: `${file}:${positions.line(node.span.start)}`, message });
  };
  const seen = new Set();
  walk(program, (outer) => {
    if (!FUNCTIONS.has(outer.type)) return;
    walk(outer, (node) => {
      if (seen.has(node)) return;
      seen.add(node);
      if (node.type === 'Identifier' && numbers.has(imported.get(node.value) ?? '')) add(node, node.value);
      if (node.type !== 'MemberExpression' || !namespaces.has(node.object.value)) return;
      if (numbers.has(node.property.value)) add(node, `${node.object.value}.${node.property.value}`);
    });
  });
  return found;
}

/**
 * @param {string} root
 * @returns {{ findings: Finding[], files: number }}
 */
export function checkPitfalls(root) {
  const sources = listProjects(root)
    .filter(({ path }) => path.startsWith('packages/'))
    .flatMap(({ dir, path }) =>
      ['src', 'browser'].flatMap((folder) =>
        listFiles(join(dir, folder), /\.[cm]?[jt]sx?$/).map((file) => ({
          file: `${path}/${folder}/${file}`,
          source: readFileSync(join(dir, folder, file), 'utf8'),
        })),
      ),
    );
  const numbers = new Set(sources.flatMap(({ file, source }) => exportedNumbers(source, file)));
  const findings = sources.flatMap(({ file, source }) => [
    ...findSpreads(source, file),
    ...(HOT.some((hot) => (hot.endsWith('/') ? file.startsWith(hot) : file === hot))
      ? findImportedNumbers(source, file, numbers)
      : []),
  ]);
  return { findings, files: sources.length };
}

if (isMain(import.meta)) {
  const { findings, files } = checkPitfalls(workspaceRoot);
  for (const { where, message } of findings) console.log(`${where}: ${message}`);
  console.log(`${files} files, ${findings.length} findings`);
  // A check of nothing finds nothing.
  process.exitCode = findings.length === 0 && files > 500 ? 0 : 1;
}
