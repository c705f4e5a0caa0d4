import type { Node } from '#babel';
import { isUse, type Scopes } from './scopes.ts';
import { findNodes, type ParsedCode, readKey } from './syntax.ts';

/** What a module exports, by `export` or `module.exports`. */
export interface ModuleExports {
  readonly names: readonly ExportedName[];
  /** The paths of `export … from`. */
  readonly sources: readonly Node[];
  /** A use of `module` or `exports` that may export anything, or a name that is exported twice. */
  readonly unclear: Node | undefined;
  readonly isCommonJs: boolean;
}

/** A name of a module for others. */
export interface ExportedName {
  /** `default` for the default export, `=` for `module.exports` as a whole, and `*` for all names of another module. */
  readonly name: string;
  /** What it stands for: an expression, or the identifier that declares it. */
  readonly node: Node;
  /** The module that has it, and its name there, in `export { name } from 'module'`. */
  readonly from: { readonly source: string; readonly exported: string } | undefined;
}

export function readExports(code: ParsedCode, scopes: Scopes): ModuleExports {
  const names: ExportedName[] = [];
  const sources: Node[] = [];
  if (code.root.type !== 'Program') return { names, sources, unclear: code.root, isCommonJs: false };
  const known = new Set<Node>();
  for (const statement of code.root.body) {
    if (statement.type === 'ExportNamedDeclaration') {
      if (statement.source != null) sources.push(statement.source);
      for (const one of listDeclared(statement, scopes)) names.push(one);
      for (const one of listSpecified(statement)) names.push(one);
    } else if (statement.type === 'ExportAllDeclaration') {
      sources.push(statement.source);
      names.push({ name: '*', node: statement, from: { source: statement.source.value, exported: '*' } });
    } else if (statement.type === 'ExportDefaultDeclaration') {
      const { declaration } = statement;
      const node = 'id' in declaration && declaration.id != null ? declaration.id : declaration;
      names.push({ name: 'default', node, from: undefined });
    } else if (statement.type === 'TSExportAssignment') {
      names.push({ name: '=', node: statement.expression, from: undefined });
    } else if (
      statement.type === 'ExpressionStatement' &&
      statement.expression.type === 'AssignmentExpression'
    )
      for (const one of listAssigned(statement.expression, known)) names.push(one);
  }
  const own = findNodes(code.root, isModuleObject).filter(
    (node) => isUse(code, node) && scopes.find(node) === undefined,
  );
  const again = names.find(
    ({ name }, at) => name !== '*' && names.findIndex((other) => other.name === name) < at,
  );
  const unclear = own.find((node) => !known.has(node)) ?? again?.node;
  return { names, sources, unclear, isCommonJs: own.length > 0 };
}

/** `module` or `exports` of Node.js, or something else of this name. */
function isModuleObject(node: Node): node is Extract<Node, { type: 'Identifier' }> {
  return node.type === 'Identifier' && (node.name === 'module' || node.name === 'exports');
}

function listDeclared(
  { declaration }: Extract<Node, { type: 'ExportNamedDeclaration' }>,
  scopes: Scopes,
): ExportedName[] {
  if (declaration == null) return [];
  const identifiers: Node[] =
    declaration.type === 'VariableDeclaration'
      ? declaration.declarations.flatMap(({ id }) =>
          findNodes(id, (node): node is Extract<Node, { type: 'Identifier' }> => node.type === 'Identifier'),
        )
      : 'id' in declaration && declaration.id != null
        ? [declaration.id]
        : [];
  return identifiers.flatMap((node) => {
    const binding = scopes.find(node);
    return binding?.identifier === node ? [{ name: binding.name, node, from: undefined }] : [];
  });
}

function listSpecified(statement: Extract<Node, { type: 'ExportNamedDeclaration' }>): ExportedName[] {
  return statement.specifiers.map((specifier) => {
    const name = readKey(specifier.exported, false)!;
    const node = specifier.type === 'ExportSpecifier' ? specifier.local : specifier;
    if (statement.source == null) return { name, node, from: undefined };
    const exported = specifier.type === 'ExportSpecifier' ? readKey(specifier.local, false)! : '*';
    return { name, node, from: { source: statement.source.value, exported } };
  });
}

/** `module.exports = x`, `module.exports = { x }`, `module.exports.x = y` and `exports.x = y`. */
function listAssigned(
  { left, right, operator }: Extract<Node, { type: 'AssignmentExpression' }>,
  known: Set<Node>,
): ExportedName[] {
  if (operator !== '=' || left.type !== 'MemberExpression') return [];
  const key = readKey(left.property, left.computed);
  const { object } = left;
  if (object.type === 'Identifier' && object.name === 'module' && key === 'exports') {
    if (right.type !== 'ObjectExpression') {
      known.add(object);
      return [{ name: '=', node: right, from: undefined }];
    }
    const names = right.properties.map((property) => {
      const name = property.type === 'SpreadElement' ? undefined : readKey(property.key, property.computed);
      const node = property.type === 'ObjectProperty' ? property.value : property;
      return name === undefined ? undefined : { name, node, from: undefined };
    });
    if (names.includes(undefined)) return [];
    known.add(object);
    return names.filter((one) => one !== undefined);
  }
  const base = object.type === 'MemberExpression' ? object.object : object;
  const isExports =
    object.type === 'MemberExpression'
      ? base.type === 'Identifier' &&
        base.name === 'module' &&
        readKey(object.property, object.computed) === 'exports'
      : base.type === 'Identifier' && base.name === 'exports';
  if (!isExports || key === undefined) return [];
  known.add(base);
  return [{ name: key, node: right, from: undefined }];
}
