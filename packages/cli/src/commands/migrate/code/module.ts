import type { CallExpression, Node } from '#babel';
import { type Binding, readScopes, type Scopes } from './scopes.ts';
import { type ParsedCode, parseCode, readKey } from './syntax.ts';

/** A parsed program with the meaning of its names. */
export interface CodeModule extends ParsedCode {
  readonly scopes: Scopes;
  /** `import` or `require`: how it loads packages. */
  readonly imports: readonly ImportedName[];
}

/** A name that a program gives to what a package exports. */
export interface ImportedName {
  readonly binding: Binding;
  /** The package or the path, as the program states it. */
  readonly source: string;
  /** The exported name; `*` for all exports together, as in `import * as x`, `import x` and `const x = require()`. */
  readonly exported: string;
  /** The declaration that brings the name in. */
  readonly statement: Node;
}

/** @throws Refusal when the text is no program. */
export async function readModule(path: string, text: string): Promise<CodeModule> {
  const code = await parseCode(path, text);
  const scopes = readScopes(code);
  return { ...code, scopes, imports: listImports(code, scopes) };
}

function listImports(code: ParsedCode, scopes: Scopes): ImportedName[] {
  const imported: ImportedName[] = [];
  const add = (name: Node, source: string, exported: string, statement: Node): void => {
    const binding = scopes.find(name);
    if (binding !== undefined) imported.push({ binding, source, exported, statement });
  };
  if (code.root.type !== 'Program') return imported;
  for (const statement of code.root.body) {
    if (statement.type === 'ImportDeclaration') {
      for (const specifier of statement.specifiers) {
        const { local } = specifier;
        const exported =
          specifier.type === 'ImportSpecifier' ? (readKey(specifier.imported, false) ?? '*') : '*';
        add(local, statement.source.value, exported === 'default' ? '*' : exported, statement);
      }
    }
    if (statement.type === 'TSImportEqualsDeclaration') {
      const { moduleReference: module } = statement;
      if (module.type === 'TSExternalModuleReference' && module.expression.type === 'StringLiteral')
        add(statement.id, module.expression.value, '*', statement);
    }
    if (statement.type !== 'VariableDeclaration') continue;
    for (const { id, init } of statement.declarations) {
      const required = readRequire(init, scopes) ?? readAlias(init, { scopes, imports: imported });
      if (required === undefined) continue;
      if (id.type === 'Identifier') add(id, required.source, required.exported, statement);
      if (id.type !== 'ObjectPattern' || required.exported !== '*') continue;
      for (const property of id.properties) {
        if (property.type !== 'ObjectProperty' || property.value.type !== 'Identifier') continue;
        const exported = readKey(property.key, property.computed);
        if (exported !== undefined) add(property.value, required.source, exported, statement);
      }
    }
  }
  return imported;
}

/** `require('x')` and `require('x').name`. */
function readRequire(
  init: Node | null | undefined,
  scopes: Scopes,
): { readonly source: string; readonly exported: string } | undefined {
  if (init?.type === 'MemberExpression') {
    const required = readRequire(init.object, scopes);
    const exported = readKey(init.property, init.computed);
    return required?.exported === '*' && exported !== undefined ? { ...required, exported } : undefined;
  }
  if (init?.type !== 'CallExpression' || !isRequire(init, scopes)) return undefined;
  const [argument] = init.arguments;
  return argument?.type === 'StringLiteral' ? { source: argument.value, exported: '*' } : undefined;
}

/** `client` and `client.Histogram` of a package that has a name already. */
function readAlias(
  init: Node | null | undefined,
  names: Pick<CodeModule, 'scopes' | 'imports'>,
): { readonly source: string; readonly exported: string } | undefined {
  if (init?.type === 'MemberExpression') {
    const whole = readAlias(init.object, names);
    const exported = readKey(init.property, init.computed);
    return whole?.exported === '*' && exported !== undefined ? { ...whole, exported } : undefined;
  }
  const binding = init == null ? undefined : names.scopes.find(init);
  return binding === undefined ? undefined : names.imports.find((imported) => imported.binding === binding);
}

function isRequire({ callee }: CallExpression, scopes: Scopes): boolean {
  return callee.type === 'Identifier' && callee.name === 'require' && scopes.find(callee) === undefined;
}

/**
 * The name under which a package exports what an expression stands for: `Histogram` for `client.Histogram`, and for names that are bound
 * to it. `undefined` for everything else.
 */
export function findExported(
  { scopes, imports }: Pick<CodeModule, 'scopes' | 'imports'>,
  node: Node,
  sources: ReadonlySet<string>,
): string | undefined {
  if (node.type === 'MemberExpression') {
    const whole = findExported({ scopes, imports }, node.object, sources);
    return whole === '*' ? readKey(node.property, node.computed) : undefined;
  }
  const binding = scopes.find(node);
  if (binding === undefined) return undefined;
  return imports.find((imported) => imported.binding === binding && sources.has(imported.source))?.exported;
}
