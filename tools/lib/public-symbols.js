import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { publicEntries } from './public-entries.js';

/**
 * TypeScript with its compiler API: the copy that API Extractor reads declarations with. TypeScript 7, which compiles the packages, has no
 * such API.
 *
 * @type {any}
 */
export const ts = createRequire(createRequire(import.meta.url).resolve('@microsoft/api-extractor'))(
  'typescript',
);

/**
 * @typedef {Record<string, any> & { kind: number }} TsNode A node of TypeScript's syntax tree.
 *
 * @typedef {object} PublicSymbol Something that users can name, and that the reference shows.
 * @property {string} name With the name of its class or interface in front: `Histogram.record`.
 * @property {string} file Relative to the root, with `/`.
 * @property {number} line From 1.
 * @property {string} doc Its doc comment without stars; empty without a comment.
 * @property {TsNode} node The declaration. Each overload is a symbol.
 * @property {TsNode | undefined} body The body that runs; `undefined` where the declaration is no function.
 */

/** Parsed files of `node_modules`, such as TypeScript's own library, by path. They are most of a small program, and do not change. */
const libraries = new Map();

/** @param {object} options */
function hostWithLibraries(options) {
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  /** @param {string} file @param {unknown[]} rest */
  host.getSourceFile = (file, ...rest) => {
    if (!file.includes('/node_modules/')) return read(file, ...rest);
    if (!libraries.has(file)) libraries.set(file, read(file, ...rest));
    return libraries.get(file);
  };
  return host;
}

/**
 * What the packages export, and the members of it that users see: each once, in the package that declares it.
 *
 * @param {string} root
 * @returns {{ symbols: PublicSymbol[], checker: any }} The symbols by file and line, and what knows their types.
 */
export function publicSymbols(root) {
  const entries = publicEntries(root);
  const options = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    customConditions: ['@hdrscope/source'],
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const program = ts.createProgram(
    entries.map(({ source }) => source),
    options,
    hostWithLibraries(options),
  );
  const checker = program.getTypeChecker();
  /** @type {Map<TsNode, PublicSymbol>} */
  const found = new Map();
  /** @param {string} name @param {TsNode} node */
  const add = (name, node) => {
    const doc = docOf(node);
    if (found.has(node) || doc.includes('@internal')) return;
    const source = node.getSourceFile();
    const file = relative(root, source.fileName).split(sep).join('/');
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    found.set(node, { name, file, line, doc, node, body: bodyOf(node) });
    for (const member of membersOf(node)) add(`${name}.${member.name?.getText() ?? 'constructor'}`, member);
  };
  for (const { dir, source } of entries) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(source));
    for (const exported of module === undefined ? [] : checker.getExportsOfModule(module)) {
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
      const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
      for (const node of symbol.declarations ?? []) {
        const isOwn = node.getSourceFile().fileName.startsWith(`${dir.split(sep).join('/')}/`);
        if (isOwn && !isImplementation(node)) add(exported.name, node);
      }
    }
  }
  return {
    symbols: [...found.values()].sort(
      (a, b) => Number(a.file > b.file) - Number(a.file < b.file) || a.line - b.line,
    ),
    checker,
  };
}

/**
 * @param {TsNode} node
 * @returns {TsNode[]} The members that users see, without index signatures.
 */
function membersOf(node) {
  if (!ts.isClassDeclaration(node) && !ts.isInterfaceDeclaration(node)) return [];
  return node.members.filter(
    (/** @type {TsNode} */ member) =>
      (ts.isConstructorDeclaration(member) || member.name !== undefined) &&
      member.name?.kind !== ts.SyntaxKind.PrivateIdentifier &&
      (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) === 0 &&
      !isImplementation(member) &&
      !isSecondAccessor(member),
  );
}

/**
 * @param {TsNode} node
 * @returns {boolean} Whether it is the body behind overloads, which users do not see.
 */
function isImplementation(node) {
  return (
    isFunction(node) && node.body !== undefined && overloadsOf(node).some(({ body }) => body === undefined)
  );
}

/** @param {TsNode} node */
function isFunction(node) {
  return ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node);
}

/**
 * @param {TsNode} node
 * @returns {TsNode[]} The declarations of one function or method, with its body.
 */
function overloadsOf(node) {
  return (node.parent.statements ?? node.parent.members).filter(
    (/** @type {TsNode} */ other) =>
      other.kind === node.kind && other.name?.getText() === node.name?.getText(),
  );
}

/**
 * @param {TsNode} node
 * @returns {boolean} Whether it is a setter beside a getter, which has the comment of both.
 */
function isSecondAccessor(node) {
  return (
    ts.isSetAccessorDeclaration(node) &&
    node.parent.members.some(
      (/** @type {TsNode} */ other) =>
        ts.isGetAccessorDeclaration(other) && other.name.getText() === node.name.getText(),
    )
  );
}

/**
 * @param {TsNode} node
 * @returns {TsNode | undefined}
 */
function bodyOf(node) {
  if (isFunction(node)) return node.body ?? overloadsOf(node).find(({ body }) => body !== undefined)?.body;
  return ts.isVariableDeclaration(node) ? node.initializer?.body : node.body;
}

/**
 * @param {TsNode} node
 * @returns {string} The text of the doc comment in front of a declaration, with its tags.
 */
function docOf(node) {
  // The comment of a constant is in front of its statement.
  const holder = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const comment = holder.jsDoc?.at(-1)?.getText() ?? '';
  return comment
    .replace(/^\/\*\*|\*\/$/g, '')
    .replace(/^[ \t]*\* ?/gm, '')
    .trim();
}
