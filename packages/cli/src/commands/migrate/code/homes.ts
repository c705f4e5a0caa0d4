import { dirname, join, relative } from 'node:path';
import type { CallExpression, Node } from '#babel';
import {
  assertFree,
  findImportsEnd,
  findLineEnd,
  findStatement,
  formatImport,
  pickName,
} from './added-imports.ts';
import { catchObstacle, type LocatedEdit } from './change.ts';
import { type CodeStyle, insertAt, readStyle } from './edits.ts';
import { type CodeModule, findExported, type ImportedName, isPath, type Origin } from './module.ts';
import { rewritePage } from './page.ts';
import { CLIENTS, type ClientUses, type LocatedCall, type Register } from './registers.ts';
import { readConstant } from './static-values.ts';
import { findEnd, findLine, Obstacle, readSource } from './syntax.ts';

const REGISTRY_PACKAGE: ReadonlySet<string> = new Set(['@hdrscope/registry']);
const PROMETHEUS_PACKAGE: ReadonlySet<string> = new Set(['@hdrscope/prometheus']);

/** The names that are imported. */
const ADDED: readonly string[] = ['createRegistry', 'fromPromClient', 'prometheusHandler'];
const REGISTRY_NAMES: readonly string[] = ['registry', 'hdrRegistry', 'hdrscopeRegistry'];
const HANDLER_NAMES: readonly string[] = ['metrics', 'metricsHandler', 'hdrscopeMetrics'];

/** The name of the module with a registry that several modules share. */
const SHARED_NAME = 'hdr-registry';

/** The registry that takes the histograms of a register, and what it adds to the modules. */
export interface RegistryHome {
  /** Its name in a module, and the offset behind which it exists. */
  nameIn(code: CodeModule): { readonly name: string; readonly quote: string; readonly from: number };
  /** The edits that declare, import and serve it. */
  plan(users: ReadonlySet<CodeModule>): PlannedHome;
}

interface PlannedHome {
  readonly edits: readonly LocatedEdit[];
  readonly added: readonly { readonly path: string; readonly text: string }[];
  /** The pages that show it now. */
  readonly pages: readonly LocatedCall[];
}

/** Finds or makes one registry for each register. */
export class Homes {
  readonly #uses: ClientUses;
  readonly #expected = new Map<Register, Set<CodeModule>>();
  readonly #used = new Map<RegistryHome, Set<CodeModule>>();
  readonly #homes = new Map<Register, RegistryHome | Obstacle>();

  constructor(uses: ClientUses) {
    this.#uses = uses;
  }

  /** Notes that a module makes histograms for a register. */
  expect(register: Register, code: CodeModule): void {
    this.#expected.set(register, (this.#expected.get(register) ?? new Set()).add(code));
  }

  /** @throws Obstacle when no registry can show what the pages of the register show. */
  find(register: Register): RegistryHome {
    const known = this.#homes.get(register) ?? catchObstacle(() => this.#make(register));
    this.#homes.set(register, known);
    if (known instanceof Obstacle) throw known;
    return known;
  }

  #make(register: Register): RegistryHome {
    const makers = [...this.#expected.get(register)!];
    if ([...this.#homes.values()].some((one) => !(one instanceof Obstacle)))
      throw new Obstacle(makers[0]!.root, 'there are pages of several registers: move one after the other');
    const [first] = register.pages;
    if (register.shownIn.size > 0) {
      if (first !== undefined)
        throw new Obstacle(
          first.call,
          `${first.code.path}: line ${findLine(first.code, first.call)} serves another page of its register`,
        );
      return new ShownHome(findShown(this.#uses, register));
    }
    if (first === undefined) {
      throw new Obstacle(
        register.origin?.binding.identifier ?? makers[0]!.root,
        'no file that is named serves the page of its register: name the file that does, too, or serve it by prometheusHandler(registry, { sources: [fromPromClient(register)] })',
      );
    }
    return new AddedHome(register.pages, makers);
  }

  /** Notes that a histogram of a module has moved. */
  use(register: Register, code: CodeModule): void {
    const home = this.find(register);
    this.#used.set(home, (this.#used.get(home) ?? new Set()).add(code));
  }

  plan(): PlannedHome {
    const planned = [...this.#used].map(([home, users]) => home.plan(users));
    return {
      edits: planned.flatMap(({ edits }) => edits),
      added: planned.flatMap(({ added }) => added),
      pages: planned.flatMap(({ pages }) => pages),
    };
  }
}

/** A registry and a page that the modules have. */
class ShownHome implements RegistryHome {
  readonly #origin: Origin;
  readonly #end: number;

  constructor({ code, binding }: Origin) {
    this.#origin = { code, binding };
    this.#end = findEnd(readConstant(code, binding)!);
  }

  nameIn(code: CodeModule): ReturnType<RegistryHome['nameIn']> {
    const { quote } = readClientStyle(code);
    const { binding } = this.#origin;
    if (code === this.#origin.code) return { name: binding.name, quote, from: this.#end };
    const imported = code.imports.find(
      (one) => code.program.findOrigin(code, one.binding.identifier)?.binding === binding,
    );
    if (imported !== undefined) return { name: imported.binding.name, quote, from: 0 };
    throw new Obstacle(
      code.root,
      `it needs the registry of its page, which ${this.#origin.code.path} declares: import it first`,
    );
  }

  plan(): PlannedHome {
    return { edits: [], added: [], pages: [] };
  }
}

/** `prometheusHandler(registry, { sources: [fromPromClient(register)] })` that the modules have. */
function findShown({ findRegister }: ClientUses, register: Register): Origin {
  const found = [...register.shownIn].flatMap((code) =>
    code.imports
      .filter(({ exported, source }) => exported === 'fromPromClient' && PROMETHEUS_PACKAGE.has(source))
      .flatMap((imported) => imported.binding.references)
      .flatMap(({ node }) => {
        const call = code.parentOf.get(node);
        if (call?.type !== 'CallExpression') return [];
        const [argument] = call.arguments;
        if (argument === undefined || findRegister(code, argument) !== register) return [];
        const handler = findCallWithSource(code, call);
        const served = handler && findExported(code, handler.callee, PROMETHEUS_PACKAGE);
        if (served !== 'prometheusHandler' && served !== 'servePrometheus') return [undefined];
        const [registry] = handler!.arguments;
        return [registry && code.program.findOrigin(code, registry)];
      }),
  );
  const [origin] = found;
  const made = origin && readConstant(origin.code, origin.binding);
  const isMade =
    made?.type === 'CallExpression' &&
    findExported(origin!.code, made.callee, REGISTRY_PACKAGE) === 'createRegistry';
  if (!isMade || found.some((other) => other?.binding !== origin!.binding))
    throw new Obstacle(
      [...register.shownIn][0]!.root,
      'the registry of its page is not one constant registry = createRegistry()',
    );
  return origin!;
}

/** The call with `{ sources: [source] }` among its arguments. */
function findCallWithSource(code: CodeModule, source: Node): CallExpression | undefined {
  let node: Node | undefined = source;
  for (const type of ['ArrayExpression', 'ObjectProperty', 'ObjectExpression', 'CallExpression'] as const) {
    node = node && code.parentOf.get(node);
    if (node?.type !== type) return undefined;
  }
  return node as CallExpression;
}

/** A registry that is added: to the module that has the histograms and the page, or in a module of its own. */
class AddedHome implements RegistryHome {
  readonly #pages: readonly LocatedCall[];
  /** The path of the module of its own. */
  readonly #path: string | undefined;
  readonly #names = new Map<CodeModule, string>();
  readonly #handlers = new Map<CodeModule, Handler>();
  readonly #pageEdits: readonly LocatedEdit[];

  constructor(pages: readonly LocatedCall[], makers: readonly CodeModule[]) {
    this.#pages = pages;
    const modules = [...new Set([...makers, ...pages.map(({ code }) => code)])];
    this.#path = modules.length === 1 ? undefined : chooseSharedPath(makers[0]!, modules);
    for (const code of modules) this.#names.set(code, pickName(code, REGISTRY_NAMES));
    for (const { code, call } of pages)
      if (!this.#handlers.has(code)) this.#handlers.set(code, readHandler(code, call));
    this.#pageEdits = pages.flatMap(({ code, call }) =>
      rewritePage(code, call, this.#handlers.get(code)!.name).map((edit) => ({ code, edit })),
    );
  }

  nameIn(code: CodeModule): ReturnType<RegistryHome['nameIn']> {
    const { quote } = readClientStyle(code);
    return { name: this.#names.get(code)!, quote, from: findPlace(code) };
  }

  plan(users: ReadonlySet<CodeModule>): PlannedHome {
    const modules = new Set([...users, ...this.#handlers.keys()]);
    const edits = [...modules].flatMap((code) => this.#declare(code).map((edit) => ({ code, edit })));
    const added = this.#path === undefined ? [] : [{ path: this.#path, text: this.#formatModule() }];
    return { edits: [...this.#pageEdits, ...edits], added, pages: this.#pages };
  }

  /** Adds imports behind the last one, and the registry and the handler behind them. */
  #declare(code: CodeModule) {
    const style = readClientStyle(code);
    const { semicolon, newline } = style;
    const beside = listClientImports(code);
    const registry = this.#names.get(code)!;
    const handler = this.#handlers.get(code);
    const place = findPlace(code);
    const lines: string[] = [];
    if (handler !== undefined)
      lines.push(
        formatImport(['fromPromClient', 'prometheusHandler'], '@hdrscope/prometheus', beside, style),
      );
    if (this.#path === undefined) {
      lines.push(formatImport(['createRegistry'], '@hdrscope/registry', beside, style));
      lines.push('', `const ${registry} = createRegistry()${semicolon}`);
    } else {
      const separator = isCommonJs(code) ? ': ' : ' as ';
      const item = registry === 'registry' ? registry : `registry${separator}${registry}`;
      lines.push(formatImport([item], formatPath(code, this.#path), beside, style));
      if (handler !== undefined) lines.push('');
    }
    if (handler === undefined) return [insertAt(place, newline + lines.join(newline))];
    const declared = `const ${handler.name} = prometheusHandler(${registry}, { sources: [fromPromClient(${handler.register})] })${semicolon}`;
    const { after } = handler;
    const isNow = after === undefined || findEnd(after) <= place;
    if (isNow) lines.push(declared);
    return [
      insertAt(place, newline + lines.join(newline)),
      ...(isNow ? [] : [insertAt(findLineEnd(code, findEnd(after)), newline + declared)]),
    ];
  }

  #formatModule(): string {
    const [code] = this.#names.keys();
    const style = readClientStyle(code!);
    const { quote, semicolon, newline } = style;
    const made = `const registry = createRegistry()${semicolon}`;
    const lines = isCommonJs(code!)
      ? [
          `const { createRegistry } = require(${quote}@hdrscope/registry${quote})${semicolon}`,
          '',
          made,
          '',
          `module.exports = { registry }${semicolon}`,
        ]
      : [
          `import { createRegistry } from ${quote}@hdrscope/registry${quote}${semicolon}`,
          '',
          `export ${made}`,
        ];
    return lines.map((line) => line + newline).join('');
  }
}

/** The handler that serves the pages of a register in a module. */
interface Handler {
  readonly name: string;
  /** The text of the register. */
  readonly register: string;
  /** The statement behind which the register exists. */
  readonly after: Node | undefined;
}

function readHandler(code: CodeModule, { callee }: CallExpression): Handler {
  const register = (callee as Extract<Node, { type: 'MemberExpression' }>).object;
  let root: Node = register;
  while (root.type === 'MemberExpression') root = root.object;
  const imported = code.imports.find(({ binding }) => binding === code.scopes.find(root));
  // The handler reads the register when its module begins, which is too early where modules load each other in a circle.
  if (imported !== undefined && isPath(imported.source)) {
    const loaded = code.program.findLoaded(code, imported.source);
    if (loaded === undefined || code.program.mayReach(loaded, code))
      throw new Obstacle(root, `${code.path} and ${imported.source} may load each other in a circle`);
  }
  assertFree(code, ADDED);
  const statement =
    imported === undefined || imported.isAlias ? code.scopes.find(root)?.identifier : undefined;
  return {
    name: pickName(code, HANDLER_NAMES),
    register: readSource(code, register),
    after: statement && findStatement(code, statement),
  };
}

/** The imports by which a client comes into a module, or all when it comes in another way. */
function listClientImports({ imports }: CodeModule): readonly ImportedName[] {
  const direct = imports.filter(({ source, isAlias }) => CLIENTS.has(source) && !isAlias);
  return direct.length > 0 ? direct : imports.filter(({ isAlias }) => !isAlias);
}

function readClientStyle(code: CodeModule): CodeStyle {
  return readStyle(code, listClientImports(code)[0]!.statement);
}

/** The end of the line behind which a module can have what is added. */
function findPlace(code: CodeModule): number {
  return findImportsEnd(code, listClientImports(code).slice(0, 1));
}

function isCommonJs({ imports, exports, path }: CodeModule): boolean {
  if (/tsx?$/.test(path)) return false;
  return exports.isCommonJs || imports.every(({ statement }) => statement.type === 'VariableDeclaration');
}

const NAMES_CLIENT = /['"](prom-client|@prometheus-io\/client)['"]/;
const USES_REGISTER = /\bregister\b|\b\w*Registry\b|\bPushgateway\b/;

/** A free path beside a module that makes histograms. */
function chooseSharedPath(maker: CodeModule, modules: readonly CodeModule[]): string {
  const other = modules.find((code) => isCommonJs(code) !== isCommonJs(maker));
  if (other !== undefined)
    throw new Obstacle(maker.root, `${other.path} is another kind of module, and both need one registry`);
  const foreign = modules.find((code) => !code.program.isOnePackage(code, maker));
  if (foreign !== undefined)
    throw new Obstacle(maker.root, `${foreign.path} is in another package, and both need one registry`);
  const stranger = maker.program.findOther((text) => NAMES_CLIENT.test(text) && USES_REGISTER.test(text));
  if (stranger !== undefined)
    throw new Obstacle(maker.root, `${stranger} may use the register, too: name this file as well`);
  const ending = /\.[cm]?[jt]s(?=x?$)/.exec(maker.path)![0];
  const path = join(dirname(maker.path), SHARED_NAME + ending);
  if (maker.program.hasFile(path)) throw new Obstacle(maker.root, `${path} is there already`);
  return path;
}

/** A path as a module loads it: with an ending, or without one, as the others beside it. */
function formatPath(code: CodeModule, path: string): string {
  const stem = path.replace(/\.[cm]?[jt]s$/, '');
  const shown = relative(dirname(code.path), stem).replaceAll('\\', '/');
  const example = [code, ...code.program.modules]
    .flatMap(({ imports }) => imports)
    .find(({ source }) => isPath(source) && !source.endsWith('.json'));
  const stated = example && /\.[cm]?[jt]sx?$/.exec(example.source)?.[0];
  const own = path.slice(stem.length);
  // Node.js and compilers add these endings alone.
  const mayBeBare = own === '.ts' || (own === '.js' && isCommonJs(code));
  const isBare = mayBeBare && stated === undefined;
  const ending = isBare ? '' : stated?.includes('j') === true ? own.replace('ts', 'js') : own;
  return `${shown.startsWith('.') ? '' : './'}${shown}${ending}`;
}
