import { basename, resolve } from 'node:path';
import type { Node } from '#babel';
import {
  type CodeModule,
  type CodeProgram,
  type CodeUse,
  type ImportedName,
  isPath,
  type LooseModule,
  type Origin,
  type PackageName,
  readRequire,
} from './module.ts';
import type { Binding } from './scopes.ts';
import type { Surroundings } from './surroundings.ts';
import { findLine, Obstacle, readKey } from './syntax.ts';

/** Links modules, so that the names of one are known in those that import them. */
export function linkModules(loose: readonly LooseModule[], surroundings: Surroundings): CodeProgram {
  const modules: CodeModule[] = [];
  const program = new LinkedProgram(modules, surroundings);
  for (const module of loose) modules.push({ ...module, program });
  return program;
}

/** The most modules through which a name is followed. */
const DEPTH = 20;

class LinkedProgram implements CodeProgram {
  readonly modules: readonly CodeModule[];
  readonly #surroundings: Surroundings;
  readonly #byPath = new Map<string, CodeModule>();
  readonly #leaks = new Map<CodeModule, string | undefined>();

  constructor(modules: readonly CodeModule[], surroundings: Surroundings) {
    this.modules = modules;
    this.#surroundings = surroundings;
  }

  findPackageName(code: CodeModule, node: Node, depth = 0): PackageName | undefined {
    if (depth > DEPTH) return undefined;
    if (node.type === 'MemberExpression') {
      const key = readKey(node.property, node.computed);
      if (key === undefined) return undefined;
      const whole = this.findPackageName(code, node.object, depth + 1);
      if (whole !== undefined) return whole.exported === '*' ? { ...whole, exported: key } : undefined;
      const exported = this.#findMember(code, node.object, key, depth);
      return exported && this.findPackageName(exported.code, exported.node, depth + 1);
    }
    const required = readRequire(node, code.scopes);
    const imported = findImported(code, node) ?? required;
    if (imported === undefined) return undefined;
    if (!isPath(imported.source)) return imported;
    const exported = this.#follow(code, imported, depth);
    return exported && this.findPackageName(exported.code, exported.node, depth + 1);
  }

  findOrigin(code: CodeModule, node: Node, depth = 0): Origin | undefined {
    if (depth > DEPTH) return undefined;
    if (node.type === 'MemberExpression') {
      const key = readKey(node.property, node.computed);
      const exported = key === undefined ? undefined : this.#findMember(code, node.object, key, depth);
      return exported && this.findOrigin(exported.code, exported.node, depth + 1);
    }
    const imported = findImported(code, node);
    if (imported !== undefined && isPath(imported.source)) {
      const exported = this.#follow(code, imported, depth);
      return exported && this.findOrigin(exported.code, exported.node, depth + 1);
    }
    const binding = code.scopes.find(node);
    return binding && { code, binding };
  }

  /** `key` of a name for all exports of a module. */
  #findMember(code: CodeModule, object: Node, key: string, depth: number): ExportedNode | undefined {
    const imported = findImported(code, object);
    if (imported === undefined || !isPath(imported.source)) return undefined;
    const target = this.findLoaded(code, imported.source);
    if (target === undefined || readWhole(target, imported.exported) !== '*') return undefined;
    return this.#follow(code, { ...imported, exported: key }, depth);
  }

  /** What an imported name stands for in the module that exports it. */
  #follow(code: CodeModule, { source, exported }: PackageName, depth: number): ExportedNode | undefined {
    if (depth > DEPTH) return undefined;
    const target = this.findLoaded(code, source);
    if (target === undefined) return undefined;
    const name = readWhole(target, exported) === '*' ? '=' : exported;
    for (const one of target.exports.names) {
      if (one.name !== name && one.name !== '*') continue;
      if (one.from === undefined) return { code: target, node: one.node };
      const from = one.name === '*' ? { ...one.from, exported: name } : one.from;
      const found = this.#follow(target, from, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  findLoaded(code: CodeModule, source: string): CodeModule | undefined {
    const path = this.#surroundings.resolve(code.path, source);
    return path === undefined ? undefined : this.#findModule(path);
  }

  #findModule(path: string): CodeModule | undefined {
    if (this.#byPath.size === 0)
      for (const module of this.modules) this.#byPath.set(resolve(module.path), module);
    return this.#byPath.get(path);
  }

  listUses(code: CodeModule, binding: Binding, depth = 0): readonly CodeUse[] {
    if (depth > DEPTH || !binding.isConstant)
      throw new Obstacle(binding.identifier, `line ${findLine(code, binding.identifier)} changes it`);
    const exported = this.listExportNames(code, binding.identifier);
    const uses = exported.flatMap((name) => this.#listImported(code, name, binding.identifier, depth));
    for (const reference of binding.references) {
      const names = this.listExportNames(code, reference.node);
      if (names.length === 0) uses.push({ code, ...reference });
      for (const name of names) {
        for (const use of this.#listImported(code, name, reference.node, depth)) uses.push(use);
      }
    }
    return uses;
  }

  listExportNames(code: CodeModule, node: Node): readonly string[] {
    return code.exports.names.flatMap((one) =>
      one.node === node && one.from === undefined ? [one.name] : [],
    );
  }

  /** The uses of an exported name in modules that import it. */
  #listImported(code: CodeModule, name: string, site: Node, depth: number): CodeUse[] {
    const leak = this.findLeak(code);
    if (leak !== undefined) throw new Obstacle(site, `line ${findLine(code, site)} exports it, and ${leak}`);
    const uses: CodeUse[] = [];
    const add = (found: readonly CodeUse[]): void => {
      for (const use of found) uses.push(use);
    };
    for (const module of this.modules) {
      for (const imported of this.#listImports(module, code)) {
        const exported = readWhole(code, imported.exported);
        if (exported === name || (exported === '*' && name === '='))
          add(this.listUses(module, imported.binding, depth + 1));
        else if (exported === '*') add(listMembers(module, imported.binding, name));
      }
      for (const again of module.exports.names) {
        if (again.from === undefined || this.findLoaded(module, again.from.source) !== code) continue;
        const isAll = again.name === '*' && name !== 'default';
        if (again.from.exported === name || isAll)
          add(this.#listImported(module, isAll ? name : again.name, again.node, depth + 1));
      }
    }
    return uses;
  }

  #listImports(module: CodeModule, target: CodeModule): readonly ImportedName[] {
    return module.imports.filter(
      ({ source }) => isPath(source) && this.findLoaded(module, source) === target,
    );
  }

  findLeak(code: CodeModule): string | undefined {
    if (!this.#leaks.has(code)) {
      this.#leaks.set(code, undefined);
      this.#leaks.set(code, this.#readLeak(code));
    }
    return this.#leaks.get(code);
  }

  #readLeak(code: CodeModule): string | undefined {
    const { unclear } = code.exports;
    if (unclear !== undefined) return `line ${findLine(code, unclear)} uses module.exports in an unknown way`;
    const mention = this.#surroundings.findMention(code.path, (path, { at, source }) => {
      const module = this.#findModule(path);
      if (module === undefined) return false;
      const isComment = module.comments.some(({ start, end }) => start! <= at && at < end!);
      return isComment || (module.knownLoads.has(at) && this.findLoaded(module, source) === code);
    });
    if (mention !== undefined) return mention;
    for (const module of this.modules) {
      for (const { binding, exported } of this.#listImports(module, code)) {
        if (readWhole(code, exported) !== '*' || code.exports.names.some(({ name }) => name === '='))
          continue;
        const passed = binding.references.find(
          ({ node, isType }) => !isType && !isMemberOrAlias(module, node),
        );
        if (passed !== undefined || !binding.isConstant)
          return `${module.path}: line ${findLine(module, passed?.node ?? binding.identifier)} passes on ${basename(code.path)} as a whole`;
      }
      for (const { from, name } of module.exports.names) {
        if (from === undefined || this.findLoaded(module, from.source) !== code) continue;
        if (name !== '*' && from.exported === '*') return `${module.path} exports it as a whole`;
        const leak = this.findLeak(module);
        if (leak !== undefined) return leak;
      }
    }
    return undefined;
  }

  isOnePackage(one: CodeModule, other: CodeModule): boolean {
    return this.#surroundings.isOnePackage(one.path, other.path);
  }

  hasFile(path: string): boolean {
    return this.#surroundings.hasFile(path);
  }

  findOther(accepts: (text: string) => boolean): string | undefined {
    return this.#surroundings.findOther(accepts);
  }

  mayReach(from: CodeModule, to: CodeModule): boolean {
    return this.#surroundings.mayReach(from.path, to.path);
  }
}

/** An ES module sees all of a module of CommonJS as its default export. */
function readWhole({ exports }: CodeModule, exported: string): string {
  return exported === 'default' && exports.isCommonJs ? '*' : exported;
}

interface ExportedNode {
  readonly code: CodeModule;
  readonly node: Node;
}

function findImported(code: CodeModule, node: Node): ImportedName | undefined {
  const binding = code.scopes.find(node);
  return binding && code.imports.find((imported) => imported.binding === binding);
}

/** The uses of a name of a module that has a name as a whole. */
function listMembers(code: CodeModule, { references }: Binding, name: string): CodeUse[] {
  return references.flatMap(({ node, isType }) => {
    const parent = code.parentOf.get(node);
    const isNamed = parent?.type === 'MemberExpression' && readKey(parent.property, parent.computed) === name;
    return isNamed && !isRenamed(code, parent) ? [{ code, node: parent, isType }] : [];
  });
}

function isMemberOrAlias(code: CodeModule, node: Node): boolean {
  const parent = code.parentOf.get(node);
  const isMember = parent?.type === 'MemberExpression' && parent.object === node;
  if (!isMember) return isRenamed(code, node);
  const key = readKey(parent.property, parent.computed);
  return key !== undefined && key !== 'default';
}

/** Whether an expression only gets another name, which is an import of its own. */
export function isRenamed(code: CodeModule, node: Node): boolean {
  const parent = code.parentOf.get(node);
  if (parent?.type !== 'VariableDeclarator' || parent.init !== node) return false;
  const { id } = parent;
  const names: (Node | undefined)[] =
    id.type === 'ObjectPattern'
      ? id.properties.map((one) => (one.type === 'ObjectProperty' ? one.value : undefined))
      : [id];
  return names.every((name) => code.imports.some(({ binding }) => binding.identifier === name));
}
