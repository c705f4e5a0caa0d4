import type { CallExpression, Node } from '#babel';
import { type ModuleExports, readExports } from './exports.ts';
import { type Binding, type Reference, readScopes, type Scopes } from './scopes.ts';
import { findStart, type ParsedCode, parseCode, readKey } from './syntax.ts';

/** A parsed module with the meaning of its names. */
export interface CodeModule extends ParsedCode {
  readonly scopes: Scopes;
  /** `import` or `require`: how it loads packages and other modules. */
  readonly imports: readonly ImportedName[];
  /** Where the paths stand that it loads in a way that `imports` and `exports` have as a whole. */
  readonly knownLoads: ReadonlySet<number>;
  readonly exports: ModuleExports;
  /** The modules that are read together, of which it is one. */
  readonly program: CodeProgram;
}

/** Modules that are read together: what their names mean across files, and who uses them. */
export interface CodeProgram {
  readonly modules: readonly CodeModule[];
  /** The name under which a package exports what an expression stands for. */
  findPackageName(code: CodeModule, node: Node): PackageName | undefined;
  /** The binding that an expression stands for, in the module that declares it. */
  findOrigin(code: CodeModule, node: Node): Origin | undefined;
  /**
   * All uses of a binding, also in modules that import it. Exports of it are no uses.
   *
   * @throws Obstacle when files that are not given may use it.
   */
  listUses(code: CodeModule, binding: Binding): readonly CodeUse[];
  /** Why an export of a module may have uses that are not known. */
  findLeak(code: CodeModule): string | undefined;
  /** Whether loading a module loads another one, too, or may do so. */
  mayReach(from: CodeModule, to: CodeModule): boolean;
  /** The module that a path means in another one. */
  findLoaded(code: CodeModule, source: string): CodeModule | undefined;
  /** Whether modules are in the folder of one package. */
  isOnePackage(one: CodeModule, other: CodeModule): boolean;
  hasFile(path: string): boolean;
  /** A file around the modules that is not one of them, is no test, and has a text that a test accepts. */
  findOther(accepts: (text: string) => boolean): string | undefined;
  /** The names under which a module exports an expression. */
  listExportNames(code: CodeModule, node: Node): readonly string[];
}

export interface PackageName {
  readonly source: string;
  readonly exported: string;
}

/** A binding, and the module that declares it. */
export interface Origin {
  readonly code: CodeModule;
  readonly binding: Binding;
}

/** An expression in one of the modules. */
export interface CodeUse extends Reference {
  readonly code: CodeModule;
}

/** A module whose program is not known yet. */
export type LooseModule = Omit<CodeModule, 'program'>;

/** A name that a program gives to what a package exports. */
export interface ImportedName {
  readonly binding: Binding;
  /** The package or the path, as the program states it. */
  readonly source: string;
  /** The exported name; `*` for all exports together, as in `import * as x`, `const x = require()`, and `import x` of a package. */
  readonly exported: string;
  /** The declaration that brings the name in. */
  readonly statement: Node;
  /** Whether it names what another import has brought in. */
  readonly isAlias: boolean;
}

/** @throws Refusal when the text is no program. */
export async function readModule(path: string, text: string): Promise<LooseModule> {
  const code = await parseCode(path, text);
  const scopes = readScopes(code);
  const exports = readExports(code, scopes);
  const knownLoads = new Set(exports.sources.map(findStart));
  return { ...code, scopes, imports: listImports(code, scopes, knownLoads), knownLoads, exports };
}

/** Whether a module is named by its path, and no package. */
export function isPath(source: string): boolean {
  return /^\.{1,2}(\/|$)/.test(source);
}

function listImports(code: ParsedCode, scopes: Scopes, knownLoads: Set<number>): ImportedName[] {
  const imported: ImportedName[] = [];
  const add = (name: Node, source: string, exported: string, statement: Node, isAlias = false): void => {
    const binding = scopes.find(name);
    if (binding !== undefined) imported.push({ binding, source, exported, statement, isAlias });
  };
  if (code.root.type !== 'Program') return imported;
  for (const statement of code.root.body) {
    if (statement.type === 'ImportDeclaration') {
      knownLoads.add(findStart(statement.source));
      for (const specifier of statement.specifiers) {
        const { local } = specifier;
        const exported =
          specifier.type === 'ImportSpecifier'
            ? (readKey(specifier.imported, false) ?? '*')
            : specifier.type === 'ImportDefaultSpecifier'
              ? 'default'
              : '*';
        const { value } = statement.source;
        // A package of CommonJS is its own default.
        add(local, value, exported === 'default' && !isPath(value) ? '*' : exported, statement);
      }
    }
    if (statement.type === 'TSImportEqualsDeclaration') {
      const { moduleReference: module } = statement;
      if (module.type === 'TSExternalModuleReference' && module.expression.type === 'StringLiteral') {
        knownLoads.add(findStart(module.expression));
        add(statement.id, module.expression.value, '*', statement);
      }
    }
    if (statement.type === 'ExpressionStatement') {
      const loaded = readRequire(statement.expression, scopes);
      if (loaded !== undefined) knownLoads.add(loaded.at);
    }
    if (statement.type !== 'VariableDeclaration') continue;
    for (const { id, init } of statement.declarations) {
      const loaded = readRequire(init, scopes);
      const required = loaded ?? readAlias(init, { scopes, imports: imported });
      if (required === undefined) continue;
      const names =
        id.type === 'Identifier'
          ? [{ name: id, exported: required.exported }]
          : required.exported === '*'
            ? readPattern(id)
            : [undefined];
      for (const one of names)
        if (one !== undefined) add(one.name, required.source, one.exported, statement, loaded === undefined);
      if (loaded !== undefined && !names.includes(undefined)) knownLoads.add(loaded.at);
    }
  }
  return imported;
}

/** The names of `{ a, b: c }`; `undefined` in place of each part that is something else. */
function readPattern(
  pattern: Node,
): readonly ({ readonly name: Node; readonly exported: string } | undefined)[] {
  if (pattern.type !== 'ObjectPattern') return [undefined];
  return pattern.properties.map((property) => {
    if (property.type !== 'ObjectProperty' || property.value.type !== 'Identifier') return undefined;
    const exported = readKey(property.key, property.computed);
    return exported === undefined ? undefined : { name: property.value, exported };
  });
}

/** `require('x')` and `require('x').name`. */
export function readRequire(
  init: Node | null | undefined,
  scopes: Scopes,
): { readonly source: string; readonly exported: string; readonly at: number } | undefined {
  if (init?.type === 'MemberExpression') {
    const required = readRequire(init.object, scopes);
    const exported = readKey(init.property, init.computed);
    return required?.exported === '*' && exported !== undefined ? { ...required, exported } : undefined;
  }
  if (init?.type !== 'CallExpression' || !isRequire(init, scopes)) return undefined;
  const [argument] = init.arguments;
  if (argument?.type !== 'StringLiteral') return undefined;
  return { source: argument.value, exported: '*', at: findStart(argument) };
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
 * The name under which a package exports what an expression stands for: `Histogram` for `client.Histogram`, for names that are bound to
 * it, and for those of modules of the program that pass it on. `undefined` for everything else.
 */
export function findExported(code: CodeModule, node: Node, sources: ReadonlySet<string>): string | undefined {
  const found = code.program.findPackageName(code, node);
  return found !== undefined && sources.has(found.source) ? found.exported : undefined;
}
