import type { Identifier, Node } from '#babel';
import { findAround, isFunction, listChildren, type ParsedCode } from './syntax.ts';

/** A name that a program declares. */
export interface Binding {
  readonly name: string;
  readonly kind: 'import' | 'const' | 'let' | 'var' | 'function' | 'class' | 'parameter' | 'enum';
  /** The identifier that declares the name; the last one where a `var` is declared several times. */
  readonly identifier: Identifier;
  readonly references: readonly Reference[];
  /** Whether only its declaration gives it a value. */
  readonly isConstant: boolean;
}

/** A place where a program uses a name. */
export interface Reference {
  readonly node: Node;
  /** Whether it stands in a type, which does not run. */
  readonly isType: boolean;
}

/** The names of a program. */
export interface Scopes {
  readonly bindings: readonly Binding[];
  /** The binding of an identifier that declares or uses a name. */
  find(node: Node): Binding | undefined;
  /** Whether the program uses or declares the name anywhere. Properties do not count. */
  mentions(name: string): boolean;
}

interface MutableBinding extends Binding {
  identifier: Identifier;
  readonly references: Reference[];
  isConstant: boolean;
}

type Scope = Map<string, MutableBinding>;

/** Finds what each identifier of a program means. Names of types alone have no bindings. */
export function readScopes(code: ParsedCode): Scopes {
  const scopes = new Map<Node, Scope>();
  const names = new Set<string>();
  const byIdentifier = new Map<Node, MutableBinding>();
  const bindings: MutableBinding[] = [];
  const uses: { node: Identifier | Extract<Node, { type: 'JSXIdentifier' }>; isType: boolean }[] = [];

  const declare = (holder: Node, identifier: Identifier, kind: Binding['kind']): void => {
    const scope = scopes.get(holder) ?? new Map<string, MutableBinding>();
    scopes.set(holder, scope);
    const { name } = identifier;
    names.add(name);
    const known = scope.get(name);
    if (known !== undefined) {
      known.isConstant = false;
      byIdentifier.set(identifier, known);
      return;
    }
    const isConstant = kind !== 'parameter';
    const binding = { name, kind, identifier, references: [], isConstant };
    scope.set(name, binding);
    bindings.push(binding);
    byIdentifier.set(identifier, binding);
  };

  const visit = (node: Node, isType: boolean): void => {
    for (const { holder, identifier, kind } of listDeclared(code, node)) declare(holder, identifier, kind);
    if (node.type === 'Identifier' || node.type === 'JSXIdentifier') {
      uses.push({ node, isType });
    }
    const isInType = isType || isTypeNode(node);
    for (const child of listChildren(node)) visit(child, isInType);
  };
  visit(code.root, false);

  for (const { node, isType } of uses) {
    if (byIdentifier.has(node) || !isUse(code, node)) continue;
    names.add(node.name);
    let binding: MutableBinding | undefined;
    for (
      let around: Node | undefined = node;
      around !== undefined && binding === undefined;
      around = code.parentOf.get(around)
    ) {
      binding = scopes.get(around)?.get(node.name);
    }
    if (binding === undefined) continue;
    byIdentifier.set(node, binding);
    binding.references.push({ node, isType });
    if (isWritten(code, node)) binding.isConstant = false;
  }
  return { bindings, find: (node) => byIdentifier.get(node), mentions: (name) => names.has(name) };
}

interface Declared {
  /** The node in which the name is known. */
  readonly holder: Node;
  readonly identifier: Identifier;
  readonly kind: Binding['kind'];
}

function listDeclared(code: ParsedCode, node: Node): Declared[] {
  const around = (): Node => findAround(code, node, isBlock) ?? code.root;
  if (node.type === 'VariableDeclaration') {
    const kind = node.kind === 'var' || node.kind === 'let' ? node.kind : 'const';
    const holder = node.kind === 'var' ? (findAround(code, node, isFunctionScope) ?? code.root) : around();
    return node.declarations.flatMap(({ id }) =>
      listNames(id).map((identifier) => ({ holder, identifier, kind })),
    );
  }
  if (node.type === 'ImportDeclaration') {
    return node.specifiers.map(({ local }) => ({ holder: code.root, identifier: local, kind: 'import' }));
  }
  if (node.type === 'TSImportEqualsDeclaration') {
    return [{ holder: code.root, identifier: node.id, kind: 'import' }];
  }
  if (node.type === 'CatchClause' && node.param != null) {
    return listNames(node.param).map((identifier) => ({ holder: node, identifier, kind: 'let' }));
  }
  const declared: Declared[] = [];
  if (isFunction(node)) {
    for (const parameter of node.params) {
      for (const identifier of listNames(parameter))
        declared.push({ holder: node, identifier, kind: 'parameter' });
    }
  }
  if (
    (node.type === 'FunctionDeclaration' ||
      node.type === 'ClassDeclaration' ||
      node.type === 'TSDeclareFunction') &&
    node.id != null
  ) {
    const kind = node.type === 'ClassDeclaration' ? 'class' : 'function';
    declared.push({ holder: around(), identifier: node.id, kind });
  }
  if ((node.type === 'FunctionExpression' || node.type === 'ClassExpression') && node.id != null) {
    const kind = node.type === 'ClassExpression' ? 'class' : 'function';
    declared.push({ holder: node, identifier: node.id, kind });
  }
  if (node.type === 'TSEnumDeclaration')
    declared.push({ holder: around(), identifier: node.id, kind: 'enum' });
  if (node.type === 'TSModuleDeclaration' && node.id.type === 'Identifier') {
    declared.push({ holder: around(), identifier: node.id, kind: 'enum' });
  }
  return declared;
}

/** The identifiers that a pattern declares. */
function listNames(pattern: Node): Identifier[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        listNames(property.type === 'RestElement' ? property.argument : property.value),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element === null ? [] : listNames(element)));
    case 'AssignmentPattern':
      return listNames(pattern.left);
    case 'RestElement':
      return listNames(pattern.argument);
    case 'TSParameterProperty':
      return listNames(pattern.parameter);
    default:
      return [];
  }
}

const BLOCKS: ReadonlySet<string> = new Set([
  'Program',
  'BlockStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'SwitchStatement',
  'StaticBlock',
  'TSModuleBlock',
]);

function isBlock(node: Node): node is Node {
  return BLOCKS.has(node.type) || isFunction(node);
}

function isFunctionScope(node: Node): node is Node {
  return isFunction(node) || node.type === 'StaticBlock' || node.type === 'TSModuleBlock';
}

/** Nodes of TypeScript that run, or that have parts which run. */
const RUNNING: ReadonlySet<string> = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
  'TSExportAssignment',
  'TSEnumDeclaration',
  'TSEnumBody',
  'TSEnumMember',
  'TSModuleDeclaration',
  'TSModuleBlock',
  'TSImportEqualsDeclaration',
  'TSParameterProperty',
]);

function isTypeNode(node: Node): boolean {
  if (node.type.startsWith('TS')) return !RUNNING.has(node.type);
  return node.type === 'ExportNamedDeclaration' && node.exportKind === 'type' && node.declaration == null;
}

/** Whether an identifier stands for a value or a type, and not for a property, a key or a label. */
export function isUse({ parentOf }: ParsedCode, node: Node): boolean {
  const parent = parentOf.get(node);
  switch (parent?.type) {
    case 'MemberExpression':
    case 'OptionalMemberExpression':
      return parent.object === node || parent.computed;
    case 'ObjectProperty':
    case 'ObjectMethod':
    case 'ClassMethod':
    case 'ClassProperty':
    case 'ClassAccessorProperty':
    case 'TSPropertySignature':
    case 'TSMethodSignature':
      return parent.key !== node || parent.computed === true;
    case 'ExportSpecifier': {
      const declaration = parentOf.get(parent);
      const isForeign = declaration?.type === 'ExportNamedDeclaration' && declaration.source != null;
      return parent.local === node && !isForeign;
    }
    case 'JSXMemberExpression':
      return parent.object === node;
    case 'TSQualifiedName':
      return parent.left === node;
    case 'TSEnumMember':
      return parent.id !== node;
    case 'ImportSpecifier':
    case 'ExportNamespaceSpecifier':
    case 'ImportAttribute':
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
    case 'MetaProperty':
    case 'JSXAttribute':
    case 'TSNamedTupleMember':
      return false;
    default:
      return true;
  }
}

/** Whether an identifier gets a value other than by its declaration. */
function isWritten({ parentOf }: ParsedCode, node: Node): boolean {
  let inner = node;
  for (let parent = parentOf.get(node); parent !== undefined; parent = parentOf.get(parent)) {
    if (parent.type === 'UpdateExpression') return true;
    if (parent.type === 'AssignmentExpression') return parent.left === inner;
    if (parent.type === 'ForInStatement' || parent.type === 'ForOfStatement') return parent.left === inner;
    const isPattern =
      parent.type === 'ObjectPattern' ||
      parent.type === 'ArrayPattern' ||
      parent.type === 'RestElement' ||
      (parent.type === 'AssignmentPattern' && parent.left === inner) ||
      (parent.type === 'ObjectProperty' && parent.value === inner);
    if (!isPattern) return false;
    inner = parent;
  }
  return false;
}
