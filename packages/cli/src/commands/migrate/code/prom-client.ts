import type { Identifier, NewExpression, Node } from '#babel';
import type { LiteralEdit } from '../literals.ts';
import {
  assertFree,
  findImportsEnd,
  findLineEnd,
  findStatement,
  formatImport,
  listImportItems,
  pickName,
} from './added-imports.ts';
import {
  type CodeChange,
  type CodeNote,
  catchObstacle,
  NOTHING_PLANNED,
  type PlannedCode,
} from './change.ts';
import { type CodeStyle, insertAt, readStyle, removeItem, removeRange } from './edits.ts';
import { type ClientHistogram, readHistogram, rewriteOptions } from './histogram-options.ts';
import { rewriteUse } from './histogram-uses.ts';
import { type CodeModule, findExported } from './module.ts';
import { rewritePage } from './page.ts';
import { CLIENTS, type ClientUses, type Register, readClientUses } from './registers.ts';
import type { Binding } from './scopes.ts';
import { readConstant } from './static-values.ts';
import { findEnd, findLine, findStart, Obstacle, readSource } from './syntax.ts';

const REGISTRY_PACKAGE: ReadonlySet<string> = new Set(['@hdrscope/registry']);
const PROMETHEUS_PACKAGE: ReadonlySet<string> = new Set(['@hdrscope/prometheus']);

const UNKNOWN_LABELS: CodeNote = {
  code: 'labels',
  text: 'a label whose value is undefined or null is left out, and the client showed it as a text',
};

/**
 * Moves the histograms of a client to a registry, where the page of the program can show both.
 *
 * @param sharedUse Why those of the client's own register must stay. @default they may move
 */
export function planPromClient(code: CodeModule, sharedUse?: string): PlannedCode {
  const uses = readClientUses(code);
  if (uses.histograms.length === 0) return NOTHING_PLANNED;
  const names = new Names(code);
  const homes = new Map<Register, Home | Obstacle>();
  const homeOf = (register: Register): Home => {
    if (sharedUse !== undefined && register.binding === undefined) throw new Obstacle(code.root, sharedUse);
    const others = [...homes.values()].filter((one) => !(one instanceof Obstacle));
    const home =
      homes.get(register) ??
      (others.length > 0
        ? new Obstacle(code.root, 'this file has pages of several registers: move one after the other')
        : catchObstacle(() => findHome(code, uses, register, names)));
    homes.set(register, home);
    if (home instanceof Obstacle) throw home;
    return home;
  };
  const changes: CodeChange[] = [];
  const edits: (readonly LiteralEdit[])[] = [];
  const used = new Set<Home>();
  const moved: NewExpression[] = [];
  for (const made of uses.histograms) {
    const planned = catchObstacle(() => moveHistogram(code, uses, made, homeOf, names));
    const place = describeHistogram(code, made);
    const line = findLine(code, made);
    if (planned instanceof Obstacle) {
      changes.push({ line, place, verdict: { outcome: 'refused', reason: planned.message } });
      continue;
    }
    edits.push(planned.edits);
    used.add(planned.home);
    moved.push(made);
    changes.push({ line, place, verdict: { outcome: 'rewritten', notes: planned.notes } });
  }
  for (const home of used) {
    edits.push(home.edits);
    for (const line of home.lines)
      changes.push({ line, place: 'page of metrics', verdict: { outcome: 'rewritten', notes: [] } });
  }
  edits.push(addDeclarations(code, uses, [...used], names), removeUnused(code, uses, moved));
  return { changes: changes.sort((a, b) => a.line - b.line), edits: edits.flat() };
}

function describeHistogram(code: CodeModule, made: NewExpression): string {
  const [options] = made.arguments;
  const property =
    options?.type === 'ObjectExpression'
      ? options.properties.find(
          (one) => one.type === 'ObjectProperty' && one.key.type === 'Identifier' && one.key.name === 'name',
        )
      : undefined;
  if (property?.type !== 'ObjectProperty') return 'histogram';
  const { value } = property;
  return `histogram ${value.type === 'StringLiteral' ? value.value : readSource(code, value)}`;
}

/** The registry that shows the histograms of a register, and the edits that make its page. */
interface Home {
  /** The name of the registry, declared or to be declared. */
  readonly registry: string;
  /** The name and the argument of a handler that is to be declared. */
  readonly handler:
    | { readonly name: string; readonly register: string; readonly after: Node | undefined }
    | undefined;
  /** The offset behind which the registry exists. */
  readonly from: number;
  readonly edits: readonly LiteralEdit[];
  /** The lines of its pages. */
  readonly lines: readonly number[];
}

/** Finds or makes the registry whose page has a register as a source. */
function findHome(code: CodeModule, { registers }: ClientUses, register: Register, names: Names): Home {
  for (const { binding, obstacle } of registers) {
    if (obstacle !== undefined && (binding === undefined || binding === register.binding)) throw obstacle;
  }
  if (register.isShown) return findShown(code, register);
  const [first] = register.pages;
  if (first === undefined) {
    throw new Obstacle(
      register.binding?.identifier ?? code.root,
      'this file does not serve the page of its register: name a file that does, or serve it by prometheusHandler(registry, { sources: [fromPromClient(register)] })',
    );
  }
  const name = names.handler;
  const edits = register.pages.flatMap((call) => rewritePage(code, call, name));
  const { callee } = first;
  const text = callee.type === 'MemberExpression' ? readSource(code, callee.object) : '';
  const after = register.binding && findStatement(code, register.binding.identifier);
  const lines = register.pages.map((call) => findLine(code, call));
  return { registry: names.registry, handler: { name, register: text, after }, from: 0, edits, lines };
}

/** `prometheusHandler(registry, { sources: [fromPromClient(register)] })` that the program has. */
function findShown(code: CodeModule, { binding }: Register): Home {
  const found = code.imports
    .filter(({ exported, source }) => exported === 'fromPromClient' && PROMETHEUS_PACKAGE.has(source))
    .flatMap((imported) => imported.binding.references)
    .flatMap(({ node }) => {
      const call = code.parentOf.get(node);
      if (call?.type !== 'CallExpression') return [];
      const [argument] = call.arguments;
      const isOurs =
        binding === undefined
          ? argument !== undefined && findExported(code, argument, CLIENTS) === 'register'
          : argument !== undefined && code.scopes.find(argument) === binding;
      if (!isOurs) return [];
      const handler = findCallWithSource(code, call);
      const registry = handler?.type === 'CallExpression' ? handler.arguments[0] : undefined;
      if (handler?.type !== 'CallExpression' || registry === undefined) return [];
      const served = findExported(code, handler.callee, PROMETHEUS_PACKAGE);
      if (served !== 'prometheusHandler' && served !== 'servePrometheus') return [];
      const known = code.scopes.find(registry);
      const made = readConstant(code, known);
      const isMade =
        made?.type === 'CallExpression' &&
        findExported(code, made.callee, REGISTRY_PACKAGE) === 'createRegistry';
      return isMade ? [{ registry: known!.name, from: findEnd(made) }] : [];
    });
  const [home, ...others] = found;
  if (home === undefined || others.length > 0)
    throw new Obstacle(
      code.root,
      'the registry of its page is not one constant registry = createRegistry() of this file',
    );
  return { ...home, handler: undefined, edits: [], lines: [] };
}

/** The call with `{ sources: [source] }` among its arguments. */
function findCallWithSource(code: CodeModule, source: Node): Node | undefined {
  let node: Node | undefined = source;
  for (const type of ['ArrayExpression', 'ObjectProperty', 'ObjectExpression', 'CallExpression'] as const) {
    node = node && code.parentOf.get(node);
    if (node?.type !== type) return undefined;
  }
  return node;
}

interface MovedHistogram {
  readonly edits: readonly LiteralEdit[];
  readonly home: Home;
  readonly notes: readonly CodeNote[];
}

function moveHistogram(
  code: CodeModule,
  uses: ClientUses,
  made: NewExpression,
  homeOf: (register: Register) => Home,
  names: Names,
): MovedHistogram {
  const histogram = readHistogram(code, made, CLIENTS);
  const binding = findVariable(code, made);
  const registrations = uses.registers.flatMap((register) =>
    register.registrations
      .filter((call) => call.arguments.length === 1 && code.scopes.find(call.arguments[0]!) === binding)
      .map((call) => ({ register, call })),
  );
  const home = homeOf(findShownRegister(made, histogram, uses, registrations));
  if (findStart(made) < home.from) throw new Obstacle(made, 'it is made before the registry of its page');
  const edits: (readonly LiteralEdit[])[] = [
    rewriteOptions(code, made, histogram, { registry: home.registry, quote: names.style.quote }),
  ];
  let hasUnknownLabels = false;
  for (const { node, isType } of binding.references) {
    const line = findLine(code, node);
    if (isType) throw new Obstacle(node, `line ${line} uses its type`);
    const registration = registrations.find(({ call }) => call.arguments[0] === node);
    if (registration !== undefined) {
      const statement = code.parentOf.get(registration.call)!;
      edits.push([removeRange(code, findStart(statement), findEnd(statement))]);
      continue;
    }
    if (isExport(code, node)) throw new Obstacle(node, `line ${line} exports it, and other files may use it`);
    const rewritten = rewriteUse(code, histogram, node);
    edits.push(rewritten.edits);
    hasUnknownLabels ||= rewritten.hasUnknownLabels;
  }
  return { edits: edits.flat(), home, notes: hasUnknownLabels ? [UNKNOWN_LABELS] : [] };
}

/** The constant that holds a histogram. */
function findVariable(code: CodeModule, made: NewExpression): Binding {
  const declarator = code.parentOf.get(made);
  if (declarator?.type !== 'VariableDeclarator' || declarator.id.type !== 'Identifier')
    throw new Obstacle(made, 'it is not the value of a variable, so its uses are unknown');
  const { id } = declarator;
  if (id.typeAnnotation != null) throw new Obstacle(id, 'its variable states its type');
  const binding = code.scopes.find(id);
  if (binding === undefined || !binding.isConstant)
    throw new Obstacle(id, 'its variable gets other values, too');
  const declaration = code.parentOf.get(declarator);
  if (declaration !== undefined && code.parentOf.get(declaration)?.type === 'ExportNamedDeclaration')
    throw new Obstacle(id, `line ${findLine(code, id)} exports it, and other files may use it`);
  return binding;
}

function isExport(code: CodeModule, node: Node): boolean {
  const parent = code.parentOf.get(node);
  if (parent?.type === 'ExportSpecifier' || parent?.type === 'ExportDefaultDeclaration') return true;
  const assigned = parent?.type === 'ObjectProperty' ? code.parentOf.get(code.parentOf.get(parent)!) : parent;
  return (
    assigned?.type === 'AssignmentExpression' && /^(module\.)?exports\b/.test(readSource(code, assigned.left))
  );
}

/** The register in which a histogram is, if it is in one alone. */
function findShownRegister(
  made: NewExpression,
  { registers }: ClientHistogram,
  uses: ClientUses,
  registrations: readonly { readonly register: Register }[],
): Register {
  const stated = registers?.[0];
  const own = stated === undefined ? uses.registers[0] : uses.findRegister(stated);
  if (own === undefined) throw new Obstacle(stated ?? made, 'its register is unknown');
  const all = [...new Set([own, ...registrations.map(({ register }) => register)])];
  const shown = all.filter(({ pages, isShown }) => pages.length > 0 || isShown);
  if (shown.length > 1) throw new Obstacle(made, 'it is on several pages');
  const [only] = shown;
  return only ?? own;
}

/** Names for what is added: those that no other part of the program has. */
class Names {
  readonly style: CodeStyle;
  readonly #code: CodeModule;

  constructor(code: CodeModule) {
    const example = code.imports.find(({ source }) => CLIENTS.has(source))!;
    this.style = readStyle(code, example.statement);
    this.#code = code;
  }

  get registry(): string {
    return pickName(this.#code, ['registry', 'hdrRegistry', 'hdrscopeRegistry']);
  }

  get handler(): string {
    assertFree(this.#code, ADDED);
    return pickName(this.#code, ['metrics', 'metricsHandler', 'hdrscopeMetrics']);
  }
}

/** The names that are imported. */
const ADDED: readonly string[] = ['createRegistry', 'fromPromClient', 'prometheusHandler'];

/** Adds imports behind the last one, and the registry and handlers behind them. */
function addDeclarations(
  code: CodeModule,
  { imports }: ClientUses,
  homes: readonly Home[],
  { style }: Names,
): LiteralEdit[] {
  const { semicolon, newline } = style;
  const [home] = homes.filter(({ handler }) => handler !== undefined);
  if (home?.handler === undefined) return [];
  const { registry, handler } = home;
  const declared = `const ${handler.name} = prometheusHandler(${registry}, { sources: [fromPromClient(${handler.register})] })${semicolon}`;
  const place = findImportsEnd(code, imports);
  const lines = [
    formatImport(['fromPromClient', 'prometheusHandler'], '@hdrscope/prometheus', imports, style),
    formatImport(['createRegistry'], '@hdrscope/registry', imports, style),
    '',
    `const ${registry} = createRegistry()${semicolon}`,
  ];
  const { after } = handler;
  const isNow = after === undefined || findEnd(after) <= place;
  if (isNow) lines.push(declared);
  return [
    insertAt(place, newline + lines.join(newline)),
    ...(isNow ? [] : [insertAt(findLineEnd(code, findEnd(after)), newline + declared)]),
  ];
}

/** Removes the name `Histogram` from an import when no use of it is left. */
function removeUnused(
  code: CodeModule,
  { imports }: ClientUses,
  moved: readonly NewExpression[],
): LiteralEdit[] {
  return imports.flatMap(({ binding, exported, statement }) => {
    if (exported !== 'Histogram') return [];
    const isUsed = binding.references.some(({ node }) => !moved.some(({ callee }) => callee === node));
    if (isUsed || binding.references.length === 0) return [];
    const items = listImportItems(statement);
    const item = items.find((one) => contains(one, binding.identifier));
    return item === undefined || items.length < 2 ? [] : [removeItem(code, items, item)];
  });
}

function contains(outer: Node, inner: Identifier): boolean {
  return findStart(outer) <= findStart(inner) && findEnd(inner) <= findEnd(outer);
}
