import type { CallExpression, NewExpression, Node } from '#babel';
import { type CodeModule, type CodeUse, findExported, isPath, type Origin } from './module.ts';
import { isRenamed } from './program.ts';
import { findLine, findNodes, findStart, Obstacle, readKey, readSource } from './syntax.ts';

/** The clients of Prometheus for Node.js. */
export const CLIENTS: ReadonlySet<string> = new Set(['prom-client', '@prometheus-io/client']);
const OURS: ReadonlySet<string> = new Set(['@hdrscope/prometheus']);

/** A register of a client: what uses it, and why its histograms must stay. */
export interface Register {
  /** Where it is declared; `undefined` for the register of the client itself. */
  readonly origin: Origin | undefined;
  /** Its calls of `metrics()`. */
  readonly pages: LocatedCall[];
  /** Calls of `registerMetric`. */
  readonly registrations: LocatedCall[];
  /** The modules in which `fromPromClient` shows it already. */
  readonly shownIn: Set<CodeModule>;
  obstacle: Obstacle | undefined;
}

/** A call in one of the modules. */
export interface LocatedCall {
  readonly code: CodeModule;
  readonly call: CallExpression;
}

/** What modules do with a client. */
export interface ClientUses {
  readonly histograms: readonly { readonly code: CodeModule; readonly made: NewExpression }[];
  readonly registers: readonly Register[];
  /** Finds the register that an expression stands for. */
  findRegister(code: CodeModule, node: Node): Register | undefined;
}

/** Names of a client that read or send all metrics, or give them other labels. */
const READERS: ReadonlySet<string> = new Set([
  'AggregatorRegistry',
  'ClusterRegistry',
  'WorkerRegistry',
  'Pushgateway',
]);

/** Finds the histograms and the registers of modules that may run in one process. */
export function readClientUses(modules: readonly CodeModule[]): ClientUses {
  const histograms: { code: CodeModule; made: NewExpression }[] = [];
  const common: Register = makeRegister(undefined);
  const registers = [common];

  const stop = (register: Register, code: CodeModule, node: Node, reason: string): void => {
    register.obstacle ??= new Obstacle(node, `${code.path}: line ${findLine(code, node)} ${reason}`);
  };
  const visitRegister = (register: Register, { code, node }: Omit<CodeUse, 'isType'>): void => {
    const reason = readRegisterUse(code, register, node);
    if (reason !== undefined) stop(register, code, node, reason);
  };
  const visit = (code: CodeModule, node: Node): void => {
    const exported = findExported(code, node, CLIENTS);
    const parent = code.parentOf.get(node);
    if (exported === undefined || isRenamed(code, node)) return;
    const isExport = code.program.listExportNames(code, node).length > 0;
    const leak = isExport ? code.program.findLeak(code) : undefined;
    if (leak !== undefined) stop(common, code, node, `exports the client, and ${leak}`);
    if (isExport) return;
    if (exported === '*') {
      const isNamed = parent?.type === 'MemberExpression' && parent.object === node;
      if (isNamed && readKey(parent.property, parent.computed) !== undefined) visit(code, parent);
      else stop(common, code, node, 'passes on the client');
    } else if (exported === 'register') visitRegister(common, { code, node });
    else if (exported === 'Histogram') {
      if (parent?.type === 'NewExpression' && parent.callee === node) histograms.push({ code, made: parent });
      else stop(common, code, node, 'passes on the class Histogram');
    } else if (exported === 'Registry') {
      const register = readOwnRegister(code, parent, node);
      if (register === undefined)
        stop(common, code, node, 'makes a register that is not a constant of the file');
      else registers.push(register);
    } else if (READERS.has(exported))
      stop(common, code, node, `uses ${exported}, which would not see histograms of hdrscope`);
  };
  for (const code of modules) {
    const [hidden] = listHiddenLoads(code);
    if (hidden !== undefined) stop(common, code, hidden, 'loads the client in a way that is not known');
    for (const node of listRoots(code)) visit(code, node);
  }
  for (const register of registers) {
    const { origin } = register;
    if (origin === undefined) continue;
    try {
      for (const use of origin.code.program.listUses(origin.code, origin.binding))
        if (!use.isType) visitRegister(register, use);
    } catch (error) {
      if (!(error instanceof Obstacle)) throw error;
      stop(register, origin.code, error.node, error.message.replace(/^line \d+ /, ''));
    }
  }
  return {
    histograms,
    registers,
    findRegister: (code, node) => {
      if (findExported(code, node, CLIENTS) === 'register') return common;
      const origin = code.program.findOrigin(code, node);
      return origin && registers.find((register) => register.origin?.binding === origin.binding);
    },
  };
}

/** The expressions in which a client, or a part of it, comes into a module: its names, and those of modules that pass it on. */
function listRoots(code: CodeModule): Node[] {
  return code.imports.flatMap(({ binding, source }) =>
    binding.references.flatMap(({ node, isType }) => {
      if (isType) return [];
      if (findExported(code, node, CLIENTS) !== undefined) return [node];
      const member = code.parentOf.get(node);
      const isMember = isPath(source) && member?.type === 'MemberExpression' && member.object === node;
      return isMember && findExported(code, member, CLIENTS) !== undefined ? [member] : [];
    }),
  );
}

/** Where a client is loaded other than by an import at the top of a module, or passed on by `export … from`. */
function listHiddenLoads({ root, knownLoads, exports }: CodeModule): Node[] {
  const named = findNodes(
    root,
    (node): node is Extract<Node, { type: 'StringLiteral' }> =>
      node.type === 'StringLiteral' && CLIENTS.has(node.value),
  );
  return named.filter((node) => !knownLoads.has(findStart(node)) || exports.sources.includes(node));
}

function makeRegister(origin: Origin | undefined): Register {
  return { origin, pages: [], registrations: [], shownIn: new Set(), obstacle: undefined };
}

/** `const register = new Registry()` at the top of a program. */
function readOwnRegister(code: CodeModule, made: Node | undefined, callee: Node): Register | undefined {
  if (made?.type !== 'NewExpression' || made.callee !== callee || made.arguments.length > 0) return undefined;
  const declarator = code.parentOf.get(made);
  if (declarator?.type !== 'VariableDeclarator' || declarator.id.type !== 'Identifier') return undefined;
  const declaration = code.parentOf.get(declarator);
  const around = declaration && code.parentOf.get(declaration);
  if (around?.type !== 'Program' && around?.type !== 'ExportNamedDeclaration') return undefined;
  const binding = code.scopes.find(declarator.id);
  return binding?.isConstant === true ? makeRegister({ code, binding }) : undefined;
}

/** Notes a use of a register. A sentence when histograms must stay because of it. */
function readRegisterUse(code: CodeModule, register: Register, node: Node): string | undefined {
  const parent = code.parentOf.get(node);
  if (parent?.type === 'MemberExpression' && parent.object === node) {
    const name = readKey(parent.property, parent.computed);
    const call = code.parentOf.get(parent);
    const isCall = call?.type === 'CallExpression' && call.callee === parent;
    if (name === 'contentType' && !isCall) return undefined;
    if (name === 'metrics' && isCall && call.arguments.length === 0) {
      register.pages.push({ code, call });
      return undefined;
    }
    if (name === 'registerMetric' && isCall && code.parentOf.get(call)?.type === 'ExpressionStatement') {
      register.registrations.push({ code, call });
      return undefined;
    }
    return `calls ${readSource(code, parent)}, which would not see histograms of hdrscope`;
  }
  if (parent?.type === 'CallExpression' && findExported(code, parent.callee, OURS) === 'fromPromClient') {
    register.shownIn.add(code);
    return undefined;
  }
  if (parent?.type === 'ObjectProperty' && parent.value === node) {
    const call = code.parentOf.get(code.parentOf.get(parent)!);
    const isDefault =
      call?.type === 'CallExpression' && findExported(code, call.callee, CLIENTS) === 'collectDefaultMetrics';
    if (isDefault && readKey(parent.key, parent.computed) === 'register') return undefined;
  }
  if (parent?.type === 'ArrayExpression') {
    const property = code.parentOf.get(parent);
    const made = property && code.parentOf.get(code.parentOf.get(property)!);
    const isMetric = made?.type === 'NewExpression' && findExported(code, made.callee, CLIENTS) !== undefined;
    if (
      isMetric &&
      property?.type === 'ObjectProperty' &&
      readKey(property.key, property.computed) === 'registers'
    )
      return undefined;
  }
  return 'passes on the register of the histograms';
}
