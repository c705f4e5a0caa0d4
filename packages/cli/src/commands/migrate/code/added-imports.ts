import type { Node } from '#babel';
import type { CodeStyle } from './edits.ts';
import type { CodeModule, ImportedName } from './module.ts';
import { findEnd, findStart, Obstacle } from './syntax.ts';

/** The statement that imports names of a package, by `import` or `require` as the imports beside it. */
export function formatImport(
  names: readonly string[],
  source: string,
  beside: readonly ImportedName[],
  { quote, semicolon }: CodeStyle,
): string {
  const list = names.join(', ');
  return beside.some(({ statement }) => statement.type !== 'VariableDeclaration')
    ? `import { ${list} } from ${quote}${source}${quote}${semicolon}`
    : `const { ${list} } = require(${quote}${source}${quote})${semicolon}`;
}

/** @throws Obstacle when the program has one of the names already. */
export function assertFree({ scopes, root }: CodeModule, names: readonly string[]): void {
  const taken = names.find((name) => scopes.mentions(name));
  if (taken !== undefined) throw new Obstacle(root, `the name ${taken} is taken`);
}

/** The first name that a program does not have. @throws Obstacle when it has all. */
export function pickName({ scopes, root }: CodeModule, candidates: readonly string[]): string {
  const free = candidates.find((name) => !scopes.mentions(name));
  if (free === undefined) throw new Obstacle(root, `the names ${candidates.join(', ')} are taken`);
  return free;
}

/** The end of the line on which the imports at the beginning of a program end, and those that are named. */
export function findImportsEnd(code: CodeModule, named: readonly ImportedName[]): number {
  let end = named.reduce((last, { statement }) => Math.max(last, findEnd(statement)), 0);
  if (code.root.type !== 'Program') return end;
  const loading = new Set(code.imports.flatMap(({ statement, isAlias }) => (isAlias ? [] : [statement])));
  for (const statement of code.root.body) {
    if (statement.type === 'ImportDeclaration' || loading.has(statement))
      end = Math.max(end, findEnd(statement));
    else if (findStart(statement) > end) break;
  }
  return findLineEnd(code, end);
}

/** The end of the line of an offset, where nothing but a comment follows on it. */
export function findLineEnd({ text }: CodeModule, offset: number): number {
  const newline = text.indexOf('\n', offset);
  const rest = text.slice(offset, newline < 0 ? undefined : newline).trimEnd();
  const isComment = /^[ \t]*(\/\/.*|\/\*[^*]*\*\/)?$/.test(rest);
  return isComment ? offset + rest.length : offset;
}

/** The statement at the top of the program that has a node. */
export function findStatement(code: CodeModule, node: Node): Node {
  let statement = node;
  for (let parent = code.parentOf.get(node); parent !== undefined && parent !== code.root; ) {
    statement = parent;
    parent = code.parentOf.get(statement);
  }
  return statement;
}

/** The names between the braces of an import. */
export function listImportItems(statement: Node): readonly Node[] {
  if (statement.type === 'ImportDeclaration')
    return statement.specifiers.filter(({ type }) => type === 'ImportSpecifier');
  if (statement.type !== 'VariableDeclaration' || statement.declarations.length !== 1) return [];
  const { id } = statement.declarations[0]!;
  return id.type === 'ObjectPattern' ? id.properties : [];
}
